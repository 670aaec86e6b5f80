// The weights of a model on the GPU, brought once into the form that the kernels want.
#pragma once

#include <vector>

#include "core/config.h"
#include "core/cuda/device_memory.h"
#include "core/cuda/rows_kernels.h"
#include "core/cuda/storage.h"
#include "core/weights.h"

namespace causcale::cuda {

// Pointers into DeviceWeights' memory, of the activations' type unless they say float. Matrices are packed in
// bf16 (pack_weights.h) and as in the file in fp32.
struct DeviceNorm {
  const void *weight, *bias;  // [128]
};
struct DeviceAttention {
  DeviceNorm norm;
  const void *qkv, *qkv_bias;  // [384, 128]
  const void *out, *out_bias;  // [128, 128]
};
struct DeviceAxial {
  DeviceAttention row, column;
  DeviceNorm norm;
  const void *up, *up_bias;      // [F, 128]
  const void *down, *down_bias;  // [128, F]
  int width;                     // F
};
struct DeviceBlockWeights {
  DeviceAxial data, data2graph, graph;
  Projection128 u, v;
  const void *fuse, *fuse_column, *fuse_bias;  // [128, 128], [128]
};
struct DeviceEmbedding {
  const void *weight, *bias;  // [128, inputs], never packed
  DeviceNorm norm;
  int inputs;
};

class DeviceWeights {
 public:
  DeviceWeights(const ModelConfig& config, const core::StoredWeights& stored, Storage storage);

  DeviceEmbedding embed_data, embed_graph;
  std::vector<DeviceBlockWeights> blocks;
  const float *final_norm_weight, *final_norm_bias;
  const void* head_first;  // [256, 256], never packed
  Head head;               // its weights; the rest is the pass's
  std::int64_t bytes() const { return memory_.bytes(); }

 private:
  DeviceBlock memory_;
};

}  // namespace causcale::cuda

// Launchers of the embedding's kernels. Device pointers; values, weights and result in the given storage.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/cuda/storage.h"

namespace causcale::cuda {

constexpr int kMostInputs = 4;  // of a token; 2 where gradients are wanted

struct Embedding {
  const void* values;  // [tokens, inputs]
  const void* weight;  // [128, inputs]
  const void* bias;
  const void* norm_weight;
  const void* norm_bias;
  std::int64_t tokens;
  int inputs;  // 1 to kMostInputs
};

// y [tokens, 128]; rstd [tokens] may be null.
void embed(const Embedding& args, void* y, float* rstd, Storage storage, cudaStream_t stream);

// Gradients of the weights. Blocks leave partial sums, which are added in a fixed order.
struct EmbeddingGradients {
  void* weight;
  void* bias;
  void* norm_weight;
  void* norm_bias;
};
int embed_backward_blocks(std::int64_t tokens);
std::int64_t embed_backward_floats(int inputs, int blocks);  // of the workspace
void embed_backward(const Embedding& args, const void* dy, const float* rstd, float* workspace, int blocks,
                    const EmbeddingGradients& gradients, Storage storage, cudaStream_t stream);

}  // namespace causcale::cuda

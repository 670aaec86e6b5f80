// Launchers of the CUDA kernels around tied attention. Pointers are device pointers; activations and weights
// are bf16 or fp32 as `storage` says, statistics and partial sums fp32. Weights are packed in bf16 and as
// they are in fp32. Planes are [B, 16, L, T, 8] as described by TokenMap; "stack" means the planes of q, k
// and v one after the other. Padding rows of planes are left as they are.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/cuda/storage.h"
#include "core/cuda/token_map.h"

namespace causcale::cuda {

// Layer norm and q/k/v projection: x rows -> stack. mean and rstd [tokens] may be null.
struct ProjectQkv {
  const void* x;
  const void* norm_weight;
  const void* norm_bias;
  const void* weight;  // [384, 128]; packed in images of 128 rows
  const void* bias;
  void* stack;
  float* mean;
  float* rstd;
};
void project_qkv(const ProjectQkv& args, const TokenMap& map, Storage storage, cudaStream_t stream);

// Output projection, bias and residual: planes, x rows -> y rows.
struct ProjectOut {
  const void* planes;
  const void* weight;  // [128, 128]
  const void* bias;
  const void* x;
  void* y;
};
void project_out(const ProjectOut& args, const TokenMap& map, Storage storage, cudaStream_t stream);

// Gradient of the output projection's input: dy rows -> planes.
void project_out_backward(const void* dy, const void* weight, void* planes, const TokenMap& map,
                          Storage storage, cudaStream_t stream);

// Gradient of project_qkv and of the residual with respect to x: gradient stack, dy rows -> dx rows.
struct ProjectQkvBackward {
  const void* stack;
  const void* weight;
  const void* norm_weight;
  const void* x;
  const void* dy;
  const float* mean;
  const float* rstd;
  void* dx;
};
void project_qkv_backward(const ProjectQkvBackward& args, const TokenMap& map, Storage storage,
                          cudaStream_t stream);

// The same four in fp32, which the functions above call.
void project_qkv_fp32(const ProjectQkv& args, const TokenMap& map, cudaStream_t stream);
void project_out_fp32(const ProjectOut& args, const TokenMap& map, cudaStream_t stream);
void project_out_backward_fp32(const void* dy, const void* weight, void* planes, const TokenMap& map,
                               cudaStream_t stream);
void project_qkv_backward_fp32(const ProjectQkvBackward& args, const TokenMap& map, cudaStream_t stream);

// A run of score matrices [queries, stride], of which the first `real_queries` rows and `length` columns
// exist; the stride is a multiple of 8.
struct ScoreShape {
  std::int64_t maps;
  std::int64_t queries;
  std::int64_t real_queries;
  std::int64_t length;
  std::int64_t stride;
};

// Softmax of scale * scores along each row; probabilities outside the real part become 0. Scores are fp32; if
// the probabilities are too, they may take the scores' place.
void softmax(const float* scores, void* probabilities, const ScoreShape& shape, float scale, Storage storage,
             cudaStream_t stream);

// Turns gradients of the probabilities into gradients of the unscaled scores, in place.
void softmax_backward(const void* probabilities, void* gradients, const ScoreShape& shape, float scale,
                      Storage storage, cudaStream_t stream);

}  // namespace causcale::cuda

// Linear layers in fp32 with what stands before and after them: one kernel for all projections of attention,
// both layers of the FFN, the message, and the gradients of their inputs. Device pointers; rows of
// activations on 16-byte boundaries, weights anywhere.
#pragma once

#include <cuda_runtime_api.h>

#include "ops/cuda/token_map.h"

namespace causcale::cuda {

struct LinearFp32 {
  enum class Input {
    kRows,    // [tokens, depth]
    kNormed,  // layer norm of rows [tokens, 128]
    kPlanes,  // head planes, or a stack of them if depth = 384
  };
  enum class Output {
    kRows,          // [tokens, width]
    kPlanes,        // head planes, or a stack of them if width = 384
    kGeluBackward,  // the product is the gradient of GELU(hidden)
    kNormBackward,  // the product is the gradient of LayerNorm(x)
  };
  Input input = Input::kRows;
  Output output = Output::kRows;
  bool backward = false;  // false: input W^T with W [width, depth]; true: input W with W [depth, width]
  int depth = 0;          // both multiples of 128
  int width = 0;
  const float* in = nullptr;
  const float* weight = nullptr;

  const float* norm_weight = nullptr;  // kNormed, kNormBackward
  const float* norm_bias = nullptr;    // kNormed
  float* mean = nullptr;               // [tokens], written by kNormed unless null
  float* rstd = nullptr;
  const float* saved_mean = nullptr;  // the same, read by kNormBackward
  const float* saved_rstd = nullptr;

  float* out = nullptr;         // kGeluBackward: gradient of hidden
  const float* bias = nullptr;  // kRows, kPlanes; may be null
  // kRows, in this order: bias, gelu, message times column, residual; null for what there is not.
  bool gelu = false;
  const float* message = nullptr;   // [tokens]
  const float* column = nullptr;    // [width]
  const float* residual = nullptr;  // rows; kNormBackward: dy, which goes past the branch
  float* hidden = nullptr;          // kGeluBackward: [tokens, width], replaced by GELU(hidden)
  const float* x = nullptr;         // kNormBackward
};

void linear_fp32(const LinearFp32& args, const TokenMap& map, cudaStream_t stream);

}  // namespace causcale::cuda

// Linear layers in fp32 with what stands before and after them: one kernel for all projections of attention,
// both layers of the FFN, the message, and the gradients of their inputs. Device pointers; rows of
// activations on 16-byte boundaries, weights anywhere.
#pragma once

#include <cuda_runtime_api.h>

#include "core/cuda/token_map.h"

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

inline const float* floats(const void* values) {
  return static_cast<const float*>(values);
}

// From the layer norm of args.x, whose statistics may be asked for besides.
template <class Args>
LinearFp32 linear_after_norm(const Args& args, const void* weight, const void* bias, int width) {
  LinearFp32 linear;
  linear.input = LinearFp32::Input::kNormed;
  linear.depth = kChannels;
  linear.width = width;
  linear.in = floats(args.x);
  linear.weight = floats(weight);
  linear.norm_weight = floats(args.norm_weight);
  linear.norm_bias = floats(args.norm_bias);
  linear.bias = floats(bias);
  return linear;
}

// Its way back: from the gradient of what it made to that of args.x, with args.dy past the branch.
template <class Args>
LinearFp32 linear_back_through_norm(const Args& args, const void* gradient, const void* weight, int depth) {
  LinearFp32 linear;
  linear.output = LinearFp32::Output::kNormBackward;
  linear.backward = true;
  linear.depth = depth;
  linear.width = kChannels;
  linear.in = floats(gradient);
  linear.weight = floats(weight);
  linear.norm_weight = floats(args.norm_weight);
  linear.saved_mean = args.mean;
  linear.saved_rstd = args.rstd;
  linear.x = floats(args.x);
  linear.residual = floats(args.dy);
  linear.out = static_cast<float*>(args.dx);
  return linear;
}

void linear_fp32(const LinearFp32& args, const TokenMap& map, cudaStream_t stream);

}  // namespace causcale::cuda

// Gradients of the weights of a Linear from the tokens that went through it: dW = sum over tokens of a b^T,
// with the bias gradient sum of a in the same pass. Blocks add up their tokens in fp32 registers and leave
// partial sums, which a second launch adds in a fixed order, so results do not vary from run to run.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/cuda/storage.h"
#include "core/cuda/token_map.h"

namespace causcale::cuda {

// d of the q/k/v projection: a = gradient stack (384 channels), b = (x - mean) rstd.
// d of the output projection: a = dy rows, b = planes.
// d of the FFN's first Linear: a = dh rows [tokens, F], b = (x - mean) rstd. Second: a = dy rows, b = g rows
// [.., F].
struct WeightGradient {
  enum class Kind { kQkv, kOut, kUp, kDown };
  Kind kind;
  int width;  // F for kUp and kDown: 128 or a multiple of 256
  const void* a;
  const void* b;
  const float* mean;  // kQkv and kUp
  const float* rstd;
  Storage storage;  // of a and b

  int rows() const { return kind == Kind::kQkv ? 3 * kChannels : kind == Kind::kUp ? width : kChannels; }
  int cols() const { return kind == Kind::kDown ? width : kChannels; }
};

// Number of partial sums that will be left, and floats that they and the final sum need.
int weight_gradient_parts(const WeightGradient& gradient, const TokenMap& map);
std::int64_t weight_gradient_floats(const WeightGradient& gradient, int parts);
void weight_gradient(const WeightGradient& gradient, const TokenMap& map, float* workspace, int parts,
                     cudaStream_t stream);

// Adds up the partial sums and writes gradients of the weights' type. With a layer norm in front (norm_weight
// not null) b was the normalised input without the norm's weight gamma and bias beta; then dW = G gamma + db
// beta^T, and the norm's own gradients follow as column sums of W G and W db.
struct FinishGradient {
  int rows;
  int cols;
  float* workspace;
  int parts;
  void* d_weight;
  void* d_bias;
  const void* weight;
  const void* norm_weight;
  const void* norm_bias;
  void* d_norm_weight;
  void* d_norm_bias;
  Storage storage;
};
void finish_weight_gradient(const FinishGradient& args, cudaStream_t stream);

// The two steps in fp32, which the functions above call.
int weight_gradient_parts_fp32(const WeightGradient& gradient, const TokenMap& map);
void weight_gradient_fp32(const WeightGradient& gradient, const TokenMap& map, float* workspace, int parts,
                          cudaStream_t stream);

}  // namespace causcale::cuda

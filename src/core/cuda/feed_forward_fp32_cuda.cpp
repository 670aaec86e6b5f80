// The feed-forward network in fp32: what the common kernel of Linears is to do in each step.
#include <algorithm>

#include "core/cuda/feed_forward_kernels.h"
#include "core/cuda/linear_fp32.h"

namespace causcale::cuda {
namespace {

// Forward and backward begin alike.
template <class Args>
LinearFp32 first_layer(const Args& args) {
  return linear_after_norm(args, args.up, args.up_bias, args.width);
}

}  // namespace

void feed_forward_fp32(const FeedForward& args, cudaStream_t stream) {
  LinearFp32 up = first_layer(args), down;
  up.mean = args.mean;
  up.rstd = args.rstd;
  up.gelu = true;
  up.out = args.hidden;
  down.depth = args.width;
  down.width = kChannels;
  down.in = args.hidden;
  down.weight = floats(args.down);
  down.bias = floats(args.down_bias);
  down.residual = floats(args.x);
  down.out = static_cast<float*>(args.y);
  for (std::uint32_t begin = 0; begin < args.tokens; begin += args.hidden_tokens) {
    const std::uint32_t count = std::min(args.hidden_tokens, args.tokens - begin);
    const TokenMap map = TokenMap::in_a_row(count);
    linear_fp32(up, map, stream);
    linear_fp32(down, map, stream);
    const std::int64_t step = std::int64_t{count} * kChannels;
    up.in += step;
    down.residual += step;
    down.out += step;
    if (up.mean != nullptr) {
      up.mean += count;
      up.rstd += count;
    }
  }
}

void feed_forward_backward_fp32(const FeedForwardBackward& args, cudaStream_t stream) {
  const TokenMap map = TokenMap::in_a_row(args.tokens);
  LinearFp32 up = first_layer(args);
  up.out = static_cast<float*>(args.activation);  // before GELU
  linear_fp32(up, map, stream);

  LinearFp32 down;
  down.output = LinearFp32::Output::kGeluBackward;
  down.backward = true;
  down.depth = kChannels;
  down.width = args.width;
  down.in = floats(args.dy);
  down.weight = floats(args.down);
  down.hidden = static_cast<float*>(args.activation);
  down.out = static_cast<float*>(args.d_hidden);
  linear_fp32(down, map, stream);

  linear_fp32(linear_back_through_norm(args, args.d_hidden, args.up, args.width), map, stream);
}

}  // namespace causcale::cuda

#include <ATen/ATen.h>

#include <algorithm>

#include "learn/autograd/feed_forward/feed_forward.h"
#include "learn/autograd/torch_compat.h"

namespace causcale::autograd {
namespace {

// Without derivatives the hidden layer is never needed whole; this many bytes of it exist at a time.
constexpr std::int64_t kHiddenBytes = std::int64_t{64} << 20;

at::Tensor branch(const at::Tensor& x, const FeedForwardWeights& weights) {
  const at::Tensor normed = at::layer_norm(x, {x.size(-1)}, weights.norm_weight, weights.norm_bias, 1e-5);
  const at::Tensor hidden = at::gelu(at::linear(normed, weights.up_weight, weights.up_bias));
  return at::linear(hidden, weights.down_weight, weights.down_bias);
}

}  // namespace

at::Tensor feed_forward_plain(const at::Tensor& x, const FeedForwardWeights& weights) {
  const std::int64_t d = x.size(-1), tokens = x.numel() / std::max<std::int64_t>(d, 1);
  const std::int64_t chunk =
      std::max<std::int64_t>(1, kHiddenBytes / (weights.up_bias.numel() * x.element_size()));
  if (c10::GradMode::is_enabled() || tokens <= chunk) return x + branch(x, weights);

  at::Tensor result = at::empty_like(x, at::MemoryFormat::Contiguous);
  const at::Tensor from = x.reshape({tokens, d}), to = result.view({tokens, d});
  for (std::int64_t begin = 0; begin < tokens; begin += chunk) {
    const at::Tensor part = from.narrow(0, begin, std::min(chunk, tokens - begin));
    at::Tensor out = to.narrow(0, begin, part.size(0));
    at::add_out(out, part, branch(part, weights));
  }
  return result;
}

}  // namespace causcale::autograd

#include "learn/autograd/feed_forward/feed_forward.h"

#include <fmt/format.h>

#include "causcale/error.h"
#include "learn/autograd/feed_forward/feed_forward_cuda.h"

namespace causcale::autograd {
namespace {

void check(const at::Tensor& x, const FeedForwardWeights& weights) {
  if (x.dim() < 1) throw Error("feed_forward wants [..., d], got a number");
  const std::int64_t d = x.size(-1), F = weights.up_bias.numel();
  if (weights.up_weight.sizes() != at::IntArrayRef({F, d}) ||
      weights.down_weight.sizes() != at::IntArrayRef({d, F}))
    throw Error(fmt::format("feed_forward: the weights do not fit d = {}", d));
}

}  // namespace

at::Tensor feed_forward(const at::Tensor& x, const FeedForwardWeights& weights, PackedWeights* packed) {
  check(x, weights);
  if (feed_forward_cuda_supports(x, weights)) return feed_forward_cuda(x, weights, packed);
  return feed_forward_plain(x, weights);
}

}  // namespace causcale::autograd

#include "ops/feed_forward/feed_forward.h"

#include <fmt/format.h>

#include "base/torch_compat.h"
#include "causcale/error.h"
#include "ops/feed_forward/feed_forward_cpu.h"
#include "ops/feed_forward/feed_forward_cuda.h"

namespace causcale::ops {
namespace {

void check(const at::Tensor& x, const FeedForwardWeights& weights) {
  if (x.dim() < 1) throw Error("feed_forward wants [..., d], got a number");
  const std::int64_t d = x.size(-1), F = weights.up_bias.numel();
  if (weights.up_weight.sizes() != at::IntArrayRef({F, d}) ||
      weights.down_weight.sizes() != at::IntArrayRef({d, F}))
    throw Error(fmt::format("feed_forward: the weights do not fit d = {}", d));
}

}  // namespace

at::Tensor feed_forward(const at::Tensor& x, const FeedForwardWeights& weights, bool overwrite_x,
                        PackedWeights* packed) {
  check(x, weights);
  if (feed_forward_cuda_supports(x, weights)) return feed_forward_cuda(x, weights, packed);
  const bool gradient = wants_gradient({x, weights.norm_weight, weights.norm_bias, weights.up_weight,
                                        weights.up_bias, weights.down_weight, weights.down_bias});
  if (!gradient && feed_forward_cpu_supports(x)) return feed_forward_cpu(x, weights, overwrite_x);
  return feed_forward_plain(x, weights);
}

}  // namespace causcale::ops

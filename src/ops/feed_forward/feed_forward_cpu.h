// The CPU path of the position-wise network: fp32, no derivatives, the hidden layer stays in the cache.
#pragma once

#include "ops/feed_forward/feed_forward.h"

namespace causcale::ops {

bool feed_forward_cpu_supports(const at::Tensor& x);
at::Tensor feed_forward_cpu(const at::Tensor& x, const FeedForwardWeights& weights, bool overwrite_x);

}  // namespace causcale::ops

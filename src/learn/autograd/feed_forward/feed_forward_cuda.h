// The feed-forward network fused for CUDA: bf16 or fp32, 128 channels, hidden width 128 or a multiple of 256
// up to 1024.
#pragma once

#include <ATen/core/Tensor.h>

#include "learn/autograd/feed_forward/feed_forward.h"

namespace causcale::autograd {

bool feed_forward_cuda_supports(const at::Tensor& x, const FeedForwardWeights& weights);

// Same meaning as feed_forward(); differentiable.
at::Tensor feed_forward_cuda(const at::Tensor& x, const FeedForwardWeights& weights,
                             PackedWeights* packed = nullptr);

}  // namespace causcale::autograd

// Tied attention fused for CUDA: bf16 or fp32, 128 channels, 16 heads, nothing padded.
#pragma once

#include <ATen/core/Tensor.h>

#include "learn/autograd/attention/attention.h"

namespace causcale::autograd {

bool attention_cuda_supports(const at::Tensor& x, const AttentionOptions& options, const GridSizes& sizes);

// Same meaning as attention(); differentiable.
at::Tensor attention_cuda(const at::Tensor& x, const AttentionWeights& weights,
                          const AttentionOptions& options);

}  // namespace causcale::autograd

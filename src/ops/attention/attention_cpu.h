// The CPU path of the tied attention: fp32, no derivatives, no permuted copies.
#pragma once

#include "ops/attention/attention.h"

namespace causcale::ops {

bool attention_cpu_supports(const at::Tensor& x, const AttentionOptions& options, const GridSizes& sizes);
at::Tensor attention_cpu(const at::Tensor& x, const AttentionWeights& weights,
                         const AttentionOptions& options);

}  // namespace causcale::ops

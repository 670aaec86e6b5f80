// Pairs joined on CUDA: one pass over memory each way, without sums.
#pragma once

#include "ops/pairs/pairs.h"

namespace causcale::ops {

bool join_pairs_cuda_supports(const at::Tensor& graph);

// Same meaning as join_pairs(); differentiable.
at::Tensor join_pairs_cuda(const at::Tensor& graph, bool reversed);

}  // namespace causcale::ops

// Pairs joined on CUDA: one pass over memory each way, without sums.
#pragma once

#include "learn/autograd/pairs/pairs.h"

namespace causcale::autograd {

bool join_pairs_cuda_supports(const at::Tensor& graph);

// Same meaning as join_pairs(); differentiable.
at::Tensor join_pairs_cuda(const at::Tensor& graph, bool reversed);

}  // namespace causcale::autograd

// Means of groups of samples on CUDA: one pass over memory each way.
#pragma once

#include "learn/autograd/pooling/pooling.h"

namespace causcale::autograd {

bool mean_of_groups_cuda_supports(const at::Tensor& data, std::int64_t r);

// Same meaning as mean_of_groups(); differentiable.
at::Tensor mean_of_groups_cuda(const at::Tensor& data, std::int64_t r);

}  // namespace causcale::autograd

// Means of groups of samples on CUDA: one pass over memory each way.
#pragma once

#include "ops/pooling/pooling.h"

namespace causcale::ops {

bool mean_of_groups_cuda_supports(const at::Tensor& data, std::int64_t r);

// Same meaning as mean_of_groups(); differentiable.
at::Tensor mean_of_groups_cuda(const at::Tensor& data, std::int64_t r);

}  // namespace causcale::ops

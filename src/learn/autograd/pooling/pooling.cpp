#include "learn/autograd/pooling/pooling.h"

#include <ATen/ATen.h>

#include <vector>

#include "learn/autograd/pooling/pooling_cuda.h"

namespace causcale::autograd {

at::Tensor mean_of_groups(const at::Tensor& data, std::int64_t r, bool fused) {
  if (fused && mean_of_groups_cuda_supports(data, r)) return mean_of_groups_cuda(data, r);
  return mean_of_groups_plain(data, r);
}

at::Tensor mean_of_groups_plain(const at::Tensor& data, std::int64_t r) {
  const std::int64_t groups = data.size(1) / r;
  return data.narrow(1, 0, groups * r)
      .unflatten(1, std::vector<std::int64_t>{groups, r})  // [B, m / r, r, n, d]
      .mean(2);
}

}  // namespace causcale::autograd

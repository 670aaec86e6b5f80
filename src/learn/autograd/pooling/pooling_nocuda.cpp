#include "causcale/error.h"
#include "learn/autograd/pooling/pooling_cuda.h"

namespace causcale::autograd {

bool mean_of_groups_cuda_supports(const at::Tensor&, std::int64_t) {
  return false;
}

at::Tensor mean_of_groups_cuda(const at::Tensor&, std::int64_t) {
  throw Error("this build has no CUDA kernels for pooling");
}

}  // namespace causcale::autograd

#include "causcale/error.h"
#include "learn/autograd/pairs/pairs_cuda.h"

namespace causcale::autograd {

bool join_pairs_cuda_supports(const at::Tensor&) {
  return false;
}

at::Tensor join_pairs_cuda(const at::Tensor&, bool) {
  throw Error("this build has no CUDA kernels for pairs");
}

}  // namespace causcale::autograd

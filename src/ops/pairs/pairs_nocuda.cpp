#include "causcale/error.h"
#include "ops/pairs/pairs_cuda.h"

namespace causcale::ops {

bool join_pairs_cuda_supports(const at::Tensor&) {
  return false;
}

at::Tensor join_pairs_cuda(const at::Tensor&, bool) {
  throw Error("this build has no CUDA kernels for pairs");
}

}  // namespace causcale::ops

#include "causcale/error.h"
#include "learn/autograd/feed_forward/feed_forward_cuda.h"

namespace causcale::autograd {

bool feed_forward_cuda_supports(const at::Tensor&, const FeedForwardWeights&) {
  return false;
}

at::Tensor feed_forward_cuda(const at::Tensor&, const FeedForwardWeights&, PackedWeights*) {
  throw Error("this build has no CUDA kernels for the position-wise network");
}

}  // namespace causcale::autograd

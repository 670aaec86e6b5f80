#include "causcale/error.h"
#include "learn/autograd/message/message_cuda.h"

namespace causcale::autograd {

bool merge_message_cuda_supports(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&) {
  return false;
}

at::Tensor merge_message_cuda(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                              PackedWeights*) {
  throw Error("this build has no CUDA kernels for the message");
}

}  // namespace causcale::autograd

#include "causcale/error.h"
#include "learn/autograd/attention/attention_cuda.h"

namespace causcale::autograd {

bool attention_cuda_supports(const at::Tensor&, const AttentionOptions&, const GridSizes&) {
  return false;
}

at::Tensor attention_cuda(const at::Tensor&, const AttentionWeights&, const AttentionOptions&) {
  throw Error("this build has no CUDA kernels for attention");
}

}  // namespace causcale::autograd

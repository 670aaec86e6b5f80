#include "causcale/error.h"
#include "learn/autograd/embedding/embedding_cuda.h"

namespace causcale::autograd {

bool embed_cuda_supports(const at::Tensor&, const EmbeddingWeights&) {
  return false;
}

at::Tensor embed_cuda(const at::Tensor&, const EmbeddingWeights&) {
  throw Error("this build has no CUDA kernels for the embedding");
}

}  // namespace causcale::autograd

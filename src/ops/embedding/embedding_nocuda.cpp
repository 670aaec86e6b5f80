#include "causcale/error.h"
#include "ops/embedding/embedding_cuda.h"

namespace causcale::ops {

bool embed_cuda_supports(const at::Tensor&, const EmbeddingWeights&) {
  return false;
}

at::Tensor embed_cuda(const at::Tensor&, const EmbeddingWeights&) {
  throw Error("this build has no CUDA kernels for the embedding");
}

}  // namespace causcale::ops

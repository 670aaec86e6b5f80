#include "learn/autograd/embedding/embedding.h"

#include <ATen/ATen.h>

#include "learn/autograd/embedding/embedding_cuda.h"

namespace causcale::autograd {

at::Tensor embed(const at::Tensor& values, const EmbeddingWeights& weights, bool fused) {
  if (fused && embed_cuda_supports(values, weights)) return embed_cuda(values, weights);
  return embed_plain(values, weights);
}

at::Tensor embed_plain(const at::Tensor& values, const EmbeddingWeights& weights) {
  return at::layer_norm(at::linear(values, weights.weight, weights.bias), {weights.norm_weight.size(0)},
                        weights.norm_weight, weights.norm_bias, 1e-5);
}

}  // namespace causcale::autograd

// First step of a stream: a Linear of one or two values a token, then layer norm.
#pragma once

#include <ATen/core/Tensor.h>

namespace causcale::autograd {

// Weights, all in the type of the values: weight [d, k], the others [d].
struct EmbeddingWeights {
  const at::Tensor& weight;
  const at::Tensor& bias;
  const at::Tensor& norm_weight;
  const at::Tensor& norm_bias;
};

// values [..., k] -> [..., d]. With `fused` the CUDA kernel where there is one (d = 128, k = 1 or 2, bf16 or
// fp32, no derivative with respect to the values), else the plain composition.
at::Tensor embed(const at::Tensor& values, const EmbeddingWeights& weights, bool fused);

// The plain libtorch composition.
at::Tensor embed_plain(const at::Tensor& values, const EmbeddingWeights& weights);

}  // namespace causcale::autograd

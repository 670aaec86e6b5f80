// The embedding fused for CUDA: 128 channels from one or two values, bf16 or fp32.
#pragma once

#include "learn/autograd/embedding/embedding.h"

namespace causcale::autograd {

bool embed_cuda_supports(const at::Tensor& values, const EmbeddingWeights& weights);

// Same meaning as embed(); differentiable with respect to the weights.
at::Tensor embed_cuda(const at::Tensor& values, const EmbeddingWeights& weights);

}  // namespace causcale::autograd

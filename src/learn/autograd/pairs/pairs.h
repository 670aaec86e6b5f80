// The two directions of every pair of variables side by side, for the head.
#pragma once

#include <ATen/core/Tensor.h>

namespace causcale::autograd {

// graph [B, n, n, d] -> [B, n(n-1)/2, 2d], pairs i < j in row-major order: cell (i, j) then cell (j, i), or
// the other way round with `reversed`. With `fused` the CUDA kernel where there is one (bf16 or fp32, d a
// multiple of 8), else the plain composition.
at::Tensor join_pairs(const at::Tensor& graph, bool reversed, bool fused);

// The plain libtorch composition.
at::Tensor join_pairs_plain(const at::Tensor& graph, bool reversed);

}  // namespace causcale::autograd

// Groups of neighbouring samples become their mean.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace causcale::autograd {

// data [B, m, n, d] -> [B, m / r, n, d]; an incomplete last group is dropped. With `fused` the CUDA kernel
// where there is one (bf16 or fp32, n d a multiple of 8), else the plain composition.
at::Tensor mean_of_groups(const at::Tensor& data, std::int64_t r, bool fused);

// The plain libtorch composition.
at::Tensor mean_of_groups_plain(const at::Tensor& data, std::int64_t r);

}  // namespace causcale::autograd

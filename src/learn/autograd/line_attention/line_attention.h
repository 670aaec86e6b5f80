// Attention in which every line has a map of its own: softmax(q k^T / sqrt(e)) v. Score matrices exist a
// chunk at a time, in the backward pass too: m rows of n variables have n m^2 of them, which no device could
// keep for every block.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace causcale::autograd {

// q, k, v [N, H, L, e] -> [N, H, L, e]: N lines of H heads, L positions, e numbers each. `max_score_bytes`:
// most bytes of score matrices at a time; 0 = no limit.
at::Tensor line_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                          std::int64_t max_score_bytes = 0);

// All scores at once: the reference.
at::Tensor line_attention_plain(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v);

}  // namespace causcale::autograd

#include "learn/autograd/attention/attention.h"

#include <fmt/format.h>

#include "causcale/error.h"
#include "learn/autograd/attention/attention_cuda.h"

namespace causcale::autograd {
namespace {

void check(const at::Tensor& x, const AttentionWeights& weights, const AttentionOptions& options,
           const GridSizes& sizes) {
  if (x.dim() != 4) throw Error(fmt::format("attention wants [B, R, C, d], got {} axes", x.dim()));
  const std::int64_t d = x.size(3);
  if (options.heads < 1 || d % options.heads != 0)
    throw Error(fmt::format("attention: {} heads do not divide d = {}", options.heads, d));
  if (weights.qkv_weight.sizes() != at::IntArrayRef({3 * d, d}) ||
      weights.out_weight.sizes() != at::IntArrayRef({d, d}))
    throw Error(fmt::format("attention: the projections do not fit d = {}", d));
  if (sizes.rows.size() != sizes.cols.size() ||
      (sizes.padded() && static_cast<std::int64_t>(sizes.rows.size()) != x.size(0)))
    throw Error("attention: one true extent of each axis is needed for every grid of the batch");
}

}  // namespace

at::Tensor attention(const at::Tensor& x, const AttentionWeights& weights, const AttentionOptions& options,
                     const GridSizes& sizes) {
  check(x, weights, options, sizes);
  if (attention_cuda_supports(x, options, sizes)) return attention_cuda(x, weights, options);
  return attention_plain(x, weights, options, sizes);
}

}  // namespace causcale::autograd

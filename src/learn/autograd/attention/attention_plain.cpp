#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/autograd/attention/attention.h"

namespace causcale::autograd {
namespace {

// [B, length], true at the positions that exist.
at::Tensor existing(const std::vector<std::int64_t>& extents, std::int64_t length, const at::Tensor& like) {
  const at::Tensor counts = at::tensor(extents, at::kLong).to(like.device());
  return at::arange(length, counts.options()).unsqueeze(0) < counts.unsqueeze(1);
}

// What the scores are multiplied with: a number without padding, else one number per grid.
at::Tensor score_factors(const std::vector<std::int64_t>& tied_extents, double head_factor,
                         const at::Tensor& like) {
  std::vector<double> factors;
  for (const std::int64_t extent : tied_extents) factors.push_back(head_factor / std::sqrt(double(extent)));
  return at::tensor(factors, at::kDouble).to(like.options());
}

}  // namespace

at::Tensor attention_plain(const at::Tensor& x, const AttentionWeights& weights,
                           const AttentionOptions& options, const GridSizes& sizes) {
  const std::int64_t B = x.size(0), R = x.size(1), C = x.size(2), d = x.size(3);
  const std::int64_t H = options.heads, e = d / H;
  const bool row = options.axis == Axis::kRow;
  const std::int64_t L = row ? C : R;  // the mixed axis
  const std::int64_t T = row ? R : C;  // the tied axis
  const auto& mixed_extents = row ? sizes.cols : sizes.rows;
  const auto& tied_extents = row ? sizes.rows : sizes.cols;

  const at::Tensor normed = at::layer_norm(x, {d}, weights.norm_weight, weights.norm_bias, 1e-5);
  const at::Tensor qkv = at::linear(normed, weights.qkv_weight, weights.qkv_bias);  // [B, R, C, 3d]
  // Tied: [3, B, H, L, T, e], so that one product sums over T and e. Vanilla: [3, B, H, T, L, e].
  const at::Tensor grid = qkv.view({B, R, C, 3, H, e});
  const at::Tensor planes =
      options.tied == row ? grid.permute({3, 0, 4, 2, 1, 5}) : grid.permute({3, 0, 4, 1, 2, 5});

  at::Tensor q = planes.select(0, 0);
  if (options.scaled) {
    const double head_factor = 1.0 / std::sqrt(double(e));
    if (options.tied && sizes.padded())
      q = q * score_factors(tied_extents, head_factor, q).view({B, 1, 1, 1, 1});
    else
      q = q * (options.tied ? head_factor / std::sqrt(double(T)) : head_factor);
  }
  if (options.sharpness != 1.0) q = q * options.sharpness;
  if (options.tied && sizes.padded())  // lines that do not exist add nothing to the common scores
    q = q * existing(tied_extents, T, q).view({B, 1, 1, T, 1});

  // Batched matrices: tied [B H, L, T e], vanilla [B H T, L, e].
  const std::int64_t maps = options.tied ? B * H : B * H * T;
  const std::int64_t width = options.tied ? T * e : e;
  q = q.reshape({maps, L, width});
  const at::Tensor k = planes.select(0, 1).reshape({maps, L, width}).transpose(1, 2);
  const at::Tensor v = planes.select(0, 2).reshape({maps, L, width});
  at::Tensor missing_keys;  // [B, 1, 1, L]
  if (sizes.padded()) missing_keys = existing(mixed_extents, L, x).logical_not().view({B, 1, 1, L});

  std::int64_t chunk = L;
  if (options.max_score_bytes > 0)
    chunk = std::clamp<std::int64_t>(options.max_score_bytes / (maps * L * x.element_size()), 1, L);
  std::vector<at::Tensor> outputs;
  for (std::int64_t begin = 0; begin < L; begin += chunk) {
    const std::int64_t count = std::min(chunk, L - begin);
    at::Tensor scores = at::bmm(q.narrow(1, begin, count), k);  // [maps, count, L]
    if (missing_keys.defined())
      scores = scores.view({B, maps / B, count, L})
                   .masked_fill(missing_keys, -std::numeric_limits<double>::infinity())
                   .view({maps, count, L});
    outputs.push_back(at::bmm(at::softmax(scores, -1), v));  // [maps, count, width]
  }
  const at::Tensor mixed = outputs.size() == 1 ? outputs.front() : at::cat(outputs, 1);

  const at::Tensor heads = options.tied ? mixed.view({B, H, L, T, e}) : mixed.view({B, H, T, L, e});
  const at::Tensor merged =
      (options.tied == row ? heads.permute({0, 3, 2, 1, 4}) : heads.permute({0, 2, 3, 1, 4}))
          .reshape({B, R, C, d});
  return x + at::linear(merged, weights.out_weight, weights.out_bias);
}

}  // namespace causcale::autograd

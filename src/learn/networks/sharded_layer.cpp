#include "learn/networks/sharded_layer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "learn/autograd/feed_forward/feed_forward.h"

namespace causcale {
namespace {

// [t, L, heads e] -> [heads, L, t e]: one product then sums over the own lines and the channels of a head.
at::Tensor planes(const at::Tensor& x, std::int64_t heads) {
  const std::int64_t t = x.size(0), L = x.size(1), e = x.size(2) / heads;
  return x.view({t, L, heads, e}).permute({2, 1, 0, 3}).reshape({heads, L, t * e});
}

// The way back.
at::Tensor lines(const at::Tensor& planes, std::int64_t t) {
  const std::int64_t heads = planes.size(0), L = planes.size(1), e = t == 0 ? 0 : planes.size(2) / t;
  return planes.view({heads, L, t, e}).permute({2, 1, 0, 3}).reshape({t, L, heads * e});
}

// Heads that are worked on together: so many that their queries, keys, values and results take no more than
// the limit on this process, and at least one. All processes have to choose the same, so the largest part
// counts.
std::int64_t heads_together(const at::Tensor& x, std::int64_t tied, const ShardedOptions& options) {
  const std::int64_t H = options.config.heads, e = options.config.head_dim();
  if (options.max_score_bytes <= 0) return H;
  const std::int64_t each =
      6 * Shards{tied, options.group.size()}.largest() * x.size(1) * e * x.element_size();
  std::int64_t heads =
      std::clamp<std::int64_t>(options.max_score_bytes / std::max<std::int64_t>(each, 1), 1, H);
  while (H % heads != 0) --heads;
  return heads;
}

}  // namespace

void attend_sharded(const AttentionParams& params, at::Tensor& x, std::int64_t tied, bool scaled,
                    double sharpness, const ShardedOptions& options) {
  const std::int64_t t = x.size(0), L = x.size(1), d = x.size(2);
  const std::int64_t H = options.config.heads, e = options.config.head_dim();
  const std::int64_t together = heads_together(x, tied, options), width = together * e;
  const double factor = (scaled ? 1.0 / std::sqrt(double(e) * double(tied)) : 1.0) * sharpness;
  std::int64_t chunk = L;
  if (options.max_score_bytes > 0)
    chunk = std::clamp<std::int64_t>(
        options.max_score_bytes / (together * L * static_cast<std::int64_t>(sizeof(float))), 1, L);

  const at::Tensor normed = at::layer_norm(x, {d}, params.norm.weight, params.norm.bias, 1e-5);
  x.add_(params.out.bias);
  for (std::int64_t head = 0; head < H; head += together) {
    const auto project = [&](std::int64_t which) {
      const std::int64_t first = which * d + head * e;
      return planes(at::linear(normed, params.qkv.weight.narrow(0, first, width),
                               params.qkv.bias.narrow(0, first, width)),
                    together);
    };
    at::Tensor mixed = project(0).mul_(factor);  // the queries, until their results take their place
    const at::Tensor keys = project(1).transpose(1, 2), values = project(2);
    for (std::int64_t begin = 0; begin < L; begin += chunk) {
      at::Tensor queries = mixed.narrow(1, begin, std::min(chunk, L - begin));
      const at::Tensor scores = at::bmm(queries, keys).to(wide_type(x.scalar_type()));  // [heads, chunk, L]
      options.group.sum(scores);
      queries.copy_(at::bmm(at::softmax(scores, -1).to(x.scalar_type()), values));
    }
    if (t > 0) x.add_(at::linear(lines(mixed, t), params.out.weight.narrow(1, head * e, width)));
  }
}

at::Tensor axial_layer_sharded(const AxialParams& params, at::Tensor x, std::int64_t rows,
                               ScoreScaling scaling, bool of_pairs, const ShardedOptions& options) {
  const std::int64_t columns = x.size(1);
  const double sharpness = options.config.sharpness(columns);
  attend_sharded(params.row, x, rows, scaling.rows, sharpness, options);
  x = switch_axes(std::move(x), rows, options.group);  // [c, R, d]
  attend_sharded(params.column, x, columns, scaling.columns, of_pairs ? sharpness : 1.0, options);
  if (x.size(0) == 0) return x;
  const FeedForwardParams& ffn = params.feed_forward;
  return autograd::feed_forward_plain(
      x, {ffn.norm.weight, ffn.norm.bias, ffn.up.weight, ffn.up.bias, ffn.down.weight, ffn.down.bias});
}

}  // namespace causcale

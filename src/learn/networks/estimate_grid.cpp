#include "learn/networks/estimate_grid.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "learn/autograd/feed_forward/feed_forward.h"

namespace causcale {
namespace {

// Attention among estimates looks at a part of the pairs at a time: so many bytes of one dense tensor.
constexpr std::int64_t kPartBytes = std::int64_t{128} << 20;

struct Heads {
  at::Tensor q, k, v;  // [B, T, P, H, e]
};

Heads project(const AttentionParams& params, const at::Tensor& x, std::int64_t H) {
  const at::Tensor normed = at::layer_norm(x, {x.size(-1)}, params.norm.weight, params.norm.bias, 1e-5);
  const auto parts = at::linear(normed, params.qkv.weight, params.qkv.bias).chunk(3, -1);
  const std::vector<std::int64_t> shape = {x.size(0), x.size(1), x.size(2), H, x.size(3) / H};
  return {parts[0].reshape(shape), parts[1].reshape(shape), parts[2].reshape(shape)};
}

at::Tensor with_branch(const at::Tensor& x, const at::Tensor& mixed, const LinearParams& out,
                       const ExecutionOptions& execution) {
  const at::Tensor branch = at::linear(mixed.reshape(x.sizes()), out.weight, out.bias);
  return x + (execution.dropout == 0.0 ? branch : at::dropout(branch, execution.dropout, /*train=*/true));
}

// Over all groups of the pair that asks: scores [G, H] -> weights that add up to 1.
at::Tensor softmax_by_pair(const at::Tensor& scores, const EstimateGrid& grid) {
  const std::int64_t H = scores.size(1);
  const at::Tensor lines = at::full({grid.all_pairs * grid.most_groups, H},
                                    -std::numeric_limits<double>::infinity(), scores.options())
                               .index_copy(0, grid.group_place, scores)
                               .view({grid.all_pairs, grid.most_groups, H});
  return at::softmax(lines, 1).flatten(0, 1).index_select(0, grid.group_place);
}

at::Tensor attend_pairs(const AttentionParams& params, const at::Tensor& x, const EstimateGrid& grid,
                        const ModelConfig& config, const ExecutionOptions& execution) {
  const std::int64_t B = grid.tables, T = grid.estimates, P = grid.places, H = config.heads;
  const std::int64_t e = x.size(3) / H;
  const Heads heads = project(params, x, H);
  const auto lines = [&](const at::Tensor& part) {  // [B T H, P, e]
    return part.permute({0, 1, 3, 2, 4}).reshape({B * T * H, P, e});
  };
  const at::Tensor local = at::bmm(lines(heads.q), lines(heads.k).transpose(1, 2));  // [B T H, P, P]
  const at::Tensor by_meeting = local.view({B * T, H, P * P}).transpose(1, 2).reshape({B * T * P * P, H});
  const at::Tensor scores =
      at::zeros({grid.met.size(0), H}, x.options()).index_add(0, grid.meeting, by_meeting) /
      (grid.met.to(x.scalar_type()) * static_cast<double>(e)).sqrt().unsqueeze(1);
  const at::Tensor weights = softmax_by_pair(scores, grid).index_select(0, grid.meeting);
  const at::Tensor maps = weights.view({B * T, P * P, H}).transpose(1, 2).reshape({B * T * H, P, P});
  const at::Tensor mixed =
      at::bmm(maps, lines(heads.v)).view({B, T, H, P, e}).permute({0, 1, 3, 2, 4});  // [B, T, P, H, e]
  return with_branch(x, mixed, params.out, execution);
}

// Tokens of the pairs [begin, begin + size) of each table among all estimates, zero where there is none.
class PairPart {
 public:
  PairPart(const EstimateGrid& grid, std::int64_t begin, std::int64_t size) : size_(size) {
    const at::Tensor place = grid.pair - begin;
    inside_ = place.ge(0).logical_and(place.lt(size));
    place_ = at::where(inside_, place, at::full({}, size, place.options()));
  }
  // [B, T, P, w] -> [B, T, size, w]; what lies outside ends in one place more, which is cut off.
  at::Tensor spread(const at::Tensor& x) const {
    const at::Tensor index = place_.unsqueeze(-1).expand_as(x);
    return at::zeros({x.size(0), x.size(1), size_ + 1, x.size(3)}, x.options())
        .scatter(2, index, x)
        .narrow(2, 0, size_);
  }
  // The other way; zero outside.
  at::Tensor collect(const at::Tensor& dense) const {
    const at::Tensor index = place_.clamp_max(size_ - 1).unsqueeze(-1);
    const at::Tensor found =
        dense.gather(2, index.expand({dense.size(0), dense.size(1), index.size(2), dense.size(3)}));
    return found * inside_.unsqueeze(-1).to(found.scalar_type());
  }

 private:
  std::int64_t size_;
  at::Tensor inside_, place_;
};

at::Tensor attend_estimates(const AttentionParams& params, const at::Tensor& x, const EstimateGrid& grid,
                            const ModelConfig& config, const ExecutionOptions& execution) {
  const std::int64_t B = grid.tables, T = grid.estimates, P = grid.places, d = x.size(3), H = config.heads;
  const std::int64_t e = d / H;
  const Heads heads = project(params, x, H);
  const auto flat = [&](const at::Tensor& part) { return part.reshape({B, T, P, d}); };
  const std::int64_t part_size = std::clamp<std::int64_t>(
      kPartBytes / (B * T * d * static_cast<std::int64_t>(x.element_size())), 1, grid.pairs);
  std::vector<PairPart> parts;
  std::vector<std::int64_t> sizes;
  for (std::int64_t begin = 0; begin < grid.pairs; begin += part_size) {
    sizes.push_back(std::min(part_size, grid.pairs - begin));
    parts.emplace_back(grid, begin, sizes.back());
  }
  const auto lines = [&](const at::Tensor& dense) {  // [B, T, S, d] -> [B H, T, S e]
    const std::int64_t S = dense.size(2);
    return dense.view({B, T, S, H, e}).permute({0, 3, 1, 2, 4}).reshape({B * H, T, S * e});
  };
  at::Tensor scores = at::zeros({B * H, T, T}, x.options()), shared = at::zeros({B, T, T}, x.options());
  const at::Tensor ones = at::ones({B, T, P, 1}, x.options());
  for (const PairPart& part : parts) {
    scores = scores +
             at::bmm(lines(part.spread(flat(heads.q))), lines(part.spread(flat(heads.k))).transpose(1, 2));
    const at::Tensor here = part.spread(ones).squeeze(-1);  // [B, T, S]
    shared = shared + at::bmm(here, here.transpose(1, 2));
  }
  const at::Tensor strange = shared.eq(0).unsqueeze(1).expand({B, H, T, T});
  const at::Tensor scaled =
      scores.view({B, H, T, T}) / (shared.clamp_min(1) * static_cast<double>(e)).sqrt().unsqueeze(1);
  const at::Tensor maps =
      at::softmax(scaled.masked_fill(strange, -std::numeric_limits<double>::infinity()), -1)
          .view({B * H, T, T});
  at::Tensor mixed;  // [B, T, P, d]
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const at::Tensor dense = at::bmm(maps, lines(parts[k].spread(flat(heads.v))))
                                 .view({B, H, T, sizes[k], e})
                                 .permute({0, 2, 3, 1, 4})
                                 .reshape({B, T, sizes[k], d});
    const at::Tensor found = parts[k].collect(dense);
    mixed = mixed.defined() ? mixed + found : found;
  }
  return with_branch(x, mixed, params.out, execution);
}

at::Tensor forward(const FeedForwardParams& params, const at::Tensor& x, const ExecutionOptions& execution) {
  const at::Tensor result =
      autograd::feed_forward_plain(x, {params.norm.weight, params.norm.bias, params.up.weight, params.up.bias,
                                       params.down.weight, params.down.bias});
  return execution.dropout == 0.0 ? result : x + at::dropout(result - x, execution.dropout, /*train=*/true);
}

}  // namespace

EstimateGrid::EstimateGrid(const at::Tensor& subsets, std::int64_t columns)
    : tables(subsets.size(0)), estimates(subsets.size(1)), columns(columns) {
  const std::int64_t k = subsets.size(2), B = tables, T = estimates;
  places = k * (k - 1);
  std::vector<std::int64_t> first, second;
  for (std::int64_t a = 0; a < k; ++a)
    for (std::int64_t b = 0; b < k; ++b)
      if (a != b) first.push_back(a), second.push_back(b);
  const at::Device device = subsets.device();
  sources = subsets.index_select(2, at::tensor(first, at::kLong).to(device));
  targets = subsets.index_select(2, at::tensor(second, at::kLong).to(device));
  const at::Tensor table = at::arange(B, subsets.options()).view({B, 1, 1});
  cell = ((table * columns + sources) * columns + targets).flatten();

  const auto [cells, number, ignored] = at::_unique2(cell, /*sorted=*/true, /*return_inverse=*/true);
  all_pairs = cells.size(0);
  // Sorted by table first, so the pairs of a table are numbered in a row.
  const at::Tensor by_table = number.view({B, T * places});
  const at::Tensor lowest = std::get<0>(by_table.min(1)), highest = std::get<0>(by_table.max(1));
  pair = number.view({B, T, places}) - lowest.view({B, 1, 1});
  pairs = (highest - lowest).max().item<std::int64_t>() + 1;

  const at::Tensor tokens = number.view({B * T, places});
  const at::Tensor keys = tokens.unsqueeze(2) * all_pairs + tokens.unsqueeze(1);  // [B T, P, P]
  const auto [groups, group, counts] = at::_unique2(keys.flatten(), true, true, /*return_counts=*/true);
  meeting = group;
  met = counts;
  // Groups are sorted by the pair that asks; of each pair they lie in a row.
  const at::Tensor asking = at::floor_divide(groups, all_pairs);
  const at::Tensor group_counts = at::bincount(asking, {}, all_pairs);
  const at::Tensor begins = group_counts.cumsum(0) - group_counts;
  most_groups = group_counts.max().item<std::int64_t>();
  group_place =
      asking * most_groups + at::arange(asking.size(0), asking.options()) - begins.index_select(0, asking);
}

at::Tensor estimate_layer(const AxialParams& params, at::Tensor x, const EstimateGrid& grid,
                          const ModelConfig& config, const ExecutionOptions& execution) {
  x = attend_pairs(params.row, x, grid, config, execution);
  x = attend_estimates(params.column, x, grid, config, execution);
  return forward(params.feed_forward, x, execution);
}

at::Tensor mean_by_pair(const at::Tensor& x, const EstimateGrid& grid, const at::Tensor& unseen) {
  const std::int64_t B = grid.tables, n = grid.columns, d = x.size(3);
  const at::Tensor tokens = x.reshape({-1, d});
  const at::Tensor sums = at::zeros({B * n * n, d}, x.options()).index_add(0, grid.cell, tokens);
  const at::Tensor counts = at::zeros({B * n * n, 1}, x.options())
                                .index_add(0, grid.cell, at::ones({tokens.size(0), 1}, x.options()));
  return at::where(counts > 0, sums / counts.clamp_min(1), unseen).view({B, n, n, d});
}

at::Tensor at_tokens(const at::Tensor& features, const EstimateGrid& grid) {
  const std::int64_t d = features.size(3);
  return features.reshape({-1, d})
      .index_select(0, grid.cell)
      .view({grid.tables, grid.estimates, grid.places, d});
}

}  // namespace causcale

// SEA's grid of estimates x pairs, of which every estimate fills k (k - 1) places: tokens [B, T, P, d], and
// what they have in common.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/config.h"
#include "learn/networks/execution.h"
#include "learn/networks/parameters.h"

namespace causcale {

struct EstimateGrid {
  std::int64_t tables = 0, estimates = 0, places = 0, columns = 0;  // B, T, P, n
  at::Tensor sources, targets;  // [B, T, P]: the columns of a token's ordered pair
  at::Tensor cell;              // [B T P]: its place in a flattened [B, n, n]
  at::Tensor pair;              // [B, T, P]: its number among the pairs of its table
  std::int64_t pairs = 0;       // most that a table has
  // Two tokens of one estimate meet; all meetings of the same two pairs are one group.
  at::Tensor meeting;  // [B T P P]: number of the group
  at::Tensor met;      // [G]: how often
  // A line for every pair of every table, with its groups in a row.
  std::int64_t all_pairs = 0, most_groups = 0;
  at::Tensor group_place;  // [G]

  // Of columns [B, T, k].
  EstimateGrid(const at::Tensor& subsets, std::int64_t columns);
};

// One layer: attention among the pairs of an estimate with maps that all estimates share, attention among
// estimates with maps that all pairs share, feed-forward; each x + f(LayerNorm(x)).
at::Tensor estimate_layer(const AxialParams& params, at::Tensor x, const EstimateGrid& grid,
                          const ModelConfig& config, const ExecutionOptions& execution);

// Mean over the tokens of each pair, in the grid of variables: [B, n, n, d]; `unseen` [d] where there is no
// token.
at::Tensor mean_by_pair(const at::Tensor& x, const EstimateGrid& grid, const at::Tensor& unseen);

// The other way: [B, n, n, d] -> [B, T, P, d].
at::Tensor at_tokens(const at::Tensor& features, const EstimateGrid& grid);

}  // namespace causcale

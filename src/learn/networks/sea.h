// SEA (Wu, Bao, Barzilay and Jaakkola, Sample, estimate, aggregate: a recipe for causal discovery foundation
// models, TMLR 2025): classical methods look at small sets of variables, and a network puts their answers
// together with a statistic of the whole table.
//
// As published: sets of 5 variables with batches of 500 rows, drawn by the entries of the inverse covariance;
// 10 sets in training, 500 in use; GIES (or FCI); a grid of estimates x pairs and a grid of variables x
// variables, 4 layers 64 wide with 8 heads and feed-forward layers 8 wide; in each layer attention over both
// axes of the first grid, its mean per pair to the second grid (a learnt vector where no set had the pair),
// attention over both axes of that, and back to the first by a sum; three classes per pair of variables from
// [g_ij; g_ji]. Different here: a variable is told from others by a random vector that a linear layer reads
// instead of one of 1000 learnt ones in random order, estimates have no learnt vector for their place in the
// sample, and attention looks only at what some estimate has in common with the place that asks; so the grid
// of estimates is computed where it is filled, 20 places a row.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/config.h"
#include "learn/networks/causcale.h"
#include "learn/networks/execution.h"
#include "learn/networks/parameters.h"

namespace causcale {

// Adds what the estimators say to a batch: `count` sets of every table, drawn by `seed` and the table's
// number. Data and prior may lie on any device; `threads` as in parallel_for.
void add_estimates(ModelInput& input, const SubsetOptions& options, int count, std::uint64_t seed,
                   const std::vector<std::uint32_t>& numbers, int threads);

// The encoder: [B, n, n, d] for the head that CauScale has, too. Not invariant to the order of columns: which
// sets are drawn, and the random vectors, go by the number of a column. Throws Error for a padded batch.
at::Tensor sea_encode(const ModelParams& params, const ModelConfig& config, const ModelInput& input,
                      const ExecutionOptions& execution = {});

}  // namespace causcale

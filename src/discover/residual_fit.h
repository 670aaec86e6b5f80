// How probable a column is, given others: a regression that bends, and the distribution of what it leaves.
#pragma once

#include <span>
#include <vector>

namespace causcale {

// Logarithm of the density at every value, from all the others: a kernel estimate on a fine grid, with a
// small share of a wide curve so that a value far from all others has a density, too. The values must not be
// all alike.
std::vector<double> log_density(std::span<const double> values);

// What is left of `target` after a regression on the predictors, each bent at up to five of its quantiles;
// at fewer where rows are few, and nothing (an empty list) where they do not suffice for straight lines.
std::vector<double> bent_residuals(std::span<const double> target,
                                   std::span<const std::vector<double>> predictors);
// Straight lines only; empty where rows do not suffice.
std::vector<double> straight_residuals(std::span<const double> target,
                                       std::span<const std::vector<double>> predictors);

// Mean 0, variance 1; empty for a constant.
std::vector<double> standard_scores(std::vector<double> values);

}  // namespace causcale

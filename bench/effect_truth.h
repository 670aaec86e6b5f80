// The truth of a total effect in a simulated model: an intervention.
#pragma once

#include <cmath>

#include "causcale/table.h"
#include "simulate/causal_model.h"

namespace causcale {

inline constexpr int kTruthRows = 20'000;

inline double deviation(const Dataset& dataset, int column) {
  double sum = 0.0, squares = 0.0;
  const auto c = static_cast<std::size_t>(column);
  for (std::size_t r = 0; r < dataset.table.rows(); ++r) {
    sum += dataset.table.values(r, c);
    squares += dataset.table.values(r, c) * dataset.table.values(r, c);
  }
  const auto m = static_cast<double>(dataset.table.rows());
  return std::sqrt(squares / m - sum / m * sum / m);
}

// The mean change of the outcome per unit by which the cause is raised in all rows, the noise kept; `before`
// holds the rows of the same model without that.
inline double measured_effect(const SyntheticOptions& options, std::uint64_t seed, std::uint32_t index,
                              Edge pair, const Dataset& before) {
  CausalModel model = draw_model(options, seed, index);
  const double step = 0.01 * deviation(before, pair.source);
  NodeChange raised;
  raised.kind = ChangeKind::kAffine;
  raised.shift = static_cast<float>(step);
  model.nodes[static_cast<std::size_t>(pair.source)].changes = {raised};
  const Simulation after = sample_model(std::move(model));
  double change = 0.0, moved = 0.0;
  for (std::size_t r = 0; r < before.table.rows(); ++r) {
    change += after.dataset.table.values(r, static_cast<std::size_t>(pair.target)) -
              before.table.values(r, static_cast<std::size_t>(pair.target));
    moved += after.dataset.table.values(r, static_cast<std::size_t>(pair.source)) -
             before.table.values(r, static_cast<std::size_t>(pair.source));
  }
  return change / moved;
}

}  // namespace causcale

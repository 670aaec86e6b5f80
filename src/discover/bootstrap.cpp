#include "discover/bootstrap.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "data/standardize.h"
#include "discover/estimate.h"
#include "discover/select.h"

namespace causcale {
namespace {

constexpr std::uint32_t kResamplePurpose = 0x626f6f74;  // random streams of its own

}  // namespace

std::vector<std::size_t> resample_rows(const Interventions& interventions, std::size_t rows,
                                       std::uint64_t seed, std::uint32_t repetition) {
  const auto regime_of = [&](std::size_t row) {
    return interventions.regime_of_row.empty() ? 0 : interventions.regime_of_row[row];
  };
  RandomStream random(seed, repetition, kResamplePurpose);
  std::vector<std::size_t> drawn;
  drawn.reserve(rows);
  for (std::size_t begin = 0, end = 0; begin < rows; begin = end) {
    while (end < rows && regime_of(end) == regime_of(begin)) ++end;
    for (std::size_t k = begin; k < end; ++k)
      drawn.push_back(begin + random.below(static_cast<std::uint32_t>(end - begin)));
  }
  return drawn;
}

void run_bootstrap(const Settings& settings, const DiscoverOptions& options, const Dataset& ordered,
                   const std::function<void(double)>& progress, DiscoverResult& result) {
  const std::size_t n = ordered.table.cols();
  const int repetitions = options.bootstrap;
  Matrix<double> mean(n, n), squares(n, n), selected(n, n);  // squares: of the distances from the mean
  int done = 0;
  while (done < repetitions) {
    const int together = std::min(settings.batch, repetitions - done);
    std::vector<Dataset> tables;
    for (int k = 0; k < together; ++k)
      tables.push_back(take_rows(ordered, resample_rows(ordered.interventions, ordered.table.rows(),
                                                        options.seed, static_cast<std::uint32_t>(done + k))));
    const auto estimates = estimate(settings, options, tables, [&](double pass) {
      progress((done + static_cast<double>(together) * pass / settings.passes()) / repetitions);
    });
    for (const Matrix<double>& probabilities : estimates) {
      ++done;
      for (std::size_t k = 0; k < n * n; ++k) {
        const double distance = probabilities.data()[k] - mean.data()[k];
        mean.data()[k] += distance / done;
        squares.data()[k] += distance * (probabilities.data()[k] - mean.data()[k]);
      }
      for (const Edge& edge : selected_edges(options, probabilities)) selected(edge.source, edge.target) += 1;
    }
  }
  for (double& value : squares.values()) value = std::sqrt(std::max(0.0, value) / (repetitions - 1));
  for (double& value : selected.values()) value /= repetitions;
  result.bootstrap = repetitions;
  result.bootstrap_mean = std::move(mean);
  result.bootstrap_deviation = std::move(squares);
  result.selection_frequency = std::move(selected);
}

}  // namespace causcale

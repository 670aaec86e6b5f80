// How far interventions on one variable move the others.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "discover/stacking/parts.h"
#include "methods/shift/shift_rows.h"
#include "methods/shift/shift_statistics.h"

namespace causcale {
namespace {

constexpr double kLargestShift = 1e3;

// Mean and deviation of some numbers that are known, the i-th left out.
struct Spread {
  double count = 0.0, sum = 0.0, squares = 0.0;
  void add(double value) {
    count += 1.0;
    sum += value;
    squares += value * value;
  }
  // How many deviations `value`, one of them, lies above the mean of the others.
  double standing_out(double value) const {
    const double left = count - 1.0;
    if (left < 2.0) return 0.0;
    const double mean = (sum - value) / left;
    const double variance = std::max(0.0, (squares - value * value) / left - mean * mean);
    return (value - mean) / (std::sqrt(variance) + 0.05);
  }
};

// The two-sided p value of a standard normal statistic turned back into its size.
double size_of_statistic(double p) {
  if (!(p < 1.0)) return 0.0;
  // -2 log p is the square of the statistic but for slowly varying terms, and finite for any p > 0.
  return std::sqrt(-2.0 * std::log(std::max(p, 1e-300)));
}

}  // namespace

void add_shift_statistics(const Dataset& dataset, int threads, PairStatistics& statistics) {
  if (dataset.interventions.observational()) return;
  const std::size_t n = statistics.columns;
  const ShiftRows rows(dataset);
  Matrix<double> sizes(n, n);
  std::vector<char> targeted(n, 0);
  parallel_for(n, threads, [&](std::size_t i) {
    const std::vector<std::size_t>& treated = rows.treated(static_cast<int>(i));
    if (treated.empty()) return;
    targeted[i] = 1;
    const std::vector<std::size_t> control = rows.control(static_cast<int>(i));
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const std::vector<double> before = rows.values(dataset.table, static_cast<int>(j), control);
      const std::vector<double> after = rows.values(dataset.table, static_cast<int>(j), treated);
      const Shift mean = mean_shift(before, after);
      sizes(i, j) = std::log1p(std::min(kLargestShift, mean.size));
      statistics.at(DirectedStatistic::kShiftT, i, j) =
          static_cast<float>(compressed(size_of_statistic(mean.p_value)));
      statistics.at(DirectedStatistic::kShiftSize, i, j) = static_cast<float>(sizes(i, j));
      if (after.size() > 2)
        statistics.at(DirectedStatistic::kShiftDistribution, i, j) =
            static_cast<float>(distribution_shift(before, after).size);
    }
  });
  std::vector<Spread> of_target(n), of_source(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j && targeted[i]) {
        of_target[j].add(sizes(i, j));
        of_source[i].add(sizes(i, j));
      }
  parallel_for(n, threads, [&](std::size_t i) {
    if (!targeted[i]) return;
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      statistics.at(DirectedStatistic::kShiftWithinTarget, i, j) =
          static_cast<float>(compressed(of_target[j].standing_out(sizes(i, j))));
      statistics.at(DirectedStatistic::kShiftWithinSource, i, j) =
          static_cast<float>(compressed(of_source[i].standing_out(sizes(i, j))));
      double bypass = 0.0;
      for (std::size_t k = 0; k < n; ++k)
        if (k != i && k != j && targeted[k]) bypass = std::max(bypass, std::min(sizes(i, k), sizes(k, j)));
      statistics.at(DirectedStatistic::kShiftBypass, i, j) = static_cast<float>(bypass);
    }
  });
}

}  // namespace causcale

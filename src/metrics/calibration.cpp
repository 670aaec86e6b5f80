#include "metrics/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "causcale/error.h"

namespace causcale {

Calibration calibration(const Matrix<double>& probabilities, const Digraph& truth, int bins) {
  const std::size_t n = probabilities.rows();
  if (bins < 1) throw UsageError(fmt::format("calibration needs at least one bin, {} asked for", bins));
  struct Sums {
    std::size_t pairs = 0, edges = 0;
    double probability = 0.0;
  };
  std::vector<Sums> sums(bins);
  double squares = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    auto child = truth.children(static_cast<int>(i)).begin();
    const auto last_child = truth.children(static_cast<int>(i)).end();
    for (std::size_t j = 0; j < n; ++j) {
      const bool edge = child != last_child && static_cast<std::size_t>(*child) == j;
      child += edge;
      if (i == j) continue;
      const double p = probabilities(i, j);
      if (!(p >= 0.0 && p <= 1.0))
        throw InputError(fmt::format("score {} of {} -> {} is not a probability between 0 and 1", p, i, j));
      Sums& bin = sums[std::min(bins - 1, static_cast<int>(p * bins))];
      ++bin.pairs;
      bin.edges += edge;
      bin.probability += p;
      squares += (p - edge) * (p - edge);
    }
  }

  Calibration result;
  const double pairs = static_cast<double>(n) * (n > 0 ? n - 1 : 0);
  for (const Sums& bin : sums) {
    CalibrationBin& out = result.bins.emplace_back();
    out.pairs = bin.pairs;
    if (bin.pairs == 0) continue;
    out.mean_probability = bin.probability / bin.pairs;
    out.frequency = static_cast<double>(bin.edges) / bin.pairs;
    const double gap = std::abs(out.mean_probability - out.frequency);
    result.expected_error += gap * bin.pairs / pairs;
    result.maximum_error = std::max(result.maximum_error, gap);
  }
  if (pairs > 0) result.brier = squares / pairs;
  return result;
}

}  // namespace causcale

#include "metrics/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "causcale/error.h"

namespace causcale {
namespace {

void check_bins(int bins) {
  if (bins < 1) throw UsageError(fmt::format("calibration needs at least one bin, {} asked for", bins));
}

}  // namespace

Calibration calibration(const Matrix<double>& probabilities, const Digraph& truth, int bins) {
  check_bins(bins);
  const int n = static_cast<int>(probabilities.rows());
  std::vector<double> scores;
  std::vector<unsigned char> edges;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i == j) continue;
      const double p = probabilities(i, j);
      if (!(p >= 0.0 && p <= 1.0))
        throw InputError(fmt::format("score {} of {} -> {} is not a probability between 0 and 1", p, i, j));
      scores.push_back(p);
      edges.push_back(truth.has_edge(i, j));
    }
  return calibration(scores, edges, bins);
}

Calibration calibration(std::span<const double> probabilities, std::span<const unsigned char> truth,
                        int bins) {
  check_bins(bins);
  if (probabilities.size() != truth.size())
    throw InputError(fmt::format("{} probabilities given for {} pairs", probabilities.size(), truth.size()));
  struct Sums {
    std::size_t pairs = 0, edges = 0;
    double probability = 0.0;
  };
  std::vector<Sums> sums(bins);
  double squares = 0.0;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const double p = probabilities[k];
    if (!(p >= 0.0 && p <= 1.0))
      throw InputError(fmt::format("score {} is not a probability between 0 and 1", p));
    Sums& bin = sums[std::min(bins - 1, static_cast<int>(p * bins))];
    ++bin.pairs;
    bin.edges += truth[k];
    bin.probability += p;
    squares += (p - truth[k]) * (p - truth[k]);
  }

  Calibration result;
  const auto pairs = static_cast<double>(truth.size());
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

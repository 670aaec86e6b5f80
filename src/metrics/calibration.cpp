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

// Sums over pairs, in bins of their probabilities.
class BinSums {
 public:
  explicit BinSums(int bins) : sums_(static_cast<std::size_t>(bins)) {}

  // So many pairs with probability p, of which `edges` are edges. False where p is no probability.
  [[nodiscard]] bool add(double p, std::size_t pairs, std::size_t edges) {
    if (!(p >= 0.0 && p <= 1.0)) return false;
    const int last = static_cast<int>(sums_.size()) - 1;
    Sums& bin = sums_[std::min(last, static_cast<int>(p * (last + 1)))];
    bin.pairs += pairs;
    bin.edges += edges;
    bin.probability += p * static_cast<double>(pairs);
    squares_ +=
        (1.0 - p) * (1.0 - p) * static_cast<double>(edges) + p * p * static_cast<double>(pairs - edges);
    return true;
  }

  Calibration finish() const {
    std::size_t all = 0;
    for (const Sums& bin : sums_) all += bin.pairs;
    const auto pairs = static_cast<double>(all);
    Calibration result;
    for (const Sums& bin : sums_) {
      CalibrationBin& out = result.bins.emplace_back();
      out.pairs = bin.pairs;
      if (bin.pairs == 0) continue;
      const auto here = static_cast<double>(bin.pairs);
      out.mean_probability = bin.probability / here;
      out.frequency = static_cast<double>(bin.edges) / here;
      const double gap = std::abs(out.mean_probability - out.frequency);
      result.expected_error += gap * here / pairs;
      result.maximum_error = std::max(result.maximum_error, gap);
    }
    if (pairs > 0) result.brier = squares_ / pairs;
    return result;
  }

 private:
  struct Sums {
    std::size_t pairs = 0, edges = 0;
    double probability = 0.0;
  };
  std::vector<Sums> sums_;
  double squares_ = 0.0;
};

[[noreturn]] void refuse(double score, int source, int target) {
  throw InputError(
      fmt::format("score {} of {} -> {} is not a probability between 0 and 1", score, source, target));
}

}  // namespace

Calibration calibration(const Matrix<double>& probabilities, const Digraph& truth, int bins) {
  check_bins(bins);
  const int n = static_cast<int>(probabilities.rows());
  BinSums sums(bins);
  for (int i = 0; i < n; ++i) {
    auto child = truth.children(i).begin();
    const auto last_child = truth.children(i).end();
    for (int j = 0; j < n; ++j) {
      const bool edge = child != last_child && *child == j;
      child += edge;
      if (i != j && !sums.add(probabilities(i, j), 1, edge)) refuse(probabilities(i, j), i, j);
    }
  }
  return sums.finish();
}

Calibration calibration(const SparseScores& probabilities, const Digraph& truth, int bins) {
  check_bins(bins);
  BinSums sums(bins);
  const auto n = static_cast<std::size_t>(truth.nodes());
  std::size_t pairs = n * (n - (n > 0)), edges = truth.edge_count();  // of those without an entry
  for (const auto& [pair, score] : probabilities.entries) {
    const bool edge = truth.has_edge(pair.source, pair.target);
    if (!sums.add(score, 1, edge)) refuse(score, pair.source, pair.target);
    --pairs;
    edges -= edge;
  }
  (void)sums.add(0.0, pairs, edges);
  return sums.finish();
}

Calibration calibration(std::span<const double> probabilities, std::span<const unsigned char> truth,
                        int bins) {
  check_bins(bins);
  if (probabilities.size() != truth.size())
    throw InputError(fmt::format("{} probabilities given for {} pairs", probabilities.size(), truth.size()));
  BinSums sums(bins);
  for (std::size_t k = 0; k < truth.size(); ++k)
    if (!sums.add(probabilities[k], 1, truth[k]))
      throw InputError(fmt::format("score {} is not a probability between 0 and 1", probabilities[k]));
  return sums.finish();
}

}  // namespace causcale

#include "benchmark/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "graph/cycles.h"
#include "graph/order.h"
#include "metrics/aid.h"
#include "metrics/auc.h"
#include "metrics/average_precision.h"
#include "metrics/calibration.h"
#include "metrics/orientation_accuracy.h"
#include "metrics/precision_recall.h"
#include "metrics/shd.h"

namespace causcale {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr int kBins = 10;

std::string bin_measure(int bin, const char* what) {
  return fmt::format("bin{}_{}", bin, what);
}

Digraph best_entries(const Matrix<double>& scores, std::size_t count) {
  const auto n = static_cast<int>(scores.rows());
  std::vector<double> sorted;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j) sorted.push_back(scores(i, j));
  count = std::min(count, sorted.size());
  std::vector<Edge> edges;
  if (count > 0) {
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count - 1), sorted.end(),
                     std::greater<>());
    const double least = sorted[count - 1];
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (i != j && scores(i, j) >= least) edges.push_back({i, j});
  }
  return Digraph(n, std::move(edges));
}

// Whether the edge between a and b may be read as a -> b: anything but an arrow at a.
bool reads_forward(const MixedGraph& graph, int a, int b) {
  const Mark at_a = graph.mark(b, a);
  return graph.adjacent(a, b) && (at_a == Mark::kTail || at_a == Mark::kCircle);
}

}  // namespace

Measures measure_prediction(const Matrix<double>& scores, const Digraph& guess, const Digraph& truth,
                            int threads, const Matrix<double>& feedback) {
  Measures measures;
  measures["nodes"] = truth.nodes();
  measures["edges"] = static_cast<double>(truth.edge_count());
  measures["map"] = average_precision(scores, truth);
  measures["auc"] = roc_auc(scores, truth);
  measures["oa"] = orientation_accuracy(scores, truth);
  measures["skeleton_map"] = skeleton_average_precision(scores, truth, feedback);
  measures["shd"] = static_cast<double>(structural_hamming_distance(truth, guess));
  measures["f1"] = direction_precision_recall(truth, guess).f1();
  measures["predicted_edges"] = static_cast<double>(guess.edge_count());
  const CycleBreaking broken = break_cycles(guess, scores);
  measures["cyclic"] = is_acyclic(guess) ? 0.0 : 1.0;
  measures["removed_edges"] = static_cast<double>(broken.removed.size());
  measures["shd_acyclic"] = static_cast<double>(structural_hamming_distance(truth, broken.graph));
  const bool defined = is_acyclic(truth);
  measures["ancestor_aid"] = defined ? ancestor_aid(truth, broken.graph, threads).normalised : kUndefined;
  measures["oset_aid"] = defined ? oset_aid(truth, broken.graph, threads).normalised : kUndefined;
  measures["parent_aid"] = defined ? parent_aid(truth, broken.graph, threads).normalised : kUndefined;
  return measures;
}

Measures calibration_measures(const Matrix<double>& probabilities, const Digraph& truth) {
  const Calibration found = calibration(probabilities, truth, kBins);
  Measures measures{{"ece", found.expected_error}};
  for (int b = 0; b < kBins; ++b) {
    const CalibrationBin& bin = found.bins[static_cast<std::size_t>(b)];
    const auto pairs = static_cast<double>(bin.pairs);
    measures[bin_measure(b, "pairs")] = pairs;
    measures[bin_measure(b, "edges")] = std::round(bin.frequency * pairs);
    measures[bin_measure(b, "probability")] = bin.mean_probability * pairs;
  }
  return measures;
}

double pooled_calibration_error(std::span<const Measures> of_sets) {
  double all_pairs = 0.0, gaps = 0.0;
  for (int b = 0; b < kBins; ++b) {
    const auto total = [&](const char* what) {
      double sum = 0.0;
      for (const Measures& measures : of_sets)
        if (const auto found = measures.find(bin_measure(b, what)); found != measures.end())
          sum += found->second;
      return sum;
    };
    all_pairs += total("pairs");
    gaps += std::abs(total("probability") - total("edges"));
  }
  return all_pairs > 0.0 ? gaps / all_pairs : kUndefined;
}

Digraph judged_graph(const MethodResult& result, const Digraph& truth) {
  if (result.graph_class == GraphClass::kUndirected) return best_entries(result.scores, truth.edge_count());
  std::vector<Edge> edges;
  const int n = result.graph.nodes();
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      if (a != b && reads_forward(result.graph, a, b)) edges.push_back({a, b});
  return Digraph(n, std::move(edges));
}

}  // namespace causcale

// What samples of graphs say together.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/parallel.h"
#include "causcale/error.h"
#include "causcale/samples.h"
#include "graph/reachability.h"
#include "metrics/adjustment.h"
#include "metrics/shd.h"

namespace causcale {
namespace {

// Paths of one sample between two nodes that are looked at; dense graphs have more than can be listed.
constexpr std::size_t kMostPaths = 10000;

void check_node(const GraphSamples& samples, int node, const char* what) {
  if (node < 0 || node >= samples.nodes)
    throw UsageError(
        fmt::format("{}: a variable from 0 to {} is expected, found {}", what, samples.nodes - 1, node));
}

// Depth first, along nodes from which the end can be reached.
class PathWalk {
 public:
  PathWalk(const Digraph& graph, int to, const std::vector<std::uint8_t>& useful)
      : graph_(graph), to_(to), useful_(useful) {}

  // False when there are more than kMostPaths.
  template <class Visit>
  bool walk(int from, Visit visit) {
    std::vector<std::size_t> next{0};
    path_.assign(1, from);
    std::size_t found = 0;
    while (!path_.empty()) {
      const auto children = graph_.children(path_.back());
      if (path_.back() == to_ || next.back() == children.size()) {
        if (path_.back() == to_) {
          if (++found > kMostPaths) return false;
          visit(path_);
        }
        path_.pop_back();
        next.pop_back();
        continue;
      }
      const int child = children[next.back()++];
      if (!useful_[child]) continue;
      path_.push_back(child);
      next.push_back(0);
    }
    return true;
  }

 private:
  const Digraph& graph_;
  int to_;
  const std::vector<std::uint8_t>& useful_;
  std::vector<int> path_;
};

}  // namespace

Matrix<double> edge_probabilities(const GraphSamples& samples) {
  Matrix<double> shares(samples.nodes, samples.nodes);
  for (const Digraph& graph : samples.graphs)
    for (const Edge& edge : graph.edges()) shares(edge.source, edge.target) += 1.0;
  for (double& share : shares.values()) share /= static_cast<double>(samples.graphs.size());
  return shares;
}

Matrix<double> ancestor_probabilities(const GraphSamples& samples, int threads) {
  const std::size_t n = samples.nodes, count = samples.graphs.size();
  // Counts are whole numbers: who adds them up does not matter.
  const std::size_t pieces = std::min<std::size_t>(resolve_threads(threads), count);
  std::vector<Matrix<std::uint32_t>> counts(pieces);
  parallel_for(pieces, threads, [&](std::size_t piece) {
    counts[piece] = Matrix<std::uint32_t>(n, n);
    for (std::size_t k = piece; k < count; k += pieces) {
      const BitMatrix below = descendant_sets(samples.graphs[k]);
      for (std::size_t i = 0; i < n; ++i) {
        const auto row = counts[piece].row(i);
        for_each_bit(below.row(static_cast<int>(i)), [&](int j) { ++row[j]; });
      }
    }
  });
  Matrix<double> shares(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      std::uint64_t sum = 0;
      for (const Matrix<std::uint32_t>& part : counts) sum += part(i, j);
      shares(i, j) = static_cast<double>(sum) / static_cast<double>(count);
    }
  return shares;
}

PathReport likely_paths(const GraphSamples& samples, int from, int to, std::size_t most) {
  check_node(samples, from, "from");
  check_node(samples, to, "to");
  if (from == to) throw UsageError("paths lead from a variable to another one: from and to are the same");
  PathReport report;
  std::map<std::vector<int>, std::size_t> times;
  std::size_t with_path = 0;
  for (const Digraph& graph : samples.graphs) {
    const std::vector<std::uint8_t> useful = ancestors(graph, std::span(&to, 1));
    if (!useful[from]) continue;
    ++with_path;
    PathWalk walk(graph, to, useful);
    if (!walk.walk(from, [&](const std::vector<int>& path) { ++times[path]; })) report.complete = false;
  }
  const double count = static_cast<double>(samples.graphs.size());
  report.ancestor = static_cast<double>(with_path) / count;
  report.distinct = times.size();
  for (const auto& [nodes, seen] : times) report.paths.push_back({nodes, static_cast<double>(seen) / count});
  std::ranges::stable_sort(report.paths, std::greater{}, &PathProbability::probability);
  if (report.paths.size() > most) report.paths.resize(most);
  return report;
}

double adjustment_probability(const GraphSamples& samples, int treatment, int outcome,
                              std::span<const int> set) {
  check_node(samples, treatment, "treatment");
  check_node(samples, outcome, "outcome");
  for (const int node : set) {
    check_node(samples, node, "adjustment set");
    if (node == treatment || node == outcome)
      throw UsageError("an adjustment set holds neither the treatment nor the outcome");
  }
  if (treatment == outcome) throw UsageError("treatment and outcome are the same variable");
  std::size_t valid = 0;
  for (const Digraph& graph : samples.graphs) {
    AdjustmentSearch search(graph);
    search.set_treatment(treatment);
    valid += search.is_valid(outcome, set);
  }
  return static_cast<double>(valid) / static_cast<double>(samples.graphs.size());
}

double expected_hamming_distance(const GraphSamples& samples, const Digraph& graph) {
  if (graph.nodes() != samples.nodes)
    throw UsageError(
        fmt::format("the graph has {} variables, the samples have {}", graph.nodes(), samples.nodes));
  std::size_t sum = 0;
  for (const Digraph& sample : samples.graphs) sum += structural_hamming_distance(sample, graph);
  return static_cast<double>(sum) / static_cast<double>(samples.graphs.size());
}

}  // namespace causcale

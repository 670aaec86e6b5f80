// How long do the steps around the network take with many variables, and how much memory does each take
// beside what is there already? CPU seconds of one core, graphs of 2 n edges. The matrix of probabilities
// itself takes 8 n^2 bytes, 3.2 GB at n = 20,000.
//
//   scale_bench [N ...]      5000 and 20000 unless told
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <set>
#include <string>
#include <vector>

#include "base/peak_memory.h"
#include "base/random.h"
#include "discover/select.h"
#include "graph/convert.h"
#include "graph/cycles.h"
#include "graph/optimal_acyclic.h"
#include "graph/sparse_file.h"
#include "metrics/evaluation.h"
#include "report/html.h"
#include "report/report.h"
#include "report/sparse_output.h"

namespace {

using namespace causcale;

template <class Work>
auto timed(const char* what, Work work) {
  const PeakMemory peak;
  const std::clock_t start = std::clock();
  auto result = work();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  fmt::print("{:>44} {:9.3f} s {:8.0f} MiB\n", what, seconds,
             static_cast<double>(peak.bytes().value_or(0)) / 1048576.0);
  std::fflush(stdout);
  return result;
}

// Edges of a random order, a share of them turned round.
std::vector<ScoredEdge> random_edges(int n, double turned, std::uint32_t number) {
  RandomStream random(3, number, 0);
  std::set<Edge> chosen;
  while (chosen.size() < 2 * static_cast<std::size_t>(n)) {
    const int a = static_cast<int>(random.below(n)), b = static_cast<int>(random.below(n));
    if (a < b) chosen.insert(random.coin(turned) ? Edge{b, a} : Edge{a, b});
  }
  std::vector<ScoredEdge> edges;
  for (const Edge& edge : chosen) edges.push_back({edge, 0.5 + 0.5 * random.uniform()});
  return edges;
}

Digraph graph_of(int n, const std::vector<ScoredEdge>& edges) {
  std::vector<Edge> plain;
  for (const ScoredEdge& scored : edges) plain.push_back(scored.edge);
  return Digraph(n, std::move(plain));
}

void run(int n) {
  fmt::print("\nn = {}, {} edges\n", n, 2 * n);
  const Digraph truth = graph_of(n, random_edges(n, 0.0, 1));
  const SparseScores scores = sparse_scores(n, random_edges(n, 0.1, 1));
  const Digraph guess = graph_above(scores, 0.5);
  const std::vector<double> weights = scores_of_edges(scores, guess);
  const CycleBreaking broken = timed("cycles broken greedily", [&] { return break_cycles(guess, weights); });
  const OptimalAcyclic best =
      timed("nearest acyclic graph (--dag optimal)", [&] { return optimal_acyclic(guess, weights, {}); });
  fmt::print("{:>44} greedy {} edges, optimal {}\n", "removed:", broken.removed.size(), best.removed.size());
  timed("evaluate: every metric, sparse", [&] { return evaluate(scores, truth, 0.5, 1); });

  DiscoverResult result;
  result.names = default_names(static_cast<std::size_t>(n));
  result.probabilities = timed("matrix of probabilities", [&] {
    Matrix<double> matrix(n, n);
    RandomStream random(4, 0, 0);
    for (double& value : matrix.values()) value = 0.002 * random.uniform();
    for (int i = 0; i < n; ++i) matrix(i, i) = 0.0;
    for (const auto& [edge, score] : scores.entries) matrix(edge.source, edge.target) = score;
    return matrix;
  });
  DiscoverOptions options;
  options.acyclic = true;
  timed("graph above a threshold, acyclic", [&] { return select_graph(options, result), 0; });
  options.top = 5000;
  timed("graph of the 5000 surest, acyclic", [&] { return select_graph(options, result), 0; });
  options.top = 0;
  select_graph(options, result);
  const auto size = [](const std::string& text) { return text.size() / 1024; };
  fmt::print("{:>44} {} KiB\n", "", timed("sparse .npz", [&] {
               return size(format_sparse_npz(scores_above_floor(result), result.names));
             }));
  fmt::print("{:>44} {} KiB\n", "", timed(".json", [&] { return size(format_json(result, {})); }));
  fmt::print("{:>44} {} KiB\n", "", timed(".html", [&] { return size(format_html(result, {})); }));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> sizes;
  for (int k = 1; k < argc; ++k) sizes.push_back(std::atoi(argv[k]));
  if (sizes.empty()) sizes = {5000, 20000};
  for (const int n : sizes) run(n);
}

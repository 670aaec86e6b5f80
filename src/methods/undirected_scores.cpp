#include "methods/undirected_scores.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "methods/edge_rules.h"

namespace causcale {

std::vector<MethodSetting> undirected_settings() {
  return {{"edges", "-1",
           "entries of the matrix to keep in the graph, an undirected edge being two; -1: by alpha"},
          {"alpha", "0.05", "significance level, divided by the number of pairs, of edges in the graph"}};
}

double correlation_p_value(double correlation, std::size_t rows, std::size_t given) {
  if (rows < given + 4) return 1.0;
  const double size = std::min(std::abs(correlation), 1.0 - 1e-16);
  return std::erfc(std::atanh(size) * std::sqrt(static_cast<double>(rows - given - 3) / 2.0));
}

MethodResult undirected_result(Matrix<double> scores, const std::function<double(int a, int b)>& significance,
                               const MethodOptions& options) {
  const int n = static_cast<int>(scores.rows());
  const double pairs = 0.5 * n * (n - 1.0);
  const double wanted = number_setting(options, "edges", -1, -1, 1e15);
  const double alpha = number_setting(options, "alpha", 0.05, 0.0, 1.0);
  const EdgeRules rules(options.knowledge, n);

  double least = 0.0;  // score of an edge
  if (wanted >= 0) {
    std::vector<double> ranked;  // one entry a pair
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b)
        if (!rules.separates(a, b)) ranked.push_back(scores(a, b));
    const std::size_t kept = std::min(ranked.size(), static_cast<std::size_t>(wanted / 2));
    least = HUGE_VAL;
    if (kept > 0) {
      std::ranges::nth_element(ranked, ranked.begin() + static_cast<std::ptrdiff_t>(kept - 1),
                               std::greater<>());
      least = ranked[kept - 1];
    }
  }

  MethodResult result;
  result.graph_class = GraphClass::kUndirected;
  result.graph = MixedGraph(n);
  double highest = 0.0;
  for (int a = 0; a < n; ++a) {
    scores(a, a) = 0.0;
    for (int b = 0; b < n; ++b) highest = std::max(highest, scores(a, b));
    for (int b = a + 1; b < n; ++b) {
      const bool strong =
          wanted >= 0 ? scores(a, b) >= least && scores(a, b) > 0.0 : significance(a, b) * pairs < alpha;
      if (rules.demands_either(a, b) || (strong && !rules.separates(a, b)))
        result.graph.set(a, b, Mark::kTail, Mark::kTail);
    }
  }
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      if (rules.forbids(a, b)) scores(a, b) = 0.0;
      if (rules.demands(a, b)) scores(a, b) = highest;
    }
  result.scores = std::move(scores);
  return result;
}

}  // namespace causcale

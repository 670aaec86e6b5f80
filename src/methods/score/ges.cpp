#include "methods/score/ges.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "methods/score/choose_score.h"

namespace causcale {

KeepsDirection kept_directions(const Interventions& interventions, const EdgePermissions& permissions) {
  // Nodes with the same list of regimes that target them are never told apart.
  std::vector<std::vector<int>> regimes_of(permissions.allowed.rows());
  for (std::size_t r = 0; r < interventions.regimes.size(); ++r)
    for (int target : interventions.regimes[r]) regimes_of[target].push_back(static_cast<int>(r));
  return [regimes_of = std::move(regimes_of), &permissions](Edge edge) {
    return !permissions.allowed(edge.target, edge.source) ||
           regimes_of[edge.source] != regimes_of[edge.target];
  };
}

MethodResult search_classes(const LocalScore& score, const Interventions& interventions,
                            const MethodOptions& options, bool turning, bool repeat) {
  const auto start = std::chrono::steady_clock::now();
  const int n = score.nodes();
  const EdgePermissions permissions(n, options.knowledge);
  const KeepsDirection keeps = kept_directions(interventions, permissions);
  GesOptions search_options;
  search_options.max_degree = static_cast<int>(number_setting(options, "max-degree", 0, 0, 1e6));
  search_options.turning = turning;
  search_options.repeat = repeat;
  search_options.threads = options.threads;
  EquivalenceSearch search(score, permissions, keeps, search_options);
  search.run([&] {
    report_progress(options, fmt::format("search, {} steps taken", search.steps()),
                    1.0 - 1.0 / (1.0 + 0.5 * search.steps() / n));
  });
  MethodResult result = class_result(search, score, permissions);
  result.log.push_back(fmt::format("{} steps", search.steps()));
  result.seconds.emplace_back(
      "search", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return result;
}

MethodResult class_result(const EquivalenceSearch& search, const LocalScore& score,
                          const EdgePermissions& permissions) {
  const int n = score.nodes();
  MethodResult result;
  result.scores = Matrix<double>(n, n);
  result.graph = MixedGraph(n);
  result.graph_class = GraphClass::kCpdag;
  const PartialDag& graph = search.graph();
  double highest = 1.0;
  for (int a = 0; a < n; ++a) {
    for (int b : graph.children(a)) {
      result.graph.set(a, b, Mark::kTail, Mark::kArrow);
      result.scores(a, b) = std::max(1e-6, search.edge_gain(a, b));
      highest = std::max(highest, result.scores(a, b));
    }
    for (int b : graph.neighbours(a)) {
      result.graph.set(a, b, Mark::kTail, Mark::kTail);
      result.scores(a, b) = std::max(1e-6, search.edge_gain(a, b));
      highest = std::max(highest, result.scores(a, b));
    }
  }
  for (const Edge& edge : permissions.required) result.scores(edge.source, edge.target) = highest + 1.0;
  int constants = 0;
  for (int v = 0; v < n; ++v) constants += score.constant(v);
  if (constants > 0)
    result.log.push_back(fmt::format("{} constant columns were left without edges", constants));
  return result;
}

namespace {

MethodResult run_ges(const Dataset& dataset, const MethodOptions& options) {
  const std::vector<std::string> answers{"no", "yes"};
  const bool turning = text_setting(options, "turning", "no", answers) == "yes";
  const ChosenScore chosen = choose_score(dataset.table, {}, options);
  MethodResult result = search_classes(*chosen.score, {}, options, turning, turning);
  result.log.insert(result.log.begin(), chosen.log.begin(), chosen.log.end());
  return result;
}

}  // namespace

Method ges_method() {
  Method method;
  method.name = "ges";
  method.summary = "greedy search over equivalence classes for the best score";
  method.assumptions =
      "what its score assumes (setting score; linear and Gaussian for numbers), no hidden causes";
  method.interventions = "ignored";
  method.graph_class = GraphClass::kCpdag;
  method.cost = "O(n^2) to start, then O(n) a changed node";
  method.citation =
      "Chickering, Optimal structure identification with greedy search, 2002; Ramsey et al., A million "
      "variables and more, 2017";
  method.settings = score_settings();
  method.settings.push_back({"max-degree", "0", "most edges at a node; 0 = no limit"});
  method.settings.push_back(
      {"turning", "no", "yes: also turn edges, and repeat the phases until none finds anything"});
  method.takes_missing = true;
  method.run = run_ges;
  return method;
}

}  // namespace causcale

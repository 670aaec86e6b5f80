#include <fmt/format.h>

#include <algorithm>

#include "methods/score/choose_score.h"
#include "methods/score/ges.h"

namespace causcale {

namespace {

// A regime tells the two directions of an edge apart as soon as it has one row, but a single row decides
// wrongly about as often as not, and a greedy search that has to take a direction then adds edges to make up
// for it. Targets with few rows are therefore taken as left alone: with none left this is GES with turning.
Interventions well_supported(const Interventions& interventions, std::size_t nodes, int least_rows,
                             std::size_t& passed_over) {
  std::vector<int> rows(nodes, 0);
  for (int regime : interventions.regime_of_row)
    for (int target : interventions.regimes[regime]) ++rows[target];
  Interventions kept = interventions;
  for (std::vector<int>& targets : kept.regimes)
    std::erase_if(targets, [&](int target) { return rows[target] < least_rows; });
  passed_over = static_cast<std::size_t>(
      std::ranges::count_if(rows, [&](int count) { return count > 0 && count < least_rows; }));
  return kept;
}

MethodResult run_gies(const Dataset& dataset, const MethodOptions& options) {
  const int least_rows = static_cast<int>(number_setting(options, "min-rows", 5, 1, 1e6));
  std::size_t passed_over = 0;
  const Interventions interventions =
      well_supported(dataset.interventions, dataset.table.cols(), least_rows, passed_over);
  const ChosenScore chosen = choose_score(dataset.table, interventions, options);
  MethodResult result = search_classes(*chosen.score, interventions, options, true, true);
  result.log.insert(result.log.begin(), chosen.log.begin(), chosen.log.end());
  if (passed_over > 0)
    result.log.push_back(
        fmt::format("{} targets of fewer than {} rows were taken as left alone", passed_over, least_rows));
  return result;
}

}  // namespace

Method gies_method() {
  Method method;
  method.name = "gies";
  method.summary = "greedy search over interventional equivalence classes for the best score";
  method.assumptions =
      "what its score assumes (setting score; linear and Gaussian for numbers), no hidden causes, "
      "interventions "
      "that cut their targets off from all causes";
  method.interventions = "used";
  method.graph_class = GraphClass::kCpdag;
  method.cost = "O(n^2) to start, then O(n) a changed node";
  method.citation =
      "Hauser and Buehlmann, Characterization and greedy learning of interventional Markov equivalence "
      "classes of directed acyclic graphs, 2012";
  method.settings = score_settings();
  method.settings.push_back(
      {"min-rows", "5", "fewest rows of a target's regimes for which they count as interventions"});
  method.settings.push_back({"max-degree", "0", "most edges at a node; 0 = no limit"});
  method.takes_missing = true;
  method.run = run_gies;
  return method;
}

}  // namespace causcale

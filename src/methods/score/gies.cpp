#include <fmt/format.h>

#include <algorithm>

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
  const double penalty = number_setting(options, "penalty", 2.0, 1e-3, 1e3);
  const int least_rows = static_cast<int>(number_setting(options, "min-rows", 5, 1, 1e6));
  std::size_t passed_over = 0;
  const Interventions interventions =
      well_supported(dataset.interventions, dataset.table.cols(), least_rows, passed_over);
  MethodResult result = search_classes(GaussianScore(dataset.table, interventions, penalty), interventions,
                                       options, true, true);
  if (passed_over > 0)
    result.log.push_back(
        fmt::format("{} targets of fewer than {} rows were taken as left alone", passed_over, least_rows));
  return result;
}

}  // namespace

Method gies_method() {
  return {"gies",
          "greedy search over interventional equivalence classes for the best Gaussian BIC",
          "linear, Gaussian, no hidden causes, interventions that cut their targets off from all causes",
          "used",
          GraphClass::kCpdag,
          "O(n^2) to start, then O(n) a changed node",
          "Hauser and Buehlmann, Characterization and greedy learning of interventional Markov equivalence "
          "classes of directed acyclic graphs, 2012",
          {{"penalty", "2", "factor of the BIC's log(m) / 2 a parameter; 1 is the plain BIC"},
           {"min-rows", "5", "fewest rows of a target's regimes for which they count as interventions"},
           {"max-degree", "0", "most edges at a node; 0 = no limit"}},
          run_gies};
}

}  // namespace causcale

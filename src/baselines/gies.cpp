#include "baselines/ges.h"

namespace causcale {

namespace {

MethodResult run_gies(const Dataset& dataset, const MethodOptions& options) {
  const double penalty = number_setting(options, "penalty", 2.0, 1e-3, 1e3);
  return search_classes(GaussianScore(dataset.table, dataset.interventions, penalty), dataset.interventions,
                        options, true, true);
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
           {"max-degree", "0", "most edges at a node; 0 = no limit"}},
          run_gies};
}

}  // namespace causcale

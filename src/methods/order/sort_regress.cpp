#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "methods/correlation_matrix.h"
#include "methods/edge_rules.h"
#include "methods/method.h"
#include "methods/order/sparse_regression.h"
#include "prior/precision.h"
#include "prior/shrinkage.h"

namespace causcale {
namespace {

struct Correlations {
  StandardColumns columns;
  Matrix<double> plain;
  Matrix<double> invertible;  // shrunk where the rows do not suffice
  std::vector<std::string> log;
};

Correlations correlations_of(const Table& table) {
  Correlations result{standard_columns(table.values), {}, {}, {}};
  result.plain = correlation_matrix(result.columns);
  result.invertible = result.plain;
  if (const std::string note = constant_columns_note(result.columns, table.names); !note.empty())
    result.log.push_back(note);
  if (table.rows() < table.cols() + 2) {
    const ShrunkCovariance shrunk = ledoit_wolf(result.columns.values);
    result.invertible = shrunk.covariance;
    result.log.push_back(
        fmt::format("{} rows do not suffice for {} columns: first estimates are from a "
                    "Ledoit-Wolf shrinkage of {:.3f}",
                    table.rows(), table.cols(), shrunk.shrinkage));
  }
  return result;
}

// Ascending by key, but required causes first, and earlier tiers before later ones.
std::vector<int> causal_order(const std::vector<double>& key, const Knowledge& knowledge) {
  const int n = static_cast<int>(key.size());
  std::vector<int> by_key(n), order;
  std::iota(by_key.begin(), by_key.end(), 0);
  std::ranges::stable_sort(by_key, {}, [&](int v) { return key[v]; });
  std::vector<int> missing_causes(n, 0);
  for (const Edge& edge : knowledge.required) ++missing_causes[edge.target];
  const auto tier = [&](int v) { return knowledge.tier_of.empty() ? -1 : knowledge.tier_of[v]; };
  while (!by_key.empty()) {
    int earliest = -1;
    for (const int v : by_key)
      if (tier(v) >= 0 && (earliest < 0 || tier(v) < earliest)) earliest = tier(v);
    auto chosen = std::ranges::find_if(
        by_key, [&](int v) { return missing_causes[v] == 0 && (tier(v) < 0 || tier(v) == earliest); });
    // Required edges may lead through a variable without tier against the tiers; then they decide.
    if (chosen == by_key.end())
      chosen = std::ranges::find_if(by_key, [&](int v) { return missing_causes[v] == 0; });
    order.push_back(*chosen);
    by_key.erase(chosen);
    for (const Edge& edge : knowledge.required) missing_causes[edge.target] -= edge.source == order.back();
  }
  return order;
}

MethodResult sort_and_regress(const Dataset& dataset, const MethodOptions& options, Correlations data,
                              const std::vector<double>& key) {
  const int n = static_cast<int>(dataset.table.cols());
  const std::vector<int> order = causal_order(key, options.knowledge);
  // In causal order, the possible causes of a variable are those before it.
  Matrix<double> sorted(n, n), invertible(n, n);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      sorted(a, b) = data.plain(order[a], order[b]);
      invertible(a, b) = data.invertible(order[a], order[b]);
    }
  const Matrix<double> first = successive_regressions(invertible);
  const EdgeRules rules(options.knowledge, n);
  MethodResult result;
  result.scores = Matrix<double>(n, n);
  report_progress(options, "regressions", 0.3);
  parallel_for(n, options.threads, [&](std::size_t target) {
    check_cancelled(options, "regressions");
    std::vector<Regressor> roles(target, Regressor::kPenalised);
    std::vector<double> weights(target);
    for (std::size_t k = 0; k < target; ++k) {
      weights[k] = std::abs(first(target, k));
      if (weights[k] == 0.0 || rules.forbids(order[k], order[target])) roles[k] = Regressor::kExcluded;
      if (rules.demands(order[k], order[target])) roles[k] = Regressor::kAlways;
    }
    const auto coefficients =
        adaptive_lasso(sorted, static_cast<int>(target), roles, weights, dataset.table.rows());
    for (std::size_t k = 0; k < target; ++k)
      result.scores(order[k], order[target]) = std::abs(coefficients[k]);
  });

  std::vector<Edge> edges;
  double highest = 0.0;
  for (const double score : result.scores.values()) highest = std::max(highest, score);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      if (rules.demands(a, b)) result.scores(a, b) = std::max(highest, 1.0);
      if (result.scores(a, b) > 0.0) edges.push_back({a, b});
    }
  result.graph = MixedGraph(Digraph(n, std::move(edges)));
  result.graph_class = GraphClass::kDag;
  result.log = std::move(data.log);
  return result;
}

MethodResult run_var_sort(const Dataset& dataset, const MethodOptions& options) {
  Correlations data = correlations_of(dataset.table);
  const std::vector<double> deviations = data.columns.deviation;
  return sort_and_regress(dataset, options, std::move(data), deviations);
}

MethodResult run_r2_sort(const Dataset& dataset, const MethodOptions& options) {
  Correlations data = correlations_of(dataset.table);
  const Matrix<double> precision = positive_definite_inverse(data.invertible);
  std::vector<double> unexplained_inverse;  // 1 / (1 - R^2), in the same order as R^2
  for (std::size_t k = 0; k < precision.rows(); ++k)
    unexplained_inverse.push_back(precision(k, k) * data.invertible(k, k));
  return sort_and_regress(dataset, options, std::move(data), unexplained_inverse);
}

Method sort_method() {
  Method method;
  method.interventions = "ignored";
  method.graph_class = GraphClass::kDag;
  method.cost = "O(n^2 m + n^3)";
  return method;
}

}  // namespace

Method var_sort_regress_method() {
  Method method = sort_method();
  method.name = "var-sort-n-regress";
  method.summary =
      "orders variables by variance, then regresses each on those before it (adaptive lasso, BIC)";
  method.assumptions = "none; a check: it does well where the units of simulated data give the order away";
  method.citation = "Reisach, Seiler and Weichwald, Beware of the simulated DAG, 2021";
  method.run = run_var_sort;
  return method;
}

Method r2_sort_regress_method() {
  Method method = sort_method();
  method.name = "r2-sort-n-regress";
  method.summary =
      "orders variables by how well the others explain them, then regresses as var-sort-n-regress";
  method.assumptions = "none; a check: it does well where explained variance grows along the causal order";
  method.citation = "Reisach et al., A scale-invariant sorting criterion to find a causal order, 2023";
  method.run = run_r2_sort;
  return method;
}

}  // namespace causcale

#include <cmath>

#include "methods/correlation_matrix.h"
#include "methods/undirected_scores.h"

namespace causcale {
namespace {

MethodResult run_correlation(const Dataset& dataset, const MethodOptions& options) {
  const StandardColumns columns = standard_columns(dataset.table.values);
  const Matrix<double> correlations = correlation_matrix(columns);
  Matrix<double> scores = correlations;
  for (double& score : scores.values()) score = std::abs(score);
  MethodResult result = undirected_result(
      std::move(scores),
      [&](int a, int b) { return correlation_p_value(correlations(a, b), dataset.table.rows(), 0); },
      options);
  if (const std::string note = constant_columns_note(columns, dataset.table.names); !note.empty())
    result.log.push_back(note);
  return result;
}

}  // namespace

Method correlation_method() {
  Method method;
  method.name = "corr";
  method.summary = "absolute Pearson correlation";
  method.assumptions = "none; a yardstick that tells no direction";
  method.interventions = "ignored";
  method.graph_class = GraphClass::kUndirected;
  method.cost = "O(n^2 m)";
  method.citation = "Benesty et al., Pearson correlation coefficient, 2009";
  method.settings = undirected_settings();
  method.run = run_correlation;
  return method;
}

}  // namespace causcale

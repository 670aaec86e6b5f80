#include <fmt/format.h>

#include <array>
#include <cmath>

#include "methods/correlation_matrix.h"
#include "methods/undirected_scores.h"
#include "prior/covariance.h"
#include "prior/precision.h"
#include "prior/shrinkage.h"

namespace causcale {
namespace {

const std::array<std::string, 3>& scales() {
  static const std::array<std::string, 3> names{"raw", "standardized", "partial"};
  return names;
}

MethodResult run_inverse_covariance(const Dataset& dataset, const MethodOptions& options) {
  const std::string scale = text_setting(options, "scale", "standardized", scales());
  const StandardColumns columns = standard_columns(dataset.table.values);
  const std::size_t m = dataset.table.rows(), n = dataset.table.cols();
  std::vector<std::string> log;
  // All on unit-free columns, where shrinkage and cut-offs mean the same whatever the units; the raw
  // precision follows by dividing by the deviations.
  Matrix<double> correlations = correlation_matrix(columns);
  if (m < n + 2) {
    const ShrunkCovariance shrunk = ledoit_wolf(columns.values);
    correlations = shrunk.covariance;
    log.push_back(fmt::format("{} rows do not suffice for {} columns: Ledoit-Wolf shrinkage {:.3f}", m, n,
                              shrunk.shrinkage));
  }
  Matrix<double> precision = positive_definite_inverse(correlations);
  for (const std::size_t c : columns.constant)
    for (std::size_t k = 0; k < n; ++k)
      if (k != c) precision(c, k) = precision(k, c) = 0.0;

  const auto partial = [&](std::size_t a, std::size_t b) {
    const double product = precision(a, a) * precision(b, b);
    return product > 0.0 ? precision(a, b) / std::sqrt(product) : 0.0;
  };
  Matrix<double> scores(n, n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      scores(a, b) = std::abs(scale == "partial" ? partial(a, b) : precision(a, b));
      const double deviations = columns.deviation[a] * columns.deviation[b];
      if (scale == "raw") scores(a, b) = deviations > 0.0 ? scores(a, b) / deviations : 0.0;
    }
  const std::size_t others = std::min(n - 2, m > 4 ? m - 4 : 0);
  MethodResult result = undirected_result(
      std::move(scores), [&](int a, int b) { return correlation_p_value(partial(a, b), m, others); },
      options);
  result.log = std::move(log);
  if (const std::string note = constant_columns_note(columns, dataset.table.names); !note.empty())
    result.log.push_back(note);
  return result;
}

}  // namespace

Method inverse_covariance_method() {
  Method method;
  method.name = "invcov";
  method.summary = "absolute entries of the inverse covariance matrix";
  method.assumptions = "linear; a yardstick that tells no direction";
  method.interventions = "ignored";
  method.graph_class = GraphClass::kUndirected;
  method.cost = "O(n^2 m + n^3)";
  method.citation =
      "Hartlap, Simon and Schneider, Why your model parameter confidences might be too optimistic, 2007";
  method.settings = undirected_settings();
  method.settings.push_back(
      {"scale", "standardized",
       "standardized: unit-free columns; raw: the units of the table; partial: partial correlations"});
  method.run = run_inverse_covariance;
  return method;
}

}  // namespace causcale

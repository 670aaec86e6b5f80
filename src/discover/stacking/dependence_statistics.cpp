// Correlations, partial correlations and tests of independence.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "discover/evidence_tests.h"
#include "discover/stacking/parts.h"
#include "effects/variables.h"
#include "methods/column_codes.h"
#include "prior/covariance.h"
#include "prior/precision.h"

namespace causcale {
namespace {

constexpr std::size_t kMostTestedRows = 5000;

double fisher_z(double r, double freedom) {
  return std::atanh(std::min(std::abs(r), 1.0 - 1e-9)) * std::sqrt(std::max(1.0, freedom));
}

void add_partial(const Matrix<double>& values, SymmetricStatistic size, SymmetricStatistic significance,
                 PairStatistics& statistics) {
  const std::size_t n = statistics.columns;
  const Matrix<double> precision = precision_prior(values, {.scale = PriorScale::kStandardized, .rows = {}});
  const double freedom = static_cast<double>(values.rows()) - static_cast<double>(n) - 1.0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      const double scale = precision(i, i) * precision(j, j);
      const double r = scale > 0.0 ? std::clamp(-precision(i, j) / std::sqrt(scale), -1.0, 1.0) : 0.0;
      statistics.set(size, i, j, std::abs(r));
      statistics.set(significance, i, j, compressed(fisher_z(r, freedom)));
    }
  if (size != SymmetricStatistic::kPartial) return;
  for (std::size_t v = 0; v < n; ++v) {  // of standardised columns 1 / precision is the unexplained variance
    const double explained = precision(v, v) > 0.0 ? 1.0 - 1.0 / precision(v, v) : 0.0;
    const double inside = std::clamp(explained, 0.001, 0.9999);
    statistics.at(NodeStatistic::kExplained, v) = static_cast<float>(std::log(inside / (1.0 - inside)) / 3.0);
  }
}

}  // namespace

void add_dependence_statistics(const Dataset& dataset, int threads, PairStatistics& statistics) {
  const Table& table = dataset.table;
  const std::size_t n = table.cols(), m = table.rows();
  const Matrix<double> centred = centred_values(table.values, {}, 0, PriorScale::kStandardized);
  const Matrix<double> correlation = covariance(centred, static_cast<double>(m));
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      const double r = std::clamp(correlation(i, j), -1.0, 1.0);
      sum += std::abs(r);
      statistics.set(SymmetricStatistic::kCorrelation, i, j, std::abs(r));
      statistics.set(SymmetricStatistic::kCorrelationZ, i, j,
                     compressed(fisher_z(r, static_cast<double>(m) - 3.0)));
    }
  statistics.at(TableStatistic::kCorrelation) =
      static_cast<float>(2.0 * sum / (static_cast<double>(n) * static_cast<double>(n - 1)));
  add_partial(table.values, SymmetricStatistic::kPartial, SymmetricStatistic::kPartialZ, statistics);

  std::vector<std::size_t> rows(m);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  rows = spaced_rows(std::move(rows), kMostTestedRows);
  const std::vector<char> discrete = discrete_columns(table);
  std::vector<TestColumn> columns(n);
  parallel_for(n, threads,
               [&](std::size_t v) { columns[v] = test_column(table, v, discrete[v] != 0, rows); });
  Matrix<double> scores(rows.size(), n);
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t r = 0; r < rows.size(); ++r) scores(r, v) = columns[v].scores[r];
  add_partial(scores, SymmetricStatistic::kRankPartial, SymmetricStatistic::kRankPartialZ, statistics);
  parallel_for(n, threads, [&](std::size_t i) {
    for (std::size_t j = i + 1; j < n; ++j)
      statistics.set(SymmetricStatistic::kDependence, i, j,
                     compressed_p(independence_p(columns[i], columns[j])));
  });
}

}  // namespace causcale

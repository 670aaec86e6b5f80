// What tells directions: non-Gaussian noise, additive noise, the structure of the graph.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "data/standardize.h"
#include "discover/direction.h"
#include "discover/stacking/parts.h"
#include "effects/variables.h"
#include "methods/column_codes.h"
#include "methods/method.h"
#include "methods/order/lingam_measure.h"

namespace causcale {
namespace {

constexpr std::size_t kMostRows = 3000;
constexpr std::size_t kFewestRows = 20;
constexpr std::size_t kMostLingamColumns = 64;
constexpr double kWorthALook = 0.15;  // probability of a link
constexpr std::size_t kMostExaminedPerNode = 3;

std::vector<std::size_t> all_rows(std::size_t m) {
  std::vector<std::size_t> rows(m);
  for (std::size_t r = 0; r < m; ++r) rows[r] = r;
  return spaced_rows(std::move(rows), kMostRows);
}

// The values of a column in these rows, standardised; false where they do not vary.
bool standard_column(const Table& table, std::size_t column, const std::vector<std::size_t>& rows,
                     std::vector<float>& out) {
  double mean = 0.0, squares = 0.0;
  const auto m = static_cast<double>(rows.size());
  for (const std::size_t r : rows) mean += table.values(r, column) / m;
  for (const std::size_t r : rows) squares += std::pow(table.values(r, column) - mean, 2) / m;
  out.resize(rows.size());
  if (!(squares > 1e-12 * (mean * mean + 1e-300))) return false;
  const double scale = 1.0 / std::sqrt(squares);
  for (std::size_t k = 0; k < rows.size(); ++k)
    out[k] = static_cast<float>((table.values(rows[k], column) - mean) * scale);
  return true;
}

// Positive for a -> b.
double lingam_ratio(const std::vector<float>& a, const std::vector<float>& b) {
  double r = 0.0;
  const std::size_t m = a.size();
  for (std::size_t k = 0; k < m; ++k) r += static_cast<double>(a[k]) * b[k] / static_cast<double>(m);
  if (std::abs(r) > 0.9999) return 0.0;
  const auto slope = static_cast<float>(r), scale = static_cast<float>(1.0 / std::sqrt(1.0 - r * r));
  const ResidualEntropies residuals = residual_entropies(a.data(), b.data(), slope, scale, m);
  const double ratio =
      approximate_entropy(b.data(), m) + residuals.of_a - approximate_entropy(a.data(), m) - residuals.of_b;
  return ratio * std::sqrt(static_cast<double>(m));
}

}  // namespace

void add_lingam_statistics(const Dataset& dataset, int threads, PairStatistics& statistics) {
  const Table& table = dataset.table;
  const Interventions& interventions = dataset.interventions;
  const std::size_t n = table.cols();
  const std::vector<std::size_t> rows = all_rows(table.rows());
  const std::vector<char> discrete = discrete_columns(table);
  const auto touched = [&](std::size_t row, std::size_t column) {
    if (interventions.regime_of_row.empty()) return false;
    return std::ranges::binary_search(
        interventions.regimes[static_cast<std::size_t>(interventions.regime_of_row[row])],
        static_cast<int>(column));
  };
  parallel_for(n, threads, [&](std::size_t i) {
    std::vector<float> a, b;
    std::vector<std::size_t> left;
    for (std::size_t j = i + 1; j < n; ++j) {
      if (discrete[i] || discrete[j]) continue;
      left.clear();
      for (const std::size_t r : rows)
        if (!touched(r, i) && !touched(r, j)) left.push_back(r);
      if (left.size() < kFewestRows || !standard_column(table, i, left, a) ||
          !standard_column(table, j, left, b))
        continue;
      const double ratio = compressed(lingam_ratio(a, b));
      statistics.at(DirectedStatistic::kLingamRatio, i, j) = static_cast<float>(ratio);
      statistics.at(DirectedStatistic::kLingamRatio, j, i) = static_cast<float>(-ratio);
    }
  });

  if (n > kMostLingamColumns || table.rows() < kFewestRows) return;
  MethodOptions options;
  options.threads = threads;
  const MethodResult found = direct_lingam_method().run(take_rows(dataset, rows), options);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j)
        statistics.at(DirectedStatistic::kLingamWeight, i, j) =
            static_cast<float>(std::min(2.0, found.scores(i, j)));
}

void add_direction_statistics(const Dataset& dataset, const Matrix<double>& network, int threads,
                              PairStatistics& statistics) {
  const std::size_t n = statistics.columns;
  struct Candidate {
    double link;
    Edge edge;
  };
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      const double forward = network(i, j) + 1e-3 * statistics.at(DirectedStatistic::kClassArrowShare, i, j);
      const double reverse = network(j, i) + 1e-3 * statistics.at(DirectedStatistic::kClassArrowShare, j, i);
      const double share =
          statistics.symmetric(i * n + j, static_cast<std::size_t>(SymmetricStatistic::kClassLinkShare));
      const double link = std::max(network(i, j) + network(j, i), share);
      if (link < kWorthALook) continue;
      const int a = static_cast<int>(i), b = static_cast<int>(j);
      candidates.push_back({link, forward >= reverse ? Edge{a, b} : Edge{b, a}});
    }
  std::ranges::stable_sort(candidates, std::greater{}, &Candidate::link);
  if (candidates.size() > kMostExaminedPerNode * n) candidates.resize(kMostExaminedPerNode * n);

  DiscoverResult examined;
  examined.names = dataset.table.names;
  examined.probabilities = network;
  std::vector<Edge> edges;
  for (const Candidate& candidate : candidates) edges.push_back(candidate.edge);
  std::ranges::sort(edges);
  examined.graph = Digraph(static_cast<int>(n), std::move(edges));
  for (const DirectionEvidence& entry : direction_evidence(dataset, {}, examined, threads)) {
    const auto i = static_cast<std::size_t>(entry.edge.source),
               j = static_cast<std::size_t>(entry.edge.target);
    statistics.set(SymmetricStatistic::kExamined, i, j, 1.0);
    statistics.set(SymmetricStatistic::kGivenDependence, i, j, compressed_p(entry.given_p));
    const auto put = [&](DirectedStatistic s, double z) {
      statistics.at(s, i, j) = static_cast<float>(compressed(z));
      statistics.at(s, j, i) = static_cast<float>(-compressed(z));
    };
    put(DirectedStatistic::kShape, entry.shape_z);
    put(DirectedStatistic::kStructure, entry.structure_z);
  }
}

}  // namespace causcale

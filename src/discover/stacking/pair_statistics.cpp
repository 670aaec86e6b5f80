#include "discover/stacking/pair_statistics.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "discover/stacking/parts.h"
#include "methods/column_codes.h"

namespace causcale {
namespace {

constexpr double kLargestLogOdds = 8.0;
constexpr double kLargestLogP = 300.0;

}  // namespace

double log_odds(double p) {
  const double inside = std::clamp(p, 1e-6, 1.0 - 1e-6);
  return std::clamp(std::log(inside / (1.0 - inside)), -kLargestLogOdds, kLargestLogOdds);
}

double compressed(double value) {
  return std::isfinite(value) ? std::asinh(value) : 0.0;
}

double compressed_p(double p) {
  if (std::isnan(p)) return 0.0;
  return compressed(p > 0.0 ? std::min(kLargestLogP, -std::log10(p)) : kLargestLogP);
}

PairStatistics::PairStatistics(std::size_t n)
    : columns(n),
      directed(n * n, kNumberOf<DirectedStatistic>),
      symmetric(n * n, kNumberOf<SymmetricStatistic>),
      nodes(n, kNumberOf<NodeStatistic>),
      table(kNumberOf<TableStatistic>) {}

void PairStatistics::set(SymmetricStatistic s, std::size_t i, std::size_t j, double value) {
  symmetric(i * columns + j, static_cast<std::size_t>(s)) = static_cast<float>(value);
  symmetric(j * columns + i, static_cast<std::size_t>(s)) = static_cast<float>(value);
}

void write_pair_inputs(const PairStatistics& statistics, std::size_t i, std::size_t j, float* out) {
  const std::size_t n = statistics.columns;
  for (const std::span<const float> part :
       {statistics.symmetric.row(i * n + j), statistics.directed.row(i * n + j),
        statistics.directed.row(j * n + i), statistics.nodes.row(i), statistics.nodes.row(j),
        std::span<const float>(statistics.table)})
    out = std::copy(part.begin(), part.end(), out);
}

void add_network_statistics(const JoinedAnswer& answer, PairStatistics& statistics) {
  const core::PairProbabilities& network = answer.said;
  const std::size_t n = statistics.columns;
  const Matrix<double>& p = network.edges;
  double edges = 0.0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      edges += p(i, j);
      statistics.at(DirectedStatistic::kNetwork, i, j) = static_cast<float>(log_odds(p(i, j)));
      if (!answer.disagreement.empty())
        statistics.at(DirectedStatistic::kDisagreement, i, j) = static_cast<float>(answer.disagreement(i, j));
      statistics.at(NodeStatistic::kNetworkOut, i) += static_cast<float>(p(i, j));
      statistics.at(NodeStatistic::kNetworkIn, j) += static_cast<float>(p(i, j));
      double bypass = 0.0, cause = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        if (k == i || k == j) continue;
        bypass = std::max(bypass, std::min(p(i, k), p(k, j)));
        cause = std::max(cause, std::min(p(k, i), p(k, j)));
      }
      statistics.at(DirectedStatistic::kNetworkBypass, i, j) = static_cast<float>(log_odds(bypass));
      if (i > j) continue;
      statistics.set(SymmetricStatistic::kNetworkLink, i, j, log_odds(link_probability(network, i, j)));
      statistics.set(SymmetricStatistic::kNetworkCause, i, j, log_odds(cause));
    }
  statistics.at(TableStatistic::kNetworkDensity) = static_cast<float>(edges / static_cast<double>(n));
}

void add_column_statistics(const Dataset& dataset, PairStatistics& statistics) {
  const Table& table = dataset.table;
  const Interventions& interventions = dataset.interventions;
  const std::size_t m = table.rows(), n = table.cols();
  const auto rows = static_cast<double>(m), columns = static_cast<double>(n);
  const std::vector<char> discrete = discrete_columns(table);
  std::vector<std::size_t> touched(n, 0);
  std::size_t treated = 0;
  for (const int regime : interventions.regime_of_row) {
    const std::vector<int>& targets = interventions.regimes[static_cast<std::size_t>(regime)];
    treated += !targets.empty();
    for (const int target : targets) ++touched[static_cast<std::size_t>(target)];
  }
  double kurtosis_sum = 0.0, discrete_count = 0.0, targeted = 0.0;
  for (std::size_t v = 0; v < n; ++v) {
    double mean = 0.0, second = 0.0, third = 0.0, fourth = 0.0;
    std::set<double> distinct;
    for (std::size_t r = 0; r < m; ++r) mean += table.values(r, v) / rows;
    for (std::size_t r = 0; r < m; ++r) {
      const double d = table.values(r, v) - mean;
      second += d * d / rows;
      third += d * d * d / rows;
      fourth += d * d * d * d / rows;
      distinct.insert(table.values(r, v));
    }
    const bool varies = second > 0.0 && distinct.size() > 1;
    const double kurtosis = varies ? compressed(fourth / (second * second) - 3.0) : 0.0;
    kurtosis_sum += kurtosis;
    discrete_count += discrete[v];
    targeted += touched[v] > 0;
    const auto set = [&](NodeStatistic s, double value) { statistics.at(s, v) = static_cast<float>(value); };
    set(NodeStatistic::kKurtosis, kurtosis);
    set(NodeStatistic::kSkewness, varies ? compressed(std::abs(third) / std::pow(second, 1.5)) : 0.0);
    set(NodeStatistic::kDistinct, std::log(static_cast<double>(distinct.size()) / rows) / 4.0);
    set(NodeStatistic::kBinary, distinct.size() == 2);
    set(NodeStatistic::kDiscrete, discrete[v]);
    set(NodeStatistic::kIntervenedRows, static_cast<double>(touched[v]) / rows);
    set(NodeStatistic::kTargeted, touched[v] > 0);
  }
  const auto set = [&](TableStatistic s, double value) { statistics.at(s) = static_cast<float>(value); };
  set(TableStatistic::kColumns, std::log(columns / 10.0));
  set(TableStatistic::kRows, std::log(rows / 500.0));
  set(TableStatistic::kRowsPerColumn, std::log(rows / columns / 50.0));
  set(TableStatistic::kDiscreteShare, discrete_count / columns);
  set(TableStatistic::kIntervenedShare, static_cast<double>(treated) / rows);
  set(TableStatistic::kTargetedShare, targeted / columns);
  set(TableStatistic::kRowsPerTarget,
      targeted > 0.0 ? std::log1p(static_cast<double>(treated) / targeted) / 2.0 : 0.0);
  set(TableStatistic::kKurtosis, kurtosis_sum / columns);
}

PairStatistics pair_statistics(const Dataset& ordered, const JoinedAnswer& network, int threads,
                               const std::function<void(double share)>& progress) {
  const auto done = [&](double share) {
    if (progress) progress(share);
  };
  done(0.0);
  PairStatistics statistics(ordered.table.cols());
  add_network_statistics(network, statistics);
  add_column_statistics(ordered, statistics);
  add_dependence_statistics(ordered, threads, statistics);
  add_shift_statistics(ordered, threads, statistics);
  done(0.2);
  add_class_statistics(
      ordered, threads, [&] { done(0.2); }, statistics);
  done(0.5);
  add_separation_statistics(
      ordered, threads, [&] { done(0.5); }, statistics);
  done(0.6);
  add_lingam_statistics(ordered, threads, statistics);
  done(0.8);
  add_direction_statistics(ordered, network.said.edges, threads, statistics);
  done(1.0);
  return statistics;
}

}  // namespace causcale

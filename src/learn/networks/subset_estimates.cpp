#include "learn/networks/subset_estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/parallel.h"
#include "methods/method.h"

namespace causcale {
namespace {

constexpr std::size_t kLeastRows = 10;  // of those that concern a set; with fewer, all rows take part

// `count` of these rows, without repetition; all of them when there are not more.
std::vector<std::int64_t> draw_rows(std::vector<std::int64_t> rows, std::size_t count, RandomStream& random) {
  if (rows.size() <= count) return rows;
  for (std::size_t i = 0; i < count; ++i)
    std::swap(rows[i], rows[i + random.below(static_cast<std::uint32_t>(rows.size() - i))]);
  rows.resize(count);
  return rows;
}

std::vector<std::int64_t> all_rows(const WrittenTable& table) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(table.rows));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  return rows;
}

// Of every chosen column the rows in which it was intervened on, and the observational rows.
std::vector<std::vector<std::int64_t>> rows_by_target(const WrittenTable& table,
                                                      std::span<const int> columns) {
  std::vector<std::vector<std::int64_t>> groups(columns.size() + 1);
  for (std::int64_t r = 0; r < table.rows; ++r) {
    bool any = false;
    for (std::int64_t c = 0; c < table.columns && !any; ++c) any = table.targeted(r, c);
    if (!any) {
      groups.back().push_back(r);
      continue;
    }
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (table.targeted(r, columns[k])) {
        groups[k].push_back(r);
        break;  // a row with several targets counts for one of them
      }
  }
  return groups;
}

std::vector<std::int64_t> chosen_rows(const WrittenTable& table, std::span<const int> columns,
                                      const SubsetOptions& options, RandomStream& random) {
  const auto most = static_cast<std::size_t>(options.rows);
  if (options.estimator != Estimator::kGies) return draw_rows(all_rows(table), most, random);
  const std::vector<std::vector<std::int64_t>> groups = rows_by_target(table, columns);
  std::size_t concerned = 0;
  for (const auto& group : groups) concerned += group.size();
  if (concerned < kLeastRows) return draw_rows(all_rows(table), most, random);
  const bool mixed = groups.back().size() < concerned;  // else all of it is observational
  std::vector<std::int64_t> rows;
  for (const auto& group : groups) {
    const std::vector<std::int64_t> drawn =
        draw_rows(group, concerned <= most || !mixed ? most : most / groups.size(), random);
    rows.insert(rows.end(), drawn.begin(), drawn.end());
  }
  return rows;
}

// Position of a draw by weights that are not negative; by chance alone where all of them are zero.
std::size_t draw_weighted(const std::vector<double>& weights, const std::vector<char>& taken,
                          RandomStream& random) {
  double total = 0.0;
  std::size_t free = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!taken[i]) total += weights[i], ++free;
  double left = random.uniform() * (total > 0.0 ? total : static_cast<double>(free));
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (taken[i]) continue;
    last = i;
    left -= total > 0.0 ? weights[i] : 1.0;
    if (left < 0.0) break;
  }
  return last;
}

const Method& method_of(Estimator estimator) {
  return method_named(estimator_name(estimator));
}

bool has_spread(const Table& table) {
  for (std::size_t c = 0; c < table.cols(); ++c) {
    bool differs = false;
    for (std::size_t r = 1; r < table.rows() && !differs; ++r)
      differs = table.values(r, c) != table.values(0, c);
    if (!differs) return false;
  }
  return true;
}

}  // namespace

EstimatedEdge estimated_edge(const MixedGraph& graph, int a, int b) {
  if (!graph.adjacent(a, b)) return EstimatedEdge::kNone;
  const Mark at_a = graph.mark(b, a), at_b = graph.mark(a, b);
  if (at_a == Mark::kCircle && at_b == Mark::kCircle) return EstimatedEdge::kCircles;
  if (at_a == Mark::kCircle) return EstimatedEdge::kCircleForward;
  if (at_b == Mark::kCircle) return EstimatedEdge::kCircleBackward;
  if (at_a == Mark::kArrow)
    return at_b == Mark::kArrow ? EstimatedEdge::kBidirected : EstimatedEdge::kBackward;
  return at_b == Mark::kArrow ? EstimatedEdge::kForward : EstimatedEdge::kUndirected;
}

std::vector<std::vector<int>> choose_subsets(const float* statistic, int columns,
                                             const SubsetOptions& options, int count, RandomStream& random) {
  const auto n = static_cast<std::size_t>(columns);
  std::vector<double> scores(n * n, 0.0), visits(n * n, 0.0), sums(n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      scores[i * n + j] = std::abs(static_cast<double>(statistic[i * n + j]));
      sums[j] += scores[i * n + j];
    }
  const auto score = [&](std::size_t i, std::size_t j) {
    return scores[i * n + j] / std::sqrt(1.0 + visits[i * n + j]);
  };
  std::vector<std::vector<int>> subsets;
  for (int t = 0; t < count; ++t) {
    std::vector<double> weights = sums;
    std::vector<char> taken(n, 0);
    std::vector<int> subset;
    while (subset.size() < std::min(n, static_cast<std::size_t>(options.variables))) {
      const std::size_t next = draw_weighted(weights, taken, random);
      if (subset.empty()) std::ranges::fill(weights, 0.0);
      taken[next] = 1;
      subset.push_back(static_cast<int>(next));
      for (std::size_t j = 0; j < n; ++j) weights[j] += score(next, j);
    }
    for (const int i : subset)
      for (const int j : subset) {
        if (i == j) continue;
        const std::size_t a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
        sums[b] -= score(a, b);
        visits[a * n + b] += 1.0;
        sums[b] = std::max(0.0, sums[b] + score(a, b));
      }
    std::ranges::sort(subset);
    subsets.push_back(std::move(subset));
  }
  return subsets;
}

Dataset draw_subset(const WrittenTable& table, std::span<const int> columns, const SubsetOptions& options,
                    RandomStream& random) {
  std::vector<std::int64_t> rows = chosen_rows(table, columns, options, random);
  std::ranges::sort(rows);
  Dataset subset;
  subset.table.values = Matrix<double>(rows.size(), columns.size());
  std::map<std::vector<int>, int> regimes;
  for (std::size_t k = 0; k < columns.size(); ++k)
    subset.table.names.push_back(fmt::format("x{}", columns[k]));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<int> targets;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      subset.table.values(r, k) = table.value(rows[r], columns[k]);
      if (table.targeted(rows[r], columns[k])) targets.push_back(static_cast<int>(k));
    }
    const auto [found, added] = regimes.try_emplace(targets, static_cast<int>(regimes.size()));
    if (added) subset.interventions.regimes.push_back(targets);
    subset.interventions.regime_of_row.push_back(found->second);
  }
  return subset;
}

MixedGraph estimate_subset(const Dataset& subset, Estimator estimator) {
  const MixedGraph nothing(static_cast<int>(subset.table.cols()));
  if (subset.table.cols() < 2 || subset.table.rows() < kLeastRows || !has_spread(subset.table))
    return nothing;
  MethodOptions options;
  options.threads = 1;
  try {
    return run_method(method_of(estimator), subset, options).graph;
  } catch (const InputError&) {
    return nothing;
  }
}

SubsetEstimates estimate_subsets(const WrittenTable& table, const float* statistic,
                                 const SubsetOptions& options, int count, std::uint64_t seed,
                                 std::uint32_t dataset, int threads) {
  RandomStream of_columns(seed, dataset, Purpose::kSubsetColumns);
  const std::vector<std::vector<int>> subsets =
      choose_subsets(statistic, static_cast<int>(table.columns), options, count, of_columns);
  SubsetEstimates result;
  result.size = static_cast<int>(subsets.front().size());
  const auto k = static_cast<std::size_t>(result.size), pairs = k * (k - 1);
  result.edges.resize(subsets.size() * pairs);
  for (const std::vector<int>& subset : subsets)
    result.subsets.insert(result.subsets.end(), subset.begin(), subset.end());
  parallel_for(subsets.size(), threads, [&](std::size_t t) {
    RandomStream of_rows(seed, dataset, Purpose::kSubsetRows, static_cast<std::uint32_t>(t));
    const MixedGraph graph =
        estimate_subset(draw_subset(table, subsets[t], options, of_rows), options.estimator);
    std::size_t place = t * pairs;
    for (int a = 0; a < result.size; ++a)
      for (int b = 0; b < result.size; ++b)
        if (a != b) result.edges[place++] = static_cast<std::int64_t>(estimated_edge(graph, a, b));
  });
  return result;
}

}  // namespace causcale

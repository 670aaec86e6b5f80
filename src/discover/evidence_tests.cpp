#include "discover/evidence_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/distributions.h"

namespace causcale {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kRowsPerCell = 10.0;  // of the table over bins, on average
constexpr int kMostBins = 8;

void make_standard(std::vector<double>& x) {
  const auto m = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / m;
  double squares = 0.0;
  for (double& value : x) {
    value -= mean;
    squares += value * value;
  }
  const double factor = squares > 1e-12 * m ? std::sqrt(m / squares) : 0.0;
  for (double& value : x) value *= factor;
}

double chi_square_p(double statistic, double degrees) {
  return degrees > 0.0 ? std::exp(log_chi_square_tail(std::max(0.0, statistic), degrees)) : 1.0;
}

// Fisher's z of the correlation of two standardised columns.
double correlation_p(const std::vector<double>& a, const std::vector<double>& b) {
  const auto m = static_cast<double>(a.size());
  const double r = std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / m;
  const double z = std::atanh(std::clamp(r, -0.999999999, 0.999999999));
  return chi_square_p(z * z * (m - 3.0), 1.0);
}

// Kruskal and Wallis: do the groups' means of standardised scores differ?
double groups_p(const std::vector<double>& scores, const std::vector<int>& group, int groups) {
  std::vector<double> sum(groups, 0.0), count(groups, 0.0);
  for (std::size_t r = 0; r < scores.size(); ++r) {
    sum[group[r]] += scores[r];
    count[group[r]] += 1.0;
  }
  double statistic = 0.0, used = 0.0;
  for (int g = 0; g < groups; ++g)
    if (count[g] > 0.0) {
      statistic += sum[g] * sum[g] / count[g];
      used += 1.0;
    }
  const auto m = static_cast<double>(scores.size());
  return chi_square_p(statistic * (m - 1.0) / m, used - 1.0);
}

enum class TableStatistic { kPearson, kG2 };

double table_p(const TestColumn& a, const TestColumn& b, TableStatistic kind) {
  Matrix<double> count(a.levels, b.levels);
  std::vector<double> row(a.levels, 0.0), column(b.levels, 0.0);
  for (std::size_t r = 0; r < a.codes.size(); ++r) {
    count(a.codes[r], b.codes[r]) += 1.0;
    row[a.codes[r]] += 1.0;
    column[b.codes[r]] += 1.0;
  }
  const auto m = static_cast<double>(a.codes.size());
  double statistic = 0.0;
  for (int i = 0; i < a.levels; ++i)
    for (int j = 0; j < b.levels; ++j) {
      const double seen = count(i, j), expected = row[i] * column[j] / m;
      if (expected == 0.0) continue;
      if (kind == TableStatistic::kPearson)
        statistic += (seen - expected) * (seen - expected) / expected;
      else if (seen > 0.0)
        statistic += 2.0 * seen * std::log(seen / expected);
    }
  const auto present = [](const std::vector<double>& margin) {
    return static_cast<double>(std::ranges::count_if(margin, [](double n) { return n > 0.0; }));
  };
  return chi_square_p(statistic, (present(row) - 1.0) * (present(column) - 1.0));
}

double least_of(std::span<const double> p) {
  return std::min(1.0, static_cast<double>(p.size()) * *std::ranges::min_element(p));
}

bool constant(const TestColumn& column) {
  return std::ranges::all_of(column.codes, [&](int code) { return code == column.codes.front(); }) &&
         std::ranges::all_of(column.scores, [](double score) { return score == 0.0; });
}

}  // namespace

TestColumn test_column(const Table& table, std::size_t column, bool discrete,
                       std::span<const std::size_t> rows) {
  TestColumn result;
  result.discrete = discrete;
  result.ordered = column >= table.kinds.size() || table.kinds[column] != ColumnKind::kUnordered;
  const std::size_t m = rows.size();
  const auto value = [&](std::size_t k) { return table.values(rows[k], column); };
  std::vector<std::size_t> order(m);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
  result.scores.resize(m);
  result.codes.resize(m);
  const int bins =
      std::clamp(static_cast<int>(std::sqrt(static_cast<double>(m) / kRowsPerCell)), 2, kMostBins);
  for (std::size_t first = 0; first < m;) {
    std::size_t end = first + 1;
    while (end < m && value(order[end]) == value(order[first])) ++end;
    const double share = 0.5 * static_cast<double>(first + end + 1) / static_cast<double>(m + 1);
    const double score = normal_quantile(share);
    const int code = discrete ? result.levels : std::min(bins - 1, static_cast<int>(share * bins));
    for (std::size_t k = first; k < end; ++k) {
      result.scores[order[k]] = score;
      result.codes[order[k]] = code;
    }
    ++result.levels;
    first = end;
  }
  if (!discrete) result.levels = bins;
  make_standard(result.scores);
  for (const double score : result.scores) result.squares.push_back(score * score);
  make_standard(result.squares);
  return result;
}

double independence_p(const TestColumn& a, const TestColumn& b) {
  if (a.codes.size() < kFewestTestedRows || constant(a) || constant(b)) return kNone;
  std::vector<double> p;
  if (a.ordered && b.ordered) p.push_back(correlation_p(a.scores, b.scores));
  if (a.discrete && b.discrete) {
    p.push_back(table_p(a, b, TableStatistic::kG2));
  } else if (a.discrete || b.discrete) {
    const TestColumn& groups = a.discrete ? a : b;
    const TestColumn& values = a.discrete ? b : a;
    p.push_back(groups_p(values.scores, groups.codes, groups.levels));
    p.push_back(groups_p(values.squares, groups.codes, groups.levels));
  } else {
    p.push_back(correlation_p(a.scores, b.squares));
    p.push_back(correlation_p(a.squares, b.scores));
    p.push_back(correlation_p(a.squares, b.squares));
    p.push_back(table_p(a, b, TableStatistic::kPearson));
  }
  return least_of(p);
}

double shift_p(const TestColumn& column, std::span<const char> moved) {
  const auto there = static_cast<std::size_t>(std::ranges::count_if(moved, [](char m) { return m != 0; }));
  if (moved.size() < kFewestTestedRows || there < 2 || moved.size() - there < 2 || constant(column))
    return kNone;
  std::vector<int> group(moved.begin(), moved.end());
  const double p[] = {groups_p(column.scores, group, 2), groups_p(column.squares, group, 2)};
  return least_of(p);
}

std::vector<double> false_discovery_rates(std::span<const double> p) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < p.size(); ++k)
    if (!std::isnan(p[k])) order.push_back(k);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> q(p.size(), kNone);
  double least = 1.0;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t k = order[rank - 1];
    least = std::min(least, p[k] * static_cast<double>(order.size()) / static_cast<double>(rank));
    q[k] = least;
  }
  return q;
}

}  // namespace causcale

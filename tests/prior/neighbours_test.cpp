#include "prior/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/random.h"
#include "prior/precision.h"

namespace causcale {
namespace {

// A chain of columns, each the one before and noise.
Matrix<double> chain(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  RandomStream random(seed, 0, 0);
  Matrix<double> values(rows, columns);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      values(r, c) = random.normal() + (c > 0 ? 0.9 * values(r, c - 1) : 0.0);
  return values;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double count = static_cast<double>(a.size());
  const double mean_a = std::reduce(a.begin(), a.end()) / count,
               mean_b = std::reduce(b.begin(), b.end()) / count;
  double ab = 0.0, aa = 0.0, bb = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    ab += (a[k] - mean_a) * (b[k] - mean_b);
    aa += (a[k] - mean_a) * (a[k] - mean_a);
    bb += (b[k] - mean_b) * (b[k] - mean_b);
  }
  return std::abs(ab / std::sqrt(aa * bb));
}

std::vector<std::int32_t> best_first(const std::vector<double>& scores, std::size_t own) {
  std::vector<std::int32_t> order;
  for (std::size_t c = 0; c < scores.size(); ++c)
    if (c != own) order.push_back(static_cast<std::int32_t>(c));
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::int32_t c) { return scores[static_cast<std::size_t>(c)]; });
  return order;
}

// By the definitions, one pair after the other, with the inverse of the whole shrunk covariance.
std::vector<std::int32_t> expected_list(const Matrix<double>& values, std::size_t column, std::size_t each) {
  const std::size_t m = values.rows(), n = values.cols();
  const Matrix<double> precision = precision_prior(
      values, {.scale = PriorScale::kStandardized, .rows = {}, .method = PriorMethod::kLedoitWolf});
  std::vector<std::vector<double>> line(n), away(n);
  for (std::size_t c = 0; c < n; ++c) {
    double mean = 0.0;
    for (std::size_t r = 0; r < m; ++r) mean += values(r, c) / static_cast<double>(m);
    for (std::size_t r = 0; r < m; ++r) {
      line[c].push_back(values(r, c));
      away[c].push_back(std::abs(values(r, c) - mean));
    }
  }
  std::vector<double> partial(n), marginal(n);
  for (std::size_t c = 0; c < n; ++c) {
    if (c == column) continue;
    partial[c] = std::abs(precision(column, c)) / std::sqrt(precision(column, column) * precision(c, c));
    marginal[c] = std::max({correlation(line[column], line[c]), correlation(line[column], away[c]),
                            correlation(away[column], line[c]), correlation(away[column], away[c])});
  }
  const auto first = best_first(partial, column), second = best_first(marginal, column);
  std::vector<std::int32_t> list;
  for (std::size_t k = 0; k < first.size(); ++k)
    for (const std::int32_t c : {first[k], second[k]})
      if (list.size() < each && std::ranges::find(list, c) == list.end()) list.push_back(c);
  return list;
}

TEST(Neighbours, AreThoseOfTheDefinitions) {
  for (const std::size_t rows : {std::size_t{30}, std::size_t{400}}) {  // fewer and more than columns
    const Matrix<double> values = chain(rows, 60, 5);
    const Neighbours found = likely_neighbours(values, 12, 0, 1);
    ASSERT_EQ(found.columns, 60u);
    ASSERT_EQ(found.each, 12u);
    for (std::size_t c = 0; c < 60; ++c) {
      const auto of = found.of(c);
      EXPECT_EQ(std::vector<std::int32_t>(of.begin(), of.end()), expected_list(values, c, 12))
          << rows << " rows, column " << c;
    }
  }
}

TEST(Neighbours, BeginWithThoseThatAreJoined) {
  const Neighbours found = likely_neighbours(chain(500, 300, 6), 4, 0, 2);
  for (std::size_t c = 1; c + 1 < 300; ++c) {
    const auto of = found.of(c);
    const std::set<std::int32_t> first(of.begin(), of.begin() + 2);
    EXPECT_EQ(first,
              (std::set<std::int32_t>{static_cast<std::int32_t>(c) - 1, static_cast<std::int32_t>(c) + 1}));
  }
}

// Far from zero, where a missing cell that counted as zero would outweigh all others.
TEST(Neighbours, MissingCellsCountAsTheMean) {
  Matrix<double> values = chain(500, 60, 6), filled = values;
  RandomStream random(9, 0, 0);
  for (std::size_t c = 0; c < 60; ++c) {
    double mean = 0.0;
    for (std::size_t r = 0; r < 500; ++r) mean += values(r, c) / 500.0;
    for (std::size_t r = 0; r < 500; ++r) values(r, c) += 1000.0 - mean;
    std::vector<std::size_t> gaps;
    for (std::size_t r = 0; r < 500; ++r)
      if (random.uniform() < 0.05) gaps.push_back(r);
    double sum = 0.0;
    for (const std::size_t r : gaps) values(r, c) = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t r = 0; r < 500; ++r) sum += std::isnan(values(r, c)) ? 0.0 : values(r, c);
    for (std::size_t r = 0; r < 500; ++r)
      filled(r, c) = std::isnan(values(r, c)) ? sum / static_cast<double>(500 - gaps.size()) : values(r, c);
  }
  EXPECT_EQ(likely_neighbours(values, 6, 0, 1).list, likely_neighbours(filled, 6, 0, 1).list);
  const Neighbours found = likely_neighbours(values, 4, 0, 1);
  for (std::size_t c = 1; c + 1 < 60; ++c) {
    const auto of = found.of(c);
    const std::set<std::int32_t> first(of.begin(), of.begin() + 2);
    EXPECT_EQ(first,
              (std::set<std::int32_t>{static_cast<std::int32_t>(c) - 1, static_cast<std::int32_t>(c) + 1}));
  }
}

// The square of a symmetric variable is uncorrelated with it.
TEST(Neighbours, SeeCurves) {
  Matrix<double> values = chain(800, 40, 7);
  RandomStream random(8, 0, 0);
  for (std::size_t r = 0; r < values.rows(); ++r) {
    values(r, 10) = random.normal();
    values(r, 30) = values(r, 10) * values(r, 10) + 0.3 * random.normal();
  }
  const Neighbours found = likely_neighbours(values, 2, 0, 1);
  EXPECT_NE(std::ranges::find(found.of(10), 30), found.of(10).end());
  EXPECT_NE(std::ranges::find(found.of(30), 10), found.of(30).end());
}

TEST(Neighbours, DoNotDependOnUnitsSignsOrThreads) {
  const Matrix<double> values = chain(50, 250, 9);
  const Neighbours before = likely_neighbours(values, 8, 0, 1);
  Matrix<double> changed = values;
  for (std::size_t r = 0; r < changed.rows(); ++r)
    for (std::size_t c = 0; c < changed.cols(); ++c)
      changed(r, c) = (c % 3 == 0 ? -1.0 : 1.0) * std::exp2(static_cast<double>(c % 7)) * values(r, c);
  EXPECT_EQ(likely_neighbours(changed, 8, 0, 1).list, before.list);
  EXPECT_EQ(likely_neighbours(values, 8, 0, 3).list, before.list);
}

TEST(Neighbours, TakeAnyTable) {
  EXPECT_TRUE(likely_neighbours(Matrix<double>(5, 0), 3, 0, 1).list.empty());
  EXPECT_TRUE(likely_neighbours(Matrix<double>(5, 1), 3, 0, 1).list.empty());
  Matrix<double> odd = chain(6, 5, 3);
  for (std::size_t r = 0; r < odd.rows(); ++r) {
    odd(r, 1) = 4.0;  // constant
    odd(r, 2) = odd(r, 0);
  }
  odd(3, 4) = std::numeric_limits<double>::quiet_NaN();
  const Neighbours found = likely_neighbours(odd, 99, 0, 1);
  ASSERT_EQ(found.each, 4u);
  for (std::size_t c = 0; c < 5; ++c) {
    const std::set<std::int32_t> others(found.of(c).begin(), found.of(c).end());
    EXPECT_EQ(others.size(), 4u);
    EXPECT_FALSE(others.contains(static_cast<std::int32_t>(c)));
  }
  EXPECT_EQ(found.of(0)[0], 2);
}

TEST(Neighbours, CanBeInterrupted) {
  std::vector<double> told;
  likely_neighbours(chain(20, 500, 2), 3, 0, 1, [&](double share) { told.push_back(share); });
  EXPECT_GE(told.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_LT(told.back(), 1.0);
  EXPECT_THROW(likely_neighbours(chain(20, 500, 2), 3, 0, 1, [](double) { throw 1; }), int);
}

}  // namespace
}  // namespace causcale

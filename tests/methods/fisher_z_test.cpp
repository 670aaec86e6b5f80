#include "methods/constraint/fisher_z.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "methods/correlation_matrix.h"
#include "prior/precision.h"

namespace causcale {
namespace {

// Mixed normal columns: every pair is correlated.
Matrix<double> mixed_columns(std::size_t rows, std::size_t columns, std::uint32_t number) {
  RandomStream random(5, number, 0);
  Matrix<double> mixing(columns, columns), values(rows, columns);
  for (double& value : mixing.values()) value = random.coin(0.4) ? random.normal() : 0.0;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double> source(columns);
    for (double& value : source) value = random.normal();
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t k = 0; k < columns; ++k) values(r, c) += (mixing(k, c) + (k == c)) * source[k];
  }
  return values;
}

Matrix<double> correlations_of(const Matrix<double>& values) {
  return correlation_matrix(standard_columns(values));
}

TEST(FisherZ, QuantilesOfTheNormal) {
  EXPECT_NEAR(two_sided_normal_quantile(0.05), 1.959963984540054, 1e-12);
  EXPECT_NEAR(two_sided_normal_quantile(0.01), 2.5758293035489004, 1e-12);
  EXPECT_NEAR(two_sided_normal_quantile(1.0), 0.0, 1e-12);
  EXPECT_NEAR(two_sided_normal_quantile(1e-100), 21.27, 0.1);
}

TEST(FisherZ, PartialCorrelationIsThatOfTheInverse) {
  const Matrix<double> correlations = correlations_of(mixed_columns(200, 9, 0));
  const FisherZ test(correlations, 200, 0.05);
  for (unsigned set = 0; set < 128; ++set) {
    std::vector<int> members{7, 8}, given;
    for (int v = 0; v < 7; ++v)
      if (set >> v & 1) given.push_back(v);
    members.insert(members.end(), given.begin(), given.end());
    Matrix<double> block(members.size(), members.size());
    for (std::size_t a = 0; a < members.size(); ++a)
      for (std::size_t b = 0; b < members.size(); ++b) block(a, b) = correlations(members[a], members[b]);
    const Matrix<double> inverse = pseudo_inverse(block);
    const double expected = -inverse(0, 1) / std::sqrt(inverse(0, 0) * inverse(1, 1));
    EXPECT_NEAR(test.partial_correlation(7, 8, given), expected, 1e-9);
    const double z = std::atanh(std::abs(expected)) * std::sqrt(200.0 - given.size() - 3.0);
    EXPECT_NEAR(test.strength(7, 8, given), z / 1.959963984540054, 1e-7);
  }
}

// The search through the tree against one test after the other.
TEST(FisherZ, SearchFindsWhatSingleTestsFind) {
  int separated = 0, limited = 0, unseparated = 0;
  for (std::uint32_t k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    const FisherZ test(correlations_of(mixed_columns(60, 12, k)), 60, k % 2 ? 0.05 : 0.6);
    std::vector<int> fresh, other;
    for (int v = 2; v < 12; ++v) (v % 3 == static_cast<int>(k % 3) ? other : fresh).push_back(v);
    SubsetRequest request{fresh, other, 1 + static_cast<int>(k % 5), k % 7 == 0 ? 5 : -1};
    const SubsetSearch found = test.search(0, 1, request);
    std::int64_t sets = 0;
    double weakest = HUGE_VAL;
    std::vector<int> all = fresh;
    all.insert(all.end(), other.begin(), other.end());
    bool any = false;
    for_each_combination(10, request.size, static_cast<int>(fresh.size()), [&](std::span<const int> chosen) {
      std::vector<int> given;
      for (const int position : chosen) given.push_back(all[position]);
      ++sets;
      weakest = std::min(weakest, test.strength(0, 1, given));
      any |= test.independent(0, 1, given);
      return true;
    });
    if (request.limit >= 0 && !found.separated) {
      EXPECT_EQ(found.tests, std::min<std::int64_t>(sets, 5));
      EXPECT_EQ(found.complete, sets <= 5);
      ++limited;
      continue;
    }
    EXPECT_TRUE(found.complete);
    if (request.limit < 0) {
      EXPECT_EQ(found.separated, any);
    }
    if (found.separated) {
      ++separated;
      EXPECT_EQ(static_cast<int>(found.separator.size()), request.size);
      EXPECT_TRUE(std::ranges::is_sorted(found.separator));
      EXPECT_TRUE(test.independent(0, 1, found.separator));
      EXPECT_TRUE(std::ranges::any_of(found.separator,
                                      [&](int v) { return std::ranges::find(fresh, v) != fresh.end(); }));
      EXPECT_NEAR(found.weakest, test.strength(0, 1, found.separator), 1e-6);
    } else {
      ++unseparated;
      EXPECT_EQ(found.tests, sets);
      EXPECT_NEAR(found.weakest, weakest, 1e-6 * (1 + weakest));
    }
  }
  EXPECT_GT(separated, 30);
  EXPECT_GT(unseparated, 30);
  EXPECT_GT(limited, 5);
}

TEST(FisherZ, DeterminedVariablesAreUndecidedAndRedundantOnesPassedOver) {
  Matrix<double> values = mixed_columns(100, 6, 3);
  for (std::size_t r = 0; r < 100; ++r) {
    values(r, 4) = 2.0 * values(r, 2) - values(r, 3);  // determined by 2 and 3
    values(r, 5) = 7.0;                                // constant
  }
  const FisherZ test(correlations_of(values), 100, 0.05);
  const std::vector<int> pair{2, 3}, triple{2, 3, 4};
  EXPECT_TRUE(std::isnan(test.partial_correlation(4, 0, pair)));
  EXPECT_TRUE(std::isinf(test.strength(4, 0, pair)));
  EXPECT_NEAR(test.partial_correlation(0, 1, triple), test.partial_correlation(0, 1, pair), 1e-9);
  EXPECT_EQ(test.strength(0, 5, {}), 0.0);
  const std::vector<int> candidates{0, 1, 2, 3};
  const SubsetSearch found = test.search(4, 5, {candidates, {}, 2, -1});
  EXPECT_TRUE(found.separated);
  EXPECT_EQ(test.strength(4, 5, found.separator), 0.0);
  const SubsetSearch undecided = test.search(4, 0, {pair, {}, 2, -1});
  EXPECT_FALSE(undecided.separated);
  EXPECT_TRUE(std::isinf(undecided.weakest));
}

TEST(Correlations, AreThoseOfTheDefinitionInAnyUnits) {
  Matrix<double> values = mixed_columns(50, 4, 1);
  const Matrix<double> plain = correlations_of(values);
  double xx = 0, yy = 0, xy = 0, x_mean = 0, y_mean = 0;
  for (std::size_t r = 0; r < 50; ++r) {
    x_mean += values(r, 0) / 50;
    y_mean += values(r, 1) / 50;
  }
  for (std::size_t r = 0; r < 50; ++r) {
    const double x = values(r, 0) - x_mean, y = values(r, 1) - y_mean;
    xx += x * x;
    yy += y * y;
    xy += x * y;
  }
  EXPECT_NEAR(plain(0, 1), xy / std::sqrt(xx * yy), 1e-12);
  EXPECT_NEAR(standard_columns(values).deviation[0], std::sqrt(xx / 50), 1e-12);
  for (std::size_t r = 0; r < 50; ++r) {
    values(r, 0) *= 1e200;
    values(r, 1) = values(r, 1) * 1e-200;
    values(r, 2) += 1e6;
  }
  const Matrix<double> scaled = correlations_of(values);
  for (std::size_t k = 0; k < plain.size(); ++k) EXPECT_NEAR(scaled.values()[k], plain.values()[k], 1e-8);
}

}  // namespace
}  // namespace causcale

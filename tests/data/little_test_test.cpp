#include "data/little_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"

namespace causcale {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

Table correlated(std::size_t rows, std::uint32_t number) {
  RandomStream random(8, number, 0);
  Table table;
  table.names = {"a", "b", "c", "d"};
  table.values = Matrix<double>(rows, 4);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = table.values.row(r);
    row[0] = random.normal();
    row[1] = 100.0 + 20.0 * (row[0] + random.normal());
    row[2] = row[0] - 0.5 * random.normal();
    row[3] = random.normal();
  }
  return table;
}

const std::vector<ColumnKind> kNumbers(4, ColumnKind::kContinuous);

// With gaps at random the p values are spread evenly; with gaps that depend on a value they are small.
TEST(LittleTest, HoldsItsLevelAndSeesWhatDependsOnValues) {
  int below_tenth = 0, found = 0;
  constexpr int kTables = 200;
  for (std::uint32_t k = 0; k < kTables; ++k) {
    Table table = correlated(300, k);
    RandomStream random(9, k, 0);
    Table dependent = table;
    for (std::size_t r = 0; r < 300; ++r) {
      for (std::size_t c = 0; c < 4; ++c)
        if (random.coin(0.1)) table.values(r, c) = kGap;
      if (dependent.values(r, 0) + random.normal() > 1.0) dependent.values(r, 1) = kGap;
    }
    const auto test = little_test(table, kNumbers);
    ASSERT_TRUE(test);
    below_tenth += test->p < 0.1;
    found += little_test(dependent, kNumbers)->p < 0.01;
  }
  // 20 expected; standard deviation 4.2.
  EXPECT_GE(below_tenth, 7);
  EXPECT_LE(below_tenth, 33);
  EXPECT_EQ(found, kTables);
}

// One row per pattern, values with long tails: squares of distances would be taken for differences.
TEST(LittleTest, LongTailsAreNoPattern) {
  int below_hundredth = 0;
  for (std::uint32_t k = 0; k < 20; ++k) {
    RandomStream random(10, k, 0);
    Table table;
    table.values = Matrix<double>(1000, 8);
    for (int c = 0; c < 8; ++c) table.names.push_back(std::to_string(c));
    for (std::size_t r = 0; r < 1000; ++r)
      for (std::size_t c = 0; c < 8; ++c)
        table.values(r, c) = random.coin(0.3) ? kGap : std::exp(1.5 * random.normal());
    below_hundredth += little_test(table, std::vector<ColumnKind>(8, ColumnKind::kContinuous))->p < 0.01;
  }
  EXPECT_LE(below_hundredth, 2);
}

// A column of which the chosen rows have nothing takes no part.
TEST(LittleTest, ColumnsBetweenTheChosenRowsTakeNoPart) {
  Table table = correlated(12'000, 4);
  for (std::size_t r = 0; r < 12'000; ++r) {
    if (r % 6 != 1) table.values(r, 0) = kGap;
    if (r % 12 == 0) table.values(r, 1) = kGap;
  }
  const auto test = little_test(table, kNumbers);
  ASSERT_TRUE(test);
  EXPECT_EQ(test->columns, 3u);
  EXPECT_EQ(test->degrees, 2.0);
}

// Two columns, gaps in one: the statistic is, but for the estimate of the variance, that of the difference of
// the other's means between the two groups.
TEST(LittleTest, OfOneColumnWithGapsIsATestOfMeans) {
  Table table = correlated(2000, 1);
  table.names.resize(2);
  Table two{.names = {"a", "b"}, .values = Matrix<double>(2000, 2), .kinds = {}, .levels = {}};
  for (std::size_t r = 0; r < 2000; ++r) {
    two.values(r, 0) = table.values(r, 0);
    two.values(r, 1) = r % 4 == 0 ? kGap : table.values(r, 1);
  }
  // The column is normal, so that its normal scores are nearly itself.
  double sum = 0.0, squares = 0.0, gone = 0.0, here = 0.0;
  for (std::size_t r = 0; r < 2000; ++r) {
    const double value = two.values(r, 0);
    sum += value;
    squares += value * value;
    (r % 4 == 0 ? gone : here) += value;
  }
  const double variance = squares / 2000 - std::pow(sum / 2000, 2), difference = here / 1500 - gone / 500;
  const auto test = little_test(two, {ColumnKind::kContinuous, ColumnKind::kContinuous});
  ASSERT_TRUE(test);
  EXPECT_EQ(test->degrees, 1.0);
  EXPECT_EQ(test->patterns, 2u);
  EXPECT_NEAR(test->statistic, difference * difference / (variance * (1.0 / 1500 + 1.0 / 500)),
              0.05 * test->statistic + 0.05);
}

TEST(LittleTest, SaysNothingWhereThereIsNothingToTest) {
  EXPECT_FALSE(little_test(correlated(300, 2), kNumbers));  // no gaps
  Table table = correlated(20, 3);
  table.values(3, 1) = kGap;
  EXPECT_FALSE(little_test(table, kNumbers));  // few rows
  table = correlated(300, 3);
  for (std::size_t r = 0; r < 300; ++r) table.values(r, 1) = r % 2 ? kGap : 3.0;  // constant: left out
  EXPECT_FALSE(little_test(table, kNumbers));
  for (std::size_t r = 0; r < 300; ++r)
    table.values(r, 2) = 2.0 * table.values(r, 0);  // follows from another
  for (std::size_t r = 0; r < 300; r += 3) table.values(r, 3) = kGap;
  const auto test = little_test(table, kNumbers);
  ASSERT_TRUE(test);
  EXPECT_TRUE(test->p >= 0.0 && test->p <= 1.0);
}

}  // namespace
}  // namespace causcale

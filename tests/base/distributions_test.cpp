#include "base/distributions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/normal_scores.h"

namespace causcale {
namespace {

// Quantiles of printed tables.
TEST(Distributions, TailsOfTheChiSquare) {
  const double table[][3] = {{3.841458820694124, 1, 0.05},   {6.634896601021213, 1, 0.01},
                             {5.991464547107979, 2, 0.05},   {18.307038053275146, 10, 0.05},
                             {124.3421134040047, 100, 0.05}, {0.003932140000019522, 1, 0.95},
                             {77.92946516501726, 100, 0.95}};
  for (const auto& [statistic, degrees, p] : table)
    EXPECT_NEAR(std::exp(log_chi_square_tail(statistic, degrees)), p, 1e-10) << statistic;
  // Two degrees of freedom: exp(-x / 2), however far out.
  for (const double x : {1e-9, 0.1, 3.0, 50.0, 2000.0, 1e6})
    EXPECT_NEAR(log_chi_square_tail(x, 2.0), -0.5 * x, 1e-11 * (1.0 + x));
  EXPECT_EQ(log_chi_square_tail(0.0, 3.0), 0.0);
  // One degree of freedom is the square of a normal variable.
  for (const double z : {0.1, 1.0, 2.5, 8.0})
    EXPECT_NEAR(std::exp(log_chi_square_tail(z * z, 1.0)), std::erfc(z / std::sqrt(2.0)), 1e-12);
}

TEST(Distributions, QuantilesOfTheNormalFromLogarithms) {
  for (const double z : {1e-6, 0.3, 1.959963984540054, 6.0, 20.0})
    EXPECT_NEAR(normal_of_log_p(std::log(std::erfc(z / std::sqrt(2.0)))), z, 1e-8);
  EXPECT_EQ(normal_of_log_p(0.0), 0.0);
  // Beyond what a double holds: one degree of freedom is the way there.
  for (const double z : {30.0, 50.0, 300.0})
    EXPECT_NEAR(normal_of_log_p(log_chi_square_tail(z * z, 1.0)), z, 1e-6);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-10);
  EXPECT_NEAR(normal_quantile(0.1), -1.2815515655446004, 1e-10);
}

TEST(NormalScores, RanksAloneMatter) {
  Table table;
  table.names = {"a", "b"};
  table.values = Matrix<double>(5, 2, {3, 1, 1, 1, 2, 7, NAN, 9, 100, 1e9});
  const Table scores = with_normal_scores(table);
  EXPECT_NEAR(scores.values(1, 0), normal_quantile(0.2), 1e-12);
  EXPECT_NEAR(scores.values(4, 0), normal_quantile(0.8), 1e-12);
  EXPECT_TRUE(std::isnan(scores.values(3, 0)));
  EXPECT_NEAR(scores.values(0, 1), normal_quantile(1.5 / 6.0), 1e-12);  // a tie
  EXPECT_NEAR(scores.values(1, 1), normal_quantile(1.5 / 6.0), 1e-12);
  EXPECT_NEAR(scores.values(2, 1), 0.0, 1e-12);
}

}  // namespace
}  // namespace causcale

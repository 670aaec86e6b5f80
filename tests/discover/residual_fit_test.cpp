#include "discover/residual_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/random.h"

namespace causcale {
namespace {

// The definition: the mean of Gaussian curves around all other values.
std::vector<double> plain_log_density(const std::vector<double>& x) {
  const auto m = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / m;
  double spread = 0.0;
  for (const double value : x) spread += (value - mean) * (value - mean);
  spread = std::sqrt(spread / m);
  std::vector<double> sorted = x;
  std::ranges::sort(sorted);
  const auto quantile = [&](double share) { return sorted[static_cast<std::size_t>(share * (m - 1.0))]; };
  const double width = 0.9 * std::min(spread, (quantile(0.75) - quantile(0.25)) / 1.349) * std::pow(m, -0.2);
  std::vector<double> result;
  for (std::size_t r = 0; r < x.size(); ++r) {
    double sum = 0.0;
    for (std::size_t s = 0; s < x.size(); ++s)
      if (s != r) sum += std::exp(-0.5 * std::pow((x[r] - x[s]) / width, 2));
    sum /= (m - 1.0) * width * std::sqrt(2.0 * std::numbers::pi);
    const double u = (x[r] - mean) / spread;
    result.push_back(std::log(0.98 * sum + 0.02 / (std::numbers::pi * spread * (1.0 + u * u))));
  }
  return result;
}

TEST(LogDensity, AgreesWithTheDefinition) {
  for (const std::size_t rows : {11, 100, 501}) {
    RandomStream random(rows, 0, 0);
    std::vector<double> x(rows);
    for (double& value : x) value = random.normal() + (random.below(3) == 0 ? 4.0 : 0.0);
    const auto fast = log_density(x), plain = plain_log_density(x);
    // Linear interpolation on eight cells per width: an error of at most (1/8)^2 / 8 of the curve's height.
    for (std::size_t r = 0; r < rows; ++r) EXPECT_NEAR(fast[r], plain[r], 0.03) << rows << " row " << r;
  }
}

TEST(LogDensity, HeavyTailsAndTiesAreFinite) {
  RandomStream random(1, 0, 0);
  std::vector<double> tails(400), ties(400);
  for (double& value : tails) value = std::pow(random.normal(), 9);
  for (double& value : ties) value = random.below(2);
  for (const auto& values : {tails, ties})
    for (const double value : log_density(values)) EXPECT_TRUE(std::isfinite(value));
}

TEST(BentResiduals, FollowABentFunctionAndStraightOnesDoNot) {
  RandomStream random(2, 0, 0);
  std::vector<double> x(1000), y(1000);
  for (std::size_t r = 0; r < x.size(); ++r) {
    x[r] = random.normal();
    y[r] = std::abs(x[r]) + 0.1 * random.normal();
  }
  const auto variance = [](const std::vector<double>& values) {
    return std::inner_product(values.begin(), values.end(), values.begin(), 0.0) /
           static_cast<double>(values.size());
  };
  const std::vector<std::vector<double>> predictors{x};
  EXPECT_LT(variance(bent_residuals(y, predictors)), 0.02);
  EXPECT_GT(variance(straight_residuals(y, predictors)), 0.3);
}

TEST(BentResiduals, TooFewRowsGiveNone) {
  const std::vector<double> y(30, 1.0);
  const std::vector<std::vector<double>> predictors(5, y);
  EXPECT_TRUE(bent_residuals(y, predictors).empty());
  EXPECT_TRUE(straight_residuals(y, predictors).empty());
  EXPECT_TRUE(standard_scores(y).empty());
}

}  // namespace
}  // namespace causcale

#include "metrics/temperature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "causcale/error.h"
#include "metrics/calibration.h"

namespace causcale {
namespace {

struct Sample {
  std::vector<double> told;
  std::vector<unsigned char> truth;
};

// Edges that exist with the frequency of which a model tells log-odds `factor` times too large.
Sample overconfident(double factor, std::uint64_t seed) {
  RandomStream random(seed, 0, 0);
  Sample sample;
  for (int k = 0; k < 40000; ++k) {
    const double odds = 2 * random.normal() - 1;
    sample.truth.push_back(random.coin(1 / (1 + std::exp(-odds))));
    sample.told.push_back(1 / (1 + std::exp(-factor * odds)));
  }
  return sample;
}

TEST(Temperature, IsFoundAgain) {
  for (const double factor : {0.5, 1.0, 2.5}) {
    const Sample sample = overconfident(factor, 1);
    const double temperature = fit_temperature(sample.told, sample.truth);
    EXPECT_NEAR(temperature, factor, 0.05 * factor);
    Sample other = overconfident(factor, 2);
    const double before = cross_entropy(other.told, other.truth);
    const double error_before = calibration(other.told, other.truth).expected_error;
    for (double& p : other.told) p = at_temperature(p, temperature);
    EXPECT_LE(cross_entropy(other.told, other.truth), before + 1e-4);
    EXPECT_LT(calibration(other.told, other.truth).expected_error, 0.01);
    if (factor != 1.0) {
      EXPECT_GT(error_before, 0.02);
    }
  }
}

TEST(Temperature, KeepsRankingThresholdAndPairSums) {
  RandomStream random(3, 0, 0);
  for (const double temperature : {0.3, 1.7, 8.0}) {
    std::vector<double> p(500), scaled;
    for (double& value : p) value = random.uniform();
    std::ranges::sort(p);
    for (const double value : p) scaled.push_back(at_temperature(value, temperature));
    EXPECT_TRUE(std::ranges::is_sorted(scaled));
    EXPECT_EQ(std::ranges::adjacent_find(scaled), scaled.end());
    for (std::size_t k = 0; k < p.size(); ++k) {
      EXPECT_EQ(p[k] > 0.5, scaled[k] > 0.5);
      const double other = random.uniform() * (1 - p[k]);  // the reverse direction
      EXPECT_LE(scaled[k] + at_temperature(other, temperature), 1 + 1e-12);
    }
  }
  EXPECT_EQ(at_temperature(0.0, 2.0), 0.0);
  EXPECT_EQ(at_temperature(1.0, 2.0), 1.0);
  EXPECT_EQ(at_temperature(0.3, 1.0), 0.3);
}

TEST(Temperature, NothingToFitIsAnError) {
  EXPECT_THROW(fit_temperature(std::vector<double>{0.1, 0.2}, std::vector<unsigned char>{0, 0}), InputError);
  EXPECT_THROW(fit_temperature(std::vector<double>{0.1}, std::vector<unsigned char>{0, 1}), InputError);
}

}  // namespace
}  // namespace causcale

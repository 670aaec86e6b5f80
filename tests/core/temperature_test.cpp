#include "core/temperature.h"

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

// Edges that exist with log-odds of told / temperature + offset; told are those `stretch` times as large as
// usual.
Sample misjudged(const ProbabilityScale& scale, std::uint64_t seed, double stretch = 1.0) {
  RandomStream random(seed, 0, 0);
  Sample sample;
  for (int k = 0; k < 40000; ++k) {
    const double told = stretch * (2 * random.normal() - 1);
    sample.truth.push_back(random.coin(1 / (1 + std::exp(-told / scale.temperature - scale.offset))));
    sample.told.push_back(1 / (1 + std::exp(-told)));
  }
  return sample;
}

// Edges of which a model tells log-odds `factor` times too large.
Sample overconfident(double factor, std::uint64_t seed) {
  return misjudged({.temperature = factor}, seed, factor);
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

TEST(ProbabilityScale, TemperatureAndOffsetAreFoundAgain) {
  for (const ProbabilityScale scale :
       {ProbabilityScale{1.0, 0.0}, {0.8, 0.5}, {2.0, -1.0}, {0.4, 2.0}, {1.0, -3.0}}) {
    const Sample sample = misjudged(scale, 1);
    const ProbabilityScale found = fit_scale(sample.told, sample.truth);
    EXPECT_NEAR(found.temperature, scale.temperature, 0.08 * scale.temperature);
    EXPECT_NEAR(found.offset, scale.offset, 0.12);
    Sample other = misjudged(scale, 2);
    for (double& p : other.told) p = at_scale(p, 0.0, found);
    EXPECT_LT(calibration(other.told, other.truth).expected_error, 0.012);
  }
}

TEST(ProbabilityScale, AFitIsNoWorseThanATemperatureAlone) {
  for (const double factor : {0.5, 2.5}) {
    const Sample sample = misjudged({factor, 0.3}, 4);
    std::vector<double> cooled, scaled;
    const double temperature = fit_temperature(sample.told, sample.truth);
    const ProbabilityScale scale = fit_scale(sample.told, sample.truth);
    for (const double p : sample.told) {
      cooled.push_back(at_temperature(p, temperature));
      scaled.push_back(at_scale(p, 0.0, scale));
    }
    EXPECT_LT(cross_entropy(scaled, sample.truth), cross_entropy(cooled, sample.truth));
  }
}

TEST(ProbabilityScale, SeparableAnswersEndAtTheLimits) {
  const ProbabilityScale found =
      fit_scale(std::vector<double>{0.1, 0.2, 0.8, 0.9}, std::vector<unsigned char>{0, 0, 1, 1});
  EXPECT_GE(found.temperature, 0.05 - 1e-12);
  EXPECT_LE(found.temperature, 0.2);
  EXPECT_LE(std::abs(found.offset), 5.0);
}

// Answers that hardly differ say next to nothing: what fits them best lies beyond the limits, and at the
// limit the rate of edges is still right.
TEST(ProbabilityScale, NearlyConstantAnswersGetTheRightRate) {
  RandomStream random(6, 0, 0);
  Sample sample;
  for (int k = 0; k < 4000; ++k) {
    const double odds = random.normal();
    sample.told.push_back(1.0 / (1.0 + std::exp(3.9 - 0.02 * odds)));
    sample.truth.push_back(random.coin(1.0 / (1.0 + std::exp(3.0 - odds))));
  }
  const double before = cross_entropy(sample.told, sample.truth);
  const ProbabilityScale found = fit_scale(sample.told, sample.truth);
  double sum = 0;
  for (double& p : sample.told) sum += p = at_scale_alone(p, found);
  EXPECT_LT(cross_entropy(sample.told, sample.truth), before);
  EXPECT_NEAR(sum, static_cast<double>(std::ranges::count(sample.truth, 1)), 0.05 * sum);
}

TEST(ProbabilityScale, BothDirectionsOfAPairShareWhatTheyGain) {
  const ProbabilityScale scale{0.9, 0.7};
  Matrix<double> p(3, 3);
  p(0, 1) = 0.45, p(1, 0) = 0.45;  // an edge, but which way?
  p(0, 2) = 0.4, p(2, 0) = 0.01;
  p(1, 2) = 1.0;
  Matrix<double> q = p;
  apply_scale(scale, q);
  EXPECT_DOUBLE_EQ(q(0, 1), q(1, 0));
  EXPECT_GT(q(0, 1), 0.45);
  EXPECT_LT(q(0, 1), 0.5);
  EXPECT_GT(q(0, 2), 0.5);
  EXPECT_EQ(q(1, 2), 1.0);
  EXPECT_EQ(q(2, 1), 0.0);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(q(i, i), 0.0);
  for (const double any : {0.0, 0.3, 0.999999, 1.0})
    for (const double share : {0.0, 0.2, 0.5, 1.0}) {
      const double there = any * share, back = any - there;
      const double sum = at_scale(there, back, scale) + at_scale(back, there, scale);
      EXPECT_LE(sum, 1 + 1e-12);
      EXPECT_GE(sum, any - 0.05);
    }
  // The odds of an edge in either direction against none grow by exp(0.7), at a temperature of 1.
  const double sum = at_scale(0.2, 0.1, {1.0, 0.7}) + at_scale(0.1, 0.2, {1.0, 0.7});
  EXPECT_NEAR(sum / (1 - sum), 0.3 / 0.7 * std::exp(0.7), 1e-12);
  Matrix<double> same = p;
  apply_scale({}, same);
  EXPECT_EQ(same, p);
}

TEST(Temperature, NothingToFitIsAnError) {
  EXPECT_THROW(fit_scale(std::vector<double>{0.1, 0.2}, std::vector<unsigned char>{1, 1}), InputError);
  EXPECT_THROW(fit_temperature(std::vector<double>{0.1, 0.2}, std::vector<unsigned char>{0, 0}), InputError);
  EXPECT_THROW(fit_temperature(std::vector<double>{0.1}, std::vector<unsigned char>{0, 1}), InputError);
}

// Where both directions may hold, each of them counts that, and an offset never takes from a sure one.
TEST(ProbabilityScale, BothDirectionsCountOnce) {
  const ProbabilityScale scale{0.9, 0.7};
  EXPECT_EQ(at_scale(1.0, 1.0, scale, 1.0), 1.0);
  EXPECT_LT(at_scale(1.0, 1.0, scale), 0.75);  // as if they excluded each other
  EXPECT_EQ(at_scale(0.4, 0.3, scale, 0.0), at_scale(0.4, 0.3, scale));
  RandomStream random(5, 0, 0);
  for (int k = 0; k < 300; ++k) {
    const double p = random.uniform(), q = random.uniform(), both = random.uniform() * std::min(p, q);
    for (const double offset : {-1.5, 0.7}) {
      const double found = at_scale(p, q, {1.0, offset}, both);
      EXPECT_GE(found, 0.0);
      EXPECT_LE(found, 1.0 + 1e-12);
      EXPECT_GE((found - p) * offset, -1e-12) << p << " " << q << " " << both;
    }
  }
  Matrix<double> p(2, 2), both(2, 2);
  p(0, 1) = 0.9, p(1, 0) = 0.6;
  both(0, 1) = both(1, 0) = 0.55;
  Matrix<double> q = p;
  apply_scale(scale, q, both);
  EXPECT_EQ(q(0, 1), at_scale(0.9, 0.6, scale, 0.55));
  EXPECT_EQ(q(1, 0), at_scale(0.6, 0.9, scale, 0.55));
}

TEST(ProbabilityScale, AloneItIsThatOfTheLogOdds) {
  Matrix<double> p(2, 2);
  p(0, 1) = p(1, 0) = 0.3;
  apply_scale_alone({2.0, 0.5}, p);
  EXPECT_NEAR(p(0, 1), 1.0 / (1.0 + std::exp(-(std::log(0.3 / 0.7) / 2.0 + 0.5))), 1e-12);
  EXPECT_EQ(p(0, 1), p(1, 0));
  EXPECT_EQ(p(0, 0), 0.0);
}

}  // namespace
}  // namespace causcale

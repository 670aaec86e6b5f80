#include "simulate/batch_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "simulate/noise.h"
#include "simulate/poisson.h"

namespace causcale {
namespace {

// Largest |fast(x) - exact(x)| / scale(x) over a grid.
template <class Fast, class Exact>
double worst_relative(float low, float high, int points, Fast fast, Exact exact) {
  double worst = 0;
  for (int i = 0; i <= points; ++i) {
    const float x = low + (high - low) * static_cast<float>(i) / static_cast<float>(points);
    const double truth = exact(static_cast<double>(x));
    if (truth != 0) worst = std::max(worst, std::abs(fast(x) - truth) / std::abs(truth));
  }
  return worst;
}

TEST(FastMath, IsAccurateToAFewUnitsInTheLastPlace) {
  EXPECT_LT(worst_relative(
                -80, 80, 200000, [](float x) { return fast_exp(x); }, [](double x) { return std::exp(x); }),
            4e-7);
  for (float x = -12; x < 12; x += 1e-4f) ASSERT_NEAR(fast_tanh(x), std::tanh(static_cast<double>(x)), 2e-7);
  EXPECT_LT(
      worst_relative(
          2.0f, 1e6f, 200000, [](float x) { return fast_log(x); }, [](double x) { return std::log(x); }),
      3e-7);
  for (float x = 1e-9f; x < 1; x *= 1.001f)
    ASSERT_NEAR(fast_log(x), std::log(static_cast<double>(x)), 2e-7 * (1 + std::abs(std::log(x)))) << x;
  for (int i = -40000; i <= 40000; ++i) {
    const float turns = static_cast<float>(i) * 1e-4f;
    const SineCosine both = fast_sincos_turns(turns);
    ASSERT_NEAR(both.sine, std::sin(2 * M_PI * static_cast<double>(turns)), 3e-7) << turns;
    ASSERT_NEAR(both.cosine, std::cos(2 * M_PI * static_cast<double>(turns)), 3e-7) << turns;
  }
}

TEST(FastMath, ExtremesStayFinite) {
  EXPECT_EQ(fast_tanh(1000.0f), 1.0f);
  EXPECT_EQ(fast_tanh(-1000.0f), -1.0f);
  EXPECT_GT(fast_exp(-1e9f), 0.0f);
  EXPECT_TRUE(std::isfinite(fast_exp(1e9f)));
}

TEST(BatchRandom, WordsAreThoseOfTheStreamAtTheSameAddress) {
  const BatchAddress address{0x123456789abcdef0u, 7, Purpose::kNoise, 42};
  RandomStream stream(address.seed, address.dataset, static_cast<std::uint32_t>(address.purpose),
                      address.item);
  for (std::uint32_t block = 0; block < 50; ++block) {
    const Words4 words = random_words(address, block);
    EXPECT_EQ(words.w0, stream.bits());
    EXPECT_EQ(words.w1, stream.bits());
    EXPECT_EQ(words.w2, stream.bits());
    EXPECT_EQ(words.w3, stream.bits());
  }
}

TEST(BatchRandom, ColumnsAreTheDocumentedFunctionOfTheWords) {
  const BatchAddress address{99, 3, Purpose::kRoots, 5};
  for (const std::size_t size : {1u, 5u, 64u, 1000u, 2050u}) {
    std::vector<float> uniform(size), normal(size);
    fill_uniform(address, uniform);
    fill_normal(address, normal);
    const std::size_t blocks = (size + 3) / 4;
    for (std::size_t r = 0; r < size; ++r) {
      const Words4 words = random_words(address, static_cast<std::uint32_t>(r % blocks));
      const std::uint32_t word[] = {words.w0, words.w1, words.w2, words.w3};
      const NormalPair low = normal_pair(words.w0, words.w1), high = normal_pair(words.w2, words.w3);
      const float normals[] = {low.first, low.second, high.first, high.second};
      ASSERT_EQ(uniform[r], unit_float(word[r / blocks])) << size << " " << r;
      ASSERT_NEAR(normal[r], normals[r / blocks], 1e-5) << size << " " << r;
    }
  }
}

TEST(BatchRandom, PlanesFollowFirstAndStride) {
  const BatchAddress address{1, 2, Purpose::kSergioDynamics, 3};
  constexpr int kCount = 600;
  std::vector<float> storage(4 * kCount);
  float* planes[4];
  for (int p = 0; p < 4; ++p) planes[p] = storage.data() + p * kCount;
  fill_normal_planes(address, 1000, 17, kCount, planes);
  for (int i = 0; i < kCount; ++i) {
    const Words4 words = random_words(address, 1000 + 17 * static_cast<std::uint32_t>(i));
    ASSERT_NEAR(planes[0][i], normal_pair(words.w0, words.w1).first, 1e-5);
    ASSERT_NEAR(planes[3][i], normal_pair(words.w2, words.w3).second, 1e-5);
  }
}

// Moments have standard errors of known size; five of them are allowed.
TEST(BatchRandom, NormalsHaveNormalMomentsAndTails) {
  constexpr int kColumns = 200, kRows = 10000;
  constexpr double kTotal = static_cast<double>(kColumns) * kRows;
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0, neighbours = 0;
  int beyond2 = 0, beyond4 = 0;
  std::vector<float> column(kRows);
  for (std::uint32_t c = 0; c < kColumns; ++c) {
    fill_normal({5, 0, Purpose::kNoise, c}, column);
    for (int r = 0; r < kRows; ++r) {
      const double x = column[r];
      m1 += x, m2 += x * x, m3 += x * x * x, m4 += x * x * x * x;
      if (r > 0) neighbours += x * column[r - 1];
      beyond2 += std::abs(x) > 2, beyond4 += std::abs(x) > 4;
    }
  }
  EXPECT_LT(std::abs(m1 / kTotal), 5 * std::sqrt(1 / kTotal));
  EXPECT_LT(std::abs(m2 / kTotal - 1), 5 * std::sqrt(2 / kTotal));
  EXPECT_LT(std::abs(m3 / kTotal), 5 * std::sqrt(15 / kTotal));
  EXPECT_LT(std::abs(m4 / kTotal - 3), 5 * std::sqrt(96 / kTotal));
  EXPECT_LT(std::abs(neighbours / kTotal), 5 * std::sqrt(1 / kTotal));
  const double p2 = std::erfc(2 / std::sqrt(2.0)), p4 = std::erfc(4 / std::sqrt(2.0));
  EXPECT_NEAR(beyond2, kTotal * p2, 5 * std::sqrt(kTotal * p2));
  EXPECT_NEAR(beyond4, kTotal * p4, 5 * std::sqrt(kTotal * p4));
}

struct NoiseFacts {
  NoiseFamily family;
  double fourth_moment;  // kurtosis: 3 is Gaussian
  double skewness;
};

TEST(Noise, FamiliesAreStandardizedAndHaveTheirShape) {
  const double mixture = std::pow(0.9, 4) + 6 * 0.81 * 0.19 + 3 * 0.19 * 0.19;
  const NoiseFacts all[] = {{NoiseFamily::kGaussian, 3, 0},      {NoiseFamily::kLaplace, 6, 0},
                            {NoiseFamily::kUniform, 1.8, 0},     {NoiseFamily::kExponential, 9, 2},
                            {NoiseFamily::kMixture, mixture, 0}, {NoiseFamily::kStudentT, 9, 0}};
  constexpr int kDraws = 400000;
  for (const NoiseFacts& facts : all) {
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    for (std::uint32_t i = 0; i < kDraws; ++i) {
      const Words4 words = random_words({11, 0, Purpose::kNoise, 0}, i);
      const double x = noise_value(facts.family, words.w0, words.w1);
      m1 += x, m2 += x * x, m3 += x * x * x, m4 += x * x * x * x;
    }
    const int family = static_cast<int>(facts.family);
    EXPECT_NEAR(m1 / kDraws, 0, 5 / std::sqrt(kDraws)) << family;
    EXPECT_NEAR(m2 / kDraws, 1, 5 * std::sqrt((facts.fourth_moment - 1) / kDraws)) << family;
    if (facts.family == NoiseFamily::kStudentT) {
      EXPECT_GT(m4 / kDraws, 6);  // its sixth moment is infinite, so the estimate is rough
    } else {
      EXPECT_NEAR(m4 / kDraws, facts.fourth_moment, 0.06 * facts.fourth_moment) << family;
      EXPECT_NEAR(m3 / kDraws, facts.skewness, 0.1) << family;
    }
  }
}

TEST(Poisson, MeanVarianceAndZeroShare) {
  constexpr int kDraws = 100000;
  for (const double rate : {0.05, 1.0, 9.5, 10.5, 100.0, 20000.0}) {
    RandomStream random(3, 0, 1, static_cast<std::uint32_t>(rate * 100));
    double sum = 0, squares = 0;
    int zeros = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double count = draw_poisson(rate, random);
      ASSERT_EQ(count, std::floor(count));
      sum += count - rate, squares += (count - rate) * (count - rate), zeros += count == 0;
    }
    EXPECT_NEAR(sum / kDraws, 0, 5 * std::sqrt(rate / kDraws)) << rate;
    const double fourth = rate * (1 + 3 * rate);
    EXPECT_NEAR(squares / kDraws, rate, 5 * std::sqrt((fourth - rate * rate) / kDraws)) << rate;
    const double p = std::exp(-rate);
    EXPECT_NEAR(zeros, kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p)) + 1e-9) << rate;
  }
  RandomStream random(3, 0, 1);
  EXPECT_EQ(draw_poisson(0.0, random), 0.0);
}

}  // namespace
}  // namespace causcale

#include "ops/cpu/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace causcale::ops {
namespace {

std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> all = {&kernels_base()};
  if (kernels_avx2()) all.push_back(kernels_avx2());
  if (kernels_avx512()) all.push_back(kernels_avx512());
  return all;
}

std::vector<float> random_values(std::size_t count, float scale, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, scale);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

double exact_gelu(double x) {
  return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
}

TEST(Kernels, GeluIsExactToFloatRounding) {
  const std::vector<float> bias(37, 0.0f);
  for (const Kernels* kernel : all_kernels()) {
    SCOPED_TRACE(kernel->instructions);
    double worst = 0.0, worst_relative = 0.0;
    for (float x = -16.0f; x <= 16.0f; x += 37 * 0.001f) {
      std::vector<float> values(37);
      for (int i = 0; i < 37; ++i) values[i] = x + 0.001f * i;
      std::vector<float> result = values;
      kernel->bias_gelu(result.data(), 1, 37, bias.data());
      for (int i = 0; i < 37; ++i) {
        const double exact = exact_gelu(values[i]);
        worst = std::max(worst, std::abs(result[i] - exact) / std::max(1e-3, std::abs(double(values[i]))));
        if (values[i] > -5.0f && std::abs(exact) > 1e-30)
          worst_relative = std::max(worst_relative, std::abs(result[i] - exact) / std::abs(exact));
      }
    }
    EXPECT_LT(worst, 2.5e-7);           // four units in the last place of Phi(x) <= 1
    EXPECT_LT(worst_relative, 2.5e-6);  // the lower tail keeps its digits, too
  }
}

TEST(Kernels, GeluOfExtremeValues) {
  for (const Kernels* kernel : all_kernels()) {
    float values[] = {0.0f, -0.0f, 100.0f, -100.0f, 1e30f, -1e30f, INFINITY, 1e-30f};
    const float bias[8] = {};
    kernel->bias_gelu(values, 1, 8, bias);
    EXPECT_EQ(values[0], 0.0f);
    EXPECT_EQ(values[2], 100.0f);
    EXPECT_EQ(values[3], 0.0f);
    EXPECT_EQ(values[4], 1e30f);
    EXPECT_EQ(values[5], 0.0f);
    EXPECT_EQ(values[6], INFINITY);
    EXPECT_FLOAT_EQ(values[7], 0.5e-30f);
  }
}

TEST(Kernels, SoftmaxSumsToOneAndMatches) {
  for (const Kernels* kernel : all_kernels())
    for (const std::int64_t length : {1, 2, 3, 7, 15, 16, 17, 33, 100, 1000})
      for (const float scale : {0.1f, 5.0f, 300.0f}) {
        const std::vector<float> scores = random_values(length, scale, 7);
        std::vector<float> result = scores;
        kernel->softmax(result.data(), length);
        double largest = -INFINITY, total = 0.0, sum = 0.0;
        for (const float score : scores) largest = std::max(largest, double(score));
        for (const float score : scores) total += std::exp(score - largest);
        for (std::int64_t i = 0; i < length; ++i) {
          EXPECT_NEAR(result[i], std::exp(scores[i] - largest) / total, 4e-7) << kernel->instructions;
          sum += result[i];
        }
        EXPECT_NEAR(sum, 1.0, 2e-6);
      }
}

TEST(Kernels, LayerNormOfAnyWidth) {
  for (const Kernels* kernel : all_kernels())
    for (const std::int64_t d : {1, 3, 8, 16, 20, 128, 130}) {
      std::vector<float> x = random_values(d, 2.0f, 1);
      for (float& value : x) value += 50.0f;  // a large mean must not cost digits
      const std::vector<float> weight = random_values(d, 1.0f, 2), bias = random_values(d, 1.0f, 3);
      std::vector<float> result(d);
      kernel->layer_norm(x.data(), result.data(), d, weight.data(), bias.data());
      double mean = 0.0, variance = 0.0;
      for (const float value : x) mean += value / double(d);
      for (const float value : x) variance += (value - mean) * (value - mean) / double(d);
      for (std::int64_t i = 0; i < d; ++i)
        EXPECT_NEAR(result[i], (x[i] - mean) / std::sqrt(variance + 1e-5) * weight[i] + bias[i],
                    d == 1 ? 2e-2 : 3e-5)
            << kernel->instructions << " d " << d;
    }
}

TEST(Kernels, HeadsApartAndTogether) {
  const std::int64_t tokens = 11, heads = 3;
  for (const Kernels* kernel : all_kernels())
    for (const std::int64_t e : {1, 4, 5, 8, 16, 24}) {
      const std::int64_t width = heads * e, stride = (tokens + 2) * e;
      const std::vector<float> rows = random_values(tokens * (width + 3), 1.0f, 4),
                               bias = random_values(width, 1.0f, 5);
      std::vector<float> planes(heads * stride), back(tokens * width);
      kernel->split_heads(rows.data(), width + 3, tokens, bias.data(), 0.25f, planes.data(), stride, heads,
                          e);
      kernel->merge_heads(planes.data(), stride, tokens, back.data(), heads, e);
      for (std::int64_t t = 0; t < tokens; ++t)
        for (std::int64_t i = 0; i < width; ++i) {
          const float expected = (rows[t * (width + 3) + i] + bias[i]) * 0.25f;
          EXPECT_FLOAT_EQ(planes[i / e * stride + t * e + i % e], expected);
          EXPECT_FLOAT_EQ(back[t * width + i], expected);
        }
    }
}

}  // namespace
}  // namespace causcale::ops

#include "core/cpu/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "causcale/error.h"
#include "core/cpu/packed_weights.h"
#include "core/sample_kernels.h"

namespace causcale::core {
namespace {

using test::all_kernels;
using test::assign;
using test::number;
using test::random_values;

// One unit in the last place of what T stores, relative.
template <class T>
constexpr double kRounding = sizeof(T) == 4 ? 6e-8 : 4e-3;

double exact_gelu(double x) {
  return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
}

template <class T>
class KernelsOf : public testing::Test {};
using Numbers = testing::Types<float, Bf16>;
TYPED_TEST_SUITE(KernelsOf, Numbers);

TEST(Isa, TheFirstRunsAnywhereAndEveryNameIsItsOwn) {
  const std::vector<Isa> all = available_isas();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front(), Isa::kBase);
  for (const Isa isa : all) {
    setenv("CAUSCALE_ISA", isa_name(isa), 1);
    EXPECT_EQ(chosen_isa(), isa);
  }
  for (const char* other : {"quantum", "amx", "neon"}) {
    setenv("CAUSCALE_ISA", other, 1);
    if (std::ranges::any_of(all, [&](Isa isa) { return std::string(isa_name(isa)) == other; })) continue;
    try {
      chosen_isa();
      ADD_FAILURE() << other;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(other), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("base"), std::string::npos) << error.what();
    }
  }
  unsetenv("CAUSCALE_ISA");
  EXPECT_EQ(chosen_isa(), all.back());
}

TEST(BFloat16, RoundsToNearestWithTiesToEven) {
  EXPECT_EQ(to_float(to_bf16(1.0f)), 1.0f);
  EXPECT_EQ(to_float(to_bf16(1.0f + 0x1p-8f)), 1.0f);                // halfway: to the even one
  EXPECT_EQ(to_float(to_bf16(1.0f + 3 * 0x1p-8f)), 1.0f + 0x1p-6f);  // halfway: to the even one
  EXPECT_EQ(to_float(to_bf16(1.0f + 1.01f * 0x1p-8f)), 1.0f + 0x1p-7f);
  EXPECT_EQ(to_float(to_bf16(-INFINITY)), -INFINITY);
}

// Sums in double precision of the numbers that the kernel is given.
TYPED_TEST(KernelsOf, ProductsOfOddSizesMatchTheDefinition) {
  using T = TypeParam;
  struct Size {
    std::int64_t rows, cols, depth;
  };
  for (const Kernels<T>* kernel : all_kernels<T>())
    for (const Size& size : {Size{1, 1, 1},
                             {3, 5, 7},
                             {12, 32, 16},
                             {13, 33, 17},
                             {25, 31, 1},
                             {11, 17, 130},
                             {50, 70, 65},
                             {97, 16, 9},
                             {6, 100, 33},
                             {16, 32, 64},
                             {32, 48, 31},
                             {127, 15, 2},
                             {128, 40, 300},
                             {45, 64, 1030}}) {
      SCOPED_TRACE(std::string(kernel->name) + " " + std::to_string(size.rows) + "x" +
                   std::to_string(size.cols) + "x" + std::to_string(size.depth));
      const std::int64_t a_stride = kernel->rounded_depth(size.depth) + 2 * kernel->group,
                         c_stride = size.cols + 3;
      const std::vector<float> b = random_values(size.cols * size.depth, 1.0f, 2);  // [cols, depth]
      const std::vector<float> values = random_values(size.rows * size.depth, 1.0f, 1);
      std::vector<T> a(size.rows * a_stride), panels(kernel->packed_size(size.depth, size.cols));
      for (std::int64_t i = 0; i < size.rows; ++i)
        for (std::int64_t k = 0; k < size.depth; ++k) assign(a[i * a_stride + k], values[i * size.depth + k]);
      pack_transposed(b.data(), size.depth, size.cols, size.depth, *kernel, panels.data());
      std::vector<float> c(size.rows * c_stride, 99.0f);
      const auto multiply = [&](bool accumulate) {
        kernel->multiply(size.rows, size.cols, size.depth, a.data(), a_stride, panels.data(),
                         kernel->rounded_depth(size.depth) * kernel->panel, c.data(), c_stride, accumulate);
      };
      const auto expect_products = [&](int times) {
        for (std::int64_t i = 0; i < size.rows; ++i) {
          for (std::int64_t j = 0; j < size.cols; ++j) {
            double sum = 0.0, size_of_terms = 0.0;
            for (std::int64_t k = 0; k < size.depth; ++k) {
              T packed;
              assign(packed, b[j * size.depth + k]);
              const double term = double(number(a[i * a_stride + k])) * number(packed);
              sum += term;
              size_of_terms += std::abs(term);
            }
            // Summing in floats in any order loses at most `depth` units of the terms' sizes.
            ASSERT_NEAR(c[i * c_stride + j], times * sum,
                        6e-8 * (size.depth + 4) * (times * size_of_terms + 1e-3));
          }
          for (std::int64_t j = size.cols; j < c_stride; ++j) ASSERT_EQ(c[i * c_stride + j], 99.0f);
        }
      };
      for (const int times : {1, 2}) {
        multiply(times == 2);
        expect_products(times);
      }

      std::ranges::fill(c, 99.0f);
      std::vector<float> sums(size.rows * kernel->panel);
      std::int64_t next = 0;
      const auto take = [&](std::int64_t first, std::int64_t cols, const float* panel) {
        EXPECT_EQ(first, next);
        next += cols;
        for (std::int64_t i = 0; i < size.rows; ++i)
          std::copy_n(panel + i * kernel->panel, cols, c.data() + i * c_stride + first);
      };
      kernel->multiply_panels(size.rows, size.cols, size.depth, a.data(), a_stride, panels.data(),
                              kernel->rounded_depth(size.depth) * kernel->panel, sums.data(),
                              PanelFunction(take));
      EXPECT_EQ(next, size.cols);
      expect_products(1);
    }
}

TYPED_TEST(KernelsOf, GeluIsExactToItsRounding) {
  using T = TypeParam;
  const std::vector<float> bias(37, 0.0f);
  for (const Kernels<T>* kernel : all_kernels<T>()) {
    SCOPED_TRACE(kernel->name);
    std::vector<T> result(40);
    for (float x = -16.0f; x <= 16.0f; x += 37 * 0.001f) {
      std::vector<float> values(37);
      for (int i = 0; i < 37; ++i) values[i] = x + 0.001f * i;
      kernel->bias_gelu(values.data(), 37, 1, 37, bias.data(), result.data(), 40);
      for (int i = 0; i < 37; ++i) {
        const double exact = exact_gelu(values[i]);
        const double size = std::abs(double(values[i]));
        if constexpr (std::is_same_v<T, Bf16>) {
          ASSERT_NEAR(number(result[i]), exact, 1.6e-5 * size + kRounding<T> * std::abs(exact)) << values[i];
        } else {
          // Four units in the last place of Phi(x) <= 1; the lower tail keeps its digits, too.
          ASSERT_NEAR(number(result[i]), exact,
                      std::max(2.5e-7 * size, kRounding<T> * std::abs(exact)) + 3e-10);
          if (values[i] > -5.0f && std::abs(exact) > 1e-30) {
            ASSERT_NEAR(number(result[i]) / exact, 1.0, 2.5e-6 + kRounding<T>);
          }
        }
      }
    }
  }
}

TEST(KernelsOfFloat, GeluOfExtremeValues) {
  for (const Kernels<float>* kernel : all_kernels<float>()) {
    float values[] = {0.0f, -0.0f, 100.0f, -100.0f, 1e30f, -1e30f, INFINITY, 1e-30f};
    const float bias[8] = {};
    kernel->bias_gelu(values, 8, 1, 8, bias, values, 8);
    EXPECT_EQ(values[0], 0.0f);
    EXPECT_EQ(values[2], 100.0f);
    EXPECT_EQ(values[3], 0.0f);
    EXPECT_EQ(values[4], 1e30f);
    EXPECT_EQ(values[5], 0.0f);
    EXPECT_EQ(values[6], INFINITY);
    EXPECT_FLOAT_EQ(values[7], 0.5e-30f);
  }
}

TYPED_TEST(KernelsOf, ExponentialsAndTheirSum) {
  using T = TypeParam;
  for (const Kernels<T>* kernel : all_kernels<T>())
    for (const std::int64_t length : {1, 2, 3, 7, 15, 16, 17, 33, 100, 1000})
      for (const float scale : {0.1f, 5.0f, 300.0f}) {
        const std::vector<float> scores = random_values(length, scale, 7);
        std::vector<T> result(kernel->rounded_depth(length) + 1);
        assign(result.back(), 42.0f);
        const float inverse = kernel->exponentials(scores.data(), length, result.data());
        double largest = -INFINITY, total = 0.0;
        for (const float score : scores) largest = std::max(largest, double(score));
        for (const float score : scores) total += std::exp(score - largest);
        EXPECT_NEAR(inverse * total, 1.0, 2e-6);
        for (std::int64_t i = 0; i < length; ++i)
          EXPECT_NEAR(number(result[i]), std::exp(scores[i] - largest), 4e-7 + kRounding<T>) << kernel->name;
        for (std::int64_t i = length; i < kernel->rounded_depth(length); ++i)
          EXPECT_EQ(number(result[i]), 0.0f);
        EXPECT_EQ(number(result.back()), 42.0f);
      }
}

TYPED_TEST(KernelsOf, LayerNormOfAnyWidth) {
  using T = TypeParam;
  for (const Kernels<T>* kernel : all_kernels<T>())
    for (const std::int64_t d : {1, 3, 8, 16, 20, 128, 131}) {
      std::vector<float> x = random_values(d, 2.0f, 1);
      for (float& value : x) value += 50.0f;  // a large mean must not cost digits
      const std::vector<float> weight = random_values(d, 1.0f, 2), bias = random_values(d, 1.0f, 3);
      std::vector<T> result(kernel->rounded_depth(d));
      kernel->layer_norm(x.data(), result.data(), d, weight.data(), bias.data());
      double mean = 0.0, variance = 0.0;
      for (const float value : x) mean += value / double(d);
      for (const float value : x) variance += (value - mean) * (value - mean) / double(d);
      for (std::int64_t i = 0; i < d; ++i) {
        const double exact = (x[i] - mean) / std::sqrt(variance + 1e-5) * weight[i] + bias[i];
        EXPECT_NEAR(number(result[i]), exact, (d == 1 ? 2e-2 : 3e-5) + kRounding<T> * std::abs(exact))
            << kernel->name << " d " << d;
      }
    }
}

TYPED_TEST(KernelsOf, ScaledRows) {
  using T = TypeParam;
  for (const Kernels<T>* kernel : all_kernels<T>())
    for (const std::int64_t d : {1, 7, 16, 37, 128}) {
      const std::vector<float> x = random_values(d, 1.0f, 1);
      std::vector<T> scaled(d);
      kernel->scale(x.data(), 0.37f, scaled.data(), d);
      for (std::int64_t i = 0; i < d; ++i)
        EXPECT_NEAR(number(scaled[i]), 0.37 * x[i], kRounding<T> * std::abs(x[i]));
    }
}

// Rows of a grid that is wider than what is added, in any order.
TYPED_TEST(KernelsOf, ResidualsOfRowsAnywhere) {
  using T = TypeParam;
  for (const Kernels<T>* kernel : all_kernels<T>())
    for (const std::int64_t width : {1, 7, 16, 32, 37, 128}) {
      const std::vector<std::int64_t> starts{2 * 150, 0, 3 * 150 + 5};
      const std::int64_t branch_stride = width + 2;
      const std::vector<float> x = random_values(5 * 150, 1.0f, 1), bias = random_values(width, 1.0f, 3),
                               branch = random_values(3 * branch_stride, 1.0f, 2);
      std::vector<float> expected = x, sum = x;
      for (std::size_t r = 0; r < starts.size(); ++r)
        for (std::int64_t i = 0; i < width; ++i)
          expected[starts[r] + i] += branch[static_cast<std::int64_t>(r) * branch_stride + i] + bias[i];
      kernel->residual(3, width, starts.data(), x.data(), branch.data(), branch_stride, bias.data(),
                       sum.data());
      for (std::size_t k = 0; k < sum.size(); ++k) ASSERT_FLOAT_EQ(sum[k], expected[k]) << kernel->name << k;
    }
}

TYPED_TEST(KernelsOf, CopiesAndSumsOfRows) {
  using T = TypeParam;
  for (const Kernels<T>* kernel : all_kernels<T>())
    for (const std::int64_t width : {1, 7, 16, 32, 37}) {
      const std::vector<float> from = random_values(3 * 40, 1.0f, 1);
      std::vector<float> to(3 * 50, 99.0f);
      for (const bool accumulate : {false, true}) {
        kernel->copy(3, width, from.data(), 40, to.data(), 50, accumulate);
        for (std::int64_t r = 0; r < 3; ++r)
          for (std::int64_t i = 0; i < 50; ++i)
            ASSERT_EQ(to[r * 50 + i], i < width ? from[r * 40 + i] * (accumulate ? 2.0f : 1.0f) : 99.0f)
                << kernel->name;
      }
    }
}

}  // namespace
}  // namespace causcale::core

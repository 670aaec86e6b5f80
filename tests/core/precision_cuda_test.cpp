// Priors that the GPU makes against those of the processor.
#include "core/cuda/precision.h"

#include <gtest/gtest.h>

#include "core/cuda_cases.h"
#include "prior/covariance.h"
#include "prior/precision.h"

namespace causcale::test {
namespace {

class PrecisionCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::finds_solver()) GTEST_SKIP() << "cuSOLVER is not installed";
  }
  void expect_as_the_processor(const Matrix<double>& values, PriorScale scale, const std::string& what) {
    const Matrix<double> wanted = precision_prior(values, {.scale = scale, .rows = {}});
    const Matrix<float> found = cuda::precision_of_centred(centred_values(values, {}, 0, scale), queue_);
    const std::vector<float> numbers(found.values().begin(), found.values().end());
    const std::vector<double> expected(wanted.values().begin(), wanted.values().end());
    EXPECT_LE(relative_difference(numbers, expected), 1e-5) << what;
  }
  static Matrix<double> table(std::size_t m, std::size_t n) {
    Matrix<double> values(m, n);
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (std::size_t r = 0; r < m; ++r) {
      double before = 0.0;
      for (std::size_t c = 0; c < n; ++c) {
        before = 0.6 * before + normal(random);
        values(r, c) = before * (1.0 + static_cast<double>(c % 7)) + static_cast<double>(c);
      }
    }
    return values;
  }
  cuda::Queue queue_;
};

TEST_F(PrecisionCuda, WithAndWithoutShrinkage) {
  for (const std::size_t n : {2, 7, 99, 100, 101, 203, 333})
    for (const std::size_t m : {150, 1001})
      for (const PriorScale scale : {PriorScale::kRaw, PriorScale::kStandardized})
        if (n >= kLedoitWolfFrom || m > 2 * n)
          expect_as_the_processor(table(m, n), scale, fmt::format("{} x {}", m, n));
}

TEST_F(PrecisionCuda, FewerRowsThanColumns) {
  expect_as_the_processor(table(40, 120), PriorScale::kStandardized, "shrunk");
  expect_as_the_processor(table(20, 45), PriorScale::kStandardized, "pseudo-inverse");
}

TEST_F(PrecisionCuda, ConstantColumnsAndCopiesOfColumns) {
  for (const std::size_t n : {30, 150}) {
    Matrix<double> values = table(200, n);
    for (std::size_t r = 0; r < values.rows(); ++r) {
      values(r, 3) = 4.2;
      values(r, 5) = values(r, 4);
    }
    expect_as_the_processor(values, PriorScale::kStandardized, fmt::format("{} columns", n));
  }
}

}  // namespace
}  // namespace causcale::test

#include "learn/baselines/additive_pruning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"

namespace causcale {
namespace {

TEST(FTail, KnownValues) {
  // F with 1 and k degrees of freedom is the square of Student's t; with 2 and k it is elementary.
  for (const double value : {0.5, 3.0, 40.0})
    for (const double k : {3.0, 17.0, 900.0})
      EXPECT_NEAR(log10_f_tail(value, 2, k), -k / 2 * std::log10(1 + 2 * value / k), 1e-9)
          << value << ' ' << k;
  EXPECT_NEAR(std::pow(10, log10_f_tail(4.0, 1, 1)), 1 - 2 / M_PI * std::atan(2.0), 1e-12);
  EXPECT_DOUBLE_EQ(log10_f_tail(0, 3, 10), 0.0);
  const double far = log10_f_tail(1e6, 5, 1000);  // far below the smallest double
  EXPECT_LT(far, -1000);
  EXPECT_TRUE(std::isfinite(far));
}

// 0 -> 2 by a parabola (no correlation), 1 without effect, 3 a copy of 2.
Matrix<double> parabola(int rows) {
  Matrix<double> data(rows, 4);
  RandomStream random(9, 0, 0);
  for (int r = 0; r < rows; ++r) {
    data(r, 0) = random.normal();
    data(r, 1) = random.normal();
    data(r, 2) = data(r, 0) * data(r, 0) + 0.5 * random.normal();
    data(r, 3) = data(r, 2);
  }
  return data;
}

TEST(AdditiveEvidence, SeesWhatCorrelationDoesNot) {
  const std::vector<int> order = {0, 1, 2, 3};
  Matrix<std::uint8_t> allowed(4, 4, 1);
  const Matrix<double> evidence = additive_evidence(parabola(300), order, allowed, 6, 1, {});
  EXPECT_GT(evidence(0, 2), 20);
  EXPECT_LT(evidence(1, 2), 3);
  EXPECT_GT(evidence(2, 3), 20);
  EXPECT_EQ(evidence(2, 0), 0.0);  // against the order
  allowed(0, 2) = 0;
  EXPECT_EQ(additive_evidence(parabola(300), order, allowed, 6, 1, {})(0, 2), 0.0);
}

TEST(AdditiveEvidence, FewRowsAndConstantColumnsStayFinite) {
  Matrix<double> data = parabola(7);
  for (int r = 0; r < 7; ++r) data(r, 1) = 4;
  const std::vector<int> order = {3, 1, 0, 2};
  const Matrix<double> evidence = additive_evidence(data, order, Matrix<std::uint8_t>(4, 4, 1), 6, 2, {});
  for (const double value : evidence.values()) EXPECT_TRUE(std::isfinite(value) && value >= 0);
}

}  // namespace
}  // namespace causcale

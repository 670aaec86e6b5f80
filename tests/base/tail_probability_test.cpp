#include "base/distributions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace causcale {
namespace {

// By quadrature of the densities.
template <class Density>
double integral(const Density& density, double from, double to) {
  const int steps = 200000;
  const double width = (to - from) / steps;
  double sum = 0.0;
  for (int k = 0; k < steps; ++k) sum += density(from + (k + 0.5) * width);
  return sum * width;
}

TEST(TailProbability, Student) {
  for (const double degrees : {1.0, 2.5, 7.0, 60.0}) {
    const double scale = std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2)) /
                         std::sqrt(degrees * std::acos(-1.0));
    for (const double t : {0.1, 1.0, 2.3, 6.0}) {
      const double inside = integral(
          [&](double x) { return scale * std::pow(1 + x * x / degrees, -(degrees + 1) / 2); }, -t, t);
      EXPECT_NEAR(student_two_sided(t, degrees), 1 - inside, 1e-8) << t << ' ' << degrees;
      EXPECT_EQ(student_two_sided(-t, degrees), student_two_sided(t, degrees));
    }
  }
  EXPECT_NEAR(student_two_sided(1.0, 1.0), 0.5, 1e-12);
  EXPECT_EQ(student_two_sided(0.0, 5.0), 1.0);
  EXPECT_LT(student_two_sided(40.0, 500.0), 1e-100);
}

TEST(TailProbability, ChiSquare) {
  EXPECT_NEAR(chi_square_tail(3.0, 2.0), std::exp(-1.5), 1e-12);
  EXPECT_NEAR(chi_square_tail(4.0, 1.0), std::erfc(std::sqrt(2.0)), 1e-12);
  for (const double degrees : {2.0, 5.0, 30.0})
    for (const double x : {0.5, 3.0, 12.0, 60.0}) {
      const double scale = std::exp(-std::lgamma(degrees / 2) - degrees / 2 * std::log(2.0));
      const double below =
          integral([&](double v) { return scale * std::pow(v, degrees / 2 - 1) * std::exp(-v / 2); }, 0.0, x);
      EXPECT_NEAR(chi_square_tail(x, degrees), 1 - below, 1e-8) << x << ' ' << degrees;
    }
  EXPECT_EQ(chi_square_tail(0.0, 3.0), 1.0);
}

}  // namespace
}  // namespace causcale

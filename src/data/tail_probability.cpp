#include "data/tail_probability.h"

#include <algorithm>
#include <cmath>

namespace causcale {
namespace {

constexpr int kMostTerms = 1000;
constexpr double kPrecision = 1e-14;
constexpr double kTiny = 1e-300;

// The regularised incomplete beta function by its continued fraction, which converges fast for
// x < (a + 1) / (a + b + 2); terms come in pairs.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  if (x > (a + 1.0) / (a + b + 2.0)) return 1.0 - incomplete_beta(b, a, 1.0 - x);
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x)) /
      a;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double numerator = 1.0;
  double denominator = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
  double fraction = denominator;
  for (int k = 1; k < kMostTerms; ++k) {
    double change = 1.0;
    const double even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
    const double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
    for (const double term : {even, odd}) {
      denominator = 1.0 / away_from_zero(1.0 + term * denominator);
      numerator = away_from_zero(1.0 + term / numerator);
      change = denominator * numerator;
      fraction *= change;
    }
    if (std::abs(change - 1.0) < kPrecision) break;
  }
  return std::min(1.0, front * fraction);
}

// The upper regularised incomplete gamma function: the series below the mean, the continued fraction above.
double upper_gamma(double a, double x) {
  if (x <= 0.0) return 1.0;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1.0) {
    double term = 1.0 / a, sum = term;
    for (int k = 1; k < kMostTerms && term > sum * kPrecision; ++k) sum += term *= x / (a + k);
    return std::max(0.0, 1.0 - front * sum);
  }
  double b = x + 1.0 - a, c = 1.0 / kTiny, d = 1.0 / b, fraction = d;
  for (int k = 1; k < kMostTerms; ++k) {
    const double term = -k * (k - a);
    b += 2.0;
    d = 1.0 / (term * d + b);
    c = b + term / c;
    fraction *= d * c;
    if (std::abs(d * c - 1.0) < kPrecision) break;
  }
  return front * fraction;
}

}  // namespace

double student_two_sided(double t, double degrees) {
  if (std::isnan(t) || degrees <= 0.0) return 1.0;
  if (std::isinf(t)) return 0.0;
  return incomplete_beta(degrees / 2.0, 0.5, degrees / (degrees + t * t));
}

double chi_square_tail(double x, double degrees) {
  return degrees <= 0.0 ? 1.0 : upper_gamma(degrees / 2.0, x / 2.0);
}

}  // namespace causcale

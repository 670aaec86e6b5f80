#include "base/distributions.h"

#include <math.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace causcale {
namespace {

constexpr int kMostTerms = 100000;
constexpr double kPrecision = 1e-15;
constexpr int kMostBetaTerms = 1000;
constexpr double kBetaPrecision = 1e-14, kTiny = 1e-300;

// P(G <= x) by its series; for x < shape + 1.
double gamma_share(double shape, double x) {
  double term = 1.0 / shape, sum = term;
  for (int k = 1; k < kMostTerms && term > sum * kPrecision; ++k) {
    term *= x / (shape + k);
    sum += term;
  }
  return sum * std::exp(-x + shape * std::log(x) - log_gamma(shape));
}

// The continued fraction of the tail (Lentz), for x >= shape + 1.
double tail_fraction(double shape, double x) {
  double b = x + 1.0 - shape, c = 1.0 / kTiny, d = 1.0 / b, h = d;
  for (int k = 1; k < kMostTerms; ++k) {
    const double a = -k * (k - shape);
    b += 2.0;
    d = a * d + b;
    if (std::abs(d) < kTiny) d = kTiny;
    c = b + a / c;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1.0 / d;
    h *= d * c;
    if (std::abs(d * c - 1.0) < kPrecision) break;
  }
  return h;
}

// The regularised incomplete beta function by its continued fraction, which converges fast for
// x < (a + 1) / (a + b + 2); terms come in pairs.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  if (x > (a + 1.0) / (a + b + 2.0)) return 1.0 - incomplete_beta(b, a, 1.0 - x);
  const double front =
      std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x)) / a;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double numerator = 1.0;
  double denominator = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
  double fraction = denominator;
  for (int k = 1; k < kMostBetaTerms; ++k) {
    double change = 1.0;
    const double even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
    const double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
    for (const double term : {even, odd}) {
      denominator = 1.0 / away_from_zero(1.0 + term * denominator);
      numerator = away_from_zero(1.0 + term / numerator);
      change = denominator * numerator;
      fraction *= change;
    }
    if (std::abs(change - 1.0) < kBetaPrecision) break;
  }
  return std::min(1.0, front * fraction);
}

// log P(|Z| > z); the first terms of its expansion where the function itself would vanish.
double log_two_sided_tail(double z) {
  if (z < 25.0) return std::log(std::erfc(z / std::sqrt(2.0)));
  const double square = z * z;
  return -0.5 * square - std::log(z) + 0.5 * std::log(2.0 / M_PI) +
         std::log1p(-1.0 / square + 3.0 / (square * square));
}

}  // namespace

double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

double log_gamma_tail(double shape, double x) {
  if (!(x > 0.0)) return 0.0;
  if (x < shape + 1.0) return std::log1p(-std::min(gamma_share(shape, x), 1.0 - 1e-16));
  return -x + shape * std::log(x) - log_gamma(shape) + std::log(tail_fraction(shape, x));
}

double log_chi_square_tail(double statistic, double degrees) {
  return log_gamma_tail(0.5 * degrees, 0.5 * statistic);
}

double chi_square_tail(double statistic, double degrees) {
  return degrees > 0.0 ? std::exp(log_chi_square_tail(statistic, degrees)) : 1.0;
}

double student_two_sided(double t, double degrees) {
  if (std::isnan(t) || degrees <= 0.0) return 1.0;
  if (std::isinf(t)) return 0.0;
  return incomplete_beta(degrees / 2.0, 0.5, degrees / (degrees + t * t));
}

double normal_of_log_p(double log_p) {
  if (!(log_p < 0.0)) return 0.0;
  if (std::isinf(log_p)) return std::numeric_limits<double>::infinity();
  // P(|Z| > z) <= exp(-z^2 / 2), so the start lies above the root; the logarithm of the tail is concave, so
  // that Newton's steps come down to the root without passing it.
  double z = std::sqrt(-2.0 * log_p);
  for (int step = 0; step < 60; ++step) {
    const double value = log_two_sided_tail(z);
    const double slope = -std::exp(0.5 * std::log(2.0 / M_PI) - 0.5 * z * z - value);
    const double change = (value - log_p) / slope;
    z -= change;
    if (std::abs(change) <= 1e-13 * (1.0 + z)) break;
  }
  return std::max(0.0, z);
}

double normal_quantile(double share) {
  const double z = normal_of_log_p(std::log(2.0 * std::min(share, 1.0 - share)));
  return share < 0.5 ? -z : z;
}

}  // namespace causcale

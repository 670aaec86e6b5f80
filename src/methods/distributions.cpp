#include "methods/distributions.h"

#include <math.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace causcale {
namespace {

constexpr int kMostTerms = 100000;
constexpr double kPrecision = 1e-15;

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
  constexpr double kTiny = 1e-300;
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

}  // namespace causcale

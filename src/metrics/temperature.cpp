#include "metrics/temperature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "causcale/error.h"

namespace causcale {
namespace {

constexpr double kCoolest = 0.05, kHottest = 20.0;
// Beyond this a probability is rounding; a single such edge that is wrong must not decide the temperature.
constexpr double kSurest = 1e-7;

void check_sizes(std::span<const double> probabilities, std::span<const unsigned char> truth) {
  if (probabilities.size() != truth.size())
    throw InputError(fmt::format("{} probabilities given for {} pairs", probabilities.size(), truth.size()));
}

}  // namespace

double at_temperature(double probability, double temperature) {
  if (temperature == 1.0 || probability <= 0.0 || probability >= 1.0) return probability;
  const double odds = (std::log(probability) - std::log1p(-probability)) / temperature;
  // Each form keeps its digits where its result is small.
  return odds < 0 ? std::exp(odds) / (1.0 + std::exp(odds)) : 1.0 / (1.0 + std::exp(-odds));
}

void apply_temperature(double temperature, Matrix<double>& probabilities) {
  if (temperature == 1.0) return;
  for (double& probability : probabilities.values()) probability = at_temperature(probability, temperature);
}

double cross_entropy(std::span<const double> probabilities, std::span<const unsigned char> truth) {
  check_sizes(probabilities, truth);
  double sum = 0;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const double p = std::clamp(probabilities[k], kSurest, 1.0 - kSurest);
    sum -= truth[k] ? std::log(p) : std::log1p(-p);
  }
  return truth.empty() ? 0.0 : sum / static_cast<double>(truth.size());
}

double fit_temperature(std::span<const double> probabilities, std::span<const unsigned char> truth) {
  check_sizes(probabilities, truth);
  const auto edges = static_cast<std::size_t>(std::ranges::count(truth, 1));
  if (edges == 0 || edges == truth.size())
    throw InputError("a temperature cannot be fitted: the data sets have no edges, or nothing but edges");
  std::vector<double> odds(truth.size());
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const double p = std::clamp(probabilities[k], kSurest, 1.0 - kSurest);
    odds[k] = std::log(p / (1.0 - p));
  }
  // The cross entropy is convex in the factor a = 1 / T; its derivative is bisected.
  const auto slope = [&](double factor) {
    double sum = 0;
    for (std::size_t k = 0; k < truth.size(); ++k)
      sum += odds[k] * (1.0 / (1.0 + std::exp(-factor * odds[k])) - truth[k]);
    return sum;
  };
  double low = 1.0 / kHottest, high = 1.0 / kCoolest;
  for (int step = 0; step < 50; ++step) {
    const double middle = std::sqrt(low * high);
    (slope(middle) < 0 ? low : high) = middle;
  }
  return 1.0 / std::sqrt(low * high);
}

}  // namespace causcale

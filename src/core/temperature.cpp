#include "core/temperature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "causcale/error.h"

namespace causcale {
namespace {

constexpr double kCoolest = 0.05, kHottest = 20.0, kFarthest = 5.0;
// Beyond this a probability is rounding; a single such edge that is wrong must not decide the temperature.
constexpr double kSurest = 1e-7;

void check_sizes(std::span<const double> probabilities, std::span<const unsigned char> truth) {
  if (probabilities.size() != truth.size())
    throw InputError(fmt::format("{} probabilities given for {} pairs", probabilities.size(), truth.size()));
}

void check_fit(std::span<const double> probabilities, std::span<const unsigned char> truth) {
  check_sizes(probabilities, truth);
  const auto edges = static_cast<std::size_t>(std::ranges::count(truth, 1));
  if (edges == 0 || edges == truth.size())
    throw InputError("a temperature cannot be fitted: the data sets have no edges, or nothing but edges");
}

std::vector<double> log_odds(std::span<const double> probabilities) {
  std::vector<double> odds;
  odds.reserve(probabilities.size());
  for (const double probability : probabilities) {
    const double p = std::clamp(probability, kSurest, 1.0 - kSurest);
    odds.push_back(std::log(p / (1.0 - p)));
  }
  return odds;
}

// Whether `value` is at a limit and less by `by` is beyond it.
bool leads_beyond(double value, double by, double low, double high) {
  return (value <= low && by > 0) || (value >= high && by < 0);
}

}  // namespace

double at_temperature(double probability, double temperature) {
  if (temperature == 1.0 || probability <= 0.0 || probability >= 1.0) return probability;
  const double odds = (std::log(probability) - std::log1p(-probability)) / temperature;
  // Each form keeps its digits where its result is small.
  return odds < 0 ? std::exp(odds) / (1.0 + std::exp(odds)) : 1.0 / (1.0 + std::exp(-odds));
}

ProbabilityScale AnswerScales::of(int passes) const {
  if (mean_of == 1 || passes <= 1) return {temperature, offset};
  const double share = (1.0 - 1.0 / passes) / (1.0 - 1.0 / mean_of);
  const double factor = 1.0 / temperature + share * (1.0 / mean.temperature - 1.0 / temperature);
  // Far beyond mean_of the line may leave what makes sense.
  const double least = 0.5 * std::min(1.0 / temperature, 1.0 / mean.temperature);
  return {1.0 / std::max(factor, least), offset + share * (mean.offset - offset)};
}

double at_scale(double probability, double reverse, const ProbabilityScale& scale, double both) {
  const double p = at_temperature(probability, scale.temperature);
  if (scale.offset == 0.0) return p;
  const double q = at_temperature(reverse, scale.temperature), gain = std::expm1(scale.offset);
  const double any = both > 0.0 ? std::clamp(p + q - both, std::max(p, q), 1.0) : p + q;
  return p * (1.0 + gain) / (1.0 + any * gain);
}

double at_scale_alone(double probability, const ProbabilityScale& scale) {
  return at_scale(probability, 0.0, scale);
}

void apply_scale_alone(const ProbabilityScale& scale, Matrix<double>& probabilities) {
  if (scale.temperature == 1.0 && scale.offset == 0.0) return;
  for (double& probability : probabilities.values()) probability = at_scale_alone(probability, scale);
}

void apply_scale(const ProbabilityScale& scale, Matrix<double>& probabilities, const Matrix<double>& both) {
  if (scale.temperature == 1.0 && scale.offset == 0.0) return;
  for (std::size_t i = 0; i < probabilities.rows(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double there = probabilities(i, j), back = probabilities(j, i);
      const double told = both.empty() ? 0.0 : both(i, j);
      probabilities(i, j) = at_scale(there, back, scale, told);
      if (i != j) probabilities(j, i) = at_scale(back, there, scale, told);
    }
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
  check_fit(probabilities, truth);
  const std::vector<double> odds = log_odds(probabilities);
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

ProbabilityScale fit_scale(std::span<const double> probabilities, std::span<const unsigned char> truth) {
  check_fit(probabilities, truth);
  const std::vector<double> odds = log_odds(probabilities);
  // Newton's method for a logistic regression on one variable, which is convex; steps are kept short, because
  // far from the solution its curvature vanishes.
  double factor = 1.0, offset = 0.0;
  for (int step = 0; step < 100; ++step) {
    double slope_f = 0, slope_o = 0, ff = 1e-9, fo = 0, oo = 1e-9;
    for (std::size_t k = 0; k < truth.size(); ++k) {
      const double p = 1.0 / (1.0 + std::exp(-factor * odds[k] - offset)), wrong = p - truth[k],
                   curvature = p * (1.0 - p);
      slope_f += odds[k] * wrong, slope_o += wrong;
      ff += odds[k] * odds[k] * curvature, fo += odds[k] * curvature, oo += curvature;
    }
    const double determinant = ff * oo - fo * fo;
    if (!(determinant > 0)) break;
    double by_f = (oo * slope_f - fo * slope_o) / determinant;
    double by_o = (ff * slope_o - fo * slope_f) / determinant;
    // At a limit that the step leads beyond, the other number is sought alone.
    if (leads_beyond(offset, by_o, -kFarthest, kFarthest))
      by_o = 0.0, by_f = slope_f / ff;
    else if (leads_beyond(factor, by_f, 1.0 / kHottest, 1.0 / kCoolest))
      by_f = 0.0, by_o = slope_o / oo;
    by_f = std::clamp(by_f, -0.25, 0.25);
    by_o = std::clamp(by_o, -0.5, 0.5);
    factor = std::clamp(factor - by_f, 1.0 / kHottest, 1.0 / kCoolest);
    offset = std::clamp(offset - by_o, -kFarthest, kFarthest);
    if (std::abs(by_f) + std::abs(by_o) < 1e-9) break;
  }
  return {1.0 / factor, offset};
}

}  // namespace causcale

#include "methods/shift/shift_statistics.h"

#include <algorithm>
#include <cmath>

namespace causcale {
namespace {

struct Sample {
  double count = 0.0, mean = 0.0, variance = 0.0;  // divisor count - 1
};

Sample sample_of(const std::vector<double>& values) {
  Sample sample;
  sample.count = static_cast<double>(values.size());
  for (const double value : values) sample.mean += value / sample.count;
  for (const double value : values) sample.variance += (value - sample.mean) * (value - sample.mean);
  sample.variance = sample.count > 1.0 ? sample.variance / (sample.count - 1.0) : 0.0;
  return sample;
}

std::vector<double> deviations(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  std::vector<double> result;
  for (const double value : values) result.push_back(std::abs(value - *middle));
  return result;
}

}  // namespace

Shift mean_shift(const std::vector<double>& control, const std::vector<double>& treated) {
  if (control.size() < 2 || treated.empty()) return {};
  const Sample a = sample_of(control), b = sample_of(treated);
  const double difference = std::abs(b.mean - a.mean);
  // One treated row, or rows that are all alike, have no variance of their own to speak of: the control's.
  const double of_b = treated.size() > 1 ? b.variance : a.variance;
  // A control that does not vary is measured in deviations of both together.
  double unit = a.variance;
  if (!(unit > 0.0)) {
    std::vector<double> both = control;
    both.insert(both.end(), treated.begin(), treated.end());
    unit = sample_of(both).variance;
  }
  if (!(unit > 0.0) || !std::isfinite(unit)) return {};
  const double error = std::sqrt(a.variance / a.count + of_b / b.count);
  Shift shift;
  shift.size = difference / std::sqrt(unit);
  shift.p_value = error > 0.0 ? std::erfc(difference / error / std::sqrt(2.0)) : difference > 0.0 ? 0.0 : 1.0;
  return shift;
}

Shift spread_shift(const std::vector<double>& control, const std::vector<double>& treated) {
  if (control.size() < 2 || treated.size() < 2) return {};
  return mean_shift(deviations(control), deviations(treated));
}

Shift distribution_shift(std::vector<double> control, std::vector<double> treated) {
  if (control.empty() || treated.empty()) return {};
  std::ranges::sort(control);
  std::ranges::sort(treated);
  const double n = static_cast<double>(control.size()), m = static_cast<double>(treated.size());
  double widest = 0.0;
  for (std::size_t i = 0, j = 0; i < control.size() && j < treated.size();) {
    const double at = std::min(control[i], treated[j]);
    while (i < control.size() && control[i] <= at) ++i;
    while (j < treated.size() && treated[j] <= at) ++j;
    widest = std::max(widest, std::abs(static_cast<double>(i) / n - static_cast<double>(j) / m));
  }
  const double root = std::sqrt(n * m / (n + m)), scaled = (root + 0.12 + 0.11 / root) * widest;
  double p = 0.0;
  for (int k = 1; k <= 100; ++k) p += (k % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * k * k * scaled * scaled);
  return {widest, scaled < 0.2 ? 1.0 : std::clamp(p, 0.0, 1.0)};
}

}  // namespace causcale

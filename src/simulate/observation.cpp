#include "simulate/observation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "causcale/error.h"
#include "simulate/poisson.h"

namespace causcale {
namespace {

void cut_into_levels(RandomStream& random, std::span<float> column) {
  const int levels = 2 + static_cast<int>(random.below(6));
  std::vector<float> sorted(column.begin(), column.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<float> thresholds;
  for (int i = 1; i < levels; ++i) {
    const double quantile = (i + random.uniform(-0.35, 0.35)) / levels;
    thresholds.push_back(sorted[static_cast<std::size_t>(quantile * (sorted.size() - 1))]);
  }
  for (float& x : column)
    x = static_cast<float>(std::lower_bound(thresholds.begin(), thresholds.end(), x) - thresholds.begin());
}

void turn_into_counts(RandomStream& random, Moments moments, std::span<float> column) {
  const double level = random.uniform(0.0, 2.5), slope = random.uniform(0.3, 1.0);
  for (float& x : column) {
    const double standardized = (x - moments.mean) / moments.deviation;
    x = static_cast<float>(
        draw_poisson(std::exp(level + slope * std::clamp(standardized, -4.0, 4.0)), random));
  }
}

void round_coarsely(RandomStream& random, double deviation, std::span<float> column) {
  const double step = deviation / random.uniform(2.0, 10.0);
  for (float& x : column) x = static_cast<float>(std::round(x / step) * step);
}

ColumnUnits draw_units(const ObservationOptions& options, RandomStream& random) {
  ColumnUnits units;
  if (options.output_scale > 1) {
    units.factor = random.factor(options.output_scale);
    units.shift = random.normal() * units.factor;
  }
  if (options.mirrored_share > 0 && random.coin(options.mirrored_share)) units.factor = -units.factor;
  return units;
}

}  // namespace

ColumnUnits draw_column_units(const ObservationOptions& options, RandomStream& random) {
  if (!options.changes_units()) return {};
  random.uniform();  // by which observe_column chooses the kind of column
  return draw_units(options, random);
}

Moments moments_of(std::span<const float> column) {
  double sum = 0;
  for (const float x : column) sum += x;
  const double mean = sum / static_cast<double>(column.size());
  double squares = 0;
  for (const float x : column) squares += (x - mean) * (x - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(column.size()));
  return {mean, deviation > 0 && std::isfinite(deviation) ? deviation : 1.0};
}

void check_observation_options(const ObservationOptions& options) {
  auto share = [](double value, const char* what) {
    if (!(value >= 0 && value <= 1))
      throw UsageError(fmt::format("{} is {}, but must lie in [0, 1]", what, value));
  };
  share(options.mirrored_share, "share of mirrored columns");
  share(options.outlier_rate, "share of outlying cells");
  share(options.rounded_share, "share of rounded columns");
  share(options.ordinal_share, "share of ordinal columns");
  share(options.count_share, "share of count columns");
  share(options.rounded_share + options.ordinal_share + options.count_share,
        "share of rounded, ordinal and count columns together");
  share(options.zero_inflated_share, "share of zero-inflated columns");
  if (!(options.output_scale >= 1) || !std::isfinite(options.output_scale))
    throw UsageError(fmt::format("output scale is {}, but must be 1 or more", options.output_scale));
  if (!(options.measurement_error >= 0) || !std::isfinite(options.measurement_error))
    throw UsageError(
        fmt::format("measurement error is {}, but must be 0 or more", options.measurement_error));
}

void observe_column(const ObservationOptions& options, RandomStream& random, std::span<float> column) {
  const Moments moments = moments_of(column);
  if (options.measurement_error > 0)
    for (float& x : column)
      x += static_cast<float>(options.measurement_error * moments.deviation * random.normal());
  if (options.outlier_rate > 0)
    for (float& x : column) {
      if (!random.coin(options.outlier_rate)) continue;
      const double distance = random.uniform(5.0, 15.0) * moments.deviation;
      x += static_cast<float>(random.coin() ? distance : -distance);
    }

  const double kind = random.uniform();
  const bool counts = kind < options.count_share;
  const bool ordinal = !counts && kind < options.count_share + options.ordinal_share;
  const bool rounded =
      !counts && !ordinal && kind < options.count_share + options.ordinal_share + options.rounded_share;
  if (counts) turn_into_counts(random, moments, column);
  if (ordinal) cut_into_levels(random, column);
  if (options.changes_units() && !counts && !ordinal) {
    const ColumnUnits units = draw_units(options, random);
    for (float& x : column) x = static_cast<float>(x * units.factor + units.shift);
    if (rounded) round_coarsely(random, moments.deviation * std::abs(units.factor), column);
  } else if (rounded) {
    round_coarsely(random, moments.deviation, column);
  }
  if (options.zero_inflated_share > 0 && random.coin(options.zero_inflated_share)) {
    const double rate = random.uniform(0.1, 0.5);
    for (float& x : column)
      if (random.coin(rate)) x = 0.0f;
  }
}

}  // namespace causcale

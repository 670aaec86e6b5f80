// What happens between the causal system and the table: units, measurement error, rounding, ordinal and count
// columns, zero inflation, outliers. None of it feeds back into the system.
#pragma once

#include <span>

#include "base/random.h"

namespace causcale {

struct ObservationOptions {
  double output_scale = 1.0;  // columns times a factor log-uniform in [1/s, s], and shifted; 1 = as they are
  double mirrored_share = 0.0;       // share of the columns measured downwards, x -> -x
  double measurement_error = 0.0;    // deviation of added Gaussian error relative to the column's own
  double outlier_rate = 0.0;         // share of the cells thrown 5 to 15 deviations away
  double rounded_share = 0.0;        // ... rounded to a coarse step
  double ordinal_share = 0.0;        // ... cut into 2 to 7 ordered levels 0, 1, ...
  double count_share = 0.0;          // ... turned into Poisson counts, log rate linear in the value
  double zero_inflated_share = 0.0;  // ... with 10 to 50 % of the cells set to zero

  bool active() const { return changes_units() || more_than_units(); }
  bool changes_units() const { return output_scale != 1 || mirrored_share > 0; }
  bool more_than_units() const {
    return measurement_error > 0 || outlier_rate > 0 || rounded_share > 0 || ordinal_share > 0 ||
           count_share > 0 || zero_inflated_share > 0;
  }
};

void check_observation_options(const ObservationOptions& options);  // throws UsageError
void observe_column(const ObservationOptions& options, RandomStream& random, std::span<float> column);

// Every cell times the factor and shifted.
struct ColumnUnits {
  double factor = 1.0;
  double shift = 0.0;
};
// What observe_column does to a column whatever its values, for options that change no more than units.
ColumnUnits draw_column_units(const ObservationOptions& options, RandomStream& random);

struct Moments {
  double mean;
  double deviation;  // divisor m; 1 for a constant column
};
Moments moments_of(std::span<const float> column);

}  // namespace causcale

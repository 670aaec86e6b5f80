// Poisson counts.
#pragma once

#include <cmath>

#include "base/random.h"

namespace causcale {

// Exact for every rate: inversion for small rates, Hörmann's transformed rejection (PTRS, 1993) for large
// ones. `Random` is RandomStream or offers the same uniform().
inline constexpr double kSmallPoissonRate = 10.0;

template <class Random>
CAUSCALE_HD double draw_poisson(double rate, Random& random) {
  if (!(rate > 0)) return 0.0;
  if (rate < kSmallPoissonRate) {  // one uniform number
    double count = 0, probability = exp(-rate), remaining = random.uniform();
    while (remaining > probability && count < 1000) {
      remaining -= probability;
      count += 1;
      probability *= rate / count;
    }
    return count;
  }
  const double log_rate = log(rate);
  const double b = 0.931 + 2.53 * sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double squeeze = 0.9277 - 3.6224 / (b - 2.0);
  while (true) {
    const double u = random.uniform() - 0.5, v = random.uniform();
    const double us = 0.5 - fabs(u);
    const double k = floor((2.0 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= squeeze) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (log(v * inverse_alpha / (a / (us * us) + b)) <= k * log_rate - rate - lgamma(k + 1.0)) return k;
  }
}

}  // namespace causcale

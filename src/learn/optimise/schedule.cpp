#include "learn/optimise/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace causcale {

double learning_rate_factor(const ScheduleOptions& options, std::int64_t step, double progress) {
  const double warmup = options.warmup_steps > 0
                            ? std::min(1.0, (step + 1.0) / static_cast<double>(options.warmup_steps))
                            : 1.0;
  const double cosine = 0.5 * (1.0 + std::cos(std::numbers::pi * std::clamp(progress, 0.0, 1.0)));
  return warmup * (options.final_fraction + (1.0 - options.final_fraction) * cosine);
}

}  // namespace causcale

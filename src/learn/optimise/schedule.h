// The learning rate over a run: linear warm-up by steps, then a cosine over the run's whole length.
#pragma once

#include <cstdint>

namespace causcale {

struct ScheduleOptions {
  std::int64_t warmup_steps = 100;
  double final_fraction = 0.0;  // of the peak, where the cosine ends
};

// Factor of the peak learning rate before step `step` (0-based). `progress` in [0, 1] is the part of the run
// that is over, in steps or in time; beyond 1 the rate stays at its end.
double learning_rate_factor(const ScheduleOptions& options, std::int64_t step, double progress);

}  // namespace causcale

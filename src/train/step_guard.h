// Judges every step on the device: a loss or gradient that is not finite, or a gradient far above its usual
// size, is refused without the host having to wait and see. Also keeps the figures that the log reports.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace causcale {

struct StepGuardOptions {
  // A gradient norm above this multiple of its moving average is refused; 0 = only what is not finite.
  double spike_factor = 100.0;
};

// What the device has counted since the last report.
struct StepReport {
  std::int64_t steps = 0;  // since the last reset of the sums
  double mean_loss = 0.0;  // over accepted steps
  double mean_gradient_norm = 0.0;
  std::int64_t refused = 0;           // in the whole run
  std::int64_t refused_in_a_row = 0;  // up to now
};

class StepGuard {
 public:
  StepGuard(StepGuardOptions options, at::Device device);

  // Returns 1 (accepted) or 0 as a device scalar and zeroes a refused gradient in place.
  at::Tensor judge(const at::Tensor& loss, at::Tensor& gradient);

  // A snapshot of the counters, to be read back later by `read`, and a new start of the sums.
  at::Tensor snapshot();
  static StepReport read(const at::Tensor& snapshot_on_host);

  // For checkpoints, and to forget a row of refusals after a roll-back.
  at::Tensor& state() { return state_; }
  void forget_refusals_in_a_row();

 private:
  StepGuardOptions options_;
  at::Tensor state_;
};

}  // namespace causcale

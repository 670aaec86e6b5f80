// Judges every step on the device, without the host having to wait and see: a loss or gradient that is not
// finite, or a gradient far above its usual size, is refused; one somewhat above it is shortened. Also keeps
// the figures that the log reports.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "learn/optimise/weights.h"

namespace causcale {

struct StepGuardOptions {
  // A gradient norm above this multiple of its moving average is refused; 0 = only what is not finite.
  double spike_factor = 100.0;
  // One above this multiple is scaled down to it; 0 = never. Muon's steps are equally long whatever the
  // gradient's size, but its momentum adds gradients up: one a hundred times the usual would decide alone
  // where the weights go for the next fifty steps.
  double limit_factor = 3.0;
};

// What the device has counted since the last report.
struct StepReport {
  std::int64_t steps = 0;           // since the last reset of the sums
  double mean_loss = 0.0;           // over accepted steps
  double mean_gradient_norm = 0.0;  // as they came, before any was shortened
  double largest_gradient_norm = 0.0;
  std::int64_t largest_at = 0;     // of these steps, counted from 0
  std::int64_t largest_part = -1;  // which of the slices had most of it; -1 if unknown
  std::int64_t shortened = 0;
  std::int64_t refused = 0;           // in the whole run
  std::int64_t refused_in_a_row = 0;  // up to now
  std::vector<double> mean_parts;     // of the loss, over accepted steps
};

class StepGuard {
 public:
  // `slices`: the tensors whose gradients lie in the flat one, to tell where the largest was. `parts`: so
  // many numbers beside the loss that the log reports, too.
  StepGuard(StepGuardOptions options, at::Device device, std::vector<WeightSlice> slices = {},
            std::int64_t parts = 0);

  // Returns 1 (accepted) or 0 as a device scalar; zeroes a refused gradient and shortens a long one in place.
  // `parts` [parts], undefined where there are none.
  at::Tensor judge(const at::Tensor& loss, at::Tensor& gradient, const at::Tensor& parts = {});

  // A snapshot of the counters, to be read back later by `read`, and a new start of the sums.
  at::Tensor snapshot();
  static StepReport read(const at::Tensor& snapshot_on_host);

  // For checkpoints, and to forget a row of refusals after a roll-back.
  at::Tensor& state() { return state_; }
  void forget_refusals_in_a_row();

 private:
  void remember_largest(const at::Tensor& good, const at::Tensor& norm, const at::Tensor& gradient);

  StepGuardOptions options_;
  std::vector<WeightSlice> slices_;
  at::Tensor state_;
  at::Tensor largest_;  // the gradient itself, where there are slices
};

}  // namespace causcale

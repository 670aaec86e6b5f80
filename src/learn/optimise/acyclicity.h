// AVICI's constraint that predicted graphs have no cycles: an augmented Lagrangian on the mean spectral
// radius of the edge probabilities. Its multiplier grows as long as cycles remain, a little every so many
// steps, by a running average of the constraint.
//
// As published: the multiplier starts at 0 and grows by 1e-4 times the average every 500 steps, 10 power
// iterations; runs of many hundred thousand steps. Shorter runs want larger and more frequent updates.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace causcale {

struct AcyclicityOptions {
  double dual_rate = 1e-4;  // 0 together with penalty = 0: no constraint
  std::int64_t every_steps = 500;
  double average_rate = 1e-4;  // of the running average; young averages forget faster
  double penalty = 0.0;        // of the squared constraint, half of it counts
  int power_iterations = 10;

  bool wanted() const { return dual_rate > 0.0 || penalty > 0.0; }
};

class Acyclicity {
 public:
  Acyclicity(const AcyclicityOptions& options, at::Device device);

  // The constraint of a batch, a scalar with derivatives: from logits [B, n, n] of ordered pairs.
  at::Tensor constraint(const at::Tensor& logits) const;
  // What it adds to the loss: multiplier * constraint + penalty / 2 * constraint^2.
  at::Tensor cost(const at::Tensor& constraint) const;
  // After step number `step`, with the mean constraint of its batches over all processes; `accepted` (1 or 0)
  // as in AdamW. Nothing waits for the device.
  void update(const at::Tensor& constraint, const at::Tensor& accepted, std::int64_t step);

  // [2] double: multiplier, running average.
  at::Tensor& state() { return state_; }

 private:
  AcyclicityOptions options_;
  at::Tensor state_;
};

}  // namespace causcale

// One model being trained: weights, optimisers, moving average, and the step that changes them. Nothing in a
// step waits for the device.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "learn/config/config.h"
#include "learn/data/batches.h"
#include "learn/networks/causcale.h"
#include "learn/optimise/acyclicity.h"
#include "learn/optimise/adamw.h"
#include "learn/optimise/muon.h"
#include "learn/optimise/step_guard.h"
#include "learn/optimise/weights.h"
#include "learn/processes/gradient_exchange.h"

namespace causcale {

// The type in which the network computes: "auto" is bf16 on CUDA devices and fp32 elsewhere.
at::ScalarType working_type(Precision precision, at::Device device);

class Learner {
 public:
  // `master_type` is fp32 but for tests that need every digit. With a group, which must outlive the learner,
  // a step takes the mean over all processes, and all must start from the same state.
  Learner(const TrainConfig& config, ModelParams initial, at::Device device,
          at::ScalarType master_type = at::kFloat, ExecutionOptions execution = {},
          ProcessGroup* group = nullptr);

  // Forward, backward, update; gradient and loss are the means over the batches, which need not lie on the
  // device. `factor` multiplies both learning rates, `step` is the number of steps so far. Returns the loss
  // as a device scalar.
  at::Tensor step(std::span<const Batch> batches, double factor, std::int64_t step);
  at::Tensor step(const Batch& batch, double factor, std::int64_t step) {
    return this->step(std::span(&batch, 1), factor, step);
  }

  // What dropout draws at a step depends on these and the number of the step alone.
  void seed_dropout(std::uint64_t seed, int rank);

  // The moving average if there is one, else the latest weights; in the type of the network.
  ModelParams evaluation_weights() const;
  ModelParams evaluation_weights(at::ScalarType type) const;
  // Without the average: what training goes on from.
  ModelParams latest_weights(at::ScalarType type) const;

  StepGuard& guard() { return guard_; }
  const WeightLayout& layout() const { return weights_.layout(); }
  at::Device device() const { return device_; }
  // Everything that a resumed run needs, by name. Writing into these tensors and then calling restored()
  // brings the state back.
  std::vector<std::pair<std::string, at::Tensor>> state();
  void restored() { weights_.publish(); }

 private:
  struct Slope {
    at::Tensor loss, gradient;  // the gradient as one flat tensor
    at::Tensor outputs;         // their losses, [K]; undefined in a model without any
    at::Tensor cyclicity;       // undefined without that constraint
  };
  Slope slope(const Batch& batch);

  ModelConfig model_;
  ExecutionOptions execution_;
  at::Device device_;
  TrainingWeights weights_;
  ProcessGroup* group_;
  std::unique_ptr<GradientExchange> exchange_;  // null for a process on its own
  Muon muon_;
  double muon_rate_;
  AdamW adamw_;
  double adamw_rate_, clip_norm_;
  StepGuard guard_;
  std::optional<Acyclicity> acyclicity_;  // of AVICI's loss
  std::uint64_t dropout_seed_ = 0;
  std::uint32_t rank_ = 0;
  double output_loss_weight_;
  double average_decay_;
  at::Tensor average_;  // undefined without a moving average
};

}  // namespace causcale

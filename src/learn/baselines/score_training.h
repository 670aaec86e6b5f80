// Denoising training of the score network of DiffAN: rows become sqrt(1 - s^2) x + s e with Gaussian e and a
// random noise level s, and the network times s learns to tell e.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "learn/baselines/score_network.h"
#include "learn/baselines/tensors.h"

namespace causcale {

struct ScoreTrainingPlan {
  std::int64_t batch = 128;
  double learning_rate = 3e-3;
  int patience = 300;  // steps without gain on held-out rows that end a training
};

class ScoreTrainer {
 public:
  // data [m, n]: standardised columns, on the network's device. The network must outlive the trainer.
  ScoreTrainer(ScoreNetwork& network, const at::Tensor& data, const ScoreTrainingPlan& plan,
               std::uint64_t seed);

  // Makes steps for the density of the variables with active [n] = 1; the others enter as zero. Returns how
  // many; the network then has the weights of the best look at held-out rows. `before_step` may be empty.
  int train(const at::Tensor& active, int most_steps, const std::function<void(int)>& before_step);

 private:
  at::Tensor loss(const at::Tensor& rows, const at::Tensor& active, RandomStream& random) const;

  ScoreNetwork& network_;
  ScoreTrainingPlan plan_;
  std::uint64_t seed_;
  at::Tensor training_, held_out_;
  Adam adam_;
  std::uint32_t steps_made_ = 0;
};

}  // namespace causcale

#include "learn/baselines/score_training.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace causcale {
namespace {

constexpr double kLeastNoise = 0.05, kMostNoise = 0.8;
constexpr int kCheckEvery = 25;  // steps between looks at the held-out rows
constexpr int kLooks = 4;        // draws of the noise in each
}  // namespace

ScoreTrainer::ScoreTrainer(ScoreNetwork& network, const at::Tensor& data, const ScoreTrainingPlan& plan,
                           std::uint64_t seed)
    : network_(network), plan_(plan), seed_(seed), adam_(network.leaves(), plan.learning_rate) {
  RandomStream random(seed, 0, Purpose::kScoreSplit);
  const RowSplit split = split_rows(random, static_cast<std::size_t>(data.size(0)), 0.2);
  training_ = data.index_select(0, index_tensor(split.training, data.device()));
  held_out_ = data.index_select(0, index_tensor(split.validation, data.device()));
}

// Every draw of the noise is used with both signs. At low levels the part of the error that nothing can
// predict is far larger than the score's; between the two signs it cancels from the gradient.
at::Tensor ScoreTrainer::loss(const at::Tensor& rows, const at::Tensor& active, RandomStream& random) const {
  const std::int64_t count = rows.size(0);
  const at::Tensor level = at::empty({count, 1}, at::kFloat);
  for (std::int64_t r = 0; r < count; ++r)
    level.data_ptr<float>()[r] =
        static_cast<float>(std::exp(random.uniform(std::log(kLeastNoise), std::log(kMostNoise))));
  const at::Tensor noise = normal_tensor(random, rows.sizes()).to(rows.device());
  const at::Tensor levels = level.to(rows.device()).repeat({2, 1});
  const at::Tensor both = at::cat({noise, -noise});
  const at::Tensor noisy = (1 - levels * levels).sqrt() * rows.repeat({2, 1}) + levels * both;
  const at::Tensor error = (levels * network_.forward(noisy * active, levels) - both) * active;
  return (error * error).sum(1).mean();
}

int ScoreTrainer::train(const at::Tensor& active, int most_steps,
                        const std::function<void(int)>& before_step) {
  const std::int64_t rows = training_.size(0), batch = std::min(plan_.batch, rows);
  double best_loss = std::numeric_limits<double>::infinity();
  std::vector<at::Tensor> best;
  int best_step = 0, step = 0;
  while (step < most_steps) {
    if (before_step) before_step(step);
    RandomStream random(seed_, steps_made_++, Purpose::kScoreStep);
    const at::Tensor chosen = at::empty({batch}, at::kLong);
    for (std::int64_t k = 0; k < batch; ++k)
      chosen.data_ptr<std::int64_t>()[k] = random.below(static_cast<std::uint32_t>(rows));
    const at::Tensor value = loss(training_.index_select(0, chosen.to(training_.device())), active, random);
    adam_.step(torch::autograd::grad({value}, network_.leaves()));
    if (++step % kCheckEvery != 0 && step != most_steps) continue;

    const c10::NoGradGuard no_grad;
    double held_out = 0;
    for (std::uint32_t look = 0; look < kLooks; ++look) {
      RandomStream same_noise(seed_, look, Purpose::kScoreLook);
      held_out += loss(held_out_, active, same_noise).item<double>();
    }
    if (held_out < best_loss) {
      best_loss = held_out;
      best_step = step;
      best.clear();
      for (const at::Tensor& leaf : network_.leaves()) best.push_back(leaf.detach().clone());
    } else if (step - best_step >= plan_.patience) {
      break;
    }
  }
  const c10::NoGradGuard no_grad;
  for (std::size_t k = 0; k < best.size(); ++k) at::Tensor(network_.leaves()[k]).copy_(best[k]);
  return step;
}

}  // namespace causcale

#include "discover/stacking/fit_stacking.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/parallel.h"
#include "base/random.h"
#include "base/shuffle.h"

namespace causcale {
namespace {

struct PairPlace {
  std::uint32_t example, i, j;
};

PairClass class_of(const Matrix<std::uint8_t>& adjacency, std::size_t i, std::size_t j) {
  const bool forward = adjacency(i, j) != 0, reverse = adjacency(j, i) != 0;
  return forward && reverse ? PairClass::kBoth
         : forward          ? PairClass::kForward
         : reverse          ? PairClass::kReverse
                            : PairClass::kNone;
}

std::vector<PairPlace> all_pairs(std::span<const StackingExample> examples) {
  std::vector<PairPlace> pairs;
  for (std::uint32_t e = 0; e < examples.size(); ++e)
    for (std::uint32_t i = 0; i < examples[e].statistics.columns; ++i)
      for (std::uint32_t j = i + 1; j < examples[e].statistics.columns; ++j) pairs.push_back({e, i, j});
  return pairs;
}

float weight_of(const StackingExample& example) {
  const auto n = static_cast<float>(example.statistics.columns);
  return 1.0f / std::sqrt(n * (n - 1.0f) / 2.0f);
}

// Mean and deviation of every input over all pairs in both readings.
void input_moments(std::span<const StackingExample> examples, std::span<const PairPlace> pairs,
                   std::vector<float>& mean, std::vector<float>& scale) {
  std::vector<double> sum(kPairInputs), squares(kPairInputs);
  std::vector<float> inputs(kPairInputs);
  double total = 0.0;
  for (const PairPlace& pair : pairs) {
    const double weight = weight_of(examples[pair.example]);
    for (const bool turned : {false, true}) {
      write_pair_inputs(examples[pair.example].statistics, turned ? pair.j : pair.i, turned ? pair.i : pair.j,
                        inputs.data());
      for (std::size_t f = 0; f < kPairInputs; ++f) {
        sum[f] += weight * inputs[f];
        squares[f] += weight * inputs[f] * inputs[f];
      }
      total += weight;
    }
  }
  for (std::size_t f = 0; f < kPairInputs; ++f) {
    const double centre = sum[f] / total;
    mean.push_back(static_cast<float>(centre));
    scale.push_back(static_cast<float>(std::sqrt(std::max(1e-4, squares[f] / total - centre * centre))));
  }
}

PairBatch make_batch(std::span<const StackingExample> examples, std::span<const PairPlace> pairs,
                     const StackedModel& scales, RandomStream& random) {
  PairBatch batch;
  batch.inputs.resize(static_cast<Eigen::Index>(kPairInputs), static_cast<Eigen::Index>(pairs.size()));
  batch.base.resize(kPairLogits, static_cast<Eigen::Index>(pairs.size()));
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const StackingExample& example = examples[pairs[k].example];
    std::size_t i = pairs[k].i, j = pairs[k].j;
    if (random.uniform() < 0.5) std::swap(i, j);
    const Edge pair{static_cast<int>(i), static_cast<int>(j)};
    batch.inputs.col(static_cast<Eigen::Index>(k)) = scales.inputs(example.statistics, std::span(&pair, 1));
    batch.base.col(static_cast<Eigen::Index>(k)) = network_logits(example.network, i, j);
    batch.classes.push_back(class_of(example.adjacency, i, j));
    batch.confounded.push_back(example.confounded(i, j));
    batch.weights.push_back(weight_of(example));
  }
  return batch;
}

// Kingma and Ba 2014, with decoupled weight decay.
class Adam {
 public:
  Adam(const PairNetwork& network, double decay) : decay_(decay) {
    for (const auto block : network.blocks()) {
      mean_.emplace_back(block.size(), 0.0f);
      square_.emplace_back(block.size(), 0.0f);
    }
  }
  void step(PairNetwork& network, const PairNetwork& gradient, double rate) {
    ++steps_;
    const double unbias = std::sqrt(1.0 - std::pow(kSquare, steps_)) / (1.0 - std::pow(kMean, steps_));
    const auto weights = network.blocks();
    const auto gradients = gradient.blocks();
    for (std::size_t b = 0; b < weights.size(); ++b)
      for (std::size_t k = 0; k < weights[b].size(); ++k) {
        const float g = gradients[b][k];
        float& mean = mean_[b][k];
        float& square = square_[b][k];
        mean += (1.0f - static_cast<float>(kMean)) * (g - mean);
        square += (1.0f - static_cast<float>(kSquare)) * (g * g - square);
        weights[b][k] -= static_cast<float>(rate * (unbias * mean / (std::sqrt(square) + 1e-8) +
                                                    (b % 2 == 0 ? decay_ * weights[b][k] : 0.0)));
      }
  }

 private:
  static constexpr double kMean = 0.9, kSquare = 0.99;
  double decay_;
  int steps_ = 0;
  std::vector<std::vector<float>> mean_, square_;
};

PairNetwork fit_member(std::span<const StackingExample> examples, std::vector<PairPlace> pairs,
                       const StackedModel& scales, const StackingFit& fit, int member,
                       const std::function<void(const StackingProgress&)>& progress) {
  PairNetwork network = PairNetwork::random(static_cast<int>(kPairInputs), fit.hidden, fit.seed,
                                            static_cast<std::uint32_t>(member));
  PairNetwork gradient = network;
  Adam adam(network, fit.weight_decay);
  const auto batch = static_cast<std::size_t>(fit.batch);
  const std::size_t steps = (pairs.size() + batch - 1) / batch * static_cast<std::size_t>(fit.epochs);
  std::size_t step = 0;
  RandomStream random(fit.seed, static_cast<std::uint32_t>(member), Purpose::kStackingOrder);
  for (int epoch = 0; epoch < fit.epochs; ++epoch) {
    shuffle(pairs, random);
    double loss = 0.0, batches = 0.0;
    for (std::size_t begin = 0; begin < pairs.size(); begin += batch) {
      const auto part = std::span(pairs).subspan(begin, std::min(batch, pairs.size() - begin));
      loss += pair_loss(network, make_batch(examples, part, scales, random), &gradient);
      batches += 1.0;
      const double done = static_cast<double>(step++) / static_cast<double>(steps);
      adam.step(network, gradient,
                fit.learning_rate * 0.5 * (1.0 + std::cos(std::numbers::pi * done)) *
                    std::min(1.0, 50.0 * done + 0.02));
    }
    if (progress) progress({member, epoch, loss / batches});
  }
  return network;
}

}  // namespace

StackedModel fit_stacking(std::span<const StackingExample> examples, const StackingFit& fit, int threads,
                          const std::function<void(const StackingProgress&)>& progress) {
  const std::vector<PairPlace> pairs = all_pairs(examples);
  std::vector<float> mean, scale;
  input_moments(examples, pairs, mean, scale);
  const StackedModel scales(mean, scale, {});
  std::vector<PairNetwork> members(static_cast<std::size_t>(fit.members));
  parallel_for(members.size(), threads, [&](std::size_t k) {
    members[k] = fit_member(examples, pairs, scales, fit, static_cast<int>(k), progress);
  });
  return StackedModel(std::move(mean), std::move(scale), std::move(members));
}

}  // namespace causcale

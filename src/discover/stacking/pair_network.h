// A small network over the statistics of one pair: what it adds to the log probabilities of the answers that
// the large network gave.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace causcale {

// What a pair i, j may be. In the order of the logits.
enum class PairClass : std::uint8_t { kNone, kForward, kReverse, kBoth };
inline constexpr int kPairClasses = 4;
inline constexpr int kPairLogits = kPairClasses + 1;  // the last one: a hidden common cause

using PairLogits = Eigen::Matrix<float, kPairLogits, Eigen::Dynamic>;

// inputs -> hidden -> hidden -> logits, with ReLU between them: its arithmetic is the same on every machine.
struct PairNetwork {
  using Weights = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Weights first, second, last;  // [h, k], [h, h], [kPairLogits, h]
  Eigen::VectorXf first_bias, second_bias, last_bias;

  // Small random weights; the last layer is zero, so that nothing is added at first.
  static PairNetwork random(int inputs, int hidden, std::uint64_t seed, std::uint32_t member);

  PairLogits forward(const Eigen::Ref<const Eigen::MatrixXf>& inputs) const;  // [k, pairs]

  // Every weight, layer by layer, for whoever changes or stores them.
  std::array<std::span<float>, 6> blocks();
  std::array<std::span<const float>, 6> blocks() const;
};

// Pairs to learn from, one per column of `inputs`.
struct PairBatch {
  Eigen::MatrixXf inputs;  // [k, pairs]
  PairLogits base;         // to which the network's logits are added
  std::vector<PairClass> classes;
  std::vector<std::uint8_t> confounded;
  std::vector<float> weights;
};

// What a wrong answer about hidden causes counts, beside one about edges.
inline constexpr float kConfoundedWeight = 0.3f;

// The weighted mean cross entropy, and its gradient.
double pair_loss(const PairNetwork& network, const PairBatch& batch, PairNetwork* gradient);

}  // namespace causcale

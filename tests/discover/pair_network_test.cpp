#include "discover/stacking/pair_network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace causcale {
namespace {

PairBatch random_batch(int inputs, int pairs, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  PairBatch batch;
  batch.inputs.resize(inputs, pairs);
  batch.base.resize(kPairLogits, pairs);
  for (Eigen::Index k = 0; k < batch.inputs.size(); ++k) batch.inputs.data()[k] = normal(random);
  for (Eigen::Index k = 0; k < batch.base.size(); ++k) batch.base.data()[k] = normal(random);
  for (int k = 0; k < pairs; ++k) {
    batch.classes.push_back(static_cast<PairClass>(random() % kPairClasses));
    batch.confounded.push_back(random() % 2);
    batch.weights.push_back(0.5f + static_cast<float>(random() % 3));
  }
  return batch;
}

PairNetwork random_network(int inputs, int hidden) {
  PairNetwork network = PairNetwork::random(inputs, hidden, 5, 0);
  std::mt19937 random(9);
  std::normal_distribution<float> normal(0.0f, 0.3f);
  for (const auto block : network.blocks())
    for (float& weight : block) weight += normal(random);
  return network;
}

TEST(PairNetwork, AFreshOneAddsNothing) {
  const PairNetwork network = PairNetwork::random(7, 5, 1, 0);
  EXPECT_TRUE(network.forward(Eigen::MatrixXf::Random(7, 4)).isZero());
  EXPECT_FALSE(network.first.isZero());
  EXPECT_NE(network.first, PairNetwork::random(7, 5, 1, 1).first);
}

TEST(PairNetwork, TheLossIsTheCrossEntropy) {
  PairBatch batch = random_batch(3, 2, 1);
  batch.base << 0, 1, 0, 2, 0, 3, 0, 4, 0, -1;
  batch.classes = {PairClass::kNone, PairClass::kReverse};
  batch.confounded = {1, 0};
  batch.weights = {1.0f, 3.0f};
  const double first = std::log(4.0) + kConfoundedWeight * std::log(2.0);
  const double sum = std::exp(1.0) + std::exp(2.0) + std::exp(3.0) + std::exp(4.0);
  const double second = std::log(sum) - 3.0 + kConfoundedWeight * std::log1p(std::exp(-1.0));
  EXPECT_NEAR(pair_loss(PairNetwork::random(3, 4, 1, 0), batch, nullptr), (first + 3.0 * second) / 4.0, 1e-5);
}

// Single precision: the difference quotient over the best step is good to about the cube root of its
// rounding error, 6e-8^(2/3) = 2e-5 of the loss; gradients are of order 0.01 and more.
TEST(PairNetwork, GradientsAreThoseOfTheLoss) {
  const PairBatch batch = random_batch(6, 40, 2);
  PairNetwork network = random_network(6, 8), gradient = network;
  pair_loss(network, batch, &gradient);
  const auto weights = network.blocks();
  const auto gradients = std::as_const(gradient).blocks();
  double largest = 0.0;
  for (std::size_t b = 0; b < weights.size(); ++b) {
    ASSERT_EQ(weights[b].size(), gradients[b].size());
    for (std::size_t k = 0; k < weights[b].size(); k += 3) {
      const float kept = weights[b][k], step = 2e-3f;
      weights[b][k] = kept + step;
      const double above = pair_loss(network, batch, nullptr);
      weights[b][k] = kept - step;
      const double below = pair_loss(network, batch, nullptr);
      weights[b][k] = kept;
      EXPECT_NEAR(gradients[b][k], (above - below) / (2.0 * step), 1e-3) << b << " " << k;
      largest = std::max(largest, std::abs(static_cast<double>(gradients[b][k])));
    }
  }
  EXPECT_GT(largest, 0.02);
}

}  // namespace
}  // namespace causcale

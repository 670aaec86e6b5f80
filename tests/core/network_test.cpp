// The forward pass: what must not change its answer, and what each instruction set makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <stdexcept>
#include <thread>

#include "core/cpu/network_cpu.h"
#include "support/random_model.h"

namespace causcale::core {
namespace {

ModelConfig small_config() {
  ModelConfig config;
  config.blocks = 3;
  config.embed_dim = 32;
  config.heads = 4;
  config.ffn_dim = 48;
  return config;
}

NetworkInput random_input(std::int64_t tables, std::int64_t m, std::int64_t n, std::int64_t views) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  NetworkInput input{tables, m, n, views, {}, {}, {}, {}};
  for (std::int64_t k = 0; k < tables * m * n; ++k) {
    input.data.push_back(normal(random));
    input.data.push_back(random() % 5 == 0 ? 1.0f : 0.0f);
  }
  for (std::int64_t k = 0; k < tables * n * n; ++k) input.prior.push_back(normal(random));
  for (std::int64_t k = 0; k < views * tables * n; ++k) input.signs.push_back(random() % 2 ? 1.0f : -1.0f);
  return input;
}

StoredWeights random_weights(const ModelConfig& config) {
  test::RandomWeights source;
  return read_weights(source, config);
}

double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a.data()[k] - b.data()[k]));
  return largest;
}

template <class T>
class CoreNetwork : public testing::Test {};
using Numbers = testing::Types<float, Bf16>;
TYPED_TEST_SUITE(CoreNetwork, Numbers);

TYPED_TEST(CoreNetwork, InstructionSetsAgree) {
  const ModelConfig config = small_config();
  const StoredWeights weights = random_weights(config);
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{37, 5}, {2, 2}, {101, 34}, {1, 3}}) {
    const NetworkInput input = random_input(1, m, n, 1);
    const Matrix<double> plain = CpuNetwork<float>(config, weights, Isa::kBase)
                                     .pair_probabilities(input, {.threads = 1})
                                     .front()
                                     .edges;
    for (const Isa isa : available_isas()) {
      const Matrix<double> found =
          CpuNetwork<TypeParam>(config, weights, isa).pair_probabilities(input, {.threads = 1}).front().edges;
      // Random weights know nothing, so bfloat16 moves their answers more than those of a trained model.
      EXPECT_LE(largest_difference(found, plain), sizeof(TypeParam) == 4 ? 2e-5 : 5e-2)
          << isa_name(isa) << " " << m << "x" << n;
      for (std::int64_t i = 0; i < n; ++i)
        EXPECT_EQ(found(static_cast<std::size_t>(i), static_cast<std::size_t>(i)), 0.0);
    }
  }
}

TYPED_TEST(CoreNetwork, ThreadsAndMemoryLimitsDoNotChangeABit) {
  ModelConfig config = small_config();
  config.blocks = 1;
  config.embed_dim = 128;  // so that a few heads fill whole panels, and keys can be kept for a part of them
  config.heads = 16;
  const StoredWeights weights = random_weights(config);
  const NetworkInput input = random_input(1, 135, 33, 1);  // too large for a cache
  for (const Isa isa : available_isas()) {
    const CpuNetwork<TypeParam> network(config, weights, isa);
    const Matrix<double> one = network.pair_probabilities(input, {.threads = 1}).front().edges;
    EXPECT_EQ(network.pair_probabilities(input, {.threads = 3}).front().edges, one) << isa_name(isa);
    const PassPlan usual = network.plan(135, 33, 1, 0), least = network.plan(135, 33, 1, 1);
    EXPECT_LT(least.bytes, usual.bytes);
    EXPECT_LT(least.heads_at_a_time, usual.heads_at_a_time);
    EXPECT_EQ(network.pair_probabilities(input, {.threads = 1, .max_bytes = least.bytes}).front().edges, one)
        << isa_name(isa);
  }
}

TYPED_TEST(CoreNetwork, SeveralTablesAndViewsAreEachAsAlone) {
  const ModelConfig config = small_config();
  const StoredWeights weights = random_weights(config);
  const CpuNetwork<TypeParam> network(config, weights, available_isas().back());
  const NetworkInput input = random_input(2, 20, 4, 3);
  const std::vector<PairProbabilities> all = network.pair_probabilities(input, {.threads = 2});
  ASSERT_EQ(all.size(), 6u);
  for (std::size_t k = 0; k < 6; ++k) {
    const std::size_t b = k % 2;
    NetworkInput one{1, 20, 4, 1, {}, {}, {}, {}};
    // Mirrored by hand instead of by signs.
    for (std::size_t cell = 0; cell < 80; ++cell) {
      one.data.push_back(input.data[2 * (b * 80 + cell)] * input.signs[k * 4 + cell % 4]);
      one.data.push_back(input.data[2 * (b * 80 + cell) + 1]);
    }
    for (std::size_t cell = 0; cell < 16; ++cell)
      one.prior.push_back(input.prior[b * 16 + cell] * input.signs[k * 4 + cell / 4] *
                          input.signs[k * 4 + cell % 4]);
    EXPECT_EQ(network.pair_probabilities(one, {.threads = 1}).front(), all[k]) << k;
  }
}

TYPED_TEST(CoreNetwork, TwoThreadsAtOnceGetWhatOneGets) {
  const ModelConfig config = small_config();
  const CpuNetwork<TypeParam> network(config, random_weights(config), available_isas().back());
  const NetworkInput input = random_input(1, 60, 9, 1);
  const Matrix<double> alone = network.pair_probabilities(input, {.threads = 2}).front().edges;
  std::array<Matrix<double>, 4> found;
  {
    std::vector<std::jthread> callers;
    for (Matrix<double>& result : found)
      callers.emplace_back([&] { result = network.pair_probabilities(input, {.threads = 2}).front().edges; });
  }
  for (const Matrix<double>& result : found) EXPECT_EQ(result, alone);
}

TEST(CoreNetworkOfFloats, BothReadingsOfAPairAreAveraged) {
  const ModelConfig config = small_config();
  const CpuNetwork<float> network(config, random_weights(config), available_isas().back());
  const NetworkInput input = random_input(1, 15, 6, 1);
  const Matrix<double> forward =
      network.pair_probabilities(input, {.threads = 1, .symmetrised = false}).front().edges;
  // The other reading: columns in reverse order, read i < j.
  NetworkInput reversed = input;
  for (std::int64_t r = 0; r < 15; ++r)
    for (std::int64_t c = 0; c < 6; ++c)
      for (std::int64_t k = 0; k < 2; ++k)
        reversed.data[(r * 6 + c) * 2 + k] = input.data[(r * 6 + 5 - c) * 2 + k];
  for (std::int64_t i = 0; i < 6; ++i)
    for (std::int64_t j = 0; j < 6; ++j) reversed.prior[i * 6 + j] = input.prior[(5 - i) * 6 + 5 - j];
  for (std::int64_t c = 0; c < 6; ++c) reversed.signs[c] = input.signs[5 - c];
  const Matrix<double> backward =
      network.pair_probabilities(reversed, {.threads = 1, .symmetrised = false}).front().edges;
  const Matrix<double> both = network.pair_probabilities(input, {.threads = 1}).front().edges;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      if (i != j) {
        EXPECT_NEAR(both(i, j), 0.5 * (forward(i, j) + backward(5 - i, 5 - j)), 1e-5);
      }
}

TEST(CoreNetworkOfFloats, ProgressMayEndThePass) {
  const ModelConfig config = small_config();
  const CpuNetwork<float> network(config, random_weights(config), available_isas().back());
  const NetworkInput input = random_input(1, 15, 6, 1);
  std::vector<double> shares;
  PassOptions options{.threads = 2};
  options.progress = [&](double share) { shares.push_back(share); };
  network.pair_probabilities(input, options);
  EXPECT_EQ(shares.size(), 30u);  // ten per block
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.front(), 0.0);
  options.progress = [](double share) {
    if (share > 0.3) throw std::runtime_error("enough");
  };
  EXPECT_THROW(network.pair_probabilities(input, options), std::runtime_error);
}

TEST(CoreNetworkOfFloats, ReductionsOfEveryKind) {
  for (const Pooling pooling : {Pooling::kAverage, Pooling::kMax, Pooling::kStrided, Pooling::kNone}) {
    ModelConfig config = small_config();
    config.blocks = 4;
    config.pooling = pooling;
    config.reduction_r = 3;
    const CpuNetwork<float> network(config, random_weights(config), available_isas().back());
    const Matrix<double> found =
        network.pair_probabilities(random_input(1, 20, 4, 1), {.threads = 1}).front().edges;
    for (const double value : found.values()) EXPECT_TRUE(value >= 0.0 && value <= 1.0);
  }
}

}  // namespace
}  // namespace causcale::core

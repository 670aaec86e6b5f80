#include "learn/networks/avici.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "causcale/error.h"
#include "core/cost.h"
#include "finite_differences.h"
#include "learn/networks/checkpoint.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

ModelConfig little() {
  ModelConfig config = ModelConfig::published(Architecture::kAvici);
  config.blocks = 2;
  config.embed_dim = 6;
  config.heads = 2;
  config.key_dim = 5;
  config.ffn_dim = 9;
  return config;
}

ModelInput random_input(std::int64_t B, std::int64_t m, std::int64_t n) {
  at::manual_seed(3);
  ModelInput input;
  input.data = at::randn({B, m, n, 2}, at::kDouble);
  input.prior = at::zeros({B, n, n}, at::kDouble);
  return input;
}

ModelParams double_weights(const ModelConfig& config) {
  return convert_parameters(initialise_parameters(config, 2), at::kCPU, at::kDouble);
}

double largest(const at::Tensor& difference) {
  return difference.abs().max().item<double>();
}

TEST(Avici, PublishedSizes) {
  const ModelConfig config = ModelConfig::published(Architecture::kAvici);
  // Embedding; of each axis and block two layer norms, attention 128 -> 3 * 256 and back, 128 -> 512 and
  // back; three layer norms, u, v, temperature, bias.
  const std::int64_t axis = 4 * 128 + 768 * 129 + 128 * 257 + 512 * 129 + 128 * 513;
  EXPECT_EQ(count_parameters(empty_parameters(config)), 128 * 3 + 16 * axis + 6 * 128 + 2 * 128 * 129 + 2);
}

TEST(Avici, DerivativesAgreeWithFiniteDifferences) {
  const ModelConfig config = little();
  const ModelInput input = random_input(2, 5, 4);
  at::Tensor truth = at::zeros({2, 4, 4}, at::kByte);
  truth[0][1][2] = 1;
  truth[1][3][0] = 1;
  const int moved = expect_derivatives(
      double_weights(config),
      [&](const ModelParams& params) {
        return pair_loss(config, edge_logits(params, config, input), truth, input);
      },
      3);
  EXPECT_GT(moved, 150);
}

TEST(Avici, AnswersDoNotDependOnTheOrderOfRows) {
  const ModelParams params = double_weights(little());
  ModelInput input = random_input(2, 9, 5);
  const at::Tensor before = edge_probabilities(params, little(), input);
  input.data = input.data.index_select(1, at::randperm(9, at::kLong));
  EXPECT_LT(largest(edge_probabilities(params, little(), input) - before), 1e-13);
}

TEST(Avici, AnotherOrderOfColumnsGivesThePermutedAnswer) {
  const ModelParams params = double_weights(little());
  ModelInput input = random_input(2, 9, 5);
  const at::Tensor before = edge_probabilities(params, little(), input);
  const at::Tensor order = at::tensor({3, 0, 4, 2, 1}, at::kLong);
  input.data = input.data.index_select(2, order);
  const at::Tensor expected = before.index_select(1, order).index_select(2, order);
  EXPECT_LT(largest(edge_probabilities(params, little(), input) - expected), 1e-13);
  EXPECT_GT(largest(expected - before), 1e-4);
}

TEST(Avici, ProbabilitiesOfOrderedPairs) {
  const at::Tensor found = edge_probabilities(double_weights(little()), little(), random_input(2, 9, 5));
  EXPECT_EQ(found.sizes(), at::IntArrayRef({2, 5, 5}));
  EXPECT_EQ(largest(found.diagonal(0, 1, 2)), 0.0);
  EXPECT_GE(found.min().item<double>(), 0.0);
  EXPECT_LT(found.max().item<double>(), 1.0);
  EXPECT_GT(largest(found - found.transpose(1, 2)), 1e-4);
}

TEST(Avici, LimitsOfMemoryChangeNothing) {
  const ModelParams params = double_weights(little());
  const ModelInput input = random_input(2, 9, 5);
  const at::Tensor expected = edge_probabilities(params, little(), input);
  ExecutionOptions tight;
  tight.max_score_bytes = 200;
  EXPECT_LT(largest(edge_probabilities(params, little(), input, true, tight) - expected), 1e-14);
}

TEST(Avici, RefusesPaddedBatches) {
  ModelInput input = random_input(2, 9, 5);
  input.rows = {9, 8};
  input.cols = {5, 5};
  EXPECT_THROW(edge_probabilities(double_weights(little()), little(), input), Error);
}

TEST(Avici, FilesHoldEveryBit) {
  const test::TempFolder folder;
  const auto file = folder / "avici.safetensors";
  const ModelParams params = initialise_parameters(little(), 4);
  save_model(file, little(), params, StoredType::kF32);
  const Model loaded = load_model(file);
  EXPECT_EQ(loaded.config, little());
  EXPECT_EQ(loaded.metadata.at("architecture"), "avici");
  std::vector<at::Tensor> expected;
  params.visit([&](const std::string&, const at::Tensor& tensor) { expected.push_back(tensor); });
  std::size_t k = 0;
  loaded.params.visit([&](const std::string& name, const at::Tensor& tensor) {
    EXPECT_TRUE(at::equal(tensor, expected[k++])) << name;
  });
  EXPECT_EQ(k, expected.size());
}

// Rows and variables enter alike: attention over either axis, nothing is pooled on the way.
TEST(Avici, CostGrowsWithBothAxes) {
  const ModelConfig config = ModelConfig::published(Architecture::kAvici);
  EXPECT_NEAR(forward_flops(config, 700, 300) / forward_flops(config, 300, 700), 1.0, 1e-3);
  const std::int64_t limit = std::int64_t{1} << 28;
  const std::int64_t small = inference_bytes(config, 1000, 500, 4, limit),
                     large = inference_bytes(config, 1000, 1000, 4, limit);
  EXPECT_EQ(large - small, std::int64_t{3} * 1000 * 500 * 128 * 4);
}

}  // namespace
}  // namespace causcale

// Every switch of the configuration: shapes, derivatives, and that the switch does something.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "causcale/error.h"
#include "learn/networks/causcale.h"
#include "learn/networks/reduction.h"

namespace causcale {
namespace {

ModelConfig little() {
  ModelConfig config;
  config.blocks = 4;
  config.embed_dim = 12;
  config.heads = 3;
  config.ffn_dim = 20;
  return config;
}

ModelInput random_input(std::int64_t B, std::int64_t m, std::int64_t n) {
  at::manual_seed(3);
  ModelInput input;
  input.data = at::randn({B, m, n, 2}, at::kDouble);
  input.prior = at::randn({B, n, n}, at::kDouble);
  return input;
}

const std::map<std::string, std::function<void(ModelConfig&)>>& ablations() {
  static const std::map<std::string, std::function<void(ModelConfig&)>> all = {
      {"paper", [](ModelConfig&) {}},
      {"vanilla_attention", [](ModelConfig& c) { c.attention = AttentionKind::kVanilla; }},
      {"vanilla_head", [](ModelConfig& c) { c.head = HeadKind::kVanilla; }},
      {"max_pooling", [](ModelConfig& c) { c.pooling = Pooling::kMax; }},
      {"strided_pooling", [](ModelConfig& c) { c.pooling = Pooling::kStrided; }},
      {"no_reduction", [](ModelConfig& c) { c.pooling = Pooling::kNone; }},
      {"reduction_by_three", [](ModelConfig& c) { c.reduction_r = 3, c.reduction_k = 1; }},
      {"no_prior", [](ModelConfig& c) { c.use_prior = false; }},
      {"no_graph_stream", [](ModelConfig& c) { c.use_graph_stream = false; }},
      {"unscaled_data",
       [](ModelConfig& c) {
         c.scale_data = {false, false};
       }},
      {"unscaled_data2graph",
       [](ModelConfig& c) {
         c.scale_data2graph = {false, false};
       }},
      {"unscaled_graph",
       [](ModelConfig& c) {
         c.scale_graph = {false, false};
       }},
  };
  return all;
}

TEST(Ablation, ShapesProbabilitiesAndDerivatives) {
  const ModelInput input = random_input(2, 21, 6);
  const at::Tensor truth = at::zeros({2, 6, 6}, at::kLong);
  truth[0][1][2] = 1;
  truth[1][5][0] = 1;
  std::map<std::string, at::Tensor> results;
  for (const auto& [name, change] : ablations()) {
    SCOPED_TRACE(name);
    ModelConfig config = little();
    change(config);
    EXPECT_EQ(ModelConfig::from_metadata(config.to_metadata(), "f"), config);
    ModelParams params = convert_parameters(initialise_parameters(config, 2), at::kCPU, at::kDouble);

    const at::Tensor probabilities = edge_probabilities(params, config, input);
    EXPECT_EQ(probabilities.sizes(), at::IntArrayRef({2, 6, 6}));
    EXPECT_EQ(probabilities.diagonal(0, 1, 2).abs().max().item<double>(), 0.0);
    EXPECT_GT(probabilities.min().item<double>() + 1.0, 0.999);
    EXPECT_LT(probabilities.max().item<double>(), 1.0);
    results[name] = probabilities;

    params.visit([](const std::string&, at::Tensor& tensor) { tensor.requires_grad_(true); });
    const auto loss = [&] {
      return pair_loss(config, pair_logits(params, config, encode(params, config, input)), truth, input);
    };
    loss().backward();
    // Every weight takes part, and the derivative along the gradient itself is its squared norm.
    double square = 0.0;
    params.visit([&](const std::string& weight, at::Tensor& tensor) {
      ASSERT_TRUE(tensor.grad().defined()) << weight;
      EXPECT_GT(tensor.grad().abs().max().item<double>(), 0.0) << weight;
      square += tensor.grad().square().sum().item<double>();
    });
    const auto loss_at = [&](double step) {
      const c10::NoGradGuard no_gradient;
      params.visit([&](const std::string&, at::Tensor& tensor) { tensor.add_(tensor.grad(), step); });
      const double value = loss().item<double>();
      params.visit([&](const std::string&, at::Tensor& tensor) { tensor.sub_(tensor.grad(), step); });
      return value;
    };
    const double step = 1e-5;
    EXPECT_NEAR((loss_at(step) - loss_at(-step)) / (2 * step), square, 1e-5 * (1.0 + square));
  }
  for (const auto& [name, probabilities] : results)
    if (name != "paper") {
      EXPECT_GT((probabilities - results.at("paper")).abs().max().item<double>(), 1e-9)
          << name << " changed nothing";
    }
}

TEST(Ablation, PoolingKinds) {
  const at::Tensor data = at::tensor({1.0, 5.0, 4.0, 2.0, 9.0}, at::kDouble).view({1, 5, 1, 1});
  ModelConfig config;
  autograd::GridSizes sizes;
  const auto pooled = [&](Pooling pooling) {
    config.pooling = pooling;
    return reduce_samples(data, config, sizes).view({-1});
  };
  EXPECT_TRUE(at::equal(pooled(Pooling::kAverage), at::tensor({3.0, 3.0}, at::kDouble)));
  EXPECT_TRUE(at::equal(pooled(Pooling::kMax), at::tensor({5.0, 4.0}, at::kDouble)));
  EXPECT_TRUE(at::equal(pooled(Pooling::kStrided), at::tensor({1.0, 4.0}, at::kDouble)));
  EXPECT_EQ(pooled(Pooling::kNone).size(0), 5);
}

TEST(Ablation, ReductionsFollowThePaper) {
  const ModelConfig config;
  std::vector<int> blocks;
  for (int b = 0; b < config.blocks; ++b)
    if (config.pools_after(b)) blocks.push_back(b);
  EXPECT_EQ(blocks, (std::vector<int>{2, 4, 6, 8}));
}

TEST(Ablation, VeryFewRowsPassThroughAllReductions) {
  ModelConfig config = little();
  config.blocks = 10;
  const ModelParams params = convert_parameters(initialise_parameters(config, 2), at::kCPU, at::kDouble);
  for (const std::int64_t rows : {1, 2, 3, 10})
    EXPECT_TRUE(edge_probabilities(params, config, random_input(1, rows, 2)).isfinite().all().item<bool>())
        << rows;
}

TEST(Ablation, UnusableConfigurationsNameTheField) {
  ModelConfig config = little();
  config.heads = 5;
  try {
    config.check();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("heads is 5"), std::string::npos);
  }
}

}  // namespace
}  // namespace causcale

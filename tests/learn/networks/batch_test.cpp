// Padding, exact zeros, the order of the columns, memory limits: things that must not change an answer.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "learn/networks/causcale.h"
#include "learn/networks/golden_case.h"
#include "support/golden.h"

namespace causcale::test {
namespace {

ModelConfig little() {
  ModelConfig config;
  config.blocks = 6;
  config.embed_dim = 16;
  config.heads = 4;
  config.ffn_dim = 32;
  return config;
}

ModelInput random_input(std::int64_t m, std::int64_t n, std::uint64_t seed,
                        at::ScalarType type = at::kDouble) {
  at::manual_seed(seed);
  ModelInput input;
  input.data = at::stack({at::randn({1, m, n}, at::kDouble), (at::rand({1, m, n}) < 0.1).to(at::kDouble)}, -1)
                   .to(type);
  const at::Tensor root = at::randn({1, n, n}, at::kDouble);
  input.prior = at::matmul(root, root.transpose(1, 2)).to(type);
  return input;
}

// Pads with NaN, which must not leak, and batches.
ModelInput padded_batch(const std::vector<ModelInput>& inputs) {
  ModelInput batch;
  std::int64_t m = 0, n = 0;
  for (const ModelInput& input : inputs) {
    batch.rows.push_back(input.data.size(1));
    batch.cols.push_back(input.data.size(2));
    m = std::max(m, batch.rows.back());
    n = std::max(n, batch.cols.back());
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<at::Tensor> data, prior;
  for (const ModelInput& input : inputs) {
    const std::int64_t more_rows = m - input.data.size(1), more_cols = n - input.data.size(2);
    data.push_back(at::constant_pad_nd(input.data, {0, 0, 0, more_cols, 0, more_rows}, nan));
    prior.push_back(at::constant_pad_nd(input.prior, {0, more_cols, 0, more_cols}, nan));
  }
  batch.data = at::cat(data);
  batch.prior = at::cat(prior);
  return batch;
}

ModelParams double_weights(const ModelConfig& config) {
  return convert_parameters(initialise_parameters(config, 11), at::kCPU, at::kDouble);
}

TEST(Batch, AGraphScoresTheSameAloneAndAmongOthers) {
  for (const AttentionKind attention : {AttentionKind::kTied, AttentionKind::kVanilla})
    for (const HeadKind head : {HeadKind::kPairwise, HeadKind::kVanilla})
      for (const Pooling pooling : {Pooling::kAverage, Pooling::kMax, Pooling::kStrided, Pooling::kNone}) {
        ModelConfig config = little();
        config.attention = attention;
        config.head = head;
        config.pooling = pooling;
        const ModelParams params = double_weights(config);
        // 3 rows are too few for all reductions, 31 leave a remainder.
        const std::vector<ModelInput> inputs = {random_input(31, 5, 1), random_input(40, 7, 2),
                                                random_input(3, 2, 3)};
        const at::Tensor together = edge_probabilities(params, config, padded_batch(inputs));
        for (std::size_t b = 0; b < inputs.size(); ++b) {
          const at::Tensor alone = edge_probabilities(params, config, inputs[b])[0];
          const std::int64_t n = alone.size(0);
          EXPECT_LE(largest_difference(together[b].narrow(0, 0, n).narrow(1, 0, n), alone), 1e-12);
          EXPECT_NEAR(together[b].sum().item<double>(), alone.sum().item<double>(), 1e-11);  // zero elsewhere
        }
      }
}

TEST(Batch, LossAndGradientsIgnoreThePadding) {
  const ModelConfig config = little();
  const std::vector<ModelInput> inputs = {random_input(31, 5, 1), random_input(40, 7, 2)};
  const ModelInput batch = padded_batch(inputs);
  const at::Tensor adjacency = at::zeros({2, 7, 7}, at::kLong);
  adjacency[0][1][3] = 1;
  adjacency[1][6][2] = 1;

  ModelParams together = double_weights(config), apart = double_weights(config);
  for (ModelParams* params : {&together, &apart})
    params->visit([](const std::string&, at::Tensor& tensor) { tensor.requires_grad_(true); });
  const auto loss = [&](const ModelParams& params, const ModelInput& input, const at::Tensor& truth) {
    return pair_loss(config, pair_logits(params, config, encode(params, config, input)), truth, input);
  };
  const at::Tensor joint = loss(together, batch, adjacency);
  const at::Tensor first = loss(apart, inputs[0], adjacency.narrow(0, 0, 1).narrow(1, 0, 5).narrow(2, 0, 5));
  const at::Tensor second = loss(apart, inputs[1], adjacency.narrow(0, 1, 1));
  const at::Tensor weighted = (first * 10 + second * 21) / 31;  // every real pair counts once
  EXPECT_NEAR(joint.item<double>(), weighted.item<double>(), 1e-12);
  joint.backward();
  weighted.backward();
  std::map<std::string, at::Tensor> expected;
  apart.visit([&](const std::string& name, at::Tensor& tensor) { expected[name] = tensor.grad(); });
  together.visit([&](const std::string& name, at::Tensor& tensor) {
    EXPECT_LE(largest_difference(tensor.grad(), expected.at(name)), 1e-11) << name;
  });
}

TEST(Batch, FullSizeMemberOfTheReferencesPaddedBatch) {
  if (!golden_exists("model/batch_padded/data.npy")) GTEST_SKIP() << "not in the compact selection";
  GoldenCase golden = load_golden_case("batch_padded", at::kDouble);
  golden.input.rows = {39, 30};
  golden.input.cols = {7, 5};
  const at::Tensor logits =
      pair_logits(golden.params, golden.config, encode(golden.params, golden.config, golden.input));
  EXPECT_LE(largest_difference(logits[0], golden_tensor("model/batch_padded/logits_f64_0.npy", at::kDouble)),
            1e-10);
}

// The reference takes a 0.0 for padding; here it is a number like its neighbours.
TEST(Batch, ExactZerosAndConstantColumnsAreOrdinary) {
  const ModelConfig config = little();
  const ModelParams params = double_weights(config);
  ModelInput zeros = random_input(20, 6, 5);
  zeros.data.select(3, 0).select(2, 3).zero_();  // a constant column, standardised
  zeros.data[0][0][5][0] = 0.0;
  zeros.data[0][11][0][0] = 0.0;
  zeros.prior[0].select(0, 3).zero_();
  zeros.prior[0].select(1, 3).zero_();
  ModelInput nearly = zeros;
  nearly.data = zeros.data + 1e-13;
  nearly.prior = zeros.prior + 1e-13;
  EXPECT_LE(largest_difference(edge_probabilities(params, config, zeros),
                               edge_probabilities(params, config, nearly)),
            1e-9);
}

TEST(Batch, PermutedColumnsGiveThePermutedAnswer) {
  ModelConfig config = little();
  const ModelParams params = double_weights(config);
  const ModelInput input = random_input(25, 8, 6);
  const at::Tensor order = at::tensor({3, 1, 7, 0, 2, 6, 5, 4}, at::kLong);
  ModelInput permuted;
  permuted.data = input.data.index_select(2, order);
  permuted.prior = input.prior.index_select(1, order).index_select(2, order);
  const at::Tensor expected =
      edge_probabilities(params, config, input).index_select(1, order).index_select(2, order);
  EXPECT_LE(largest_difference(edge_probabilities(params, config, permuted), expected), 1e-12);
}

TEST(Batch, MemoryLimitsDoNotChangeTheAnswer) {
  for (const AttentionKind attention : {AttentionKind::kTied, AttentionKind::kVanilla})
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
      ModelConfig config = little();
      config.attention = attention;
      const ModelParams params = convert_parameters(double_weights(config), at::kCPU, type);
      const ModelInput input = random_input(50, 9, 8, type);
      ExecutionOptions tight;
      tight.max_score_bytes = 5000;
      EXPECT_LE(largest_difference(edge_probabilities(params, config, input),
                                   edge_probabilities(params, config, input, true, tight)),
                type == at::kDouble ? 1e-13 : 1e-5);
    }
}

}  // namespace
}  // namespace causcale::test

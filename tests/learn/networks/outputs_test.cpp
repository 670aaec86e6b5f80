// The losses of a model's outputs.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "learn/networks/causcale.h"
#include "learn/networks/finite_differences.h"
#include "learn/networks/head.h"

namespace causcale {
namespace {

double cross_entropy(double logit, bool truth) {
  return std::log1p(std::exp(truth ? -logit : logit));
}

TEST(OutputLosses, AreMeansOverThePairsThatAreKnown) {
  const at::Tensor logits = at::randn({2, 3, 5}, at::kDouble);  // two tables of three variables
  const at::Tensor labels = at::zeros({2, 2, 3, 3}, at::kChar);
  const auto set = [&](std::int64_t b, std::int64_t k, std::int64_t i, std::int64_t j, int value) {
    labels[b][k][i][j] = labels[b][k][j][i] = value;
  };
  set(0, 0, 0, 2, 1);
  set(0, 1, 1, 2, 1);
  labels[1][0].fill_(-1);
  set(1, 1, 0, 1, -1);
  const double* value = logits.data_ptr<double>();
  const auto logit = [&](int b, int pair, int output) { return value[(b * 3 + pair) * 5 + 3 + output]; };
  // Pairs: (0, 1), (0, 2), (1, 2).
  const double first = (cross_entropy(logit(0, 0, 0), false) + cross_entropy(logit(0, 1, 0), true) +
                        cross_entropy(logit(0, 2, 0), false)) /
                       3;
  const double second = (cross_entropy(logit(0, 0, 1), false) + cross_entropy(logit(0, 1, 1), false) +
                         cross_entropy(logit(0, 2, 1), true) + cross_entropy(logit(1, 1, 1), false) +
                         cross_entropy(logit(1, 2, 1), false)) /
                        5;
  const at::Tensor losses = output_losses(logits, labels, std::vector<std::int64_t>{});
  EXPECT_NEAR(losses[0].item<double>(), first, 1e-12);
  EXPECT_NEAR(losses[1].item<double>(), second, 1e-12);
  // Nothing known: nothing to learn. Padding: not a pair.
  EXPECT_EQ(
      output_losses(logits, at::full_like(labels, -1), std::vector<std::int64_t>{}).sum().item<double>(),
      0.0);
  EXPECT_NEAR(output_losses(logits, labels, std::vector<std::int64_t>{2, 3})[0].item<double>(),
              cross_entropy(logit(0, 0, 0), false), 1e-12);
  // Edges' loss does not see them.
  const at::Tensor truth = at::zeros({2, 3, 3}, at::kByte);
  EXPECT_EQ(pairwise_loss(logits, truth, {}).item<double>(),
            pairwise_loss(logits.narrow(-1, 0, 3), truth, {}).item<double>());
}

TEST(OutputLosses, HaveTheDerivativesThatDifferencesShow) {
  ModelConfig config;
  config.blocks = 1;
  config.embed_dim = 8;
  config.heads = 2;
  config.ffn_dim = 8;
  config.outputs = {PairOutput::kFeedback, PairOutput::kConfounded};
  at::manual_seed(3);
  const ModelInput input{at::randn({2, 6, 4, 2}, at::kDouble), at::randn({2, 4, 4}, at::kDouble), {}, {}};
  const at::Tensor truth = at::zeros({2, 4, 4}, at::kByte), labels = at::zeros({2, 2, 4, 4}, at::kChar);
  truth[0][1][2] = truth[1][3][0] = 1;
  labels[0][0][0][1] = labels[0][0][1][0] = labels[1][1][2][3] = labels[1][1][3][2] = 1;
  labels[1][0].fill_(-1);
  const int moved = expect_derivatives(
      convert_parameters(initialise_parameters(config, 5), at::kCPU, at::kDouble),
      [&](const ModelParams& params) {
        const at::Tensor logits = edge_logits(params, config, input);
        return pair_loss(config, logits, truth, input) + 0.5 * output_losses(logits, labels, input).sum();
      },
      3);
  EXPECT_GT(moved, 100);
}

}  // namespace
}  // namespace causcale

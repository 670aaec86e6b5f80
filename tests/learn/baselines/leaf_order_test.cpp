#include "learn/baselines/leaf_order.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "learn/baselines/score_training.h"
#include "learn/baselines/tensors.h"

namespace causcale {
namespace {

constexpr int kRows = 200;
constexpr double kVariance = 0.3;

// 0 -> 1 with x_1 = sin(2 x_0) + noise: the score and its derivatives by hand.
ScoreNetwork::Derivatives exact_derivatives() {
  const at::Tensor value = at::zeros({kRows, 2}, at::kDouble), first = at::zeros({kRows, 2, 2}, at::kDouble),
                   pure = first.clone(), mixed = first.clone();
  auto v = value.accessor<double, 2>();
  auto j = first.accessor<double, 3>(), p = pure.accessor<double, 3>(), x = mixed.accessor<double, 3>();
  RandomStream random(5, 0, 0);
  for (int r = 0; r < kRows; ++r) {
    const double x0 = random.normal(), noise = std::sqrt(kVariance) * random.normal();
    const double f1 = 2 * std::cos(2 * x0), f2 = -4 * std::sin(2 * x0), f3 = -8 * std::cos(2 * x0);
    v[r][0] = -x0 + noise * f1 / kVariance;
    v[r][1] = -noise / kVariance;
    j[r][0][0] = -1 + (noise * f2 - f1 * f1) / kVariance;
    j[r][0][1] = j[r][1][0] = f1 / kVariance;
    j[r][1][1] = -1 / kVariance;
    p[r][0][0] = x[r][0][0] = (noise * f3 - 3 * f1 * f2) / kVariance;
    p[r][1][0] = x[r][0][1] = f2 / kVariance;
  }
  return {value, first, pure, mixed};
}

TEST(LeafOrder, CurvatureOfALeafIsEvenAndItsShareCanBeDeducted) {
  RemainingScore score(exact_derivatives());
  const std::vector<double> before = relative_variances(score.curvatures());
  EXPECT_GT(before[0], 0.1);
  EXPECT_LT(before[1], 1e-20);
  EXPECT_EQ(vote_for_leaf({score.curvatures()}, {false, false}, {}), 1);
  score.remove(1);
  // What is left is the standard normal root, whose log density has the second derivative -1 everywhere.
  EXPECT_TRUE(at::allclose(score.curvatures().select(1, 0), at::full({kRows}, -1.0, at::kDouble)));
}

TEST(LeafOrder, ScaleDoesNotMatterAndKnowledgeDoes) {
  const at::Tensor curvatures = exact_derivatives().first.diagonal(0, 1, 2).clone();
  curvatures.select(1, 0).mul_(1e-3);  // now the plain variance of the cause is small
  EXPECT_EQ(vote_for_leaf({curvatures}, {false, false}, {}), 1);
  Knowledge knowledge;
  knowledge.required = {{1, 0}};
  EXPECT_EQ(vote_for_leaf({curvatures}, {false, false}, knowledge), 0);
  EXPECT_EQ(vote_for_leaf({curvatures}, {true, false}, knowledge), 1);
  knowledge.required = {{1, 0}, {0, 1}};
  EXPECT_EQ(vote_for_leaf({curvatures}, {false, false}, knowledge), 0);
}

// The score of Gaussian rows is known at every noise level: minus the inverse covariance times the row.
TEST(ScoreTraining, LearnsTheScoreOfGaussianRows) {
  constexpr int kMany = 1000;
  constexpr double kSlope = 0.8, kLevel = 0.15;
  const at::Tensor rows = at::empty({kMany, 2}, at::kFloat);
  RandomStream random(6, 0, 0);
  for (int r = 0; r < kMany; ++r) {
    const double x = random.normal();
    rows.accessor<float, 2>()[r][0] = static_cast<float>(x);
    rows.accessor<float, 2>()[r][1] =
        static_cast<float>(kSlope * x + std::sqrt(1 - kSlope * kSlope) * random.normal());
  }
  ScoreNetwork network(2, 64, 64, random, at::kCPU);
  ScoreTrainer trainer(network, rows, {}, 1);
  EXPECT_EQ(trainer.train(at::ones({2}), 300, {}), 300);
  // Covariance of noisy rows: unit variances, kSlope (1 - level^2) between them.
  const double between = kSlope * (1 - kLevel * kLevel), exact = 1 / (1 - between * between);
  const at::Tensor slopes =
      network.own_slopes(rows.narrow(0, 0, 256) * std::sqrt(1 - kLevel * kLevel), kLevel);
  for (int v = 0; v < 2; ++v) EXPECT_NEAR(slopes.select(1, v).mean().item<double>(), exact, 0.25 * exact);
}

}  // namespace
}  // namespace causcale

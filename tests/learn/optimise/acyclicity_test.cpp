#include "learn/optimise/acyclicity.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <limits>

namespace causcale {
namespace {

at::Tensor scalar(double value) {
  return at::full({}, value, at::kDouble);
}

TEST(Acyclicity, GrowsItsMultiplierByTheAverageConstraint) {
  AcyclicityOptions options;
  options.dual_rate = 0.5;
  options.every_steps = 3;
  options.average_rate = 0.25;
  Acyclicity acyclicity(options, at::kCPU);
  // Young averages are plain means: 4, 3, then (1 - 1/3) 3 + 1/3 * 6.
  const double constraints[] = {4.0, 2.0, 6.0};
  for (int step = 0; step < 3; ++step) acyclicity.update(scalar(constraints[step]), scalar(1.0), step);
  EXPECT_NEAR(acyclicity.state()[1].item<double>(), 4.0, 1e-12);
  EXPECT_NEAR(acyclicity.state()[0].item<double>(), 0.5 * 4.0, 1e-12);
  acyclicity.update(scalar(8.0), scalar(1.0), 3);  // at the rate of the options from here on
  EXPECT_NEAR(acyclicity.state()[1].item<double>(), 5.0, 1e-12);
  EXPECT_NEAR(acyclicity.state()[0].item<double>(), 2.0, 1e-12);  // no third step again
}

TEST(Acyclicity, RefusedStepsDoNotCount) {
  Acyclicity acyclicity({}, at::kCPU);
  acyclicity.update(scalar(2.0), scalar(1.0), 0);
  acyclicity.update(scalar(std::numeric_limits<double>::quiet_NaN()), scalar(0.0), 1);
  EXPECT_EQ(acyclicity.state()[1].item<double>(), 2.0);
}

TEST(Acyclicity, CostIsThatOfAnAugmentedLagrangian) {
  AcyclicityOptions options;
  options.penalty = 3.0;
  Acyclicity acyclicity(options, at::kCPU);
  acyclicity.state()[0] = 0.7;
  EXPECT_NEAR(acyclicity.cost(scalar(2.0)).item<double>(), 0.7 * 2.0 + 0.5 * 3.0 * 4.0, 1e-12);
}

TEST(Acyclicity, ConstraintFallsWhereACycleIsLessLikely) {
  const Acyclicity acyclicity({}, at::kCPU);
  // 0 -> 1 -> 2 -> 0 with probability 1/2 each, nothing else: the eigenvalues are cube roots of 1/8.
  at::Tensor logits = at::full({1, 3, 3}, -80.0, at::kDouble);
  for (int i = 0; i < 3; ++i) logits[0][i][(i + 1) % 3] = 0.0;
  logits.requires_grad_();
  const at::Tensor constraint = acyclicity.constraint(logits);
  EXPECT_NEAR(constraint.item<double>(), 0.5, 1e-9);
  const at::Tensor slope = torch::autograd::grad({constraint}, {logits})[0][0];
  for (int i = 0; i < 3; ++i) {
    EXPECT_GT(slope[i][(i + 1) % 3].item<double>(), 0.05);
    EXPECT_EQ(slope[i][i].item<double>(), 0.0);  // a variable's own logit is nobody's edge
  }
}

}  // namespace
}  // namespace causcale

#include "learn/baselines/mlp_lagrangian.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "learn/baselines/tensors.h"

namespace causcale {
namespace {

constexpr int kNodes = 4, kHidden = 3, kRows = 300;  // more rows than one block
constexpr double kL2 = 0.1;

struct Problem {
  at::Tensor data;
  Matrix<std::uint8_t> allowed{kNodes, kNodes, 1};
  std::vector<double> x;
};

Problem random_problem() {
  Problem problem;
  RandomStream random(31, 0, 0);
  problem.data = normal_tensor(random, {kRows, kNodes});
  for (int v = 0; v < kNodes; ++v) problem.allowed(v, v) = 0;
  problem.allowed(2, 1) = 0;
  MlpLagrangian lagrangian(problem.data, problem.allowed, kHidden, kL2, 1);
  for (std::int64_t k = 0; k < lagrangian.layout().size(); ++k)
    problem.x.push_back(random.uniform(-0.6, 0.6));
  for (int v = 0; v < kNodes; ++v)
    for (int u = 0; u < kHidden; ++u) {
      problem.x[(v * kHidden + u) * kNodes + v] = 0;
      problem.x[(2 * kHidden + u) * kNodes + 1] = 0;
    }
  return problem;
}

double written_out(const Problem& problem, const std::vector<double>& x, double multiplier, double weight) {
  const auto input = [&](int s, int u, int t) { return x[(s * kHidden + u) * kNodes + t]; };
  const double* bias = x.data() + kNodes * kNodes * kHidden;
  const double *out = bias + kNodes * kHidden, *out_bias = out + kNodes * kHidden;
  double value = 0;
  auto rows = problem.data.accessor<float, 2>();
  for (int r = 0; r < kRows; ++r)
    for (int t = 0; t < kNodes; ++t) {
      double guess = out_bias[t];
      for (int u = 0; u < kHidden; ++u) {
        double sum = bias[u * kNodes + t];
        for (int s = 0; s < kNodes; ++s) sum += rows[r][s] * input(s, u, t);
        guess += out[u * kNodes + t] / (1 + std::exp(-sum));
      }
      value += 0.5 * std::pow(guess - rows[r][t], 2) / kRows;
    }
  const at::Tensor squares = at::zeros({kNodes, kNodes}, at::kDouble);
  for (int s = 0; s < kNodes; ++s)
    for (int t = 0; t < kNodes; ++t)
      for (int u = 0; u < kHidden; ++u) squares.accessor<double, 2>()[s][t] += std::pow(input(s, u, t), 2);
  const double violation = at::linalg_matrix_exp(squares).trace().item<double>() - kNodes;
  double sum = squares.sum().item<double>();
  for (int k = 0; k < kNodes * kHidden; ++k) sum += out[k] * out[k];
  return value + 0.5 * kL2 * sum + multiplier * violation + 0.5 * weight * violation * violation;
}

TEST(MlpLagrangian, ValueAndGradientAreThoseOfTheFormula) {
  const Problem problem = random_problem();
  MlpLagrangian lagrangian(problem.data, problem.allowed, kHidden, kL2, 1);
  lagrangian.multiplier = 0.3;
  lagrangian.weight = 0.2;
  std::vector<double> gradient(static_cast<std::size_t>(lagrangian.layout().size()));
  const double value = lagrangian(problem.x, gradient);
  EXPECT_NEAR(value, written_out(problem, problem.x, 0.3, 0.2), 1e-5 * value);
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    const std::size_t source = k / (kNodes * kHidden), target = k % kNodes;
    if (static_cast<std::int64_t>(k) < lagrangian.layout().inputs() && !problem.allowed(source, target)) {
      EXPECT_EQ(gradient[k], 0.0) << k;
      continue;
    }
    auto up = problem.x, down = problem.x;
    up[k] += 1e-4;
    down[k] -= 1e-4;
    const double slope = (written_out(problem, up, 0.3, 0.2) - written_out(problem, down, 0.3, 0.2)) / 2e-4;
    EXPECT_NEAR(gradient[k], slope, 1e-4 * (1 + std::abs(slope))) << k;
  }
}

TEST(MlpLagrangian, ConstraintIsZeroWithoutCyclesAndNormsAreThoseOfThePairs) {
  Problem problem = random_problem();
  const MlpLagrangian lagrangian(problem.data, problem.allowed, kHidden, kL2, 1);
  EXPECT_GT(lagrangian.constraint(problem.x), 0.0);
  for (int s = 0; s < kNodes; ++s)
    for (int u = 0; u < kHidden; ++u)
      for (int t = 0; t <= s; ++t) problem.x[(s * kHidden + u) * kNodes + t] = 0;
  EXPECT_EQ(lagrangian.constraint(problem.x), 0.0);
  const double *w = problem.x.data() + kNodes * kHidden + 3, third = w[2 * kNodes];
  EXPECT_NEAR(lagrangian.norms(problem.x)(1, 3),
              std::sqrt(w[0] * w[0] + w[kNodes] * w[kNodes] + third * third), 1e-12);
}

}  // namespace
}  // namespace causcale

// A small problem of NOTEARS-MLP with weights to start from, and what a search has to do with it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "learn/baselines/mlp_search.h"
#include "learn/baselines/tensors.h"

namespace causcale::test {

constexpr int kMlpNodes = 5, kMlpHidden = 3;

inline MlpProblem random_problem() {
  RandomStream random(8, 0, 0);
  MlpProblem problem{normal_tensor(random, {150, kMlpNodes}), Matrix<std::uint8_t>(kMlpNodes, kMlpNodes, 1),
                     kMlpHidden, 0.01, 0.02};
  for (int v = 0; v < kMlpNodes; ++v) problem.allowed(v, v) = 0;
  problem.allowed(3, 1) = 0;
  return problem;
}

// Weights that are not allowed are zero, as in any search.
inline std::vector<double> random_start(const MlpProblem& problem) {
  RandomStream random(9, 0, 0);
  std::vector<double> start(kMlpNodes * kMlpNodes * kMlpHidden + kMlpNodes * (2 * kMlpHidden + 1));
  for (double& weight : start) weight = random.uniform(-0.5, 0.5);
  for (int s = 0; s < kMlpNodes; ++s)
    for (int u = 0; u < kMlpHidden; ++u)
      for (int t = 0; t < kMlpNodes; ++t)
        if (!problem.allowed(s, t)) start[(s * kMlpHidden + u) * kMlpNodes + t] = 0.0;
  return start;
}

// From the same start, tensors on this device take the steps that the processor takes.
inline void expect_the_processors_steps(at::Device device) {
  const MlpProblem problem = random_problem();
  const auto cpu = mlp_cpu_search(problem, random_start(problem), 1);
  const auto tensors = mlp_tensor_search(problem, random_start(problem), device);
  EXPECT_NEAR(tensors->constraint(), cpu->constraint(), 1e-10);
  EXPECT_GT(cpu->constraint(), 0.01);
  OwlQnOptions options;
  options.max_iterations = 5;
  options.memory = 3;
  for (const double weight : {1.0, 10.0}) {
    cpu->weight = tensors->weight = weight;
    cpu->multiplier = tensors->multiplier = 0.5;
    int evaluations = 0;
    const OwlQnResult expected = cpu->descend(options, [] {});
    const OwlQnResult found = tensors->descend(options, [&] { ++evaluations; });
    EXPECT_EQ(evaluations, found.evaluations);
    EXPECT_EQ(found.iterations, expected.iterations);
    EXPECT_NEAR(found.value, expected.value, 1e-5 * expected.value);  // networks in single precision
    const Matrix<double> a = cpu->norms(), b = tensors->norms();
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(b.values()[i], a.values()[i], 1e-4) << i;
    EXPECT_EQ(b(3, 1), 0.0);
  }
}

}  // namespace causcale::test

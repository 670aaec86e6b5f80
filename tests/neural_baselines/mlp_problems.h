// A small problem of NOTEARS-MLP with weights to start from.
#pragma once

#include <cstdint>
#include <vector>

#include "neural_baselines/mlp_search.h"
#include "neural_baselines/tensors.h"

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

}  // namespace causcale::test

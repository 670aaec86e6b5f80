#include "learn/baselines/mlp_search.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "learn/baselines/tensors.h"
#include "metrics/average_precision.h"
#include "mlp_problems.h"
#include "support/easy_tables.h"

namespace causcale {
namespace {

using test::random_problem;
using test::random_start;

TEST(MlpSearch, TensorsStartAndStepAsTheProcessorDoes) {
  test::expect_the_processors_steps(at::kCPU);
}

TEST(MlpSearch, OverflowEndsInInfinityAndNotInNonsense) {
  const MlpProblem problem = random_problem();
  std::vector<double> huge = random_start(problem);
  for (double& weight : huge) weight *= 100.0;
  EXPECT_TRUE(std::isinf(mlp_tensor_search(problem, huge, at::kCPU)->constraint()));
}

TEST(MlpSearch, WholeSearchesFindTheSameEdges) {
  const Digraph graph(4, {{0, 2}, {1, 2}, {2, 3}});
  const Dataset dataset = test::easy_table(graph, 200, test::Link::kNonlinear, 0);
  MlpProblem problem{tensor_of(centred_values(dataset.table, false), at::kFloat),
                     Matrix<std::uint8_t>(4, 4, 1), 4, 0.01, 0.01};
  for (int v = 0; v < 4; ++v) problem.allowed(v, v) = 0;
  RandomStream random(1, 0, 0);
  std::vector<double> start(4 * 4 * 4 + 4 * 9, 0.0);
  for (std::size_t k = 64; k < start.size(); ++k) start[k] = random.uniform(-0.5, 0.5);
  const auto search = mlp_tensor_search(problem, start, at::kCPU);
  OwlQnOptions options;
  options.max_iterations = 100;
  for (int round = 0; round < 8; ++round) {
    search->descend(options, [] {});
    search->multiplier += search->weight * search->constraint();
    search->weight *= 10;
  }
  EXPECT_LT(search->constraint(), 1e-4);
  EXPECT_DOUBLE_EQ(average_precision(search->norms(), graph), 1.0);
}

}  // namespace
}  // namespace causcale

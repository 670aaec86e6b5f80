// The yardsticks: correlation, inverse covariance, and the two sort-n-regress checks.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "methods/method.h"
#include "methods/order/sparse_regression.h"
#include "simulate/synthetic.h"

namespace causcale {
namespace {

Simulation linear_data(int nodes, double edges_per_node, int rows) {
  SyntheticOptions options;
  options.nodes = nodes;
  options.edges_per_node = edges_per_node;
  options.rows = rows;
  options.interventions.effect = InterventionEffect::kNone;
  return simulate_synthetic(options, 21, 0);
}

// x0 -> x1 -> x2 with growing variance.
Dataset chain(std::size_t rows) {
  Dataset result;
  result.table.names = {"x0", "x1", "x2"};
  result.table.values = Matrix<double>(rows, 3);
  RandomStream random(4, 4, 4);
  for (std::size_t r = 0; r < rows; ++r) {
    auto row = result.table.values.row(r);
    row[0] = random.normal();
    row[1] = 1.5 * row[0] + random.normal();
    row[2] = 1.5 * row[1] + random.normal();
  }
  return result;
}

TEST(Correlation, JoinsWhatIsCorrelatedAndInverseCovarianceOnlyNeighbours) {
  const Dataset data = chain(2000);
  const MethodResult corr = run_method(correlation_method(), data, {});
  EXPECT_TRUE(corr.graph.undirected(0, 2));
  EXPECT_EQ(corr.scores(0, 2), corr.scores(2, 0));
  const MethodResult inverse = run_method(inverse_covariance_method(), data, {});
  EXPECT_TRUE(inverse.graph.undirected(0, 1) && inverse.graph.undirected(1, 2));
  EXPECT_FALSE(inverse.graph.adjacent(0, 2));
}

TEST(InverseCovariance, ScalesAgreeWithTheDefinition) {
  // Precision of x0 -> x1 with weight w and noise 1: [[1 + w^2, -w], [-w, 1]].
  Dataset data = chain(20000);
  MethodOptions options;
  options.settings["scale"] = "raw";
  EXPECT_NEAR(run_method(inverse_covariance_method(), data, options).scores(1, 2), 1.5, 0.05);
  options.settings["scale"] = "partial";
  EXPECT_NEAR(run_method(inverse_covariance_method(), data, options).scores(1, 2), 1.5 / std::sqrt(1 + 2.25),
              0.02);
  const MethodResult before = run_method(inverse_covariance_method(), data, {});
  for (std::size_t r = 0; r < data.table.rows(); ++r) data.table.values(r, 1) *= 1000.0;
  const MethodResult after = run_method(inverse_covariance_method(), data, {});
  EXPECT_NEAR(before.scores(0, 1), after.scores(0, 1), 1e-8);
}

TEST(Correlation, TheNumberOfEntriesCanBeGiven) {
  const Simulation simulation = linear_data(20, 2.0, 500);
  for (const Method& method : {correlation_method(), inverse_covariance_method()})
    for (const int edges : {0, 1, 2, 31, 40, 380, 100000}) {
      MethodOptions options;
      options.settings["edges"] = std::to_string(edges);
      const MethodResult result = run_method(method, simulation.dataset, options);
      EXPECT_EQ(result.graph.edge_count(), static_cast<std::size_t>(std::min(edges / 2, 190)));
      double weakest_edge = HUGE_VAL, strongest_other = 0.0;
      for (int a = 0; a < 20; ++a)
        for (int b = 0; b < a; ++b) {
          if (result.graph.adjacent(a, b))
            weakest_edge = std::min(weakest_edge, result.scores(a, b));
          else
            strongest_other = std::max(strongest_other, result.scores(a, b));
        }
      EXPECT_GE(weakest_edge, strongest_other);
    }
}

TEST(SortRegress, VarianceGivesTheOrderOfAChainAway) {
  Dataset data = chain(3000);
  const MethodResult result = run_method(var_sort_regress_method(), data, {});
  EXPECT_EQ(result.graph, MixedGraph(Digraph(3, {{0, 1}, {1, 2}})));
  // Other units, another order: that is the point of the check.
  for (std::size_t r = 0; r < data.table.rows(); ++r) data.table.values(r, 2) *= 1e-3;
  EXPECT_FALSE(run_method(var_sort_regress_method(), data, {}).graph.directed(1, 2));
  // R2 does not care: of x0, x1, x2 the middle one is explained best, so it comes last.
  const MethodResult by_r2 = run_method(r2_sort_regress_method(), data, {});
  EXPECT_TRUE(by_r2.graph.directed(0, 1));
  EXPECT_TRUE(by_r2.graph.directed(2, 1));
}

TEST(SortRegress, DoesNotDependOnThreads) {
  const Simulation simulation = linear_data(30, 2.0, 100);
  for (const Method& method : {var_sort_regress_method(), r2_sort_regress_method()}) {
    MethodOptions options;
    options.threads = 1;
    const MethodResult one = run_method(method, simulation.dataset, options);
    options.threads = 4;
    const MethodResult many = run_method(method, simulation.dataset, options);
    EXPECT_EQ(one.scores, many.scores);
    EXPECT_EQ(one.graph, many.graph);
  }
}

// Optimality of the lasso: the gradient is the penalty where a coefficient stands, and within it elsewhere.
TEST(SparseRegression, SuccessiveRegressionsSolveTheNormalEquations) {
  const int n = 6;
  RandomStream random(8, 0, 0);
  Matrix<double> correlations(n, n), root(n, n);
  for (double& value : root.values()) value = random.normal();
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      double ab = 0, aa = 0, bb = 0;
      for (int k = 0; k < n; ++k) {
        ab += root(a, k) * root(b, k);
        aa += root(a, k) * root(a, k);
        bb += root(b, k) * root(b, k);
      }
      correlations(a, b) = ab / std::sqrt(aa * bb);
    }
  const Matrix<double> coefficients = successive_regressions(correlations);
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < j; ++k) {
      double fitted = 0;
      for (int i = 0; i < j; ++i) fitted += correlations(k, i) * coefficients(j, i);
      EXPECT_NEAR(fitted, correlations(k, j), 1e-8);
    }
}

TEST(SparseRegression, FindsTheSupport) {
  // Target 4 depends on 0 and 1 only; 2 and 3 are correlated with these.
  const int n = 5, rows = 500;
  RandomStream random(8, 1, 0);
  Matrix<double> sums(n, n), correlations(n, n);
  for (int r = 0; r < rows; ++r) {
    double x[n];
    x[0] = random.normal();
    x[1] = random.normal();
    x[2] = x[0] + random.normal();
    x[3] = x[1] - x[0] + random.normal();
    x[4] = x[0] - 0.5 * x[1] + random.normal();
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b) sums(a, b) += x[a] * x[b];
  }
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) correlations(a, b) = sums(a, b) / std::sqrt(sums(a, a) * sums(b, b));
  const Matrix<double> first = successive_regressions(correlations);
  std::vector<double> weights(4);
  for (int k = 0; k < 4; ++k) weights[k] = std::abs(first(4, k));
  std::vector<Regressor> roles(4, Regressor::kPenalised);
  std::vector<double> found = adaptive_lasso(correlations, 4, roles, weights, rows);
  EXPECT_GT(found[0], 0.3);
  EXPECT_LT(found[1], -0.1);
  EXPECT_EQ(found[2], 0.0);
  EXPECT_EQ(found[3], 0.0);
  roles[0] = Regressor::kExcluded;
  roles[3] = Regressor::kAlways;
  found = adaptive_lasso(correlations, 4, roles, weights, rows);
  EXPECT_EQ(found[0], 0.0);
  EXPECT_NE(found[3], 0.0);
}

}  // namespace
}  // namespace causcale

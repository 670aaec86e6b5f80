#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "graph/order.h"
#include "methods/continuous/acyclicity.h"
#include "methods/continuous/owl_qn.h"
#include "methods/thread_counts.h"
#include "methods/weighted_methods.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

std::vector<double> random_weights(std::size_t count, double size, std::uint32_t number) {
  RandomStream random(82, number, 0);
  std::vector<double> weights(count);
  for (double& weight : weights) weight = random.uniform(-size, size);
  return weights;
}

double reference_trace(const SparseWeights& w) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(w.nodes, w.nodes);
  for (std::size_t e = 0; e < w.edges.size(); ++e)
    a(w.edges[e].source, w.edges[e].target) = w.weights[e] * w.weights[e];
  Eigen::MatrixXd term = a;
  double trace = term.trace();
  for (int k = 2; k < 60; ++k) {
    term = (term * a / k).eval();
    trace += term.trace();
  }
  return trace;
}

// The sparse series and, at high density, scaling and squaring.
TEST(TraceExponential, AgreesWithThePowerSeries) {
  for (std::uint32_t number = 0; number < 12; ++number) {
    const int nodes = 5 + 5 * static_cast<int>(number);
    const Digraph graph = test::random_digraph(nodes, number % 2 ? 0.3 : 1.5 / nodes, number);
    const auto weights = random_weights(graph.edge_count(), number % 3 ? 0.4 : 0.9, number);
    std::vector<double> by_square(weights.size());
    const SparseWeights w{nodes, graph.edges(), weights};
    const double expected = reference_trace(w);
    EXPECT_NEAR(trace_exponential(w, 1, by_square), expected, 1e-9 * (1.0 + expected)) << number;
    std::vector<double> threaded(weights.size());
    trace_exponential(w, 4, threaded);
    EXPECT_EQ(by_square, threaded);
    for (std::size_t e = 0; e < weights.size(); e += 1 + weights.size() / 7) {
      auto up = weights, down = weights;
      up[e] += 1e-5;
      down[e] -= 1e-5;
      const double slope =
          (reference_trace({nodes, graph.edges(), up}) - reference_trace({nodes, graph.edges(), down})) /
          2e-5;
      EXPECT_NEAR(2.0 * weights[e] * by_square[e], slope, 1e-5 * (1.0 + expected)) << number;
    }
  }
}

TEST(TraceExponential, ZeroForAcyclicWeightsAndInfiniteOnOverflow) {
  const Digraph dag = test::random_dag(20, 0.4, 1);
  auto weights = random_weights(dag.edge_count(), 2.0, 1);
  std::vector<double> by_square(weights.size(), 1.0);
  EXPECT_EQ(trace_exponential({20, dag.edges(), weights}, 1, by_square), 0.0);
  EXPECT_EQ(by_square, std::vector<double>(weights.size(), 0.0));
  const std::vector<Edge> loop{{0, 1}, {1, 0}};
  const std::vector<double> huge{1e3, 1e3};
  std::vector<double> two(2);
  EXPECT_TRUE(std::isinf(trace_exponential({2, loop, huge}, 1, two)));
}

TEST(MinimizeWithL1, MeetsTheOptimalityConditions) {
  constexpr int kSize = 40;
  RandomStream random(83, 0, 0);
  Eigen::MatrixXd root(kSize, kSize);
  Eigen::VectorXd centre(kSize);
  for (int i = 0; i < kSize; ++i) {
    centre(i) = random.normal();
    for (int j = 0; j < kSize; ++j) root(i, j) = random.normal();
  }
  const Eigen::MatrixXd hessian =
      root * root.transpose() / kSize + 0.01 * Eigen::MatrixXd::Identity(kSize, kSize);
  const std::vector<double> penalty(kSize, 0.3);
  std::vector<double> x(kSize, 0.0), slope(kSize);
  const auto smooth = [&](std::span<const double> point, std::span<double> gradient) {
    const Eigen::VectorXd offset = Eigen::Map<const Eigen::VectorXd>(point.data(), kSize) - centre;
    Eigen::Map<Eigen::VectorXd>(gradient.data(), kSize) = hessian * offset;
    return 0.5 * offset.dot(hessian * offset);
  };
  OwlQnOptions options;
  options.max_iterations = 5000;
  options.value_tolerance = 0.0;
  options.gradient_tolerance = 1e-8;
  minimize_with_l1(x, penalty, smooth, options);
  smooth(x, slope);
  int zeros = 0;
  for (int i = 0; i < kSize; ++i) {
    zeros += x[i] == 0.0;
    if (x[i] == 0.0) {
      EXPECT_LE(std::abs(slope[i]), 0.3 + 1e-6);
    } else {
      EXPECT_NEAR(slope[i], x[i] > 0 ? -0.3 : 0.3, 1e-6);
    }
  }
  EXPECT_GT(zeros, 3);
  EXPECT_LT(zeros, kSize - 3);
}

// A search that also takes a guess of the Hessian has to end at the same point, in fewer steps where the
// guess is good.
TEST(MinimizeWithL1, PreconditioningChangesTheWayNotTheGoal) {
  constexpr int kSize = 30;
  std::vector<double> scale(kSize);
  for (int i = 0; i < kSize; ++i) scale[i] = std::pow(10.0, i % 7 - 3);
  const auto smooth = [&](std::span<const double> x, std::span<double> gradient) {
    double value = 0.0, sum = 0.0;
    for (int i = 0; i < kSize; ++i) sum += x[i];
    for (int i = 0; i < kSize; ++i) {
      const double offset = x[i] - 0.1 * (i - 15);
      value += 0.5 * scale[i] * offset * offset + std::pow(offset, 4) / 12.0;
      gradient[i] = scale[i] * offset + std::pow(offset, 3) / 3.0 + 0.01 * sum;
    }
    return value + 0.005 * sum * sum;
  };
  const std::vector<double> penalty(kSize, 1e-3);
  OwlQnOptions options;
  options.max_iterations = 5000;
  options.value_tolerance = 0.0;
  options.gradient_tolerance = 1e-9;
  std::vector<double> plain(kSize, 0.0), guided(kSize, 0.0);
  const OwlQnResult without = minimize_with_l1(plain, penalty, smooth, options);
  options.precondition = [&](std::span<const std::size_t> free, std::span<double> direction) {
    for (std::size_t i : free) direction[i] /= scale[i] + 0.1;
  };
  const OwlQnResult with = minimize_with_l1(guided, penalty, smooth, options);
  for (int i = 0; i < kSize; ++i) EXPECT_NEAR(guided[i], plain[i], 1e-5);
  EXPECT_LT(with.evaluations, without.evaluations);
}

TEST(Notears, ReachesThePublishedDistanceOnItsEasySetting) {
  // Published figures give a mean distance of up to about 4 for two edges a node, 20 nodes and 1000 rows.
  // The first graph is a hard one: its runs end in local optima whatever the optimiser.
  constexpr int kGraphs = 5;
  std::size_t total = 0;
  for (std::uint32_t number = 0; number < kGraphs; ++number)
    total += test::easy_distance(notears_method(), {}, number);
  EXPECT_LE(total, 4u * kGraphs);
}

// The demonstration in the authors' README: 20 nodes, 20 edges, 100 rows, distance 0 for the graph shown. So
// few rows leave a mistake in some graphs.
TEST(Notears, NearlyFindsTheGraphsOfItsAuthorsDemonstration) {
  constexpr std::uint32_t kGraphs = 8;
  std::size_t total = 0, worst = 0;
  for (std::uint32_t number = 0; number < kGraphs; ++number) {
    const std::size_t distance = test::easy_distance(notears_method(), {20, 1.0, 100}, number);
    total += distance;
    worst = std::max(worst, distance);
  }
  EXPECT_LE(total, 12u);
  EXPECT_LE(worst, 3u);
}

TEST(Notears, SameForAnyThreadCount) {
  const auto model = test::random_linear_model(test::random_dag(40, 0.06, 6), 6);
  const Dataset data =
      test::drawn_dataset(model, 200, 6, [](RandomStream& random) { return random.normal(); });
  const MethodResult a = test::expect_same_for_any_thread_count(notears_method(), data);
  EXPECT_TRUE(is_acyclic(test::directed_part(a.graph)));
}

TEST(Notears, KeepsToKnowledge) {
  const auto model = test::random_linear_model(Digraph(4, {{0, 1}, {1, 2}}), 4, 1.0, 1.5, true);
  const Dataset data =
      test::drawn_dataset(model, 500, 4, [](RandomStream& random) { return random.normal(); });
  EXPECT_TRUE(notears_method().run(data, {}).graph.directed(0, 1));
  MethodOptions options;
  options.knowledge.required = {{2, 1}, {3, 0}};
  options.knowledge.forbidden = {{0, 1}};
  const MethodResult result = notears_method().run(data, options);
  EXPECT_TRUE(result.graph.directed(2, 1));
  EXPECT_TRUE(result.graph.directed(3, 0));
  EXPECT_FALSE(result.graph.directed(0, 1));
  EXPECT_EQ(result.scores(0, 1), 0.0);
  EXPECT_EQ(result.scores(1, 2), 0.0);
}

TEST(Notears, SurvivesConstantCollinearAndWideTables) {
  const MethodResult result = notears_method().run(test::awkward_dataset(), {});
  for (int v = 0; v < 24; ++v) EXPECT_FALSE(result.graph.adjacent(4, v));
  for (double score : result.scores.values()) EXPECT_TRUE(std::isfinite(score));
  EXPECT_TRUE(is_acyclic(test::directed_part(result.graph)));
}

}  // namespace
}  // namespace causcale

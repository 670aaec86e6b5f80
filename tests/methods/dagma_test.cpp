#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "graph/order.h"
#include "methods/continuous/acyclicity.h"
#include "methods/thread_counts.h"
#include "methods/weighted_methods.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

TEST(NegativeLogDeterminant, AgreesWithTheWholeMatrix) {
  for (std::uint32_t number = 0; number < 10; ++number) {
    const int nodes = 4 + 9 * static_cast<int>(number);
    const Digraph graph = test::random_digraph(nodes, 2.0 / nodes, number);
    RandomStream random(84, number, 0);
    std::vector<double> weights(graph.edge_count()), by_square(graph.edge_count());
    for (double& weight : weights) weight = random.uniform(-0.5, 0.5);
    const auto reference = [&](const std::vector<double>& w) {
      Eigen::MatrixXd m = 0.9 * Eigen::MatrixXd::Identity(nodes, nodes);
      for (std::size_t e = 0; e < w.size(); ++e)
        m(graph.edges()[e].source, graph.edges()[e].target) -= w[e] * w[e];
      return nodes * std::log(0.9) - std::log(m.determinant());
    };
    const double value = negative_log_determinant({nodes, graph.edges(), weights}, 0.9, by_square);
    EXPECT_NEAR(value, reference(weights), 1e-9);
    for (std::size_t e = 0; e < weights.size(); e += 5) {
      auto up = weights, down = weights;
      up[e] += 1e-5;
      down[e] -= 1e-5;
      EXPECT_NEAR(2.0 * weights[e] * by_square[e], (reference(up) - reference(down)) / 2e-5, 1e-6);
    }
  }
}

TEST(NegativeLogDeterminant, InfiniteOutsideTheDomain) {
  const std::vector<Edge> loop{{0, 1}, {1, 0}};
  std::vector<double> by_square(2);
  EXPECT_TRUE(std::isinf(negative_log_determinant({2, loop, std::vector<double>{1.2, 1.1}}, 1.0, by_square)));
  EXPECT_TRUE(
      std::isfinite(negative_log_determinant({2, loop, std::vector<double>{0.9, 0.9}}, 1.0, by_square)));
}

TEST(Dagma, ReachesThePublishedDistanceOnItsEasySetting) {
  // Published figures give a mean distance of at most about 1 for small graphs of two edges a node.
  std::size_t distance = 0;
  for (std::uint32_t number = 0; number < 4; ++number)
    distance += test::easy_distance(dagma_method(), {}, number);
  EXPECT_LE(distance, 4u);
}

// The demonstration in the authors' README: 20 nodes, 20 edges, 500 rows, distance 0 for the graph shown.
TEST(Dagma, FindsMostGraphsOfItsAuthorsDemonstration) {
  constexpr std::uint32_t kGraphs = 8;
  int exact = 0;
  for (std::uint32_t number = 0; number < kGraphs; ++number)
    exact += test::easy_distance(dagma_method(), {20, 1.0, 500}, number) == 0;
  EXPECT_GE(exact, 5);
}

TEST(Dagma, SameForAnyThreadCountAndAcyclic) {
  const auto model = test::random_linear_model(test::random_dag(30, 0.08, 6), 6);
  const Dataset data =
      test::drawn_dataset(model, 200, 6, [](RandomStream& random) { return random.normal(); });
  const MethodResult a = test::expect_same_for_any_thread_count(dagma_method(), data);
  EXPECT_TRUE(is_acyclic(test::directed_part(a.graph)));
}

TEST(Dagma, KeepsToKnowledge) {
  const auto model = test::random_linear_model(Digraph(3, {{0, 1}, {1, 2}}), 4, 1.0, 1.5, true);
  const Dataset data =
      test::drawn_dataset(model, 500, 4, [](RandomStream& random) { return random.normal(); });
  MethodOptions options;
  options.knowledge.tier_of = {1, 0, 0};
  const MethodResult result = dagma_method().run(data, options);
  EXPECT_TRUE(result.graph.directed(1, 0));
  EXPECT_FALSE(result.graph.directed(0, 1));
}

TEST(Dagma, SurvivesConstantCollinearAndWideTables) {
  const MethodResult result = dagma_method().run(test::awkward_dataset(), {});
  for (int v = 0; v < 24; ++v) EXPECT_FALSE(result.graph.adjacent(4, v));
  for (double score : result.scores.values()) EXPECT_TRUE(std::isfinite(score));
}

}  // namespace
}  // namespace causcale

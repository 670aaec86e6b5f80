#include "methods/score/ges.h"

#include <gtest/gtest.h>

#include "causcale/error.h"
#include "graph/cpdag.h"
#include "methods/gaussian_models.h"
#include "methods/score/gaussian_score.h"
#include "methods/thread_counts.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

using test::random_dag;

PartialDag as_partial(const MixedGraph& graph) {
  PartialDag result(graph.nodes());
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = 0; b < graph.nodes(); ++b) {
      if (graph.directed(a, b)) result.set_directed(a, b);
      if (a < b && graph.undirected(a, b)) result.set_undirected(a, b);
    }
  return result;
}

TEST(EssentialGraph, WithoutInterventionsIsTheCpdag) {
  for (std::uint32_t number = 0; number < 300; ++number) {
    const Digraph dag = random_dag(3 + number % 10, 0.1 + 0.08 * (number % 8), number);
    const Cpdag expected = cpdag_of(dag);
    PartialDag graph(dag.nodes());
    for (const Edge& edge : expected.directed.edges()) graph.set_directed(edge.source, edge.target);
    for (const Edge& edge : expected.undirected) graph.set_undirected(edge.source, edge.target);
    EXPECT_TRUE(essential_graph(dag, {}) == graph) << number;
  }
}

TEST(ConsistentExtension, LiesInTheClass) {
  for (std::uint32_t number = 0; number < 200; ++number) {
    const Digraph dag = random_dag(3 + number % 9, 0.15 + 0.1 * (number % 6), number);
    const PartialDag graph = essential_graph(dag, {});
    const auto extension = consistent_extension(graph);
    ASSERT_TRUE(extension.has_value());
    EXPECT_TRUE(essential_graph(*extension, {}) == graph) << number;
  }
}

TEST(ConsistentExtension, NoneForAChordlessSquare) {
  PartialDag square(4);
  for (int v = 0; v < 4; ++v) square.set_undirected(v, (v + 1) % 4);
  EXPECT_FALSE(consistent_extension(square).has_value());
}

TEST(GaussianScore, LocalScoreIsThatOfLeastSquares) {
  Matrix<double> covariance(2, 2, std::vector<double>{1.0, 0.6, 0.6, 2.0});
  const GaussianScore score(covariance, 100, 1.0);
  EXPECT_NEAR(score.local(1, std::vector<int>{}), -50 * std::log(2.0), 1e-9);
  EXPECT_NEAR(score.local(1, std::vector<int>{0}), -50 * std::log(2.0 - 0.36) - 0.5 * std::log(100.0), 1e-9);
}

TEST(Ges, FindsTheClassFromExactCovariances) {
  for (std::uint32_t number = 0; number < 120; ++number) {
    const Digraph dag = random_dag(4 + number % 7, 0.15 + 0.05 * (number % 6), number);
    const GaussianScore score(test::exact_covariance(test::random_linear_model(dag, number)), 1e8, 1.0);
    const MethodResult result = search_classes(score, {}, {}, false, false);
    EXPECT_TRUE(as_partial(result.graph) == essential_graph(dag, {})) << number;
  }
}

TEST(Ges, SameForAnyThreadCount) {
  const auto model = test::random_linear_model(random_dag(60, 0.06, 5), 5);
  const Dataset data =
      test::drawn_dataset(model, 300, 5, [](RandomStream& random) { return random.normal(); });
  const MethodResult a = test::expect_same_for_any_thread_count(ges_method(), data);
  for (int i = 0; i < 60; ++i)
    for (int j = 0; j < 60; ++j) {
      EXPECT_EQ(a.scores(i, j) > 0.0, a.graph.directed(i, j) || a.graph.undirected(i, j));
      if (a.graph.undirected(i, j)) {
        EXPECT_EQ(a.scores(i, j), a.scores(j, i));
      }
    }
}

TEST(Ges, KeepsToKnowledge) {
  // X0 -> X1 -> X2: one class with the chain turned round; knowledge picks the direction.
  const auto model = test::random_linear_model(Digraph(4, {{0, 1}, {1, 2}}), 1);
  const Dataset data = test::exact_dataset(model, {{}}, 100);
  MethodOptions options;
  options.knowledge.tier_of = {0, 1, 1, -1};
  options.knowledge.required = {{3, 0}};
  options.knowledge.forbidden = {{0, 2}};
  const MethodResult result = ges_method().run(data, options);
  EXPECT_TRUE(result.graph.directed(0, 1));
  EXPECT_TRUE(result.graph.directed(1, 2));
  EXPECT_TRUE(result.graph.directed(3, 0));
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) EXPECT_LE(result.scores(i, j), result.scores(3, 0));

  options = {};
  options.knowledge.forbidden = {{0, 1}, {1, 0}};
  EXPECT_FALSE(ges_method().run(data, options).graph.adjacent(0, 1));
}

TEST(Ges, MaxDegreeHolds) {
  const auto model = test::random_linear_model(random_dag(12, 0.5, 3), 3);
  const Dataset data = test::exact_dataset(model, {{}}, 50);
  MethodOptions options;
  options.settings["max-degree"] = "2";
  const MethodResult result = ges_method().run(data, options);
  for (int a = 0; a < 12; ++a) {
    int degree = 0;
    for (int b = 0; b < 12; ++b) degree += a != b && result.graph.adjacent(a, b);
    EXPECT_LE(degree, 2);
  }
}

TEST(Ges, SurvivesConstantCollinearAndWideTables) {
  Dataset data = test::awkward_dataset();
  const MethodResult result = ges_method().run(data, {});
  for (int v = 0; v < 24; ++v) EXPECT_FALSE(result.graph.adjacent(4, v));
  EXPECT_TRUE(result.graph.adjacent(5, 6));
  data.table.values = Matrix<double>(2, 24);
  EXPECT_THROW(ges_method().run(data, {}), InputError);
}

}  // namespace
}  // namespace causcale

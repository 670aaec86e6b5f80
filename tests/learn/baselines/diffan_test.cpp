#include <gtest/gtest.h>

#include "causcale/error.h"
#include "graph/order.h"
#include "learn/baselines/neural_methods.h"
#include "methods/method.h"
#include "methods/to_result.h"
#include "support/easy_tables.h"

namespace causcale {
namespace {

using test::Curve;
using test::curved_table;
using test::easy_table;
using test::Link;
using test::random_graph;

MethodResult run(const Dataset& dataset, MethodOptions options = {}) {
  options.settings.emplace("steps", "400");
  options.settings.emplace("retraining_steps", "100");
  options.settings.emplace("alpha", "0.001");
  options.settings.emplace("device", "cpu");
  options.threads = 1;
  return run_method(diffan_method(), dataset, options);
}

Dataset collider(int rows, std::uint32_t number) {
  return easy_table(Digraph(3, {{0, 2}, {1, 2}}), rows, Link::kNonlinear, number);
}

TEST(Diffan, FindsTheCausesOfACommonEffect) {
  const MethodResult result = run(collider(400, 1));
  EXPECT_EQ(possible_directions(result.graph), Digraph(3, {{0, 2}, {1, 2}}));
  EXPECT_GT(result.scores(0, 2), 3);
  // Turned round, the answer turns with it.
  Dataset turned = collider(400, 1);
  for (std::size_t r = 0; r < 400; ++r) std::swap(turned.table.values(r, 0), turned.table.values(r, 2));
  EXPECT_EQ(possible_directions(run(turned).graph), Digraph(3, {{1, 0}, {2, 0}}));
}

// Edges that the order turns round: only pairs in the order have a score.
int turned_edges(const MethodResult& result, const Digraph& graph) {
  int count = 0;
  for (const Edge& edge : graph.edges()) count += result.scores(edge.target, edge.source) > 0;
  return count;
}

// The graph has two leaves to take one after the other, and causes that look alike.
TEST(Diffan, OrdersAChainBehindACollider) {
  const Digraph graph(4, {{0, 2}, {1, 2}, {2, 3}});
  int right = 0;
  for (std::uint32_t number = 0; number < 4; ++number) {
    MethodOptions options;
    options.seed = number;
    right += turned_edges(run(easy_table(graph, 600, Link::kNonlinear, number), options), graph) == 0;
  }
  EXPECT_EQ(right, 4);
}

// 3 to 6 variables, a table, a graph and a seed each. Chance would turn half of the edges round.
int orders_right(Curve curve, int& turned, std::size_t& edges) {
  int right = 0;
  for (std::uint32_t number = 0; number < 4; ++number) {
    MethodOptions options;
    options.seed = number;
    const Digraph graph = random_graph(3 + static_cast<int>(number), 0.8, number);
    const int wrong = turned_edges(run(curved_table(graph, 600, curve, number), options), graph);
    right += wrong == 0;
    turned += wrong;
    edges += graph.edges().size();
  }
  return right;
}

TEST(Diffan, OrdersMostRandomGraphsWithTanhRight) {
  int turned = 0;
  std::size_t edges = 0;
  EXPECT_GE(orders_right(Curve::kTanh, turned, edges), 3);
  EXPECT_LE(turned, 2) << "of " << edges;
}

TEST(Diffan, OrdersMostRandomGraphsWithGaussianProcessesRight) {
  int turned = 0;
  std::size_t edges = 0;
  EXPECT_GE(orders_right(Curve::kGaussianProcess, turned, edges), 3);
  EXPECT_LE(turned, 2) << "of " << edges;
}

TEST(Diffan, ResiduesTakeTheFirstLeafRight) {
  MethodOptions options;
  options.settings["removal"] = "residue";
  EXPECT_EQ(possible_directions(run(collider(400, 1), options).graph), Digraph(3, {{0, 2}, {1, 2}}));
  options.settings["removal"] = "guess";
  EXPECT_THROW(run(collider(40, 1), options), UsageError);
}

TEST(Diffan, SameSeedSameBits) {
  MethodOptions options;
  options.settings["steps"] = "20";
  options.settings["retraining_steps"] = "5";
  options.seed = 3;
  const Dataset dataset = collider(80, 2);
  EXPECT_EQ(run(dataset, options).scores, run(dataset, options).scores);
}

TEST(Diffan, KnowledgeShapesTheOrder) {
  MethodOptions options;
  options.settings["steps"] = "20";
  options.settings["retraining_steps"] = "5";
  options.knowledge.tier_of = {1, -1, 0};  // 2 before 0, against the truth
  options.knowledge.forbidden = {{1, 2}};
  options.knowledge.required = {{0, 1}};
  const MethodResult result = run(collider(200, 3), options);
  EXPECT_EQ(result.scores(0, 2), 0.0);
  EXPECT_EQ(result.scores(1, 2), 0.0);
  EXPECT_TRUE(result.graph.directed(0, 1));
  EXPECT_TRUE(result.graph.directed(2, 0));
  EXPECT_TRUE(is_acyclic(possible_directions(result.graph)));
}

TEST(Diffan, AwkwardTablesGiveFiniteScores) {
  MethodOptions quick;
  quick.settings["steps"] = "5";
  quick.settings["retraining_steps"] = "5";
  Dataset constant = collider(40, 4);
  for (std::size_t r = 0; r < 40; ++r) {
    constant.table.values(r, 0) = 1;
    constant.table.values(r, 2) = -2 * constant.table.values(r, 1);
  }
  const MethodResult result = run(constant, quick);
  for (int v = 0; v < 3; ++v) EXPECT_EQ(result.scores(0, v) + result.scores(v, 0), 0.0);
  EXPECT_NO_THROW(run(easy_table(Digraph(9, {{0, 1}}), 5, Link::kLinear, 5), quick));
  EXPECT_NO_THROW(run(easy_table(Digraph(2, {{0, 1}}), 2, Link::kLinear, 6), quick));
  quick.cancelled = [] { return true; };
  EXPECT_THROW(run(constant, quick), Error);
}

}  // namespace
}  // namespace causcale

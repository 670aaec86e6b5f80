#include <gtest/gtest.h>

#include "baselines/method.h"
#include "baselines/to_result.h"
#include "causcale/error.h"
#include "easy_tables.h"
#include "graph/order.h"

namespace causcale {
namespace {

using test::easy_table;
using test::Link;

MethodResult run(const Dataset& dataset, MethodOptions options = {}) {
  options.settings.emplace("epochs", "250");
  options.settings.emplace("width", "64");
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

TEST(Diffan, SameSeedSameBits) {
  MethodOptions options;
  options.settings["epochs"] = "20";
  options.seed = 3;
  const Dataset dataset = collider(80, 2);
  EXPECT_EQ(run(dataset, options).scores, run(dataset, options).scores);
}

TEST(Diffan, KnowledgeShapesTheOrder) {
  MethodOptions options;
  options.settings["epochs"] = "20";
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
  quick.settings["epochs"] = "5";
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

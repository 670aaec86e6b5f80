#include <gtest/gtest.h>

#include "causcale/error.h"
#include "learn/baselines/neural_methods.h"
#include "methods/method.h"
#include "methods/to_result.h"
#include "metrics/average_precision.h"
#include "metrics/shd.h"
#include "support/easy_tables.h"

namespace causcale {
namespace {

using test::easy_table;
using test::Link;

const Digraph& small_graph() {
  static const Digraph graph(4, {{0, 2}, {1, 2}, {2, 3}});
  return graph;
}

MethodResult run(const Dataset& dataset, MethodOptions options = {}) {
  options.settings.emplace("hidden", "4");
  options.settings.emplace("iterations", "100");
  options.threads = 1;
  return run_method(notears_mlp_method(), dataset, options);
}

// At the default threshold; a table may leave a weak edge too many above it.
TEST(NotearsMlp, RecoversAnEasyGraphFromMostTables) {
  int right = 0;
  for (std::uint32_t number = 0; number < 4; ++number) {
    const MethodResult result = run(easy_table(small_graph(), 200, Link::kNonlinear, number));
    EXPECT_DOUBLE_EQ(average_precision(result.scores, small_graph()), 1.0) << number;
    const std::size_t mistakes =
        structural_hamming_distance(small_graph(), possible_directions(result.graph));
    EXPECT_LE(mistakes, 1u) << number;
    right += mistakes == 0;
  }
  EXPECT_GE(right, 3);
}

TEST(NotearsMlp, SameSeedSameBitsAndKnowledge) {
  const Dataset dataset = easy_table(small_graph(), 60, Link::kNonlinear, 2);
  MethodOptions options;
  options.settings["iterations"] = "20";
  options.settings["tolerance"] = "1e-3";
  options.knowledge.forbidden = {{0, 2}};
  options.knowledge.required = {{3, 1}};
  const MethodResult result = run(dataset, options);
  EXPECT_EQ(result.scores, run(dataset, options).scores);
  EXPECT_EQ(result.scores(0, 2), 0.0);
  EXPECT_EQ(result.scores(1, 3), 0.0);
  EXPECT_TRUE(result.graph.directed(3, 1));
}

TEST(NotearsMlp, AwkwardTablesGiveFiniteScores) {
  MethodOptions quick;
  quick.settings["iterations"] = "10";
  quick.settings["tolerance"] = "1e-2";
  Dataset constant = easy_table(small_graph(), 40, Link::kLinear, 3);
  for (std::size_t r = 0; r < 40; ++r) {
    constant.table.values(r, 0) = -5;
    constant.table.values(r, 3) = 2 * constant.table.values(r, 1);
  }
  const MethodResult result = run(constant, quick);
  for (int v = 0; v < 4; ++v) EXPECT_EQ(result.scores(0, v) + result.scores(v, 0), 0.0);
  EXPECT_NO_THROW(run(easy_table(Digraph(8, {{0, 1}}), 4, Link::kLinear, 4), quick));
  quick.cancelled = [] { return true; };
  EXPECT_THROW(run(constant, quick), Error);
  quick.cancelled = {};
  quick.settings["l1"] = "-1";
  EXPECT_THROW(run(constant, quick), UsageError);
}

}  // namespace
}  // namespace causcale

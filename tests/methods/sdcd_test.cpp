#include <gtest/gtest.h>

#include "causcale/error.h"
#include "methods/method.h"
#include "methods/to_result.h"
#include "metrics/shd.h"
#include "sdcd_setting.h"
#include "support/easy_tables.h"

namespace causcale {
namespace {

using test::easy_table;
using test::Link;
using test::random_graph;

MethodResult run(const Dataset& dataset, MethodOptions options = {}) {
  options.settings.emplace("epochs", "300");
  options.settings.emplace("learning_rate1", "0.01");
  options.settings.emplace("learning_rate2", "0.01");
  options.settings.emplace("price_step", "0.02");
  options.settings.emplace("device", "cpu");
  options.threads = 1;
  return run_method(sdcd_method(), dataset, options);
}

const Digraph& small_graph() {
  static const Digraph graph(4, {{0, 2}, {1, 2}, {2, 3}});
  return graph;
}

// Over graphs and seeds: rows in which every variable was set in turn against as many without. Linear links
// with Gaussian noise leave directions open to the latter.
TEST(Sdcd, InterventionsTellDirections) {
  constexpr std::uint32_t kTables = 3;
  std::size_t with = 0, without = 0;
  for (std::uint32_t number = 0; number < kTables; ++number) {
    const Digraph graph = number == 0 ? small_graph() : random_graph(5, 1.2, number);
    std::vector<int> regimes = {-1};
    for (int v = 0; v < graph.nodes(); ++v) regimes.push_back(v);
    MethodOptions options;
    options.seed = number;
    const auto mistakes = [&](const Dataset& dataset) {
      return structural_hamming_distance(graph, possible_directions(run(dataset, options).graph));
    };
    with += mistakes(easy_table(graph, 360, Link::kLinear, number, regimes));
    without += mistakes(easy_table(graph, 360, Link::kLinear, number));
  }
  EXPECT_LT(2 * with, without) << "mistakes over " << kTables << " tables: " << with << ", " << without;
}

// The authors' figures for 20 nodes of two edges each, with 20000 rows, are distances of about a third of the
// edges.
TEST(Sdcd, ReachesThePublishedDistanceInItsAuthorsSetting) {
  const test::SdcdSetting setting{10, 20, 2000, 100};
  MethodOptions options;
  options.settings = {{"device", "cpu"}, {"epochs", "1000"}};
  options.threads = 1;
  std::size_t distance = 0;
  for (std::uint32_t number = 0; number < 2; ++number) {
    const test::SdcdExample example = test::sdcd_example(setting, number);
    const MethodResult result = run_method(sdcd_method(), example.dataset, options);
    distance += structural_hamming_distance(example.graph, possible_directions(result.graph));
  }
  EXPECT_LE(distance, 13u);
}

TEST(Sdcd, SameSeedSameBits) {
  const Dataset dataset = easy_table(small_graph(), 200, Link::kNonlinear, 2, {-1, 1, 3});
  MethodOptions options;
  options.settings["epochs"] = "40";
  options.seed = 5;
  const MethodResult once = run(dataset, options), again = run(dataset, options);
  EXPECT_EQ(once.scores, again.scores);
  EXPECT_EQ(once.graph, again.graph);
  options.seed = 6;
  EXPECT_NE(once.scores, run(dataset, options).scores);
}

TEST(Sdcd, ForbiddenEdgesGetNoScore) {
  const Dataset dataset = easy_table(small_graph(), 300, Link::kLinear, 3, {-1, 0, 1, 2, 3});
  MethodOptions options;
  options.settings["epochs"] = "100";
  options.knowledge.forbidden = {{0, 2}, {2, 3}};
  options.knowledge.required = {{3, 0}};
  const MethodResult result = run(dataset, options);
  EXPECT_EQ(result.scores(0, 2), 0.0);
  EXPECT_EQ(result.scores(2, 3), 0.0);
  EXPECT_TRUE(result.graph.directed(3, 0));
}

TEST(Sdcd, AwkwardTablesGiveFiniteScores) {
  MethodOptions quick;
  quick.settings["epochs"] = "30";
  Dataset constant = easy_table(small_graph(), 60, Link::kLinear, 4);
  for (std::size_t r = 0; r < 60; ++r) {
    constant.table.values(r, 2) = 7;
    constant.table.values(r, 3) = 3 * constant.table.values(r, 0);  // collinear
  }
  const MethodResult result = run(constant, quick);  // run_method refuses scores that are not finite
  for (int v = 0; v < 4; ++v) EXPECT_EQ(result.scores(2, v) + result.scores(v, 2), 0.0);
  EXPECT_NO_THROW(run(easy_table(Digraph(12, {{0, 1}}), 6, Link::kLinear, 5), quick));
  EXPECT_NO_THROW(run(easy_table(Digraph(2, {{0, 1}}), 2, Link::kLinear, 6), quick));
}

TEST(Sdcd, CanBeCancelledAndReportsProgress) {
  const Dataset dataset = easy_table(small_graph(), 50, Link::kLinear, 8);
  MethodOptions options;
  double last = 0;
  options.progress = [&](const std::string&, double share) {
    EXPECT_GE(share, last);
    last = share;
  };
  options.settings["epochs"] = "10";
  run(dataset, options);
  EXPECT_DOUBLE_EQ(last, 1.0);
  options.progress = {};
  int asked = 0;
  options.cancelled = [&] { return ++asked > 5; };
  EXPECT_THROW(run(dataset, options), Error);
  options.cancelled = {};
  options.settings["hidden"] = "none";
  EXPECT_THROW(run(dataset, options), UsageError);
}

}  // namespace
}  // namespace causcale

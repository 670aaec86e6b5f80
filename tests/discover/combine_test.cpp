#include "discover/combine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "causcale/error.h"
#include "methods/to_result.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

MixedGraph pair_graph(Mark at_first, Mark at_second) {
  MixedGraph graph(2);
  if (at_first != Mark::kNone) graph.set(0, 1, at_first, at_second);
  return graph;
}

TEST(CombineGraphs, SharesOfMethodsAndMajorities) {
  const MixedGraph arrow = pair_graph(Mark::kTail, Mark::kArrow),
                   back = pair_graph(Mark::kArrow, Mark::kTail), open = pair_graph(Mark::kTail, Mark::kTail),
                   none = pair_graph(Mark::kNone, Mark::kNone);
  const auto combined = [](const std::vector<MixedGraph>& graphs) {
    return combine_graphs(std::vector<std::string>(graphs.size(), "m"), graphs);
  };
  MethodResult found = combined({arrow, arrow, open});
  EXPECT_DOUBLE_EQ(found.scores(0, 1), 2.5 / 3);
  EXPECT_DOUBLE_EQ(found.scores(1, 0), 0.5 / 3);
  EXPECT_TRUE(found.graph.directed(0, 1));
  found = combined({arrow, back, open});
  EXPECT_TRUE(found.graph.undirected(0, 1));
  EXPECT_DOUBLE_EQ(found.scores(0, 1), 0.5);
  EXPECT_TRUE(combined({open, open}).graph.undirected(0, 1));
  EXPECT_FALSE(combined({arrow, none}).graph.adjacent(0, 1));  // no more than half of them
  EXPECT_TRUE(combined({back, back, none}).graph.directed(1, 0));
}

Dataset chain_table() {
  Dataset data;
  data.table.names = {"a", "b", "c"};
  data.table.values = Matrix<double>(200, 3);
  RandomStream random(2, 0, 0);
  for (std::size_t r = 0; r < 200; ++r) {
    auto row = data.table.values.row(r);
    row[0] = random.normal();
    row[1] = row[0] + 0.7 * random.normal();
    row[2] = row[1] + 0.7 * random.normal();
  }
  return data;
}

TEST(RunCombined, OneGraphOfSeveralMethodsAndTheNetwork) {
  const Dataset data = chain_table();
  const std::vector<CombinedMethod> methods = {{"pc", {{"alpha", "0.01"}}}, {"ges", {}}, {"causcale", {}}};
  EXPECT_EQ(combined_name(methods), "pc+ges+causcale");
  const MethodResult found = run_combined(methods, data, {}, {});
  EXPECT_TRUE(found.graph.adjacent(0, 1));
  EXPECT_TRUE(found.graph.adjacent(1, 2));
  EXPECT_FALSE(found.graph.adjacent(0, 2));
  EXPECT_DOUBLE_EQ(found.scores(0, 1) + found.scores(1, 0), 1.0);
  EXPECT_TRUE(test::contains(found.log.front(), "pc, ges, causcale"));
  const MethodOutcome outcome = to_outcome(combined_name(methods), data, found, {}, {});
  EXPECT_EQ(outcome.result.score_kind, "probability");
}

TEST(RunCombined, WhatFailsIsLeftOut) {
  const Dataset data = chain_table();
  const MethodResult found = run_combined({{"pc", {}}, {"mean-shift", {}}}, data, {}, {});
  EXPECT_TRUE(test::contains(found.log.front(), "1 methods (pc)"));
  EXPECT_TRUE(std::ranges::any_of(
      found.log, [](const std::string& line) { return line.starts_with("mean-shift is left out"); }));
  EXPECT_THROW(run_combined({{"pc", {}}}, data, {}, {}), UsageError);
  EXPECT_THROW(run_combined({{"pc", {}}, {"pc", {}}}, data, {}, {}), UsageError);
  EXPECT_THROW(run_combined({{"pc", {{"no-such", "1"}}}, {"ges", {}}}, data, {}, {}), UsageError);
}

}  // namespace
}  // namespace causcale

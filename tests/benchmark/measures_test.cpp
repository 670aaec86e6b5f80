#include "benchmark/measures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "benchmark/records.h"
#include "causcale/error.h"
#include "graph/convert.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;

TEST(Measures, OfAGraphWithACycle) {
  const Digraph truth(3, {{0, 1}, {1, 2}});
  Matrix<double> scores(3, 3);
  scores(0, 1) = 0.9;
  scores(1, 2) = 0.8;
  scores(2, 0) = 0.6;
  scores(1, 0) = 0.1;
  const Measures measures = measure_prediction(scores, graph_above(scores, 0.5), truth, 1);
  EXPECT_EQ(measures.at("map"), 1.0);
  EXPECT_EQ(measures.at("auc"), 1.0);
  EXPECT_EQ(measures.at("oa"), 1.0);
  EXPECT_EQ(measures.at("skeleton_map"), 1.0);
  EXPECT_EQ(measures.at("shd"), 1.0);
  EXPECT_EQ(measures.at("cyclic"), 1.0);
  EXPECT_EQ(measures.at("removed_edges"), 1.0);
  EXPECT_EQ(measures.at("shd_acyclic"), 0.0);
  EXPECT_EQ(measures.at("parent_aid"), 0.0);
  EXPECT_EQ(measures.at("nodes"), 3.0);
  EXPECT_EQ(measures.at("edges"), 2.0);
}

TEST(Measures, SkeletonForgivesDirections) {
  const Digraph truth(3, {{0, 1}});
  Matrix<double> scores(3, 3);
  scores(1, 0) = 0.9;
  scores(0, 2) = 0.5;
  const Measures measures = measure_prediction(scores, graph_above(scores, 0.5), truth, 1);
  EXPECT_EQ(measures.at("skeleton_map"), 1.0);
  EXPECT_LT(measures.at("map"), 0.5);
  EXPECT_EQ(measures.at("oa"), 0.0);
  EXPECT_EQ(measures.at("shd"), 1.0);
}

TEST(Measures, CyclicTruthHasNoAdjustmentDistance) {
  const Digraph truth(2, {{0, 1}, {1, 0}});
  EXPECT_TRUE(std::isnan(measure_prediction(score_matrix(truth), truth, truth, 1).at("parent_aid")));
}

TEST(Measures, MarksAreReadAsEdges) {
  MethodResult result;
  result.graph = MixedGraph(8);
  result.graph.set(0, 1, Mark::kTail, Mark::kArrow);
  result.graph.set(2, 3, Mark::kTail, Mark::kTail);
  result.graph.set(4, 5, Mark::kCircle, Mark::kArrow);
  result.graph.set(6, 7, Mark::kArrow, Mark::kArrow);
  result.graph.set(0, 7, Mark::kCircle, Mark::kCircle);
  const Digraph graph = judged_graph(result, Digraph(8));
  EXPECT_EQ(graph, Digraph(8, {{0, 1}, {2, 3}, {3, 2}, {4, 5}, {0, 7}, {7, 0}}));
}

TEST(Measures, SymmetricScoresKeepAsManyEntriesAsTheTruthHas) {
  MethodResult result;
  result.graph_class = GraphClass::kUndirected;
  result.scores = Matrix<double>(3, 3);
  result.scores(0, 1) = result.scores(1, 0) = 0.9;
  result.scores(0, 2) = result.scores(2, 0) = 0.4;
  result.scores(1, 2) = result.scores(2, 1) = 0.2;
  EXPECT_EQ(judged_graph(result, Digraph(3, {{0, 1}, {1, 2}})), Digraph(3, {{0, 1}, {1, 0}}));
  EXPECT_EQ(judged_graph(result, Digraph(3)), Digraph(3));
}

TEST(RecordFile, RemembersResultsAndForgetsFailures) {
  const test::TempFolder folder;
  const nlohmann::json good{{"n", 1}}, bad{{"n", 2}};
  {
    RecordFile records(folder / "r.json");
    records.add({good, {{"map", 0.1 + 0.2}, {"oa", std::nan("")}}, ""});
    records.add({bad, {}, "out of memory"});
    records.set_table("t", {{"b", 1}, {"a", 2}});
    records.save();
  }
  RecordFile again(folder / "r.json");
  ASSERT_NE(again.find(good), nullptr);
  EXPECT_EQ(again.find(good)->measures.at("map"), 0.1 + 0.2);
  EXPECT_TRUE(std::isnan(again.find(good)->measures.at("oa")));
  EXPECT_EQ(again.find(bad), nullptr);
  EXPECT_EQ(again.find({{"n", 3}}), nullptr);
  again.add({bad, {{"map", 1.0}}, ""});
  again.save();
  const RecordFile third(folder / "r.json");
  ASSERT_NE(third.find(bad), nullptr);
  EXPECT_EQ(third.find(bad)->measures.at("map"), 1.0);
}

TEST(RecordFile, NothingElseIsOverwritten) {
  const test::TempFolder folder;
  for (const char* content :
       {"source,target\n", "{}", "[1]", "{\"format\": \"causcale benchmark results\"}"}) {
    const auto path = folder.write("other.json", content);
    EXPECT_TRUE(contains(error_of([&] { RecordFile records(path); }), "other.json")) << content;
  }
}

}  // namespace
}  // namespace causcale

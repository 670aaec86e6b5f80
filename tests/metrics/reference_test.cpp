// Every metric against the reference numbers.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graph/components.h"
#include "graph/convert.h"
#include "graph/cycles.h"
#include "graph/order.h"
#include "metrics/evaluation.h"
#include "metrics/shd.h"
#include "support/golden.h"

namespace causcale {
namespace {

using nlohmann::json;

Digraph graph_from(int nodes, const json& list) {
  std::vector<Edge> edges;
  for (const json& pair : list) edges.push_back({pair[0], pair[1]});
  return Digraph(nodes, std::move(edges));
}

Matrix<double> scores_from(const json& rows) {
  Matrix<double> scores(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j) scores(i, j) = rows[i][j];
  return scores;
}

class ReferenceMetrics : public testing::Test {
 protected:
  template <class Check>
  void for_each_case(Check check) {
    const json reference = json::parse(test::golden_text("metrics/metrics.json"));
    ASSERT_FALSE(reference["cases"].empty());
    for (const json& entry : reference["cases"]) {
      SCOPED_TRACE(entry["id"].get<int>());
      check(entry, scores_from(entry["prob"]), graph_from(entry["n"], entry["true_edges"]));
    }
  }
};

TEST_F(ReferenceMetrics, RawScoresAndThresholdedGraph) {
  for_each_case([](const json& entry, const Matrix<double>& scores, const Digraph& truth) {
    EXPECT_EQ(graph_above(scores, 0.5), graph_from(entry["n"], entry["thresholded_edges"]));
    const Evaluation result = evaluate(scores, truth);
    EXPECT_NEAR(result.average_precision, entry["average_precision"].get<double>(), 1e-12);
    EXPECT_NEAR(result.auc, entry["roc_auc"].get<double>(), 1e-12);
    EXPECT_NEAR(result.orientation_accuracy, entry["orientation_accuracy"].get<double>(), 1e-15);
    EXPECT_EQ(result.shd, entry["shd"].get<double>());
    EXPECT_EQ(result.cyclicity.cyclic, entry["cyclic"].get<bool>());
    EXPECT_EQ(result.predicted_edges, entry["thresholded_edges"].size());
    EXPECT_EQ(result.true_edges, entry["n_true_edges"].get<std::size_t>());
  });
}

TEST_F(ReferenceMetrics, AdjustmentDistancesAndShdOfTheirAcyclicGraph) {
  for_each_case([](const json& entry, const Matrix<double>&, const Digraph& truth) {
    const Digraph broken = graph_from(entry["n"], entry["cycle_broken_edges"]);
    const json& expected = entry["aid_true_vs_cycle_broken"];
    const auto check = [&](const AdjustmentDistance& distance, const char* name) {
      EXPECT_EQ(distance.count, expected[name][0].get<std::size_t>()) << name;
      EXPECT_DOUBLE_EQ(distance.normalised, expected[name][1].get<double>()) << name;
    };
    check(ancestor_aid(truth, broken), "ancestor");
    check(oset_aid(truth, broken), "oset");
    check(parent_aid(truth, broken), "parent");
    EXPECT_EQ(structural_hamming_distance(truth, broken), entry["shd_after_cycle_breaking"].get<double>());
  });
}

TEST_F(ReferenceMetrics, CycleBreakingKeepsTheOrderIndependentFacts) {
  for_each_case([](const json& entry, const Matrix<double>& scores, const Digraph& truth) {
    const Digraph guess = graph_above(scores, 0.5);
    const CycleBreaking broken = break_cycles(guess, scores);
    EXPECT_TRUE(is_acyclic(broken.graph));
    EXPECT_EQ(broken.graph.edge_count() + broken.removed.size(), guess.edge_count());
    for (const Edge& edge : broken.graph.edges()) EXPECT_TRUE(guess.has_edge(edge.source, edge.target));
    if (!entry["cyclic"].get<bool>()) {
      EXPECT_EQ(broken.graph, guess);
    }
    const Components components = strongly_connected_components(guess);
    for (const ScoredEdge& removed : broken.removed) {
      EXPECT_TRUE(guess.has_edge(removed.edge.source, removed.edge.target));
      EXPECT_EQ(components.component_of[removed.edge.source], components.component_of[removed.edge.target]);
      EXPECT_EQ(removed.score, scores(removed.edge.source, removed.edge.target));
    }
    const Evaluation result = evaluate(scores, truth);
    EXPECT_EQ(result.removed_edges, broken.removed.size());
    EXPECT_EQ(result.shd_acyclic, structural_hamming_distance(truth, broken.graph));
    EXPECT_EQ(*result.sid, parent_aid(truth, broken.graph).count);
  });
}

// Ours never removes an edge needlessly, the reference's order of search may.
TEST_F(ReferenceMetrics, CycleBreakingRemovesNoMoreThanTheReference) {
  std::size_t ours = 0, theirs = 0;
  for_each_case([&](const json& entry, const Matrix<double>& scores, const Digraph&) {
    ours += break_cycles(graph_above(scores, 0.5), scores).removed.size();
    theirs += entry["removed_edges_count"].get<std::size_t>();
  });
  EXPECT_LE(ours, theirs);
}

}  // namespace
}  // namespace causcale

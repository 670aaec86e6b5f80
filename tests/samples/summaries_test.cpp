#include <gtest/gtest.h>

#include <cmath>

#include "causcale/error.h"
#include "causcale/samples.h"

namespace causcale {
namespace {

GraphSamples samples_of(int nodes, std::vector<std::vector<Edge>> graphs, int times = 1) {
  GraphSamples samples;
  samples.nodes = nodes;
  for (int k = 0; k < times; ++k)
    for (const auto& edges : graphs) samples.graphs.emplace_back(nodes, edges);
  samples.effective = static_cast<double>(samples.graphs.size());
  return samples;
}

// 0 -> 1 -> 3, 0 -> 2 -> 3 and 0 -> 3; a chain; only 3 -> 0; nothing.
GraphSamples four_graphs() {
  return samples_of(4, {{{0, 1}, {1, 3}, {0, 2}, {2, 3}, {0, 3}}, {{0, 1}, {1, 3}}, {{3, 0}}, {}});
}

TEST(Summaries, AncestryCountsPathsOfAnyLength) {
  const Matrix<double> ancestry = ancestor_probabilities(four_graphs());
  EXPECT_EQ(ancestry(0, 3), 0.5);
  EXPECT_EQ(ancestry(0, 1), 0.5);
  EXPECT_EQ(ancestry(2, 3), 0.25);
  EXPECT_EQ(ancestry(3, 0), 0.25);
  EXPECT_EQ(ancestry(1, 0), 0.0);
  EXPECT_EQ(ancestry(0, 0), 0.0);
  EXPECT_EQ(edge_probabilities(four_graphs())(0, 3), 0.25);
}

TEST(Summaries, PathsAreRankedByTheirShareOfSamples) {
  const PathReport report = likely_paths(four_graphs(), 0, 3);
  EXPECT_EQ(report.ancestor, 0.5);
  EXPECT_TRUE(report.complete);
  ASSERT_EQ(report.paths.size(), 3u);
  EXPECT_EQ(report.paths[0].nodes, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(report.paths[0].probability, 0.5);
  EXPECT_EQ(report.paths[1].nodes, (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(report.paths[2].nodes, (std::vector<int>{0, 3}));
  EXPECT_EQ(report.paths[2].probability, 0.25);
  EXPECT_EQ(likely_paths(four_graphs(), 0, 3, 1).paths.size(), 1u);
  EXPECT_EQ(likely_paths(four_graphs(), 0, 3, 1).distinct, 3u);
  EXPECT_TRUE(likely_paths(four_graphs(), 1, 2).paths.empty());
  EXPECT_THROW(likely_paths(four_graphs(), 1, 1), UsageError);
  EXPECT_THROW(likely_paths(four_graphs(), 1, 4), UsageError);
}

TEST(Summaries, DenseGraphsHaveMorePathsThanAreListed) {
  std::vector<Edge> edges;
  for (int a = 0; a < 20; ++a)
    for (int b = a + 1; b < 20; ++b) edges.push_back({a, b});
  const PathReport report = likely_paths(samples_of(20, {edges}), 0, 19);
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.ancestor, 1.0);
}

TEST(Summaries, AdjustmentSetsAreValidInSomeSamples) {
  // 2 confounds 0 -> 1, or mediates it, or has nothing to do with it.
  const GraphSamples samples =
      samples_of(3, {{{2, 0}, {2, 1}, {0, 1}}, {{0, 2}, {2, 1}}, {{0, 1}}, {{2, 0}, {2, 1}}});
  const std::vector<int> none, two{2};
  EXPECT_EQ(adjustment_probability(samples, 0, 1, two), 0.75);
  EXPECT_EQ(adjustment_probability(samples, 0, 1, none), 0.5);
  EXPECT_THROW(adjustment_probability(samples, 0, 2, two), UsageError);
  EXPECT_THROW(adjustment_probability(samples, 0, 0, none), UsageError);
}

TEST(Summaries, ExpectedDistanceIsTheMean) {
  EXPECT_EQ(expected_hamming_distance(four_graphs(), Digraph(4, {{0, 1}, {1, 3}})), (3 + 0 + 3 + 2) / 4.0);
  EXPECT_THROW(expected_hamming_distance(four_graphs(), Digraph(3)), UsageError);
}

TEST(Interventions, TheMiddleOfAChainTellsMost) {
  // The Markov equivalence class of 0 - 1 - 2.
  const GraphSamples samples = samples_of(3, {{{0, 1}, {1, 2}}, {{1, 0}, {2, 1}}, {{1, 0}, {1, 2}}}, 400);
  const InterventionRanking ranking = rank_interventions(samples);
  const double pair = -(std::log2(1.0 / 3) / 3 + 2 * std::log2(2.0 / 3) / 3);
  EXPECT_NEAR(ranking.doubt, 2 * pair, 1e-9);
  ASSERT_EQ(ranking.interventions.size(), 3u);
  const InterventionGain& best = ranking.interventions[0];
  EXPECT_EQ(best.variable, 1);
  EXPECT_NEAR(best.information, 2 * pair, 0.01);
  EXPECT_NEAR(best.outcome_entropy, std::log2(3.0), 1e-9);
  EXPECT_NEAR(best.movers, 4.0 / 3, 1e-9);
  ASSERT_EQ(best.settles.size(), 2u);
  EXPECT_NEAR(best.settles[0].information, pair, 0.005);
  // From 0: whether it moves anything says all about 0 - 1 and something about 1 - 2.
  const InterventionGain& end = ranking.interventions[1];
  EXPECT_EQ(end.variable, 0);
  EXPECT_NEAR(end.information, pair + (pair - 2.0 / 3), 0.01);
  EXPECT_NEAR(end.outcome_entropy, pair, 1e-9);
  EXPECT_NEAR(ranking.interventions[2].information, end.information, 1e-9);
}

TEST(Interventions, TellNothingWhereNothingIsInDoubt) {
  const InterventionRanking ranking = rank_interventions(samples_of(3, {{{0, 1}, {1, 2}}}, 100));
  EXPECT_EQ(ranking.doubt, 0.0);
  for (const InterventionGain& gain : ranking.interventions) EXPECT_EQ(gain.information, 0.0);
}

TEST(Interventions, ChanceCountsNothing) {
  // Pairs 0 - 1 and 2 - 3 have nothing to do with each other.
  Matrix<double> p(4, 4);
  p(0, 1) = p(1, 0) = p(2, 3) = p(3, 2) = 0.5;
  const InterventionRanking ranking = rank_interventions(sample_graphs(p, {.count = 2000, .seed = 2}));
  for (const InterventionGain& gain : ranking.interventions) {
    EXPECT_NEAR(gain.information, 1.0, 0.01);
    ASSERT_EQ(gain.settles.size(), 1u);
    EXPECT_EQ(gain.settles[0].a, gain.variable < 2 ? 0 : 2);
  }
}

}  // namespace
}  // namespace causcale

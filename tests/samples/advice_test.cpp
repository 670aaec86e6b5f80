// What to do next: the fast search against a plain one, and what rows without intervention would tell.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/random.h"
#include "causcale/samples.h"
#include "graph/bit_matrix.h"
#include "graph/reachability.h"
#include "samples/moved_sets.h"

namespace causcale {
namespace {

GraphSamples samples_of(int nodes, std::vector<std::vector<Edge>> graphs, int times) {
  GraphSamples samples;
  samples.nodes = nodes;
  for (int k = 0; k < times; ++k)
    for (const auto& edges : graphs) samples.graphs.emplace_back(nodes, edges);
  samples.effective = static_cast<double>(samples.graphs.size());
  return samples;
}

// Sparse probabilities with some doubt everywhere.
GraphSamples doubtful_samples(int nodes, int count) {
  Matrix<double> p(nodes, nodes);
  RandomStream random(5, 0, 1);
  for (double& value : p.values()) value = random.coin(2.5 / nodes) ? 0.5 * random.uniform() : 0.0;
  for (int i = 0; i < nodes; ++i) p(i, i) = 0.0;
  return sample_graphs(p, {.count = count, .seed = 3});
}

double entropy(const std::map<std::vector<int>, int>& counts, double total) {
  double sum = 0.0;
  for (const auto& [what, times] : counts) sum -= times / total * std::log2(times / total);
  return sum;
}

// The state of a pair: 0 none, 1 a -> b, 2 b -> a.
int state_of(const Digraph& graph, int a, int b) {
  return graph.has_edge(a, b) ? 1 : graph.has_edge(b, a) ? 2 : 0;
}

TEST(MovedSets, AreTheDescendantsInEverySample) {
  const GraphSamples samples = doubtful_samples(70, 130);  // neither fits into one word
  for (const int first : {0, 6}) {
    const MovedSets moved(samples, first, MovedSets::kMostVariables);
    for (int v = first; v < first + MovedSets::kMostVariables; ++v)
      for (std::size_t k = 0; k < samples.graphs.size(); ++k) {
        const auto below = descendants(samples.graphs[k], std::span(&v, 1));
        for (int node = 0; node < samples.nodes; ++node)
          ASSERT_EQ(test_bit(moved.set(v, node), static_cast<int>(k)), below[node] != 0)
              << v << ' ' << node << ' ' << k;
      }
  }
}

TEST(Interventions, AgreeWithAPlainCount) {
  const GraphSamples samples = doubtful_samples(12, 700);
  const double total = static_cast<double>(samples.graphs.size());
  const InterventionRanking ranking = rank_interventions(samples, 2);
  for (const InterventionGain& gain : ranking.interventions) {
    std::map<std::vector<int>, int> outcomes;
    double movers = 0.0;
    std::vector<std::vector<std::uint8_t>> below;
    for (const Digraph& graph : samples.graphs) {
      below.push_back(descendants(graph, std::span(&gain.variable, 1)));
      ++outcomes[std::vector<int>(below.back().begin(), below.back().end())];
      for (const std::uint8_t moved : below.back()) movers += moved / total;
    }
    EXPECT_NEAR(gain.outcome_entropy, entropy(outcomes, total), 1e-9);
    EXPECT_NEAR(gain.movers, movers - 1.0, 1e-9);
    double sum = 0.0;
    std::map<std::pair<int, int>, double> of_pair;
    for (int a = 0; a < samples.nodes; ++a)
      for (int b = a + 1; b < samples.nodes; ++b) {
        std::map<std::vector<int>, int> states, seen, joint;
        for (std::size_t k = 0; k < samples.graphs.size(); ++k) {
          const int state = state_of(samples.graphs[k], a, b);
          ++states[{state}];
          ++seen[{below[k][a], below[k][b]}];
          ++joint[{state, below[k][a], below[k][b]}];
        }
        const double information =
            beyond_chance(entropy(states, total) + entropy(seen, total) - entropy(joint, total),
                          (states.size() - 1.0) * (seen.size() - 1.0), samples.effective);
        sum += information;
        of_pair[{a, b}] = information;
      }
    EXPECT_NEAR(gain.information, sum, 1e-9);
    for (const SettledPair& pair : gain.settles)
      EXPECT_NEAR(pair.information, (of_pair[{pair.a, pair.b}]), 1e-9);
  }
}

TEST(Interventions, DoNotDependOnThreads) {
  const GraphSamples samples = doubtful_samples(70, 200);
  const InterventionRanking one = rank_interventions(samples, 1), three = rank_interventions(samples, 3);
  ASSERT_EQ(one.interventions.size(), three.interventions.size());
  for (std::size_t k = 0; k < one.interventions.size(); ++k) {
    EXPECT_EQ(one.interventions[k].variable, three.interventions[k].variable);
    EXPECT_EQ(one.interventions[k].information, three.interventions[k].information);
  }
}

TEST(Observation, TellsNothingWithinAnEquivalenceClass) {
  // All three graphs of the class of 0 - 1 - 2.
  const ObservationGain gain =
      observation_gain(samples_of(3, {{{0, 1}, {1, 2}}, {{1, 0}, {2, 1}}, {{1, 0}, {1, 2}}}, 20));
  EXPECT_GT(gain.doubt, 1.0);
  EXPECT_NEAR(gain.information, 0.0, 1e-9);
  EXPECT_TRUE(gain.settles.empty() || gain.settles.front().information < 1e-9);
}

TEST(Observation, TellsWhetherThereIsAnEdge) {
  const ObservationGain gain = observation_gain(samples_of(2, {{{0, 1}}, {}}, 20), 2);
  EXPECT_NEAR(gain.doubt, 1.0, 1e-9);
  EXPECT_NEAR(gain.information, 1.0, 1e-9);
  ASSERT_EQ(gain.settles.size(), 1u);
  EXPECT_EQ(gain.settles[0].a, 0);
  EXPECT_EQ(gain.settles[0].b, 1);
}

TEST(Observation, TellsDirectionsThatAColliderFixes) {
  // 0 -> 1 <- 2 against the chain 0 -> 1 -> 2: the collider is a class of its own, so the direction of 1 - 2
  // is told where it is that class; of the chain's class only one member occurs, and nothing is left open.
  const ObservationGain collider = observation_gain(samples_of(3, {{{0, 1}, {2, 1}}, {{0, 1}, {1, 2}}}, 20));
  EXPECT_NEAR(collider.doubt, 1.0, 1e-9);
  EXPECT_NEAR(collider.information, 1.0, 1e-9);
  // With another member of the chain's class, 2 -> 1 -> 0, both directions stay open within it.
  const ObservationGain mixed =
      observation_gain(samples_of(3, {{{0, 1}, {2, 1}}, {{0, 1}, {1, 2}}, {{2, 1}, {1, 0}}}, 20));
  EXPECT_NEAR(mixed.doubt - mixed.information, 2.0 * 2.0 / 3.0, 1e-9);
}

}  // namespace
}  // namespace causcale

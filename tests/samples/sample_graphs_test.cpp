#include "causcale/samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/distributions.h"
#include "causcale/error.h"
#include "graph/order.h"
#include "graph/reachability.h"
#include "samples/chain.h"
#include "samples/component_samples.h"
#include "samples/enumeration.h"
#include "samples/mixing.h"
#include "samples/ordered_graph.h"

namespace causcale {
namespace {

// Random probabilities; every pair leaves some room for no edge.
Matrix<double> random_probabilities(int nodes, std::uint64_t seed, double most = 0.9) {
  RandomStream random(seed, 0, 7);
  Matrix<double> p(nodes, nodes);
  for (int i = 0; i < nodes; ++i)
    for (int j = i + 1; j < nodes; ++j) {
      const double edge = most * random.uniform(), forward = random.uniform();
      p(i, j) = edge * forward;
      p(j, i) = edge * (1 - forward);
    }
  return p;
}

// Strong cycles: 0 -> 1 -> 2 -> 0 and back through 3.
Matrix<double> cyclic_probabilities(int nodes) {
  Matrix<double> p = random_probabilities(nodes, 3, 0.2);
  p(0, 1) = p(1, 2) = p(2, 0) = 0.95;
  p(1, 0) = p(2, 1) = p(0, 2) = 0.02;
  if (nodes > 3) {
    p(2, 3) = 0.9;
    p(3, 2) = 0.0;
  }
  return p;
}

WeightComponent whole(const Matrix<double>& p) {
  WeightComponent component;
  for (std::size_t v = 0; v < p.rows(); ++v) component.nodes.push_back(static_cast<int>(v));
  component.pairs = pair_weights(p);
  return component;
}

using Weights = std::map<std::vector<Edge>, double>;

// The plain reference: every state of every pair, acyclic ones kept, weights that add up to 1.
Weights all_acyclic(const Matrix<double>& p) {
  const int n = static_cast<int>(p.rows());
  std::vector<PairWeight> pairs;
  for (int a = 0; a < n; ++a)
    for (int b = a + 1; b < n; ++b) {
      const double scale = std::max(1.0, p(a, b) + p(b, a));
      pairs.push_back({a, b, p(a, b) / scale, p(b, a) / scale, std::max(0.0, 1.0 - p(a, b) - p(b, a))});
    }
  std::size_t states = 1;
  for (std::size_t k = 0; k < pairs.size(); ++k) states *= 3;
  Weights weights;
  double total = 0;
  for (std::size_t code = 0; code < states; ++code) {
    std::vector<Edge> edges;
    double weight = 1;
    std::size_t rest = code;
    for (const PairWeight& pair : pairs) {
      const std::size_t state = rest % 3;
      rest /= 3;
      if (state == 1) edges.push_back({pair.a, pair.b});
      if (state == 2) edges.push_back({pair.b, pair.a});
      weight *= state == 0 ? pair.none : state == 1 ? pair.forward : pair.reverse;
    }
    const Digraph graph(n, edges);
    if (weight <= 0 || !is_acyclic(graph)) continue;
    weights[{graph.edges().begin(), graph.edges().end()}] = weight;
    total += weight;
  }
  for (auto& [edges, weight] : weights) weight /= total;
  return weights;
}

// P value of Pearson's test; graphs that are expected less than five times count as one.
double fit(const Weights& weights, std::vector<std::vector<Edge>> graphs) {
  std::map<std::vector<Edge>, double> seen;
  for (std::vector<Edge>& graph : graphs) {
    std::ranges::sort(graph);
    if (!weights.contains(graph)) return 0.0;  // of no weight, or cyclic
    seen[graph] += 1;
  }
  double statistic = 0, rare_expected = 0, rare_seen = 0;
  int cells = 0;
  const auto add = [&](double expected, double found) {
    statistic += (found - expected) * (found - expected) / expected;
    ++cells;
  };
  for (const auto& [edges, weight] : weights) {
    const double expected = weight * static_cast<double>(graphs.size());
    if (expected >= 5) {
      add(expected, seen[edges]);
    } else {
      rare_expected += expected;
      rare_seen += seen[edges];
    }
  }
  if (rare_expected >= 5) add(rare_expected, rare_seen);
  return chi_square_tail(statistic, cells - 1);
}

std::vector<Matrix<double>> small_cases() {
  Matrix<double> tournament = random_probabilities(4, 9);  // no pair without an edge
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b) tournament(b, a) = 1.0 - tournament(a, b);
  Matrix<double> known = random_probabilities(4, 10);
  known(0, 1) = 1.0;  // required
  known(1, 0) = 0.0;
  known(3, 2) = 0.0;  // forbidden
  Matrix<double> above = random_probabilities(3, 11);
  above(0, 1) = 0.9;
  above(1, 0) = 0.6;  // more than 1 together
  return {random_probabilities(3, 1),
          random_probabilities(4, 2),
          cyclic_probabilities(3),
          cyclic_probabilities(4),
          tournament,
          known,
          above};
}

TEST(SampleGraphs, EnumerationFollowsTheWeights) {
  for (const Matrix<double>& p : small_cases()) {
    const ComponentSamples samples = sample_by_enumeration(whole(p), {.count = 20000, .seed = 5});
    ASSERT_EQ(samples.graphs.size(), 20000u);
    EXPECT_GT(fit(all_acyclic(p), samples.graphs), 1e-3);
  }
}

TEST(SampleGraphs, EnumerationKnowsTheWeightOfAllGraphs) {
  Matrix<double> even(4, 4, 1.0 / 3);
  for (int v = 0; v < 4; ++v) even(v, v) = 0.0;
  EXPECT_NEAR(Enumeration(whole(even)).total() * 729, 543, 1e-9);  // acyclic ones of the 3^6 graphs
}

TEST(SampleGraphs, RejectionFollowsTheWeights) {
  for (const Matrix<double>& p : small_cases()) {
    const ComponentSamples samples = sample_by_rejection(whole(p), {.count = 20000, .seed = 6});
    ASSERT_EQ(samples.graphs.size(), 20000u);
    EXPECT_GT(fit(all_acyclic(p), samples.graphs), 1e-3);
  }
}

TEST(SampleGraphs, TheChainFollowsTheWeights) {
  for (const Matrix<double>& p : small_cases()) {
    // Far apart, so that Pearson's test may take them as independent.
    const WeightComponent component = whole(p);
    const ChainTarget target(component);
    std::vector<std::vector<Edge>> graphs;
    for (int c = 0; c < 20; ++c) {
      GraphChain chain(target, RandomStream(8, 0, 0, c));
      for (int k = 0; k < 50; ++k) chain.sweep();
      for (int k = 0; k < 400; ++k) {
        for (int s = 0; s < 20; ++s) chain.sweep();
        graphs.push_back(chain.edges());
      }
    }
    EXPECT_GT(fit(all_acyclic(p), graphs), 1e-3);
  }
}

TEST(SampleGraphs, TheTestsOfFitNoticeWrongWeights) {
  const ComponentSamples samples =
      sample_by_enumeration(whole(random_probabilities(4, 2)), {.count = 20000, .seed = 5});
  Matrix<double> other = random_probabilities(4, 2);
  other(0, 1) += 0.04;
  EXPECT_LT(fit(all_acyclic(other), samples.graphs), 1e-3);
}

TEST(SampleGraphs, AChainOnManyNodesAgreesWithExactDraws) {
  Matrix<double> p = random_probabilities(9, 4, 0.5);
  p(0, 1) = p(1, 2) = p(2, 0) = 0.9;
  p(1, 0) = p(2, 1) = p(0, 2) = 0.05;
  const DrawRequest request{.count = 8000, .seed = 1};
  const auto marginals = [](const ComponentSamples& samples) {
    Matrix<double> shares(9, 9);
    for (const auto& edges : samples.graphs)
      for (const Edge& edge : edges) shares(edge.source, edge.target) += 1.0 / samples.graphs.size();
    return shares;
  };
  const ComponentSamples chain = sample_by_chain(whole(p), request);
  const Matrix<double> exact = marginals(sample_by_enumeration(whole(p), request)), found = marginals(chain);
  for (std::size_t k = 0; k < exact.size(); ++k)
    EXPECT_NEAR(found.values()[k], exact.values()[k], 0.03);  // four standard errors and more
  EXPECT_GT(chain.effective, 4000);
  EXPECT_LT(chain.scale_reduction, 1.02);
}

TEST(SampleGraphs, MarginalsAreThePairProbabilitiesWhereTheseAllowADag) {
  // Edges from lower to higher numbers only: nothing can close a cycle.
  Matrix<double> p = random_probabilities(30, 12, 0.8);
  for (int a = 0; a < 30; ++a)
    for (int b = 0; b < a; ++b) p(a, b) = 0.0;
  const GraphSamples samples = sample_graphs(p, {.count = 20000, .seed = 3});
  EXPECT_TRUE(samples.exact);
  EXPECT_EQ(samples.method, "independent pairs");
  const Matrix<double> shares = edge_probabilities(samples);
  for (std::size_t k = 0; k < p.size(); ++k)
    EXPECT_NEAR(shares.values()[k], p.values()[k], 5 * std::sqrt(0.25 / 20000));
}

TEST(SampleGraphs, SparseTablesKeepTheirMarginals) {
  // Cycles are possible everywhere and hardly ever drawn.
  Matrix<double> p(40, 40);
  RandomStream random(2, 0, 0);
  for (int a = 0; a < 40; ++a)
    for (int b = 0; b < 40; ++b)
      if (a != b) p(a, b) = a < b ? 0.04 * random.uniform() : 0.0005 * random.uniform();
  const GraphSamples samples = sample_graphs(p, {.count = 4000, .seed = 3});
  EXPECT_TRUE(samples.exact);
  EXPECT_EQ(samples.method, "rejection");
  EXPECT_GT(samples.acceptance, 0.8);
  const Matrix<double> shares = edge_probabilities(samples);
  double sum = 0, expected = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    EXPECT_NEAR(shares.values()[k], p.values()[k], 0.02);
    sum += shares.values()[k];
    expected += p.values()[k];
  }
  EXPECT_NEAR(sum, expected, 0.3);
}

TEST(SampleGraphs, AllAreAcyclicAndTheSameOnAnyNumberOfThreads) {
  for (const int nodes : {6, 14, 40}) {
    const Matrix<double> p = random_probabilities(nodes, 20, nodes > 20 ? 0.5 : 0.9);
    const GraphSamples one = sample_graphs(p, {.count = 100, .seed = 4, .threads = 1});
    const GraphSamples three = sample_graphs(p, {.count = 100, .seed = 4, .threads = 3});
    EXPECT_EQ(one.graphs, three.graphs);
    EXPECT_EQ(one.exact, nodes == 6);
    for (const Digraph& graph : one.graphs) EXPECT_TRUE(is_acyclic(graph));
    EXPECT_NE(sample_graphs(p, {.count = 100, .seed = 5}).graphs, one.graphs);
    EXPECT_EQ(ancestor_probabilities(one, 1), ancestor_probabilities(one, 3));
  }
}

TEST(SampleGraphs, KnowledgeHoldsInEverySample) {
  for (const int nodes : {6, 16}) {
    Knowledge knowledge;
    knowledge.required = {{2, 0}, {0, 3}};
    knowledge.forbidden = {{1, 4}};
    knowledge.tier_of.assign(nodes, -1);
    knowledge.tier_of[5] = 0;
    knowledge.tier_of[4] = 1;
    const GraphSamples samples =
        sample_graphs(random_probabilities(nodes, 6), {.count = 200, .seed = 1, .knowledge = knowledge});
    for (const Digraph& graph : samples.graphs) {
      EXPECT_TRUE(graph.has_edge(2, 0) && graph.has_edge(0, 3));
      EXPECT_FALSE(graph.has_edge(1, 4) || graph.has_edge(4, 5));
    }
    knowledge.required.push_back({3, 2});
    EXPECT_THROW(sample_graphs(random_probabilities(nodes, 6), {.knowledge = knowledge}), InputError);
  }
}

// To number the variables anew is to number the edges anew; shares over 4000 samples err by 0.03 at most.
TEST(SampleGraphs, OrderOfVariablesDoesNotMatter) {
  const Matrix<double> p = random_probabilities(6, 3);
  const std::vector<std::size_t> order{4, 0, 5, 2, 1, 3};
  Matrix<double> permuted(6, 6);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) permuted(i, j) = p(order[i], order[j]);
  const GraphSamples one = sample_graphs(p, {.count = 4000, .seed = 1}),
                     two = sample_graphs(permuted, {.count = 4000, .seed = 2});
  const Matrix<double> edges = edge_probabilities(one), ancestry = ancestor_probabilities(one);
  const Matrix<double> new_edges = edge_probabilities(two), new_ancestry = ancestor_probabilities(two);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(new_edges(i, j), edges(order[i], order[j]), 0.045);
      EXPECT_NEAR(new_ancestry(i, j), ancestry(order[i], order[j]), 0.045);
    }
}

// Both directions of a pair may be more probable than not; what is said of the link must stay.
TEST(SampleGraphs, PairsThatActOnEachOtherAreLinkedAsOftenAsSaid) {
  Matrix<double> p(3, 3), both(3, 3);
  p(0, 1) = 0.7;
  p(1, 0) = 0.6;
  both(0, 1) = both(1, 0) = 0.5;  // linked with 0.8: 0.45 and 0.35 in an acyclic graph
  p(1, 2) = 0.4;
  const GraphSamples samples = sample_graphs(p, {.count = 20000, .seed = 3, .feedback = both});
  const Matrix<double> shares = edge_probabilities(samples);
  const double error = 5 * std::sqrt(0.25 / 20000);
  EXPECT_TRUE(samples.exact);
  EXPECT_NEAR(shares(0, 1), 0.45, error);
  EXPECT_NEAR(shares(1, 0), 0.35, error);
  EXPECT_NEAR(shares(1, 2), 0.4, error);

  // What is forbidden takes feedback with it: (0.6 - 0.5) / (1 - 0.7) is left.
  Knowledge knowledge;
  knowledge.forbidden = {{0, 1}};
  const Matrix<double> known = edge_probabilities(
      sample_graphs(p, {.count = 20000, .seed = 3, .knowledge = knowledge, .feedback = both}));
  EXPECT_EQ(known(0, 1), 0.0);
  EXPECT_NEAR(known(1, 0), 1.0 / 3.0, error);
}

TEST(SampleGraphs, SaysWhatIsWrong) {
  Matrix<double> p(3, 3);
  p(0, 1) = p(1, 2) = p(2, 0) = 1.0;
  EXPECT_THROW(sample_graphs(p), InputError);
  p(2, 0) = 0.5;
  for (const Digraph& graph : sample_graphs(p, {.count = 50}).graphs) EXPECT_EQ(graph.edge_count(), 2u);
  EXPECT_THROW(sample_graphs(p, {.count = 0}), UsageError);
  p(2, 0) = 1.5;
  EXPECT_THROW(sample_graphs(p), UsageError);
  EXPECT_THROW(sample_graphs(Matrix<double>(2, 3)), UsageError);
  EXPECT_EQ(sample_graphs(Matrix<double>(1, 1), {.count = 3}).graphs.size(), 3u);
  p(2, 0) = 0.5;
  Matrix<double> both(3, 3);
  both(0, 1) = both(1, 0) = 0.1;  // 1 -> 0 is impossible, and both with it
  EXPECT_EQ(sample_graphs(p, {.count = 50, .feedback = both}).graphs, sample_graphs(p, {.count = 50}).graphs);
  both(0, 1) = -0.1;
  EXPECT_THROW(sample_graphs(p, {.feedback = both}), UsageError);
  EXPECT_THROW(sample_graphs(p, {.feedback = Matrix<double>(2, 2)}), UsageError);
}

TEST(OrderedGraph, AddsWhatClosesNoCycleAndKnowsBridges) {
  RandomStream random(3, 0, 0);
  for (int round = 0; round < 30; ++round) {
    constexpr int kNodes = 12;
    OrderedGraph graph(kNodes);
    for (int step = 0; step < 150; ++step) {
      const int a = static_cast<int>(random.below(kNodes)), b = static_cast<int>(random.below(kNodes));
      if (a == b) continue;
      const Digraph plain(kNodes, graph.edges());
      if (graph.has_edge(a, b)) {
        if (random.coin()) graph.remove(a, b);
        continue;
      }
      std::vector<Edge> expected;
      for (const Edge& edge : plain.edges()) {
        std::vector<Edge> others = graph.edges();
        std::erase(others, edge);
        if (descendants(plain, std::span(&a, 1))[b] &&
            !descendants(Digraph(kNodes, others), std::span(&a, 1))[b])
          expected.push_back(edge);
      }
      EXPECT_EQ(graph.bridges(a, b), expected);
      const bool closes = descendants(plain, std::span(&b, 1))[a];
      EXPECT_EQ(graph.try_add(a, b), !closes);
      EXPECT_TRUE(is_acyclic(Digraph(kNodes, graph.edges())));
    }
  }
}

TEST(Mixing, TellsIndependentFromStickyChains) {
  Matrix<double> free(8, 500), sticky(8, 500), apart(8, 500);
  RandomStream random(1, 0, 0);
  for (std::size_t c = 0; c < 8; ++c)
    for (std::size_t t = 0; t < 500; ++t) {
      free(c, t) = random.normal();
      // Autoregressive with 0.9: each value is worth (1 - 0.9) / (1 + 0.9) of an independent one.
      sticky(c, t) = t == 0 ? random.normal() : 0.9 * sticky(c, t - 1) + std::sqrt(0.19) * random.normal();
      apart(c, t) = random.normal() + 3.0 * static_cast<double>(c);
    }
  EXPECT_GT(judge_mixing(free).effective, 3000);
  EXPECT_NEAR(judge_mixing(sticky).effective, 4000 * 0.1 / 1.9, 70);
  EXPECT_LT(judge_mixing(free).scale_reduction, 1.01);
  EXPECT_GT(judge_mixing(apart).scale_reduction, 2);
  EXPECT_EQ(judge_mixing(Matrix<double>(4, 50)).effective, 200);
}

}  // namespace
}  // namespace causcale

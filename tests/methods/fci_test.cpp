#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "base/random.h"
#include "methods/constraint/fci_search.h"
#include "methods/constraint/pag_rules.h"
#include "separation_oracle.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

using test::DagOracle;
using test::MixedGraphOracle;

// One bit for every pair and every set of the other variables.
std::vector<bool> independence_model(const IndependenceTest& oracle) {
  const int n = oracle.variables();
  std::vector<bool> result;
  std::vector<int> given;
  for (int x = 0; x < n; ++x)
    for (int y = x + 1; y < n; ++y)
      for (unsigned set = 0; set < 1u << n; ++set) {
        if (set >> x & 1 || set >> y & 1) continue;
        given.clear();
        for (int v = 0; v < n; ++v)
          if (set >> v & 1) given.push_back(v);
        result.push_back(oracle.independent(x, y, given));
      }
  return result;
}

bool same_model(const MixedGraphOracle& oracle, const std::vector<bool>& model) {
  const int n = oracle.variables();
  std::size_t k = 0;
  for (int x = 0; x < n; ++x)
    for (int y = x + 1; y < n; ++y)
      for (unsigned set = 0; set < 1u << n; ++set) {
        if (set >> x & 1 || set >> y & 1) continue;
        if (oracle.separated(x, y, set) != model[k++]) return false;
      }
  return true;
}

std::vector<Edge> never_separated(const IndependenceTest& oracle, const std::vector<bool>& model) {
  const int n = oracle.variables();
  std::vector<Edge> pairs;
  std::size_t k = 0;
  for (int x = 0; x < n; ++x)
    for (int y = x + 1; y < n; ++y) {
      bool separated = false;
      for (unsigned set = 0; set < 1u << n; ++set)
        if (!(set >> x & 1) && !(set >> y & 1)) separated |= model[k++];
      if (!separated) pairs.push_back({x, y});
    }
  return pairs;
}

// The PAG by definition: pairs that nothing separates are adjacent; a mark stands where all ancestral graphs
// with these adjacencies and these independences agree on it. Nothing when there are too many to go through.
std::optional<MixedGraph> pag_by_definition(const IndependenceTest& oracle, std::size_t most_edges) {
  const std::vector<bool> model = independence_model(oracle);
  const std::vector<Edge> pairs = never_separated(oracle, model);
  if (pairs.size() > most_edges) return std::nullopt;
  MixedGraph result(oracle.variables());
  constexpr std::pair<Mark, Mark> kKinds[] = {{Mark::kTail, Mark::kArrow},
                                              {Mark::kArrow, Mark::kTail},
                                              {Mark::kArrow, Mark::kArrow},
                                              {Mark::kTail, Mark::kTail}};
  std::size_t members = 0;
  for (std::size_t code = 0; code < std::size_t{1} << 2 * pairs.size(); ++code) {
    MixedGraph graph(oracle.variables());
    for (std::size_t e = 0; e < pairs.size(); ++e) {
      const auto& [at_source, at_target] = kKinds[code >> 2 * e & 3];
      graph.set(pairs[e].source, pairs[e].target, at_source, at_target);
    }
    const MixedGraphOracle candidate(graph);
    if (!candidate.ancestral_graph() || !same_model(candidate, model)) continue;
    ++members;
    for (const auto& [a, b] : pairs)
      for (const auto& [from, to] : {Edge{a, b}, Edge{b, a}}) {
        const Mark seen = graph.mark(from, to), so_far = result.mark(from, to);
        result.set_mark(from, to, so_far == Mark::kNone || so_far == seen ? seen : Mark::kCircle);
      }
  }
  EXPECT_GT(members, 0u);
  return result;
}

struct HiddenProblem {
  Digraph dag;
  std::vector<int> observed, selected;
};

HiddenProblem random_problem(int observed, int hidden, int selected, double density, std::uint32_t number) {
  HiddenProblem result{test::random_dag(observed + hidden + selected, density, number), {}, {}};
  // Labels are in random order, so the first ones may as well be the observed ones.
  for (int v = 0; v < observed; ++v) result.observed.push_back(v);
  for (int v = 0; v < selected; ++v) result.selected.push_back(observed + v);
  return result;
}

int count_marks(const MixedGraph& graph, Mark mark) {
  int count = 0;
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = 0; b < graph.nodes(); ++b) count += a != b && graph.mark(a, b) == mark;
  return count;
}

FciResult search(const IndependenceTest& oracle) {
  FciOptions options;
  options.skeleton.threads = 1;
  return fci_search(oracle, {}, options);
}

TEST(Fci, IsTheGraphOfTheEquivalenceClassWithHiddenAndSelectedVariables) {
  int compared = 0, tails = 0, arrows = 0, circles = 0, bidirected = 0;
  for (std::uint32_t k = 0; k < 600; ++k) {
    SCOPED_TRACE(k);
    const HiddenProblem problem =
        random_problem(4 + k % 2, k / 2 % 4, k / 8 % 3, 0.2 + 0.1 * (k % 5), 1000 + k);
    const DagOracle oracle(problem.dag, problem.observed, problem.selected);
    const auto expected = pag_by_definition(oracle, 7);
    if (!expected) continue;
    ++compared;
    const MixedGraph found = search(oracle).graph;
    ASSERT_EQ(found, *expected);
    tails += count_marks(found, Mark::kTail);
    arrows += count_marks(found, Mark::kArrow);
    circles += count_marks(found, Mark::kCircle);
    for (int a = 0; a < found.nodes(); ++a)
      for (int b = 0; b < a; ++b) bidirected += found.bidirected(a, b);
  }
  EXPECT_GT(compared, 300);
  EXPECT_GT(tails, 30);
  EXPECT_GT(arrows, 200);
  EXPECT_GT(circles, 200);
  EXPECT_GT(bidirected, 0);
}

// Ancestral graphs themselves as truth reach cases that random DAGs hardly ever do, such as undirected
// cycles.
TEST(Fci, IsTheGraphOfTheEquivalenceClassOfAnAncestralGraph) {
  int compared = 0, undirected = 0;
  RandomStream random(7, 0, 0);
  for (int k = 0; compared < 400 && k < 100000; ++k) {
    const int n = 4 + k % 3;
    MixedGraph truth(n);
    const double undirected_share = k % 2 ? 0.6 : 0.15;
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b) {
        if (!random.coin(n == 6 ? 0.42 : 0.55)) continue;
        if (random.coin(undirected_share))
          truth.set(a, b, Mark::kTail, Mark::kTail);
        else if (random.coin(0.35))
          truth.set(a, b, Mark::kArrow, Mark::kArrow);
        else
          truth.set(a, b, Mark::kTail, Mark::kArrow);
      }
    const MixedGraphOracle oracle(truth);
    if (!oracle.ancestral_graph()) continue;
    const auto expected = pag_by_definition(oracle, 7);
    if (!expected || expected->edge_count() != truth.edge_count())
      continue;  // too many edges, or not maximal
    ++compared;
    ASSERT_EQ(search(oracle).graph, *expected) << k;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < a; ++b) undirected += expected->undirected(a, b);
  }
  EXPECT_EQ(compared, 400);
  EXPECT_GT(undirected, 20);
}

// Graphs in which single rules decide.
TEST(Fci, KnownGraphs) {
  const auto expect_by_definition = [](const IndependenceTest& oracle) {
    const MixedGraph found = search(oracle).graph;
    const auto expected = pag_by_definition(oracle, 9);
    EXPECT_TRUE(expected && found == *expected);
    return found;
  };
  // R9: a square with one collider; its causes are definite.
  MixedGraph found = expect_by_definition(DagOracle(Digraph(4, {{1, 0}, {1, 2}, {0, 3}, {2, 3}})));
  EXPECT_TRUE(found.directed(0, 3) && found.directed(2, 3));
  EXPECT_EQ(found.mark(1, 0), Mark::kCircle);
  // R10: 0 reaches 4 through 2 and through 3, both definite causes of 4.
  found = expect_by_definition(
      DagOracle(Digraph(5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {2, 4}, {3, 4}})));
  EXPECT_TRUE(found.directed(0, 4));
  // R5, R6, R7: an undirected square with a path hanging on it.
  MixedGraph square(6);
  for (const auto& [a, b] : {Edge{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}, {4, 5}})
    square.set(a, b, Mark::kTail, Mark::kTail);
  found = expect_by_definition(MixedGraphOracle(square));
  EXPECT_TRUE(found.undirected(0, 1));
  EXPECT_EQ(found.mark(4, 3), Mark::kTail);
  EXPECT_EQ(found.mark(3, 4), Mark::kCircle);
  EXPECT_EQ(found.mark(5, 4), Mark::kTail);
  // No neighbours of 2 and 4 separate them: the second search must find {0, 1, 3}. Hidden are 5, 6, 7.
  const DagOracle far(Digraph(8, {{0, 1}, {1, 2}, {3, 4}, {5, 0}, {5, 3}, {6, 1}, {6, 4}, {7, 2}, {7, 3}}),
                      {0, 1, 2, 3, 4});
  found = expect_by_definition(far);
  EXPECT_EQ(search(far).removed_by_possible_d_sep, 1u);
  EXPECT_FALSE(found.adjacent(2, 4));
  // The simplest hidden cause: two instruments.
  found = expect_by_definition(DagOracle(Digraph(5, {{0, 1}, {2, 3}, {4, 1}, {4, 3}}), {0, 1, 2, 3}));
  EXPECT_TRUE(found.bidirected(1, 3));
}

// R8 alone: no graph of up to 7 variables was found in which the other rules do not make it superfluous.
TEST(Fci, ACauseOfACauseIsACause) {
  Skeleton skeleton(3);
  skeleton.neighbours = {{1, 2}, {0, 2}, {0, 1}};
  skeleton.joined = Matrix<std::uint8_t>(3, 3, 1);
  for (const Mark at_one : {Mark::kArrow, Mark::kCircle}) {
    MixedGraph graph(3);
    graph.set(0, 1, Mark::kTail, at_one);
    graph.set(1, 2, Mark::kTail, Mark::kArrow);
    graph.set(0, 2, Mark::kCircle, Mark::kArrow);
    PagRules(skeleton, graph).run();
    EXPECT_TRUE(graph.directed(0, 2));
  }
}

// Are x and y inseparable? Enough to ask for the observed ancestors of x, y and the selection.
bool adjacent_in_truth(const DagOracle& oracle, int x, int y) {
  std::vector<int> given;
  for (int v = 0; v < oracle.variables(); ++v)
    if (v != x && v != y && (oracle.ancestral(v, x) || oracle.ancestral(v, y))) given.push_back(v);
  return !oracle.independent(x, y, given);
}

void expect_sound_marks(const DagOracle& oracle, const MixedGraph& graph) {
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = 0; b < graph.nodes(); ++b) {
      if (a == b || !graph.adjacent(a, b)) continue;
      if (graph.mark(a, b) == Mark::kArrow) {
        EXPECT_FALSE(oracle.ancestral(b, a));
      }
      if (graph.mark(a, b) == Mark::kTail) {
        EXPECT_TRUE(oracle.ancestral(b, a));
      }
    }
}

TEST(Fci, IsSoundOnLargerGraphs) {
  for (std::uint32_t k = 0; k < 150; ++k) {
    SCOPED_TRACE(k);
    const HiddenProblem problem = random_problem(9, 2 + k % 4, k / 4 % 3, 0.16 + 0.05 * (k % 3), 5000 + k);
    const DagOracle oracle(problem.dag, problem.observed, problem.selected);
    const FciResult found = search(oracle);
    for (int x = 0; x < 9; ++x)
      for (int y = 0; y < x; ++y) ASSERT_EQ(found.graph.adjacent(x, y), adjacent_in_truth(oracle, x, y));
    expect_sound_marks(oracle, found.graph);
  }
}

TEST(Rfci, IsSound) {
  std::size_t extra = 0, same_as_fci = 0;
  for (std::uint32_t k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    const HiddenProblem problem = random_problem(9, 2 + k % 4, k / 4 % 3, 0.16 + 0.05 * (k % 3), 5000 + k);
    const DagOracle oracle(problem.dag, problem.observed, problem.selected);
    FciOptions options;
    options.skeleton.threads = 1;
    const FciResult found = rfci_search(oracle, {}, options);
    for (int x = 0; x < 9; ++x)
      for (int y = 0; y < x; ++y) {
        const bool truly = adjacent_in_truth(oracle, x, y);
        if (truly) {
          ASSERT_TRUE(found.graph.adjacent(x, y));
        }
        extra += found.graph.adjacent(x, y) && !truly;
      }
    expect_sound_marks(oracle, found.graph);
    same_as_fci += found.graph == search(oracle).graph;
  }
  EXPECT_LT(extra, 10u);  // it may leave a few edges that only possible-d-sep sets separate
  EXPECT_GT(same_as_fci, 180u);
}

// Ancestral graphs in which neighbours do not separate a pair, and RFCI's own tests find that out.
TEST(Rfci, RemovesEdgesThatNeighboursDoNotSeparate) {
  struct Truth {
    int nodes;
    std::vector<Edge> directed, bidirected;
  };
  const Truth truths[] = {
      {7, {{0, 5}, {1, 3}, {2, 3}, {2, 4}, {3, 4}, {3, 6}}, {{0, 3}, {0, 6}, {1, 2}, {2, 5}}},
      {6, {{0, 1}, {0, 2}, {1, 2}, {1, 5}, {2, 5}, {3, 4}}, {{0, 3}, {1, 4}, {2, 3}, {3, 5}}},
      {7, {{0, 4}, {0, 6}, {1, 4}, {2, 3}, {2, 5}, {4, 6}}, {{0, 1}, {1, 5}, {2, 4}, {2, 6}}},
      {7, {{0, 6}, {1, 3}, {2, 4}, {3, 6}, {4, 5}}, {{0, 2}, {1, 4}, {1, 5}, {2, 3}, {2, 6}}},
      {7, {{0, 5}, {1, 4}, {3, 5}, {5, 6}}, {{0, 3}, {0, 4}, {1, 2}, {1, 5}, {1, 6}, {2, 5}, {2, 6}}},
      {7, {{0, 4}, {1, 6}, {3, 4}, {4, 5}}, {{0, 3}, {1, 4}, {1, 5}, {2, 6}, {3, 6}}},
      {6, {{0, 1}, {0, 2}, {0, 3}, {1, 3}, {1, 5}, {2, 4}, {3, 5}}, {{1, 4}, {2, 3}, {2, 5}}}};
  for (const auto& [nodes, directed, bidirected] : truths) {
    MixedGraph truth(Digraph(nodes, directed));
    for (const Edge& edge : bidirected) truth.set(edge.source, edge.target, Mark::kArrow, Mark::kArrow);
    const MixedGraphOracle oracle(truth);
    FciOptions options;
    options.skeleton.threads = 1;
    EXPECT_GT(stable_skeleton(oracle, {}, options.skeleton).edge_count(), truth.edge_count());
    const MixedGraph found = rfci_search(oracle, {}, options).graph;
    for (int a = 0; a < nodes; ++a)
      for (int b = 0; b < nodes; ++b) {
        EXPECT_EQ(found.adjacent(a, b), truth.adjacent(a, b));
        if (found.mark(a, b) != Mark::kCircle) {
          EXPECT_EQ(found.mark(a, b), truth.mark(a, b));
        }
      }
  }
}

TEST(Fci, KnowledgeIsRespected) {
  for (std::uint32_t k = 0; k < 60; ++k) {
    SCOPED_TRACE(k);
    const HiddenProblem problem = random_problem(8, 3, 0, 0.25, 9000 + k);
    const DagOracle oracle(problem.dag, problem.observed);
    Knowledge knowledge;
    knowledge.tier_of.assign(8, -1);
    // True tiers: the first has the ancestors of variable 0.
    for (int v = 0; v < 8; ++v) knowledge.tier_of[v] = oracle.ancestral(v, 0) ? 0 : 1;
    for (const Edge& edge : problem.dag.edges())
      if (edge.source < 8 && edge.target < 8 && knowledge.required.size() < 2)
        knowledge.required.push_back(edge);
    const EdgeRules rules(knowledge, 8);
    FciOptions options;
    options.skeleton.threads = 1;
    for (const FciResult& found : {fci_search(oracle, rules, options), rfci_search(oracle, rules, options)}) {
      for (const Edge& edge : knowledge.required) EXPECT_TRUE(found.graph.directed(edge.source, edge.target));
      expect_sound_marks(oracle, found.graph);
      for (int a = 0; a < 8; ++a)
        for (int b = 0; b < 8; ++b) {
          if (knowledge.tier_of[a] <= knowledge.tier_of[b] || !found.graph.adjacent(a, b)) continue;
          EXPECT_EQ(found.graph.mark(b, a), Mark::kArrow);
        }
    }
  }
}

TEST(Fci, PairsThatOnlyKnowledgeKeepsApartDecideNothing) {
  std::size_t kept_apart = 0;
  for (std::uint32_t k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    const HiddenProblem problem = random_problem(7, 3, 0, 0.3, 12000 + k);
    const DagOracle oracle(problem.dag, problem.observed);
    // True knowledge: joined by a common cause alone, neither causes the other.
    Knowledge knowledge;
    for (int a = 0; a < 7; ++a)
      for (int b = 0; b < a; ++b)
        if (!oracle.ancestral(a, b) && !oracle.ancestral(b, a) && adjacent_in_truth(oracle, a, b)) {
          knowledge.forbidden.push_back({a, b});
          knowledge.forbidden.push_back({b, a});
        }
    const EdgeRules rules(knowledge, 7);
    FciOptions options;
    options.skeleton.threads = 1;
    const FciResult fci = fci_search(oracle, rules, options);
    kept_apart += fci.skeleton.unexplained.size();
    expect_sound_marks(oracle, fci.graph);
    expect_sound_marks(oracle, rfci_search(oracle, rules, options).graph);
  }
  EXPECT_GT(kept_apart, 20u);
}

TEST(Fci, PossibleDSepFollowsColliders) {
  // 0 -> 1 <- 2 -> 3: from 0 the collider 1 leads on to 2, and there the path ends.
  Skeleton skeleton(4);
  MixedGraph graph(4);
  for (const auto& [a, b] : {Edge{0, 1}, {1, 2}, {2, 3}}) {
    skeleton.joined(a, b) = skeleton.joined(b, a) = 1;
    skeleton.neighbours[a].push_back(b);
    skeleton.neighbours[b].push_back(a);
  }
  graph.set(0, 1, Mark::kCircle, Mark::kArrow);
  graph.set(2, 1, Mark::kCircle, Mark::kArrow);
  graph.set(2, 3, Mark::kCircle, Mark::kCircle);
  EXPECT_EQ(possible_d_sep(skeleton, graph, 0, -1), (std::vector<int>{1, 2}));
  EXPECT_EQ(possible_d_sep(skeleton, graph, 0, 1), (std::vector<int>{1}));
  EXPECT_EQ(possible_d_sep(skeleton, graph, 3, -1), (std::vector<int>{2}));
}

}  // namespace
}  // namespace causcale

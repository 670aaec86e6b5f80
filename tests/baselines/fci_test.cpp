#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "base/random.h"
#include "baselines/fci_search.h"
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
  // Node labels are random already, so the first ones may be the observed ones.
  for (int v = 0; v < observed; ++v) result.observed.push_back(v);
  for (int v = 0; v < selected; ++v) result.selected.push_back(observed + v);
  return result;
}

int count_marks(const MixedGraph& graph, Mark mark) {
  int count = 0;
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = 0; b < graph.nodes(); ++b) count += graph.mark(a, b) == mark;
  return count;
}

TEST(Fci, IsTheGraphOfTheEquivalenceClassWithHiddenAndSelectedVariables) {
  int compared = 0, tails = 0, arrows = 0, circles = 0, undirected = 0;
  for (std::uint32_t k = 0; k < 500; ++k) {
    SCOPED_TRACE(k);
    const HiddenProblem problem =
        random_problem(4 + k % 2, 1 + k % 4, k / 4 % 3, 0.2 + 0.1 * (k % 3), 1000 + k);
    const DagOracle oracle(problem.dag, problem.observed, problem.selected);
    const auto expected = pag_by_definition(oracle, 7);
    if (!expected) continue;
    ++compared;
    FciOptions options;
    options.skeleton.threads = 1;
    const MixedGraph found = fci_search(oracle, {}, options).graph;
    ASSERT_EQ(found, *expected);
    tails += count_marks(found, Mark::kTail);
    arrows += count_marks(found, Mark::kArrow);
    circles += count_marks(found, Mark::kCircle);
    for (int a = 0; a < found.nodes(); ++a)
      for (int b = 0; b < a; ++b) undirected += found.undirected(a, b);
  }
  EXPECT_GT(compared, 300);
  EXPECT_GT(tails, 50);
  EXPECT_GT(arrows, 200);
  EXPECT_GT(circles, 200);
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
    if (!expected ||
        count_marks(*expected, Mark::kNone) - n != n * (n - 1) - 2 * static_cast<int>(truth.edge_count()))
      continue;  // too many edges, or not maximal
    ++compared;
    FciOptions options;
    options.skeleton.threads = 1;
    ASSERT_EQ(fci_search(oracle, {}, options).graph, *expected) << k;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < a; ++b) undirected += expected->undirected(a, b);
  }
  EXPECT_EQ(compared, 400);
  EXPECT_GT(undirected, 20);
}

}  // namespace
}  // namespace causcale

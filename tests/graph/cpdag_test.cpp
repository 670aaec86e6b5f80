#include "graph/cpdag.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "causcale/error.h"
#include "graph/order.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

using Collider = std::array<int, 3>;

std::set<Collider> unshielded_colliders(const Digraph& dag) {
  std::set<Collider> result;
  for (int c = 0; c < dag.nodes(); ++c)
    for (int a : dag.parents(c))
      for (int b : dag.parents(c))
        if (a < b && !dag.has_edge(a, b) && !dag.has_edge(b, a)) result.insert({a, c, b});
  return result;
}

// By definition: an edge is directed when it points the same way in every DAG with the same skeleton and the
// same unshielded colliders. All orientations of the skeleton are tried.
Cpdag brute_force(const Digraph& dag) {
  const auto edges = dag.edges();
  const auto colliders = unshielded_colliders(dag);
  std::vector<bool> kept(edges.size(), false), reversed(edges.size(), false);
  for (unsigned mask = 0; mask < (1u << edges.size()); ++mask) {
    std::vector<Edge> turned;
    for (std::size_t e = 0; e < edges.size(); ++e)
      turned.push_back(mask >> e & 1 ? Edge{edges[e].target, edges[e].source} : edges[e]);
    const Digraph other(dag.nodes(), turned);
    if (!is_acyclic(other) || unshielded_colliders(other) != colliders) continue;
    for (std::size_t e = 0; e < edges.size(); ++e) (mask >> e & 1 ? reversed : kept)[e] = true;
  }
  Cpdag result;
  std::vector<Edge> directed;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (!reversed[e])
      directed.push_back(edges[e]);
    else
      result.undirected.push_back(
          {std::min(edges[e].source, edges[e].target), std::max(edges[e].source, edges[e].target)});
  }
  std::sort(result.undirected.begin(), result.undirected.end());
  result.directed = Digraph(dag.nodes(), directed);
  return result;
}

TEST(Cpdag, EqualsTheDefinition) {
  int with_both = 0;
  for (std::uint32_t k = 0; k < 400; ++k) {
    SCOPED_TRACE(k);
    const Digraph dag = test::random_dag(2 + k % 5, 0.3 + 0.15 * (k % 4), k);
    const Cpdag result = cpdag_of(dag);
    EXPECT_EQ(result, brute_force(dag));
    with_both += result.directed.edge_count() > 0 && !result.undirected.empty();
  }
  EXPECT_GT(with_both, 10);
}

TEST(Cpdag, KnownGraphs) {
  // A chain may be turned round, a collider may not, a complete graph is all undirected.
  EXPECT_EQ(cpdag_of(Digraph(3, {{0, 1}, {1, 2}})).undirected, (std::vector<Edge>{{0, 1}, {1, 2}}));
  EXPECT_EQ(cpdag_of(Digraph(3, {{0, 1}, {2, 1}})).directed, Digraph(3, {{0, 1}, {2, 1}}));
  EXPECT_EQ(cpdag_of(Digraph(3, {{0, 1}, {0, 2}, {1, 2}})).undirected.size(), 3u);
  EXPECT_EQ(cpdag_of(Digraph(4)).directed, Digraph(4));
  EXPECT_THROW(cpdag_of(Digraph(2, {{0, 1}, {1, 0}})), InputError);
}

TEST(Cpdag, IsTheSameForEveryMemberOfTheClass) {
  // Reversing a covered edge (same parents but for the source) stays in the class.
  for (std::uint32_t k = 0; k < 60; ++k) {
    const Digraph dag = test::random_dag(25, 0.15, k);
    for (std::size_t e = 0; e < dag.edge_count(); ++e) {
      const auto [x, y] = dag.edges()[e];
      std::vector<int> others;
      for (int parent : dag.parents(y))
        if (parent != x) others.push_back(parent);
      if (!std::equal(others.begin(), others.end(), dag.parents(x).begin(), dag.parents(x).end())) continue;
      std::vector<Edge> edges(dag.edges().begin(), dag.edges().end());
      edges[e] = {y, x};
      EXPECT_EQ(cpdag_of(Digraph(25, edges)), cpdag_of(dag));
    }
  }
}

}  // namespace
}  // namespace causcale

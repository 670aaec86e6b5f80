// What a graph says about an effect: against enumeration on small graphs, and on textbook examples.
#include "effects/adjustment_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/random.h"
#include "effects/separation.h"
#include "effects/total_effect.h"
#include "graph/cpdag.h"
#include "graph/order.h"
#include "graph/reachability.h"
#include "metrics/adjustment.h"

namespace causcale {
namespace {

Digraph random_dag(int nodes, double density, std::uint32_t number) {
  RandomStream random(3, number, 0x61646a73);
  std::vector<int> order(static_cast<std::size_t>(nodes));
  for (int k = 0; k < nodes; ++k) order[static_cast<std::size_t>(k)] = k;
  for (std::size_t k = order.size(); k > 1; --k)
    std::swap(order[k - 1], order[random.below(static_cast<std::uint32_t>(k))]);
  std::vector<Edge> edges;
  for (std::size_t a = 0; a < order.size(); ++a)
    for (std::size_t b = a + 1; b < order.size(); ++b)
      if (random.coin(density)) edges.push_back({order[a], order[b]});
  return Digraph(nodes, std::move(edges));
}

std::vector<int> members(unsigned choice, int nodes) {
  std::vector<int> set;
  for (int node = 0; node < nodes; ++node)
    if (choice >> node & 1u) set.push_back(node);
  return set;
}

// By going through all paths.
bool separated_by_paths(const Digraph& dag, int from, int to, const std::vector<int>& given) {
  const auto in_set = [&](int node) { return std::ranges::find(given, node) != given.end(); };
  const auto opens = [&](int collider) {
    const auto below = descendants(dag, std::span(&collider, 1));
    return std::ranges::any_of(given, [&](int node) { return below[static_cast<std::size_t>(node)] != 0; });
  };
  std::vector<int> path{from};
  const std::function<bool()> search = [&] {
    const int last = path.back();
    if (last == to) return true;
    for (int next = 0; next < dag.nodes(); ++next) {
      if (!dag.has_edge(last, next) && !dag.has_edge(next, last)) continue;
      if (std::ranges::find(path, next) != path.end()) continue;
      if (path.size() > 1) {
        const int before = path[path.size() - 2];
        const bool collider = dag.has_edge(before, last) && dag.has_edge(next, last);
        if (collider ? !opens(last) : in_set(last)) continue;
      }
      path.push_back(next);
      if (search()) return true;
      path.pop_back();
    }
    return false;
  };
  return !search();
}

TEST(Separation, AgreesWithAllPaths) {
  for (std::uint32_t number = 0; number < 40; ++number) {
    const Digraph dag = random_dag(6, 0.35, number);
    for (unsigned choice = 0; choice < 64; choice += 1 + number % 3) {
      const std::vector<int> given = members(choice, 6);
      for (int a = 0; a < 6; ++a)
        for (int b = 0; b < 6; ++b) {
          if (a == b || choice >> a & 1u || choice >> b & 1u) continue;
          EXPECT_EQ(separated(dag, a, b, given), separated_by_paths(dag, a, b, given)) << number;
        }
    }
  }
}

TEST(AdjustmentSets, MinimalSetsAreAllThatEnumerationFinds) {
  int pairs = 0;
  for (std::uint32_t number = 100; number < 130; ++number) {
    const int n = 7;
    const Digraph whole = random_dag(n, 0.4, number);
    for (int x = 0; x < n; ++x)
      for (int y = 0; y < n; ++y) {
        if (x == y || causal_nodes(whole, x, y).empty()) continue;
        ++pairs;
        AdjustmentSearch search(whole);
        search.set_treatment(x);
        std::set<std::vector<int>> minimal;
        std::vector<unsigned> valid;
        for (unsigned choice = 0; choice < 1u << n; ++choice) {
          if (choice >> x & 1u || choice >> y & 1u || !search.is_valid(y, members(choice, n))) continue;
          valid.push_back(choice);
          const bool has_part = std::ranges::any_of(
              valid, [&](unsigned other) { return other != choice && (other & choice) == other; });
          if (!has_part) minimal.insert(members(choice, n));
        }
        const Digraph dag = ancestral_graph(whole, x, y);
        const MinimalSets found = minimal_sets(dag, dag.nodes(), x, y, 1000);
        // Subsets have smaller numbers, so that those seen before suffice to judge a set.
        EXPECT_EQ(std::set<std::vector<int>>(found.sets.begin(), found.sets.end()), minimal) << number;
        EXPECT_TRUE(search.is_valid(y, optimal_set(dag, x, y)));
        EXPECT_EQ(optimal_set(dag, x, y), optimal_set(whole, x, y));
      }
  }
  EXPECT_GT(pairs, 300);
}

TEST(AdjustmentSets, FrontDoorAndInstruments) {
  // z -> x -> m -> y with u -> x and u -> y
  enum { z, x, m, y, u };
  const Digraph dag(5, {{z, x}, {x, m}, {m, y}, {u, x}, {u, y}});
  EXPECT_EQ(front_door_set(dag, 5, x, y), std::vector<int>{m});
  EXPECT_EQ(optimal_set(dag, x, y), std::vector<int>{u});
  const auto found = instruments(dag, 5, x, y);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].variable, z);
  EXPECT_TRUE(found[0].given.empty());
  // A direct edge besides, and a confounded mediator, close the front door.
  EXPECT_TRUE(front_door_set(Digraph(5, {{x, m}, {m, y}, {x, y}}), 5, x, y).empty());
  EXPECT_TRUE(front_door_set(Digraph(5, {{x, m}, {m, y}, {u, x}, {u, m}}), 5, x, y).empty());
  EXPECT_TRUE(front_door_set(Digraph(5, {{x, m}, {m, y}, {u, m}, {u, y}}), 5, x, y).empty());
  // u confounds instrument and outcome, and is known.
  const auto given = instruments(Digraph(5, {{u, z}, {u, y}, {z, x}, {x, y}}), 5, x, y);
  ASSERT_EQ(given.size(), 1u);
  EXPECT_EQ(given[0].given, std::vector<int>{u});
}

TEST(AdjustmentSets, ACycleIsFound) {
  EXPECT_TRUE(find_cycle(Digraph(3, {{0, 1}, {1, 2}, {0, 2}})).empty());
  const Digraph graph(5, {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}});
  const std::vector<int> cycle = find_cycle(graph);
  ASSERT_EQ(cycle.size(), 3u);
  for (std::size_t k = 0; k < cycle.size(); ++k)
    EXPECT_TRUE(graph.has_edge(cycle[k], cycle[(k + 1) % cycle.size()]));
  // It is not an obstacle where it lies below both.
  EXPECT_TRUE(find_cycle(ancestral_graph(graph, 0, 1)).size() == 3u);
  EXPECT_TRUE(find_cycle(ancestral_graph(Digraph(4, {{0, 1}, {1, 2}, {2, 3}, {3, 2}}), 0, 1)).empty());
}

// The parent sets of a node in all members of the class.
TEST(AdjustmentSets, ParentSetsOfACpdagAreThoseOfItsGraphs) {
  int open = 0;
  for (std::uint32_t number = 200; number < 260; ++number) {
    const int n = 5;
    const Digraph dag = random_dag(n, 0.5, number);
    const Cpdag cpdag = cpdag_of(dag);
    MixedGraph marks(cpdag.directed);
    for (const Edge& edge : cpdag.undirected) marks.set(edge.source, edge.target, Mark::kTail, Mark::kTail);
    std::vector<std::set<std::vector<int>>> truth(n);
    const std::size_t count = cpdag.undirected.size();
    for (unsigned choice = 0; choice < 1u << count; ++choice) {
      std::vector<Edge> edges(cpdag.directed.edges().begin(), cpdag.directed.edges().end());
      for (std::size_t k = 0; k < count; ++k) {
        const auto [a, b] = cpdag.undirected[k];
        edges.push_back(choice >> k & 1u ? Edge{a, b} : Edge{b, a});
      }
      const Digraph member(n, std::move(edges));
      if (!is_acyclic(member) || !(cpdag_of(member) == cpdag)) continue;
      for (int x = 0; x < n; ++x)
        truth[static_cast<std::size_t>(x)].insert({member.parents(x).begin(), member.parents(x).end()});
    }
    for (int x = 0; x < n; ++x) {
      const auto sets = possible_parent_sets(marks, x);
      EXPECT_EQ(std::set<std::vector<int>>(sets.begin(), sets.end()), truth[static_cast<std::size_t>(x)])
          << number << " " << x;
      open += sets.size() > 1;
    }
  }
  EXPECT_GT(open, 30);
}

}  // namespace
}  // namespace causcale

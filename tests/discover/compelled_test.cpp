#include "discover/compelled.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "graph/cpdag.h"

namespace causcale {
namespace {

Digraph random_dag(int nodes, double density, std::uint64_t seed) {
  RandomStream random(seed, 0, 0);
  std::vector<Edge> edges;
  for (int i = 0; i < nodes; ++i)
    for (int j = i + 1; j < nodes; ++j)
      if (random.uniform(0.0, 1.0) < density) edges.push_back(seed % 2 ? Edge{i, j} : Edge{j, i});
  return Digraph(nodes, std::move(edges));
}

// With every collider borne out, what follows are the directed edges of the equivalence class.
TEST(CompelledEdges, AreThoseOfTheEquivalenceClass) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Digraph dag =
        random_dag(3 + static_cast<int>(seed % 9), 0.15 + 0.1 * static_cast<double>(seed % 6), seed);
    EXPECT_EQ(compelled_edges(dag, [](Edge) { return true; }), cpdag_of(dag).directed) << "seed " << seed;
  }
}

TEST(CompelledEdges, ColliderThatIsNotBorneOutTellsNothing) {
  const Digraph dag(4, {{0, 2}, {1, 2}, {2, 3}});
  EXPECT_EQ(compelled_edges(dag, [](Edge edge) { return edge.source != 1; }).edge_count(), 0u);
  EXPECT_EQ(compelled_edges(dag, [](Edge) { return true; }).edge_count(), 3u);
}

}  // namespace
}  // namespace causcale

// Does the default model say what cannot be known, and nothing where there is nothing?
//
// Null tables: independent columns of all shapes (world `nothing` without an edge), 3 to 20 columns, 50 to
// 2000 rows: the share of ordered pairs more probable than one half, before and after edges without any
// dependence are struck out. Unidentifiable tables: linear, Gaussian, observational, 4 to 12 columns, 300 to
// 2000 rows: the mean of max(p, reverse) / (p + reverse) over pairs whose link is more probable than one half
// and whose direction no collider of the true graph tells.
//
//   honesty_bench [null tables=200] [unidentifiable tables=100] [model=] [stacking=auto|off]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/random.h"
#include "causcale/discover.h"
#include "core/option_names.h"
#include "graph/cpdag.h"
#include "simulate/worlds/world.h"

namespace {

using namespace causcale;

constexpr std::uint64_t kSeed = 90210;

int between(int low, int high, RandomStream& random) {
  return low + static_cast<int>(random.below(static_cast<std::uint32_t>(high - low + 1)));
}

}  // namespace

int main(int argc, char** argv) {
  const int null_tables = argc > 1 ? std::atoi(argv[1]) : 200;
  const int open_tables = argc > 2 ? std::atoi(argv[2]) : 100;
  DiscoverOptions options;
  if (argc > 3) options.model = argv[3];
  if (argc > 4) options.stacking = choice_named(kStackingNames, std::string(argv[4]), "stacking");

  std::size_t pairs = 0, above = 0, edges = 0;
  for (int k = 0; k < null_tables; ++k) {
    RandomStream random(kSeed, static_cast<std::uint32_t>(k), 0x6e756c6c);
    const WorldOptions drawn{.nodes = between(3, 20, random),
                             .rows = between(50, 2000, random),
                             .settings = {{"edges_per_node", "0"}}};
    const Dataset dataset =
        draw_world(world_named("nothing"), drawn, kSeed, static_cast<std::uint32_t>(k)).dataset;
    const DiscoverResult result = discover(dataset, options);
    pairs += result.names.size() * (result.names.size() - 1);
    for (const double p : result.probabilities.values()) above += p > 0.5;
    edges += result.graph.edges().size();
  }
  fmt::print(
      "null tables               {:4}   pairs above 0.5: {:.3f} %   edges left: {:.3f} % of {} pairs\n",
      null_tables, 100.0 * static_cast<double>(above) / static_cast<double>(pairs),
      100.0 * static_cast<double>(edges) / static_cast<double>(pairs), pairs);

  double sum = 0.0, count = 0.0, told = 0.0, right = 0.0;
  for (int k = 0; k < open_tables; ++k) {
    RandomStream random(kSeed, static_cast<std::uint32_t>(k), 0x6f70656e);
    const WorldOptions drawn{.nodes = between(4, 12, random),
                             .rows = between(300, 2000, random),
                             .settings = {{"interventions", "none"}}};
    const WorldSample sample =
        draw_world(world_named("linear_gaussian"), drawn, kSeed, static_cast<std::uint32_t>(k));
    const DiscoverResult result = discover(sample.dataset, options);
    const int n = static_cast<int>(result.names.size());
    std::vector<Edge> truth;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (sample.adjacency(static_cast<std::size_t>(i), static_cast<std::size_t>(j)))
          truth.push_back({i, j});
    const Cpdag essential = cpdag_of(Digraph(n, truth));
    for (const Edge& edge : truth) {
      const double p = result.probabilities(edge.source, edge.target);
      const double reverse = result.probabilities(edge.target, edge.source);
      if (p + reverse <= 0.5) continue;
      if (essential.directed.has_edge(edge.source, edge.target)) {
        told += 1.0;
        right += p > reverse;
        continue;
      }
      sum += std::max(p, reverse) / (p + reverse);
      count += 1.0;
    }
  }
  fmt::print("unidentifiable directions {:4}   mean certainty: {:.3f} over {:.0f} edges\n", open_tables,
             sum / count, count);
  fmt::print("directions that colliders tell: {:.1f} % right of {:.0f}\n", 100.0 * right / told, told);
}

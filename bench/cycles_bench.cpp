// How long does cycle breaking take when every score is noise?
#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "base/random.h"
#include "graph/cycles.h"
#include "graph/order.h"

namespace {

double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

int main() {
  fmt::print("{:>7} {:>9} {:>10} {:>10} {:>9} {:>8}\n", "nodes", "density", "edges", "removed", "seconds",
             "acyclic");
  struct Setting {
    int nodes;
    double density;  // chance that an ordered pair is an edge
  };
  for (const auto& [nodes, density] : {Setting{1000, 0.002},
                                       {1000, 0.5},
                                       {2000, 0.5},
                                       {5000, 0.001},
                                       {5000, 0.02},
                                       {5000, 0.25},
                                       {5000, 0.5}}) {
    causcale::RandomStream random(1, nodes, 0);
    std::vector<causcale::Edge> edges;
    std::vector<double> scores;
    for (int i = 0; i < nodes; ++i)
      for (int j = 0; j < nodes; ++j)
        if (i != j && random.uniform_float() < density) {
          edges.push_back({i, j});
          scores.push_back(random.uniform(0.5, 1.0));
        }
    const causcale::Digraph graph(nodes, std::move(edges));
    const std::clock_t start = std::clock();
    const causcale::CycleBreaking broken = causcale::break_cycles(graph, scores);
    fmt::print("{:>7} {:>9} {:>10} {:>10} {:>9.3f} {:>8}\n", nodes, density, graph.edge_count(),
               broken.removed.size(), seconds_since(start),
               causcale::is_acyclic(broken.graph) ? "yes" : "NO");
    std::fflush(stdout);
  }
}

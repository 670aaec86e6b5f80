// How long do the adjustment distances take on one core?
//
// Random DAGs (every edge set of the given size equally likely under a random order), truth and guess drawn
// independently, so that nearly every pair has to be looked at. Published by the authors of the distances for
// their own program, gadjid: parent AID of sparse graphs of about 13,600 nodes in one minute.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <numeric>
#include <set>
#include <string>

#include "base/random.h"
#include "metrics/aid.h"

namespace {

using causcale::Digraph;
using causcale::Edge;

Digraph random_dag(int nodes, std::size_t edges, std::uint32_t number) {
  causcale::RandomStream random(1, number, 0);
  std::vector<int> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  for (int i = nodes - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  std::set<Edge> chosen;
  while (chosen.size() < edges) {
    const int a = static_cast<int>(random.below(nodes)), b = static_cast<int>(random.below(nodes));
    if (a < b) chosen.insert({order[a], order[b]});
  }
  return Digraph(nodes, {chosen.begin(), chosen.end()});
}

template <class Distance>
std::string timed(Distance distance, const Digraph& truth, const Digraph& guess) {
  const std::clock_t start = std::clock();
  const auto result = distance(truth, guess, 1);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return fmt::format("{:9.3f} s ({:.3f})", seconds, result.normalised);
}

}  // namespace

// Any argument adds the sizes that take minutes.
int main(int argc, char**) {
  struct Setting {
    int nodes;
    int edges_per_node;
    bool with_oset;
    bool long_run;
  };
  const Setting settings[] = {{100, 4, true, false},    {500, 2, true, false},    {1000, 2, true, false},
                              {1000, 10, true, true},   {3000, 2, true, false},   {5000, 2, false, false},
                              {5000, 10, false, false}, {13600, 2, false, false}, {13600, 10, false, true}};
  fmt::print(
      "seconds of one core (CPU time); in brackets the normalised distance\n{:>7} {:>8} {:>20} {:>20} "
      "{:>20}\n",
      "nodes", "edges", "parent AID", "ancestor AID", "o-set AID");
  for (const auto& [nodes, per_node, with_oset, long_run] : settings) {
    if (long_run && argc < 2) continue;
    const std::size_t edges = static_cast<std::size_t>(nodes) * per_node;
    const Digraph truth = random_dag(nodes, edges, 2), guess = random_dag(nodes, edges, 3);
    fmt::print("{:>7} {:>8} {:>20} {:>20} {:>20}\n", nodes, edges, timed(causcale::parent_aid, truth, guess),
               timed(causcale::ancestor_aid, truth, guess),
               with_oset ? timed(causcale::oset_aid, truth, guess) : std::string("-"));
    std::fflush(stdout);
  }
  fmt::print("published for gadjid: parent AID, 13,600 sparse nodes in 60 s\n");
}

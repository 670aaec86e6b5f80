#include "graph/components.h"

#include <algorithm>

namespace causcale {

std::vector<std::vector<int>> Components::members() const {
  std::vector<std::vector<int>> result(count);
  for (std::size_t i = 0; i < component_of.size(); ++i)
    result[component_of[i]].push_back(static_cast<int>(i));
  return result;
}

// Tarjan's algorithm with the recursion unrolled: `path` holds the nodes being explored with the next child
// to look at, `open` the nodes whose component is not yet closed.
Components strongly_connected_components(const Digraph& graph) {
  const int n = graph.nodes();
  constexpr int kUnvisited = -1;
  struct Visit {
    int node;
    std::size_t next_child;
  };
  Components result{std::vector<int>(n, kUnvisited), 0};
  std::vector<int> number(n, kUnvisited);  // order of discovery
  std::vector<int> lowest(n);              // lowest number known to be reachable within the open nodes
  std::vector<int> open;
  std::vector<Visit> path;
  int discovered = 0;

  const auto discover = [&](int node) {
    number[node] = lowest[node] = discovered++;
    open.push_back(node);
    path.push_back({node, 0});
  };
  for (int root = 0; root < n; ++root) {
    if (number[root] != kUnvisited) continue;
    discover(root);
    while (!path.empty()) {
      const int node = path.back().node;
      const auto children = graph.children(node);
      if (path.back().next_child < children.size()) {
        const int child = children[path.back().next_child++];
        if (number[child] == kUnvisited) {
          discover(child);
        } else if (result.component_of[child] == kUnvisited) {
          lowest[node] = std::min(lowest[node], number[child]);
        }
        continue;
      }
      if (lowest[node] == number[node]) {
        int member;
        do {
          member = open.back();
          open.pop_back();
          result.component_of[member] = result.count;
        } while (member != node);
        ++result.count;
      }
      path.pop_back();
      if (!path.empty()) lowest[path.back().node] = std::min(lowest[path.back().node], lowest[node]);
    }
  }
  return result;
}

}  // namespace causcale

#include "discover/compelled.h"

#include <algorithm>
#include <set>
#include <vector>

namespace causcale {
namespace {

// Only arrows of the graph are ever added, so every one of them is a flag of an edge.
class Compelled {
 public:
  explicit Compelled(const Digraph& dag) : dag_(dag) {}

  void add_colliders(const std::function<bool(Edge)>& borne_out) {
    for (int c = 0; c < dag_.nodes(); ++c) {
      const auto parents = dag_.parents(c);
      for (std::size_t x = 0; x < parents.size(); ++x)
        for (std::size_t y = x + 1; y < parents.size(); ++y) {
          const Edge first{parents[x], c}, second{parents[y], c};
          if (adjacent(first.source, second.source) || !borne_out(first) || !borne_out(second)) continue;
          told_.insert(first);
          told_.insert(second);
        }
    }
  }

  void follow() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Edge& edge : dag_.edges())
        if (!told_.contains(edge) && follows(edge)) {
          told_.insert(edge);
          changed = true;
        }
    }
  }

  std::vector<Edge> edges() const { return {told_.begin(), told_.end()}; }

 private:
  bool adjacent(int a, int b) const { return dag_.has_edge(a, b) || dag_.has_edge(b, a); }
  bool told(int a, int b) const { return told_.contains({a, b}); }

  // Is b -> c out of the question?
  bool follows(Edge edge) const {
    const auto [b, c] = edge;
    for (const int a : dag_.parents(b))  // a -> b - c: c -> b would be a collider
      if (told(a, b) && !adjacent(a, c)) return true;
    for (const int a : dag_.children(b))  // b -> a -> c: c -> b would close a cycle
      if (told(b, a) && told(a, c)) return true;
    // b - a -> c and b - d -> c with a and d apart: c -> b would make a -> b <- d.
    const auto parents = dag_.parents(c);
    for (std::size_t x = 0; x < parents.size(); ++x)
      for (std::size_t y = x + 1; y < parents.size(); ++y) {
        const int a = parents[x], d = parents[y];
        if (a == b || d == b || !told(a, c) || !told(d, c) || adjacent(a, d)) continue;
        if (told(a, b) || told(d, b)) continue;
        if (adjacent(a, b) && adjacent(d, b)) return true;
      }
    return false;
  }

  const Digraph& dag_;
  std::set<Edge> told_;
};

}  // namespace

Digraph compelled_edges(const Digraph& dag, const std::function<bool(Edge)>& borne_out) {
  Compelled compelled(dag);
  compelled.add_colliders(borne_out);
  compelled.follow();
  return Digraph(dag.nodes(), compelled.edges());
}

}  // namespace causcale

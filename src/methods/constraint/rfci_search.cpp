#include <algorithm>
#include <array>
#include <deque>

#include "methods/constraint/fci_search.h"
#include "methods/constraint/pag_rules.h"

namespace causcale {
namespace {

// Unshielded triples x, z, y with x < y, waiting for judgement, and those found to be colliders.
class TripleJudge {
 public:
  TripleJudge(const IndependenceTest& test, const EdgeRules& rules, Skeleton& skeleton)
      : test_(test), rules_(rules), skeleton_(skeleton) {}

  void add_all() {
    for (int z = 0; z < skeleton_.nodes(); ++z)
      for (const int x : skeleton_.neighbours[z])
        for (const int y : skeleton_.neighbours[z])
          if (x < y && !skeleton_.adjacent(x, y)) waiting_.push_back({x, z, y});
  }

  // A collider needs z outside the separating set and dependence of x, z and of y, z given that set. Where
  // the latter fails, an edge too many has been found: it goes, and its neighbourhood has new triples.
  void judge() {
    while (!waiting_.empty()) {
      const auto [x, z, y] = waiting_.front();
      waiting_.pop_front();
      if (!unshielded(x, z, y) || !skeleton_.explained(x, y) || skeleton_.separators.contains(x, y, z))
        continue;
      const auto given = skeleton_.separators.of(x, y);
      const std::vector<int> set(given.begin(), given.end());
      const bool left = removable(x, z, set), right = removable(y, z, set);
      if (left) separate(x, z, set);
      if (right) separate(y, z, set);
      if (!left && !right) colliders_.push_back({x, z, y});
    }
  }

  // Looks for the smallest subset of `from` that separates the pair; true if the edge was removed.
  bool separate(int x, int y, const std::vector<int>& from) {
    std::vector<int> pool;
    for (const int v : from)
      if (v != x && v != y) pool.push_back(v);
    const int largest = std::min(static_cast<int>(pool.size()), test_.largest_set());
    for (int size = 0; size <= largest; ++size) {
      SubsetSearch found = test_.search(x, y, {pool, {}, size, -1});
      skeleton_.tests += found.tests;
      skeleton_.note_strength(x, y, found.weakest);
      if (!found.separated) continue;
      skeleton_.separators.put(x, y, std::move(found.separator));
      skeleton_.remove(x, y);
      for (const int z : skeleton_.neighbours[x])
        if (skeleton_.adjacent(z, y)) waiting_.push_back({std::min(x, y), z, std::max(x, y)});
      return true;
    }
    return false;
  }

  // Colliders that still are triples of the graph.
  void orient(MixedGraph& graph) {
    for (const auto& [x, z, y] : colliders_)
      if (unshielded(x, z, y)) orient_collider(graph, x, z, y);
    colliders_.clear();
  }
  bool required(int x, int y) const { return rules_.demands_either(x, y); }

 private:
  bool unshielded(int x, int z, int y) const {
    return skeleton_.adjacent(x, z) && skeleton_.adjacent(z, y) && !skeleton_.adjacent(x, y);
  }
  bool removable(int x, int z, const std::vector<int>& set) {
    if (required(x, z)) return false;
    const double strength = test_.strength(x, z, set);
    ++skeleton_.tests;
    skeleton_.note_strength(x, z, strength);
    return strength <= 1.0;
  }

  const IndependenceTest& test_;
  const EdgeRules& rules_;
  Skeleton& skeleton_;
  std::deque<std::array<int, 3>> waiting_;
  std::vector<std::array<int, 3>> colliders_;
};

}  // namespace

FciResult rfci_search(const IndependenceTest& test, const EdgeRules& rules, const FciOptions& options) {
  FciResult result{stable_skeleton(test, rules, options.skeleton), {}};
  Skeleton& skeleton = result.skeleton;
  TripleJudge judge(test, rules, skeleton);
  judge.add_all();
  judge.judge();
  result.graph = circle_graph(skeleton, rules);
  judge.orient(result.graph);

  // Before a discriminating path is believed, its edges must withstand the subsets of the set that separates
  // its ends.
  const auto check_path = [&](const std::vector<int>& path) {
    const auto given = skeleton.separators.of(path.front(), path.back());
    const std::vector<int> set(given.begin(), given.end());
    bool intact = true;
    std::vector<Edge> edges;
    for (std::size_t k = 0; k + 1 < path.size(); ++k) edges.push_back({path[k], path[k + 1]});
    for (std::size_t k = 0; k + 2 < path.size(); ++k) edges.push_back({path[k], path.back()});
    for (const auto& [x, y] : edges)
      if (skeleton.adjacent(x, y) && !judge.required(x, y) && judge.separate(x, y, set)) intact = false;
    if (intact) return true;
    judge.judge();
    for (int a = 0; a < skeleton.nodes(); ++a)
      for (int b = a + 1; b < skeleton.nodes(); ++b)
        if (!skeleton.adjacent(a, b)) result.graph.remove(a, b);
    judge.orient(result.graph);
    return false;
  };
  PagRules(skeleton, result.graph, check_path).run();
  return result;
}

}  // namespace causcale

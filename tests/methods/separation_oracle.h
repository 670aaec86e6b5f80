// Independence read off a known graph: by d-separation in a DAG of which some variables are hidden and some
// selected on, or by m-separation in a small mixed graph.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "causcale/graph.h"
#include "graph/mixed_graph.h"
#include "graph/reachability.h"
#include "methods/constraint/independence_test.h"

namespace causcale::test {

// Variable k of the test is node observed[k] of the DAG.
class DagOracle final : public IndependenceTest {
 public:
  DagOracle(Digraph dag, std::vector<int> observed, std::vector<int> selected = {})
      : dag_(std::move(dag)), observed_(std::move(observed)), selected_(std::move(selected)) {}
  explicit DagOracle(const Digraph& dag) : dag_(dag) {
    for (int v = 0; v < dag.nodes(); ++v) observed_.push_back(v);
  }

  int variables() const override { return static_cast<int>(observed_.size()); }
  int largest_set() const override { return variables(); }
  double strength(int x, int y, std::span<const int> given) const override {
    std::vector<int> condition = selected_;
    for (const int v : given) condition.push_back(observed_[v]);
    return d_separated(observed_[x], observed_[y], condition) ? 0.0 : 2.0;
  }
  // Is variable x an ancestor of variable y or of the selection?
  bool ancestral(int x, int y) const {
    std::vector<int> targets = selected_;
    targets.push_back(observed_[y]);
    return ancestors(dag_, targets)[observed_[x]];
  }

 private:
  // Reachability along active trails: (node, arrived from a child) and (node, arrived from a parent).
  bool d_separated(int x, int y, const std::vector<int>& condition) const {
    const auto opens = ancestors(dag_, condition);
    std::vector<char> given(dag_.nodes(), 0);
    for (const int v : condition) given[v] = 1;
    std::vector<char> seen(2 * dag_.nodes(), 0);
    std::vector<int> open{2 * x};
    seen[2 * x] = 1;
    const auto go = [&](int node, int from_parent) {
      if (!seen[2 * node + from_parent]++) open.push_back(2 * node + from_parent);
    };
    while (!open.empty()) {
      const int node = open.back() / 2;
      const bool from_parent = open.back() % 2;
      open.pop_back();
      if (node == y) return false;
      if (!given[node])
        for (const int child : dag_.children(node)) go(child, 1);
      if (from_parent ? opens[node] : !given[node])
        for (const int parent : dag_.parents(node)) go(parent, 0);
    }
    return true;
  }

  Digraph dag_;
  std::vector<int> observed_, selected_;
};

// By definition, over all paths: every non-collider outside the set, every collider an ancestor of the set.
class MixedGraphOracle final : public IndependenceTest {
 public:
  explicit MixedGraphOracle(MixedGraph graph) : graph_(std::move(graph)) {
    const int n = graph_.nodes();
    for (int v = 0; v < n; ++v) {
      unsigned reached = 1u << v;
      for (int round = 0; round < n; ++round)
        for (int a = 0; a < n; ++a)
          for (int b = 0; b < n; ++b)
            if (reached >> b & 1 && graph_.directed(a, b)) reached |= 1u << a;
      ancestors_.push_back(reached);
    }
  }

  int variables() const override { return graph_.nodes(); }
  int largest_set() const override { return variables(); }
  double strength(int x, int y, std::span<const int> given) const override {
    unsigned set = 0;
    for (const int v : given) set |= 1u << v;
    return separated(x, y, set) ? 0.0 : 2.0;
  }
  bool separated(int x, int y, unsigned given) const {
    unsigned opens = 0;
    for (int v = 0; v < graph_.nodes(); ++v)
      if (given >> v & 1) opens |= ancestors_[v];
    return !connected(-1, x, y, given, opens, 1u << x);
  }
  // No directed cycle, no arrowhead towards an ancestor, none at a node with an undirected edge.
  bool ancestral_graph() const {
    for (int a = 0; a < graph_.nodes(); ++a)
      for (int b = 0; b < graph_.nodes(); ++b) {
        if (graph_.mark(b, a) != Mark::kArrow) continue;
        if (ancestors_[b] >> a & 1) return false;
        for (int c = 0; c < graph_.nodes(); ++c)
          if (graph_.undirected(a, c)) return false;
      }
    return true;
  }

 private:
  bool connected(int before, int at, int goal, unsigned given, unsigned opens, unsigned visited) const {
    for (int next = 0; next < graph_.nodes(); ++next) {
      if (visited >> next & 1 || !graph_.adjacent(at, next)) continue;
      if (before >= 0) {
        const bool collider =
            graph_.mark(before, at) == Mark::kArrow && graph_.mark(next, at) == Mark::kArrow;
        if (collider ? !(opens >> at & 1) : given >> at & 1) continue;
      }
      if (next == goal || connected(at, next, goal, given, opens, visited | 1u << next)) return true;
    }
    return false;
  }

  MixedGraph graph_;
  std::vector<unsigned> ancestors_;
};

}  // namespace causcale::test

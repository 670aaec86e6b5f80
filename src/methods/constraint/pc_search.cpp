#include "methods/constraint/pc_search.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/parallel.h"

namespace causcale {
namespace {

struct Triple {
  int x, z, y;         // x < y
  double doubt = 0.0;  // colliders with less of it are oriented first
};

enum class Verdict { kCollider, kNonCollider, kAmbiguous };

struct Votes {
  std::int64_t with = 0, without = 0;  // separating sets that have, or lack, the middle of the triple
};

// Asks all sets of neighbours of `side` (one end of the triple) for separation of the ends.
void collect_votes(const Skeleton& skeleton, const IndependenceTest& test, const Triple& triple, int side,
                   Votes& votes) {
  std::vector<int> pool;
  for (const int v : skeleton.neighbours[side])
    if (v != triple.x && v != triple.y) pool.push_back(v);
  const int count = static_cast<int>(pool.size());
  std::vector<int> given;
  for (int size = 0; size <= std::min(count, skeleton.deepest); ++size)
    for_each_combination(count, size, count, [&](std::span<const int> chosen) {
      given.clear();
      for (const int position : chosen) given.push_back(pool[position]);
      if (test.independent(triple.x, triple.y, given))
        ++(std::ranges::find(given, triple.z) != given.end() ? votes.with : votes.without);
      return true;
    });
}

Verdict verdict_of(const Votes& votes, ColliderRule rule) {
  if (votes.with + votes.without == 0) return Verdict::kAmbiguous;
  if (rule == ColliderRule::kConservative) {
    if (votes.with == 0) return Verdict::kCollider;
    return votes.without == 0 ? Verdict::kNonCollider : Verdict::kAmbiguous;
  }
  if (votes.with == votes.without) return Verdict::kAmbiguous;
  return votes.with < votes.without ? Verdict::kCollider : Verdict::kNonCollider;
}

// A partly directed graph whose directed part stays acyclic and within the knowledge, whatever is asked of
// it.
class PartlyDirected {
 public:
  PartlyDirected(const Skeleton& skeleton, const EdgeRules& rules)
      : rules_(rules), graph_(skeleton.nodes()), children_(skeleton.nodes()) {
    for (int x = 0; x < skeleton.nodes(); ++x)
      for (const int y : skeleton.neighbours[x]) graph_.set_mark(x, y, Mark::kTail);
  }

  const MixedGraph& graph() const { return graph_; }
  bool may_direct(int a, int b) const {
    if (graph_.directed(a, b)) return true;
    return graph_.undirected(a, b) && !rules_.forbids(a, b) && !leads_to(b, a);
  }
  bool direct(int a, int b) {
    if (!graph_.undirected(a, b) || !may_direct(a, b)) return false;
    graph_.set_mark(a, b, Mark::kArrow);
    children_[a].push_back(b);
    return true;
  }
  bool collide(const Triple& triple) {
    if (!may_direct(triple.x, triple.z) || !may_direct(triple.y, triple.z)) return false;
    direct(triple.x, triple.z);
    direct(triple.y, triple.z);
    return true;
  }

 private:
  bool leads_to(int from, int to) const {
    if (children_[from].empty()) return false;
    std::vector<char> seen(graph_.nodes(), 0);
    std::vector<int> open{from};
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (node == to) return true;
      for (const int child : children_[node])
        if (!seen[child]) {
          seen[child] = 1;
          open.push_back(child);
        }
    }
    return false;
  }

  const EdgeRules& rules_;
  MixedGraph graph_;
  std::vector<std::vector<int>> children_;
};

// The four rules of Meek (1995); the fourth is needed once knowledge has directed edges.
class MeekRules {
 public:
  MeekRules(const Skeleton& skeleton, const std::set<std::array<int, 3>>& ambiguous, PartlyDirected& graph)
      : skeleton_(skeleton), ambiguous_(ambiguous), graph_(graph) {}

  void run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (int a = 0; a < skeleton_.nodes(); ++a)
        for (const int b : skeleton_.neighbours[a])
          if (g().undirected(a, b) && implied(a, b)) changed |= graph_.direct(a, b);
    }
  }

 private:
  const MixedGraph& g() const { return graph_.graph(); }
  bool non_collider(int x, int z, int y) const {
    return !skeleton_.adjacent(x, y) && !ambiguous_.contains({std::min(x, y), z, std::max(x, y)});
  }
  // Must a - b be a -> b?
  bool implied(int a, int b) const {
    for (const int c : skeleton_.neighbours[a]) {
      if (c == b) continue;
      if (g().directed(c, a) && non_collider(c, a, b)) return true;  // c -> a - b
      if (g().directed(a, c) && g().directed(c, b)) return true;     // a -> c -> b
      if (g().undirected(a, c) && (two_ways(a, b, c) || round_about(a, b, c))) return true;
    }
    return false;
  }
  // a - c -> b and a - d -> b, c and d not adjacent.
  bool two_ways(int a, int b, int c) const {
    if (!g().directed(c, b)) return false;
    for (const int d : skeleton_.neighbours[a])
      if (d > c && d != b && g().undirected(a, d) && g().directed(d, b) && non_collider(c, a, d)) return true;
    return false;
  }
  // a - c -> d -> b, a and d adjacent, c and b not.
  bool round_about(int a, int b, int c) const {
    if (!non_collider(c, a, b)) return false;
    for (const int d : skeleton_.neighbours[c])
      if (d != a && d != b && skeleton_.adjacent(a, d) && g().directed(c, d) && g().directed(d, b))
        return true;
    return false;
  }

  const Skeleton& skeleton_;
  const std::set<std::array<int, 3>>& ambiguous_;
  PartlyDirected& graph_;
};

std::vector<Triple> unshielded_triples(const Skeleton& skeleton) {
  std::vector<Triple> result;
  for (int z = 0; z < skeleton.nodes(); ++z)
    for (const int x : skeleton.neighbours[z])
      for (const int y : skeleton.neighbours[z])
        if (x < y && !skeleton.adjacent(x, y)) result.push_back({x, z, y, skeleton.weakest(x, y)});
  return result;
}

}  // namespace

PcResult orient_pc(const Skeleton& skeleton, const IndependenceTest& test, const EdgeRules& rules,
                   ColliderRule collider_rule, int threads, const std::function<void()>& check) {
  const std::vector<Triple> triples = unshielded_triples(skeleton);
  std::vector<Verdict> verdicts(triples.size());
  parallel_for(triples.size(), threads, [&](std::size_t k) {
    if (check) check();
    const auto& [x, z, y, doubt] = triples[k];
    if (collider_rule == ColliderRule::kPlain) {
      verdicts[k] = !skeleton.explained(x, y)               ? Verdict::kAmbiguous
                    : skeleton.separators.contains(x, y, z) ? Verdict::kNonCollider
                                                            : Verdict::kCollider;
      return;
    }
    Votes votes;
    collect_votes(skeleton, test, triples[k], x, votes);
    collect_votes(skeleton, test, triples[k], y, votes);
    verdicts[k] = verdict_of(votes, collider_rule);
  });

  PcResult result;
  PartlyDirected graph(skeleton, rules);
  for (int a = 0; a < skeleton.nodes(); ++a)
    for (const int b : skeleton.neighbours[a])
      if (rules.demands(a, b)) graph.direct(a, b);
  for (int a = 0; a < skeleton.nodes(); ++a)
    for (const int b : skeleton.neighbours[a])
      if (rules.forbids(b, a)) graph.direct(a, b);

  // Colliders that exclude each other are possible in finite data. The surest come first: those whose ends
  // show the least dependence.
  std::vector<Triple> colliders;
  std::set<std::array<int, 3>> ambiguous;
  for (std::size_t k = 0; k < triples.size(); ++k) {
    if (verdicts[k] == Verdict::kCollider) colliders.push_back(triples[k]);
    if (verdicts[k] == Verdict::kAmbiguous) ambiguous.insert({triples[k].x, triples[k].z, triples[k].y});
  }
  std::ranges::stable_sort(colliders, {}, &Triple::doubt);
  for (const Triple& triple : colliders) result.conflicts += !graph.collide(triple);
  MeekRules(skeleton, ambiguous, graph).run();
  result.graph = graph.graph();
  result.ambiguous = ambiguous.size();
  return result;
}

}  // namespace causcale

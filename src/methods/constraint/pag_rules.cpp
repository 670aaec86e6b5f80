#include "methods/constraint/pag_rules.h"

#include <algorithm>
#include <unordered_map>

namespace causcale {

MixedGraph circle_graph(const Skeleton& skeleton, const EdgeRules& rules) {
  MixedGraph graph(skeleton.nodes());
  for (int a = 0; a < skeleton.nodes(); ++a)
    for (const int b : skeleton.neighbours[a])
      graph.set_mark(a, b,
                     rules.forbids(b, a)   ? Mark::kArrow
                     : rules.demands(b, a) ? Mark::kTail
                                           : Mark::kCircle);
  return graph;
}

void orient_collider(MixedGraph& graph, int x, int z, int y) {
  for (const int end : {x, y})
    if (graph.mark(end, z) == Mark::kCircle) graph.set_mark(end, z, Mark::kArrow);
}

PagRules::PagRules(const Skeleton& skeleton, MixedGraph& graph, CheckPath check_path)
    : skeleton_(skeleton), graph_(graph), check_path_(std::move(check_path)) {}

bool PagRules::put(int a, int b, Mark at_b) {
  if (!circle(a, b)) return false;
  graph_.set_mark(a, b, at_b);
  return true;
}

void PagRules::run() {
  const int nodes = skeleton_.nodes();
  // R4 may remove edges: lists of neighbours are copied before they are walked through.
  const auto for_each_edge = [&](auto&& rule) {
    bool changed = false;
    for (int a = 0; a < nodes; ++a)
      for (const int b : std::vector<int>(skeleton_.neighbours[a])) changed |= rule(a, b);
    return changed;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (int b = 0; b < nodes; ++b) changed |= at_least_one_of_r1_to_r3(b);
    if (!changed) changed = for_each_edge([&](int b, int c) { return r4(b, c); });
  }
  for_each_edge([&](int a, int b) { return r5(a, b); });
  while (for_each_edge([&](int b, int c) { return r6_r7(b, c); })) {
  }
  const auto is_cause = [&](int a, int c) {
    // a o-> c
    return circle(c, a) && arrow(a, c) && (r8(a, c) || r9(a, c) || r10(a, c)) && put(c, a, Mark::kTail);
  };
  while (for_each_edge(is_cause)) {
  }
}

bool PagRules::at_least_one_of_r1_to_r3(int b) {
  bool changed = false;
  const auto& around = skeleton_.neighbours[b];
  for (const int a : around)
    for (const int c : around) {
      if (a == c) continue;
      if (apart(a, c)) {
        // R1: a *-> b o-* c. No collider, so b -> c.
        if (arrow(a, b) && circle(c, b)) {
          changed |= put(c, b, Mark::kTail);
          changed |= put(b, c, Mark::kArrow);
        }
        // R3: a *-> b <-* c, a *-o d o-* c, d *-o b.
        if (a < c && arrow(a, b) && arrow(c, b))
          for (const int d : around)
            if (d != a && d != c && circle(d, b) && circle(a, d) && circle(c, d))
              changed |= put(d, b, Mark::kArrow);
      } else if (circle(a, c) && arrow(a, b) && arrow(b, c) && (tail(b, a) || tail(c, b))) {
        // R2: a -> b *-> c or a *-> b -> c, a *-o c.
        changed |= put(a, c, Mark::kArrow);
      }
    }
  return changed;
}

std::vector<int> PagRules::discriminating_path(int a, int b, int c) const {
  // Backwards from a: every vertex between the far end and b is a collider on the path and a cause of c.
  std::unordered_map<int, int> nearer{{a, b}, {b, c}, {c, -1}};
  std::vector<int> open{a};
  for (std::size_t k = 0; k < open.size(); ++k) {
    const int current = open[k];
    for (const int next : skeleton_.neighbours[current]) {
      if (!arrow(next, current) || nearer.contains(next)) continue;
      const bool ends_here = apart(next, c);
      if (!ends_here && !(graph_.directed(next, c) && arrow(current, next))) continue;
      nearer[next] = current;
      if (ends_here) {
        std::vector<int> path;
        for (int v = next; v != -1; v = nearer[v]) path.push_back(v);
        return path;
      }
      open.push_back(next);
    }
  }
  return {};
}

bool PagRules::r4(int b, int c) {
  if (!circle(c, b)) return false;
  for (const int a : std::vector<int>(skeleton_.neighbours[b])) {
    if (a == c || !graph_.directed(a, c) || !arrow(b, a)) continue;
    const std::vector<int> path = discriminating_path(a, b, c);
    if (path.empty()) continue;
    if (check_path_ && !check_path_(path)) return true;
    if (skeleton_.separators.contains(path.front(), c, b)) {
      put(c, b, Mark::kTail);
      put(b, c, Mark::kArrow);
    } else {
      put(a, b, Mark::kArrow);
      put(c, b, Mark::kArrow);
      put(b, c, Mark::kArrow);
    }
    return true;
  }
  return false;
}

bool PagRules::r5(int a, int b) {
  // a o-o b with an uncovered circle path a, g, ..., t, b such that a, t and b, g are not adjacent.
  if (a > b || !circle_edge(a, b)) return false;
  for (const int g : skeleton_.neighbours[a]) {
    if (g == b || !circle_edge(a, g) || !apart(g, b)) continue;
    const std::vector<int> path = uncovered_path(a, g, b, PathKind::kCircle);
    if (path.empty()) continue;
    graph_.set(a, b, Mark::kTail, Mark::kTail);
    for (std::size_t k = 0; k + 1 < path.size(); ++k)
      graph_.set(path[k], path[k + 1], Mark::kTail, Mark::kTail);
    return true;
  }
  return false;
}

bool PagRules::r6_r7(int b, int c) {
  if (!circle(c, b)) return false;
  for (const int a : skeleton_.neighbours[b]) {
    if (a == c) continue;
    const bool undirected = tail(a, b) && tail(b, a);             // R6: a - b o-* c
    const bool half = tail(b, a) && circle(a, b) && apart(a, c);  // R7: a -o b o-* c
    if (undirected || half) return put(c, b, Mark::kTail);
  }
  return false;
}

bool PagRules::r8(int a, int c) const {
  // a -> b -> c or a -o b -> c, a o-> c.
  return std::ranges::any_of(skeleton_.neighbours[a], [&](int b) {
    return b != c && tail(b, a) && !tail(a, b) && graph_.directed(b, c);
  });
}

bool PagRules::r9(int a, int c) const {
  // An uncovered path a, b, ..., c that may be directed, b and c not adjacent.
  return std::ranges::any_of(skeleton_.neighbours[a], [&](int b) {
    return b != c && apart(b, c) && possibly_directed(a, b) &&
           !uncovered_path(a, b, c, PathKind::kPossiblyDirected).empty();
  });
}

bool PagRules::r10(int a, int c) const {
  // b -> c <- d; uncovered paths that may be directed from a to b and to d leave a by neighbours that are
  // different and not adjacent.
  std::vector<int> causes;
  for (const int b : skeleton_.neighbours[c])
    if (b != a && graph_.directed(b, c)) causes.push_back(b);
  if (causes.size() < 2) return false;
  std::vector<int> exits;
  for (const int v : skeleton_.neighbours[a])
    if (v != c && possibly_directed(a, v)) exits.push_back(v);
  std::vector<std::vector<char>> reaches(exits.size(), std::vector<char>(causes.size()));
  for (std::size_t e = 0; e < exits.size(); ++e)
    for (std::size_t k = 0; k < causes.size(); ++k)
      reaches[e][k] = exits[e] == causes[k] ||
                      !uncovered_path(a, exits[e], causes[k], PathKind::kPossiblyDirected).empty();
  for (std::size_t e = 0; e < exits.size(); ++e)
    for (std::size_t f = e + 1; f < exits.size(); ++f) {
      if (!apart(exits[e], exits[f])) continue;
      for (std::size_t b = 0; b < causes.size(); ++b)
        for (std::size_t d = 0; d < causes.size(); ++d)
          if (b != d && reaches[e][b] && reaches[f][d]) return true;
    }
  return false;
}

}  // namespace causcale

#include "methods/score/ges_graph.h"

#include <algorithm>
#include <deque>

namespace causcale {

namespace {

void insert_sorted(std::vector<int>& list, int value) {
  list.insert(std::ranges::lower_bound(list, value), value);
}

void erase_sorted(std::vector<int>& list, int value) {
  const auto at = std::ranges::lower_bound(list, value);
  if (at != list.end() && *at == value) list.erase(at);
}

void clear_bit(Bits bits, int i) {
  bits[i >> 6] &= ~(std::uint64_t{1} << (i & 63));
}

}  // namespace

PartialDag::PartialDag(int nodes) : to_(nodes), parents_(nodes), children_(nodes), neighbours_(nodes) {}

void PartialDag::detach(int a, int b) {
  for (const auto& [from, other] : {std::pair{a, b}, {b, a}}) {
    erase_sorted(parents_[from], other);
    erase_sorted(children_[from], other);
    erase_sorted(neighbours_[from], other);
  }
}

void PartialDag::set_directed(int a, int b) {
  detach(a, b);
  set_bit(to_.row(a), b);
  clear_bit(to_.row(b), a);
  insert_sorted(children_[a], b);
  insert_sorted(parents_[b], a);
}

void PartialDag::set_undirected(int a, int b) {
  detach(a, b);
  set_bit(to_.row(a), b);
  set_bit(to_.row(b), a);
  insert_sorted(neighbours_[a], b);
  insert_sorted(neighbours_[b], a);
}

void PartialDag::remove(int a, int b) {
  detach(a, b);
  clear_bit(to_.row(a), b);
  clear_bit(to_.row(b), a);
}

std::vector<int> PartialDag::open_path(int from, int to, const std::vector<char>& avoid,
                                       bool skip_edge) const {
  std::vector<int> previous(nodes(), -1), queue{from};
  previous[from] = from;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const int node = queue[head];
    for (const std::vector<int>* next : {&children_[node], &neighbours_[node]})
      for (int other : *next) {
        if (previous[other] >= 0 || avoid[other] || (skip_edge && node == from && other == to)) continue;
        previous[other] = node;
        if (other == to) {
          std::vector<int> path{to};
          while (path.back() != from) path.push_back(previous[path.back()]);
          std::ranges::reverse(path);
          return path;
        }
        queue.push_back(other);
      }
  }
  return {};
}

std::optional<Digraph> consistent_extension(const PartialDag& graph) {
  // Takes away sinks: nodes without children whose undirected neighbours are adjacent to all their other
  // neighbours. A node that is none may become one only when an adjacent node goes.
  const int n = graph.nodes();
  std::vector<char> gone(n, 0), waiting(n, 1);
  std::deque<int> queue(n);
  for (int v = 0; v < n; ++v) queue[v] = v;
  std::vector<Edge> edges;
  int left = n;
  const auto is_sink = [&](int v) {
    for (int child : graph.children(v))
      if (!gone[child]) return false;
    for (int u : graph.neighbours(v)) {
      if (gone[u]) continue;
      for (const std::vector<int>* others : {&graph.parents(v), &graph.neighbours(v)})
        for (int other : *others)
          if (!gone[other] && other != u && !graph.adjacent(u, other)) return false;
    }
    return true;
  };
  while (!queue.empty()) {
    const int v = queue.front();
    queue.pop_front();
    waiting[v] = 0;
    if (gone[v] || !is_sink(v)) continue;
    gone[v] = 1;
    --left;
    for (const std::vector<int>* sources : {&graph.parents(v), &graph.neighbours(v)})
      for (int u : *sources) {
        if (gone[u]) continue;
        edges.push_back({u, v});
        if (!waiting[u]) {
          waiting[u] = 1;
          queue.push_back(u);
        }
      }
  }
  if (left > 0) return std::nullopt;
  return Digraph(n, std::move(edges));
}

PartialDag essential_graph(const Digraph& dag, const KeepsDirection& keeps) {
  const int n = dag.nodes();
  PartialDag graph(n);
  for (const Edge& edge : dag.edges()) graph.set_undirected(edge.source, edge.target);
  std::vector<Edge> fresh;
  // Every rule that holds only ever gives the direction of the DAG.
  const auto direct = [&](int a, int b) {
    graph.set_directed(a, b);
    fresh.push_back({a, b});
  };
  for (int v = 0; v < n; ++v) {
    const auto parents = dag.parents(v);
    for (int a : parents) {
      const bool collider =
          std::ranges::any_of(parents, [&](int b) { return a != b && !graph.adjacent(a, b); });
      if (collider || (keeps && keeps({a, v}))) direct(a, v);
    }
  }
  // Meek's rules, asked for the undirected edges near every newly directed one.
  const auto compelled = [&](int a, int b) {
    for (int c : graph.parents(a))
      if (!graph.adjacent(c, b)) return true;  // c -> a - b
    for (int c : graph.children(a))
      if (graph.has_directed(c, b)) return true;  // a -> c -> b
    std::vector<int> joined;                      // a - c -> b
    for (int c : graph.neighbours(a))
      if (graph.has_directed(c, b)) joined.push_back(c);
    for (std::size_t i = 0; i < joined.size(); ++i)
      for (std::size_t j = i + 1; j < joined.size(); ++j)
        if (!graph.adjacent(joined[i], joined[j])) return true;
    for (int c : joined)  // a - d -> c -> b with a - c (or adjacent) and d, b apart
      for (int d : graph.parents(c))
        if (graph.has_undirected(a, d) && d != b && !graph.adjacent(d, b)) return true;
    return false;
  };
  while (!fresh.empty()) {
    const Edge edge = fresh.back();
    fresh.pop_back();
    std::vector<Edge> candidates;
    for (int end : {edge.source, edge.target}) {
      for (int u : graph.neighbours(end)) candidates.push_back({end, u});
      // Undirected edges opposite to `end` in a triangle or a quadrangle.
      for (const std::vector<int>* near : {&graph.neighbours(end), &graph.parents(end), &graph.children(end)})
        for (int u : *near)
          for (int w : graph.neighbours(u))
            if (graph.adjacent(end, w) || graph.adjacent(w, edge.source) || graph.adjacent(w, edge.target))
              candidates.push_back({u, w});
    }
    for (auto [a, b] : candidates) {
      if (!graph.has_undirected(a, b)) continue;
      if (!dag.has_edge(a, b)) std::swap(a, b);
      if (compelled(a, b)) direct(a, b);
    }
  }
  return graph;
}

}  // namespace causcale

#include "methods/score/ges_search.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"

namespace causcale {

EquivalenceSearch::EquivalenceSearch(const LocalScore& score, const EdgePermissions& permissions,
                                     const KeepsDirection& keeps, const GesOptions& options,
                                     const Digraph* start)
    : score_(score),
      permissions_(permissions),
      keeps_(keeps),
      options_(options),
      graph_(essential_graph(start ? *start : Digraph(score.nodes(), permissions.required), keeps)),
      total_(score, start ? *start : Digraph(score.nodes(), permissions.required)),
      states_(score.nodes()) {}

EquivalenceSearch::Total::Total(const LocalScore& score, const Digraph& start) : score_(score) {
  for (int v = 0; v < score.nodes(); ++v) {
    parents_.emplace_back(start.parents(v).begin(), start.parents(v).end());
    local_.push_back(score.local(v, parents_[v]));
  }
}

bool EquivalenceSearch::Total::improve(const Digraph& dag) {
  std::vector<std::pair<int, double>> changed;
  double gain = 0.0;
  for (int v = 0; v < score_.nodes(); ++v) {
    if (std::ranges::equal(dag.parents(v), parents_[v])) continue;
    changed.emplace_back(v, score_.local(v, dag.parents(v)));
    gain += changed.back().second - local_[v];
  }
  if (!(gain > kLeastGain)) return false;
  for (const auto& [v, value] : changed) {
    parents_[v].assign(dag.parents(v).begin(), dag.parents(v).end());
    local_[v] = value;
  }
  return true;
}

void EquivalenceSearch::run(const std::function<void()>& after_step) {
  bool improved = true;
  for (int round = 0; improved && (round == 0 || options_.repeat); ++round) {
    improved = run_phase(Phase::kForward, after_step);
    improved |= run_phase(Phase::kBackward, after_step);
    if (options_.turning) improved |= run_phase(Phase::kTurning, after_step);
  }
}

bool EquivalenceSearch::run_phase(Phase phase, const std::function<void()>& after_step) {
  std::vector<int> targets(graph_.nodes());
  std::iota(targets.begin(), targets.end(), 0);
  bool improved = false;
  while (true) {
    evaluate(phase, targets);
    bool stepped = false;
    while (!stepped) {
      int best = -1;
      for (int v = 0; v < graph_.nodes(); ++v)
        if (!states_[v].heap.empty() &&
            (best < 0 || states_[best].heap.front().gain < states_[v].heap.front().gain))
          best = v;
      if (best < 0) return improved;
      TargetState& state = states_[best];
      const Operator op = state.heap.front();
      std::pop_heap(state.heap.begin(), state.heap.end());
      state.heap.pop_back();
      // Degrees only grow while edges are inserted, so such an operator is gone for good.
      if (phase == Phase::kForward && options_.max_degree > 0 &&
          std::max(graph_.degree(best), graph_.degree(op.source)) >= options_.max_degree)
        continue;
      std::vector<int> path = blocking_path(phase, best, op);
      if (!path.empty()) {
        state.blocked.push_back({op, std::move(path)});
        continue;
      }
      PartialDag before = graph_;
      stepped = apply(phase, best, op);
      if (!stepped) {
        graph_ = std::move(before);
        continue;
      }
      PartialDag after = std::move(graph_);
      graph_ = std::move(before);
      targets = accept(phase, std::move(after));
    }
    improved = true;
    ++steps_;
    after_step();
  }
}

void EquivalenceSearch::evaluate(Phase phase, const std::vector<int>& targets) {
  const bool worth_threads = targets.size() * graph_.nodes() > 1500;
  parallel_for(targets.size(), worth_threads ? options_.threads : 1, [&](std::size_t t) {
    TargetState& state = states_[targets[t]];
    state.blocked.clear();
    state.heap = phase == Phase::kForward    ? insertions(targets[t])
                 : phase == Phase::kBackward ? deletions(targets[t])
                                             : turnings(targets[t]);
    std::make_heap(state.heap.begin(), state.heap.end());
  });
}

std::vector<int> EquivalenceSearch::blocking_path(Phase phase, int target, const Operator& op) const {
  if (phase == Phase::kBackward) return {};
  if (phase == Phase::kTurning && graph_.has_undirected(op.source, target)) return {};
  std::vector<char> avoid(graph_.nodes(), 0);
  for (int v : members(target, op.clique)) avoid[v] = 1;
  if (phase == Phase::kTurning)
    for (int v : graph_.neighbours(op.source)) avoid[v] = 1;
  return graph_.open_path(target, op.source, avoid, phase == Phase::kTurning);
}

bool EquivalenceSearch::apply(Phase phase, int target, const Operator& op) {
  const int source = op.source;
  const std::vector<int> clique = members(target, op.clique), neighbours = graph_.neighbours(target);
  const auto in_clique = [&](int v) { return std::ranges::binary_search(clique, v); };
  const bool undirected = graph_.has_undirected(source, target);
  const std::vector<int> source_neighbours = graph_.neighbours(source);
  for (int v : clique) graph_.set_directed(v, target);
  for (int v : neighbours)
    if (v != source && !in_clique(v)) graph_.set_directed(target, v);
  if (phase == Phase::kBackward) {
    graph_.remove(source, target);
    for (int v : neighbours)
      if (v != source && !in_clique(v) && graph_.has_undirected(source, v)) graph_.set_directed(source, v);
  } else {
    graph_.set_directed(source, target);
  }
  if (phase == Phase::kTurning)
    for (int v : source_neighbours) {
      if (v == target) continue;
      if (undirected && in_clique(v))
        graph_.set_directed(v, source);
      else
        graph_.set_directed(source, v);
    }
  const auto dag = consistent_extension(graph_);
  if (!dag || !total_.improve(*dag)) return false;
  graph_ = essential_graph(*dag, keeps_);
  return true;
}

std::vector<int> EquivalenceSearch::accept(Phase phase, PartialDag graph) {
  const int n = graph.nodes();
  std::vector<char> dirty(n, 0);
  bool paths_may_break = false;
  for (int v = 0; v < n; ++v) {
    const bool same = graph_.parents(v) == graph.parents(v) && graph_.neighbours(v) == graph.neighbours(v);
    if (same && graph_.children(v) == graph.children(v)) continue;
    if (!same) dirty[v] = 1;
    for (const PartialDag* side : {&graph_, &graph})
      for (const std::vector<int>* list : {&side->parents(v), &side->neighbours(v), &side->children(v)})
        for (int u : *list) {
          const bool was = graph_.adjacent(v, u), is = graph.adjacent(v, u);
          if (was && (!is || graph_.has_directed(v, u) != graph.has_directed(v, u) ||
                      graph_.has_directed(u, v) != graph.has_directed(u, v)))
            paths_may_break = true;
          if (phase == Phase::kForward) {
            // An insertion at w looks at the adjacencies of w's neighbours.
            if (was != is)
              for (int w : graph.neighbours(v)) dirty[w] = 1;
          } else {
            dirty[v] = dirty[u] = 1;
          }
        }
  }
  graph_ = std::move(graph);
  if (paths_may_break)
    for (int v = 0; v < n; ++v) {
      if (dirty[v]) continue;
      TargetState& state = states_[v];
      std::erase_if(state.blocked, [&](const Blocked& blocked) {
        for (std::size_t i = 0; i + 1 < blocked.path.size(); ++i) {
          const int a = blocked.path[i], b = blocked.path[i + 1];
          if (graph_.has_directed(a, b) || graph_.has_undirected(a, b)) continue;
          state.heap.push_back(blocked.op);
          std::push_heap(state.heap.begin(), state.heap.end());
          return true;
        }
        return false;
      });
    }
  std::vector<int> targets;
  for (int v = 0; v < n; ++v)
    if (dirty[v]) targets.push_back(v);
  return targets;
}

double EquivalenceSearch::edge_gain(int source, int target) const {
  const auto one_way = [&](int from, int to) {
    std::vector<int> given = graph_.parents(to);
    for (int v : graph_.neighbours(to))
      if (graph_.adjacent(v, from)) given.push_back(v);
    return local(to, given, from, -1) - local(to, given, -1, from);
  };
  if (graph_.has_directed(source, target)) return one_way(source, target);
  return 0.5 * (one_way(std::min(source, target), std::max(source, target)) +
                one_way(std::max(source, target), std::min(source, target)));
}

}  // namespace causcale

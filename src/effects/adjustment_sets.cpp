#include "effects/adjustment_sets.h"

#include <algorithm>
#include <numeric>

#include "effects/separation.h"
#include "graph/components.h"
#include "graph/reachability.h"
#include "metrics/adjustment.h"

namespace causcale {
namespace {

constexpr std::size_t kMostChecks = 50'000;  // of sets, in the search for minimal ones

std::vector<int> flagged(const std::vector<std::uint8_t>& flags) {
  std::vector<int> nodes;
  for (std::size_t k = 0; k < flags.size(); ++k)
    if (flags[k]) nodes.push_back(static_cast<int>(k));
  return nodes;
}

// The next choice of `size` from `count` in lexicographic order.
bool next_choice(std::vector<std::size_t>& choice, std::size_t count) {
  const std::size_t size = choice.size();
  for (std::size_t k = size; k-- > 0;) {
    if (choice[k] + (size - k) >= count) continue;
    ++choice[k];
    for (std::size_t j = k + 1; j < size; ++j) choice[j] = choice[j - 1] + 1;
    return true;
  }
  return false;
}

// The cause, the causal nodes and their descendants.
std::vector<std::uint8_t> forbidden_nodes(const Digraph& dag, int cause, int outcome) {
  std::vector<std::uint8_t> forbidden = descendants(dag, causal_nodes(dag, cause, outcome));
  forbidden[cause] = 1;
  return forbidden;
}

// The measured ancestors of cause and outcome that may be adjusted for: a minimal set has no other nodes.
std::vector<int> measured_candidates(const Digraph& dag, int measured, int cause, int outcome) {
  const std::vector<std::uint8_t> forbidden = forbidden_nodes(dag, cause, outcome);
  const int ends[] = {cause, outcome};
  std::vector<std::uint8_t> allowed = ancestors(dag, ends);
  allowed.resize(static_cast<std::size_t>(measured));
  for (std::size_t k = 0; k < allowed.size(); ++k) allowed[k] &= !forbidden[k];
  return flagged(allowed);
}

}  // namespace

Digraph ancestral_graph(const Digraph& graph, int cause, int outcome) {
  const int ends[] = {cause, outcome};
  const std::vector<std::uint8_t> kept = ancestors(graph, ends);
  std::vector<Edge> edges;
  for (const Edge& edge : graph.edges())
    if (kept[edge.source] && kept[edge.target]) edges.push_back(edge);
  return Digraph(graph.nodes(), std::move(edges));
}

std::vector<int> find_cycle(const Digraph& graph) {
  for (const std::vector<int>& members : strongly_connected_components(graph).members()) {
    if (members.size() < 2) continue;
    // Within a component a shortest way back to its first node exists.
    const int first = members.front();
    std::vector<int> before(static_cast<std::size_t>(graph.nodes()), -1), wave{first};
    for (std::size_t k = 0; k < wave.size(); ++k)
      for (const int child : graph.children(wave[k])) {
        if (child == first) {
          std::vector<int> cycle;
          for (int node = wave[k]; node != -1; node = node == first ? -1 : before[node])
            cycle.push_back(node);
          std::ranges::reverse(cycle);
          return cycle;
        }
        if (before[child] != -1) continue;
        before[child] = wave[k];
        wave.push_back(child);
      }
  }
  return {};
}

std::vector<int> causal_nodes(const Digraph& dag, int cause, int outcome) {
  const std::vector<std::uint8_t> below = descendants(dag, std::span(&cause, 1)),
                                  above = ancestors(dag, std::span(&outcome, 1));
  std::vector<int> nodes;
  if (!below[outcome]) return nodes;
  for (int node = 0; node < dag.nodes(); ++node)
    if (node != cause && below[node] && above[node]) nodes.push_back(node);
  return nodes;
}

std::vector<int> optimal_set(const Digraph& dag, int cause, int outcome) {
  const std::vector<std::uint8_t> forbidden = forbidden_nodes(dag, cause, outcome);
  std::vector<std::uint8_t> chosen(forbidden.size(), 0);
  for (const int node : causal_nodes(dag, cause, outcome))
    for (const int parent : dag.parents(node))
      if (!forbidden[parent]) chosen[parent] = 1;
  return flagged(chosen);
}

std::optional<std::vector<int>> measured_set(const Digraph& dag, int measured, int cause, int outcome) {
  const auto is_measured = [&](int node) { return node < measured; };
  std::vector<int> set = optimal_set(dag, cause, outcome);
  if (std::ranges::all_of(set, is_measured)) return set;
  set = measured_candidates(dag, measured, cause, outcome);
  AdjustmentSearch search(dag);
  search.set_treatment(cause);
  if (!search.is_valid(outcome, set)) return std::nullopt;
  return pruned_set(dag, cause, outcome, std::move(set),
                    [&](const std::vector<int>& smaller) { return search.is_valid(outcome, smaller); });
}

std::vector<int> pruned_set(const Digraph& dag, int cause, int outcome, std::vector<int> set,
                            const std::function<bool(const std::vector<int>&)>& is_valid) {
  for (std::size_t k = set.size(); k-- > 0;) {
    std::vector<int> smaller = set;
    smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(k));
    std::vector<int> given = smaller;
    given.push_back(cause);
    if (separated(dag, set[k], outcome, given) && is_valid(smaller)) set = std::move(smaller);
  }
  return set;
}

MinimalSets minimal_sets(const std::vector<int>& candidates,
                         const std::function<bool(const std::vector<int>&)>& is_valid, std::size_t most) {
  MinimalSets found;
  std::size_t checks = 0;
  for (std::size_t size = 0; size <= candidates.size(); ++size) {
    std::vector<std::size_t> choice(size);
    std::iota(choice.begin(), choice.end(), 0);
    do {
      if (++checks > kMostChecks) return found;
      std::vector<int> set;
      for (const std::size_t k : choice) set.push_back(candidates[k]);
      const bool has_valid_part = std::ranges::any_of(
          found.sets, [&](const std::vector<int>& smaller) { return std::ranges::includes(set, smaller); });
      if (has_valid_part || !is_valid(set)) continue;
      if (found.sets.size() == most) return found;
      found.sets.push_back(std::move(set));
    } while (next_choice(choice, candidates.size()));
    found.searched_size = static_cast<int>(size);
    if (size == 0 && !found.sets.empty()) {  // nothing needs to be adjusted for
      found.searched_size = static_cast<int>(candidates.size());
      break;
    }
  }
  return found;
}

MinimalSets minimal_sets(const Digraph& dag, int measured, int cause, int outcome, std::size_t most) {
  AdjustmentSearch search(dag);
  search.set_treatment(cause);
  return minimal_sets(
      measured_candidates(dag, measured, cause, outcome),
      [&](const std::vector<int>& set) { return search.is_valid(outcome, set); }, most);
}

std::vector<int> front_door_set(const Digraph& dag, int measured, int cause, int outcome) {
  std::vector<std::vector<int>> candidates(2);
  for (const int node : causal_nodes(dag, cause, outcome)) {
    if (dag.has_edge(cause, node)) candidates[0].push_back(node);
    if (dag.has_edge(node, outcome)) candidates[1].push_back(node);
    if (node != outcome) candidates.push_back({node});
  }
  const Digraph without_cause = without_edges_from(dag, std::span(&cause, 1));
  const auto will_do = [&](const std::vector<int>& mediators) {
    if (mediators.empty() || mediators.back() >= measured ||
        std::ranges::find(mediators, outcome) != mediators.end())
      return false;
    const Digraph without_mediators = without_edges_from(dag, mediators);
    if (descendants(without_mediators, std::span(&cause, 1))[static_cast<std::size_t>(outcome)]) return false;
    return std::ranges::all_of(mediators, [&](int mediator) {
      return separated(without_cause, cause, mediator, {}) &&
             separated(without_mediators, mediator, outcome, std::span(&cause, 1));
    });
  };
  const auto found = std::ranges::find_if(candidates, will_do);
  return found == candidates.end() ? std::vector<int>{} : *found;
}

std::vector<Instrument> instruments(const Digraph& dag, int measured, int cause, int outcome,
                                    std::size_t most) {
  const std::vector<std::uint8_t> above = ancestors(dag, std::span(&cause, 1));
  std::vector<int> candidates(dag.parents(cause).begin(), dag.parents(cause).end());
  for (const int node : flagged(above))
    if (node != cause && !dag.has_edge(node, cause)) candidates.push_back(node);
  const auto not_measured = [&](int node) { return node >= measured; };
  std::erase_if(candidates, not_measured);
  const Digraph without_cause = without_edges_from(dag, std::span(&cause, 1));
  std::vector<Instrument> found;
  for (const int node : candidates) {
    if (found.size() == most) break;
    std::vector<int> own(dag.parents(node).begin(), dag.parents(node).end());
    std::erase_if(own, not_measured);
    if (separated(without_cause, node, outcome, {}))
      found.push_back({node, {}});
    else if (!own.empty() && separated(without_cause, node, outcome, own) &&
             !separated(dag, node, cause, own))
      found.push_back({node, own});
  }
  return found;
}

}  // namespace causcale

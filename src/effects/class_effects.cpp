// Total effects in graphs that stand for several: CPDAGs and PAGs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "effects/adjustment_sets.h"
#include "effects/effect_rows.h"
#include "effects/pag_adjustment.h"
#include "effects/total_effect.h"
#include "graph/reachability.h"

namespace causcale {
namespace {

// The nodes between cause and outcome on ways along which no edge points back, as far as a CPDAG tells.
std::vector<int> possibly_causal(const MixedGraph& graph, int cause, int outcome) {
  const std::vector<std::uint8_t> below = possible_descendants(graph, cause),
                                  above = possible_ancestors(graph, outcome);
  std::vector<int> nodes;
  for (int node = 0; node < graph.nodes(); ++node)
    if (node != cause && below[static_cast<std::size_t>(node)] && above[static_cast<std::size_t>(node)])
      nodes.push_back(node);
  return nodes;
}

void say_no_effect(const EffectTable& table, TotalEffect& answer) {
  const std::vector<std::string>& names = table.dataset().table.names;
  answer.identification = Identification::kZero;
  answer.reason = fmt::format("no graph of the equivalence class has a directed path from {} to {}",
                              names[static_cast<std::size_t>(answer.cause)],
                              names[static_cast<std::size_t>(answer.outcome)]);
  const EffectEstimation estimation(table, answer.cause, answer.outcome, {answer.outcome});
  if (estimation.obstacle().empty()) estimation.add_experiments(answer.estimates);
}

TotalEffect effect_in_cpdag(const Dataset& dataset, const MixedGraph& graph, int cause, int outcome,
                            const TotalEffectOptions& options) {
  const std::vector<std::string>& names = dataset.table.names;
  const std::string &x = names[static_cast<std::size_t>(cause)],
                    &y = names[static_cast<std::size_t>(outcome)];
  TotalEffect answer = begin_total_effect(dataset, graph.nodes(), cause, outcome);
  const EffectTable table(dataset);
  const std::vector<int> causal = possibly_causal(graph, cause, outcome);
  if (causal.empty()) {
    say_no_effect(table, answer);
    return answer;
  }
  const std::vector<std::vector<int>> sets = possible_parent_sets(graph, cause);
  if (sets.empty()) {
    answer.reason = fmt::format("{} has too many edges of open direction to go through all cases", x);
    return answer;
  }
  const EffectEstimation estimation(table, cause, outcome, causal);
  const std::string obstacle = estimation.obstacle();
  if (sets.size() == 1) {
    answer.identification = Identification::kAdjustment;
    answer.reason = fmt::format("the parents of {} are settled in the equivalence class", x);
    answer.parents = sets.front();
    if (obstacle.empty()) {
      answer.estimates.push_back(estimation.linear("parents", answer.parents));
      estimation.add_others("parents", answer.parents, options.seed, answer.estimates);
      estimation.add_experiments(answer.estimates);
    }
    say_obstacle(obstacle, answer);
    return answer;
  }
  answer.identification = Identification::kBounds;
  answer.reason = fmt::format(
      "a CPDAG leaves the direction of edges at {} open: {} possible sets of its parents, each with an "
      "effect of "
      "its own",
      x, sets.size());
  if (obstacle.empty())
    for (const std::vector<int>& set : sets) {
      if (std::ranges::find(set, outcome) == set.end()) {
        answer.estimates.push_back(estimation.linear("possible_parents", set));
      } else {
        EffectEstimate none;
        none.estimator = "linear";
        none.set = "possible_parents";
        none.adjustment = set;
        none.size = none.low = none.high = none.standardized = 0.0;
        none.note = fmt::format("{} would be a cause of {}", y, x);
        answer.estimates.push_back(std::move(none));
      }
      const EffectEstimate& last = answer.estimates.back();
      if (std::isnan(last.low)) continue;
      answer.low = std::isnan(answer.low) ? last.low : std::min(answer.low, last.low);
      answer.high = std::isnan(answer.high) ? last.high : std::max(answer.high, last.high);
    }
  say_obstacle(obstacle, answer);
  return answer;
}

// An edge with a tail that no arrowhead faces.
bool has_selection(const MixedGraph& graph) {
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = 0; b < graph.nodes(); ++b)
      if (a != b && graph.mark(b, a) == Mark::kTail && graph.mark(a, b) != Mark::kArrow) return true;
  return false;
}

TotalEffect effect_in_pag(const Dataset& dataset, const MixedGraph& graph, int cause, int outcome,
                          const TotalEffectOptions& options) {
  TotalEffect answer = begin_total_effect(dataset, graph.nodes(), cause, outcome);
  const auto name = [&](int node) -> const std::string& {
    return dataset.table.names[static_cast<std::size_t>(node)];
  };
  const std::string &x = name(cause), &y = name(outcome);
  if (has_selection(graph)) {
    answer.reason = "edges such as --- and --o in a PAG mean that rows were selected by what they say";
    return answer;
  }
  std::vector<Edge> arrows;
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = 0; b < graph.nodes(); ++b)
      if (a != b && graph.directed(a, b)) arrows.push_back({a, b});
  if (const std::vector<int> cycle = find_cycle(Digraph(graph.nodes(), std::move(arrows))); !cycle.empty()) {
    answer.reason =
        fmt::format("the graph has a directed cycle, through {}, which no PAG has", name(cycle.front()));
    return answer;
  }
  const PagAdjustment found = pag_adjustment(graph, cause, outcome);
  const EffectTable table(dataset);
  if (found.possibly_causal.empty()) {
    say_no_effect(table, answer);
    return answer;
  }
  const EffectEstimation estimation(table, cause, outcome, found.possibly_causal);
  const std::string obstacle = estimation.obstacle();
  if (found.open_edge_to >= 0) {
    answer.reason = fmt::format(
        "{0} {1} {2} may stand for a cause of both that was not measured, of any strength: there are no "
        "bounds "
        "either",
        x, edge_text(graph, cause, found.open_edge_to), name(found.open_edge_to));
  } else if (!found.set) {
    answer.reason = fmt::format("no set of variables blocks all other paths between {} and {}", x, y);
  } else {
    answer.identification = Identification::kAdjustment;
    answer.reason = fmt::format(
        "the arrows by which {} acts on {} rule out common causes that were not measured, in every graph of "
        "the class",
        x, y);
    answer.parents_measured = false;
    answer.optimal = *found.set;
    answer.minimal_sets = found.minimal.sets;
    answer.searched_size = found.minimal.searched_size;
    if (obstacle.empty()) {
      answer.estimates.push_back(estimation.linear("measured", answer.optimal));
      estimation.add_others("measured", answer.optimal, options.seed, answer.estimates);
    }
  }
  // An experiment needs no graph.
  if (obstacle.empty()) estimation.add_experiments(answer.estimates);
  say_obstacle(obstacle, answer);
  return answer;
}

}  // namespace

std::vector<std::vector<int>> possible_parent_sets(const MixedGraph& cpdag, int cause, int most) {
  std::vector<int> parents, open;
  for (int node = 0; node < cpdag.nodes(); ++node) {
    if (!cpdag.adjacent(node, cause)) continue;
    if (cpdag.directed(node, cause)) parents.push_back(node);
    if (cpdag.undirected(node, cause)) open.push_back(node);
  }
  if (open.size() > static_cast<std::size_t>(most)) return {};
  std::vector<std::vector<int>> sets;
  for (std::uint32_t choice = 0; choice < (1u << open.size()); ++choice) {
    std::vector<int> added;
    for (std::size_t k = 0; k < open.size(); ++k)
      if (choice >> k & 1u) added.push_back(open[k]);
    // Two parents that are not joined would be a collider that the class does not have.
    bool allowed = true;
    for (std::size_t k = 0; k < added.size(); ++k) {
      for (std::size_t j = 0; j < k; ++j) allowed &= cpdag.adjacent(added[j], added[k]);
      for (const int parent : parents) allowed &= cpdag.adjacent(parent, added[k]);
    }
    if (!allowed) continue;
    added.insert(added.end(), parents.begin(), parents.end());
    std::ranges::sort(added);
    sets.push_back(std::move(added));
  }
  return sets;
}

TotalEffect total_effect(const Dataset& dataset, const MixedGraph& marks, GraphClass graph_class, int cause,
                         int outcome, const TotalEffectOptions& options) {
  switch (graph_class) {
    case GraphClass::kCpdag:
      return effect_in_cpdag(dataset, marks, cause, outcome, options);
    case GraphClass::kPag:
      return effect_in_pag(dataset, marks, cause, outcome, options);
    case GraphClass::kDag:
    case GraphClass::kDirected:
      return total_effect(dataset, possible_directions(marks), cause, outcome, options);
    case GraphClass::kUndirected:
      break;
  }
  TotalEffect answer = begin_total_effect(dataset, marks.nodes(), cause, outcome);
  answer.reason = "the graph has no directions";
  return answer;
}

}  // namespace causcale

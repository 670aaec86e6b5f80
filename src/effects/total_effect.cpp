#include "effects/total_effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/distributions.h"
#include "causcale/error.h"
#include "data/value_range.h"
#include "effects/adjustment_sets.h"
#include "effects/effect_rows.h"
#include "effects/negative_controls.h"
#include "effects/resampled_effect.h"
#include "graph/order.h"

namespace causcale {
namespace {

constexpr int kPointsPerGraph = 20;  // quantiles of an estimate's error that stand for its distribution

void check_question(const Dataset& dataset, int nodes, int cause, int outcome) {
  if (cause < 0 || cause >= nodes || outcome < 0 || outcome >= nodes)
    throw UsageError(fmt::format("cause {} and outcome {}: variables have numbers from 0 to {}", cause,
                                 outcome, nodes - 1));
  if (cause == outcome) throw UsageError("cause and outcome are the same variable");
  if (dataset.table.names.size() != static_cast<std::size_t>(nodes))
    throw UsageError(
        fmt::format("the table has {} columns, the graph {} variables", dataset.table.names.size(), nodes));
  require_value_range(dataset.table);
}

std::string arrow_text(const std::vector<std::string>& names, const std::vector<int>& cycle) {
  std::string text;
  for (const int node : cycle) text += names[static_cast<std::size_t>(node)] + " -> ";
  return text + names[static_cast<std::size_t>(cycle.front())];
}

double normal_quantile_of(double share) {
  const double z = normal_of_log_p(std::log(2.0 * std::min(share, 1.0 - share)));
  return share < 0.5 ? -z : z;
}

// What graphs that stand for the doubt say, each with the error of its own estimate.
void add_graphs(const EffectTable& table, const TotalEffectOptions& options, TotalEffect& answer) {
  if (!options.graphs || options.graphs->empty()) return;
  std::map<std::pair<std::vector<int>, std::vector<int>>, EffectEstimate> known;
  std::vector<double> points;
  std::size_t acting = 0;
  double sum = 0.0;
  for (const Digraph& whole : *options.graphs) {
    const Digraph dag = ancestral_graph(whole, answer.cause, answer.outcome);
    const std::vector<int> causal = causal_nodes(dag, answer.cause, answer.outcome);
    if (causal.empty()) {
      points.insert(points.end(), kPointsPerGraph, 0.0);
      ++answer.graphs;
      continue;
    }
    ++acting;
    const std::vector<int> set = optimal_set(dag, answer.cause, answer.outcome);
    auto found = known.find({set, causal});
    if (found == known.end()) {
      const EffectEstimation estimation(table, answer.cause, answer.outcome, causal);
      found = known.emplace(std::pair(set, causal), estimation.linear("optimal", set)).first;
    }
    const EffectEstimate& estimate = found->second;
    if (std::isnan(estimate.low)) continue;  // says nothing
    ++answer.graphs;
    sum += estimate.size;
    const double error = (estimate.high - estimate.low) / (2.0 * normal_quantile_of(0.95));
    for (int k = 0; k < kPointsPerGraph; ++k)
      points.push_back(estimate.size + error * normal_quantile_of((k + 0.5) / kPointsPerGraph));
  }
  answer.graphs_share = static_cast<double>(acting) / static_cast<double>(options.graphs->size());
  if (points.empty()) return;
  std::ranges::sort(points);
  const auto quantile = [&](double share) {
    return points[static_cast<std::size_t>(share * static_cast<double>(points.size() - 1) + 0.5)];
  };
  answer.graphs_mean = sum / static_cast<double>(answer.graphs);
  answer.graphs_low = quantile(0.05);
  answer.graphs_high = quantile(0.95);
}

void say_obstacle(const std::string& obstacle, TotalEffect& answer) {
  if (!obstacle.empty()) answer.reason += "; no estimate: " + obstacle;
}

// Is there a way from one node to another along which no edge points back?
bool possibly_reaches(const MixedGraph& graph, int from, int to) {
  std::vector<char> seen(static_cast<std::size_t>(graph.nodes()), 0);
  std::vector<int> open{from};
  seen[static_cast<std::size_t>(from)] = 1;
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    if (node == to) return true;
    for (int next = 0; next < graph.nodes(); ++next) {
      if (seen[static_cast<std::size_t>(next)] || !graph.adjacent(node, next) ||
          graph.mark(next, node) == Mark::kArrow)
        continue;
      seen[static_cast<std::size_t>(next)] = 1;
      open.push_back(next);
    }
  }
  return false;
}

// The nodes between cause and outcome on such ways, as far as a CPDAG tells.
std::vector<int> possibly_causal(const MixedGraph& graph, int cause, int outcome) {
  std::vector<int> nodes;
  for (int node = 0; node < graph.nodes(); ++node)
    if (node != cause && possibly_reaches(graph, cause, node) && possibly_reaches(graph, node, outcome))
      nodes.push_back(node);
  return nodes;
}

TotalEffect effect_in_class(const Dataset& dataset, const MixedGraph& graph, int cause, int outcome,
                            const TotalEffectOptions& options) {
  const std::vector<std::string>& names = dataset.table.names;
  const std::string &x = names[static_cast<std::size_t>(cause)],
                    &y = names[static_cast<std::size_t>(outcome)];
  TotalEffect answer;
  answer.cause = cause;
  answer.outcome = outcome;
  const EffectTable table(dataset);
  if (!possibly_reaches(graph, cause, outcome)) {
    answer.identification = Identification::kZero;
    answer.reason = fmt::format("no graph of the equivalence class has a directed path from {} to {}", x, y);
    const EffectEstimation estimation(table, cause, outcome, {outcome});
    if (estimation.obstacle().empty()) estimation.add_experiments(answer.estimates);
    return answer;
  }
  const std::vector<std::vector<int>> sets = possible_parent_sets(graph, cause);
  if (sets.empty()) {
    answer.reason = fmt::format("{} has too many edges of open direction to go through all cases", x);
    return answer;
  }
  const EffectEstimation estimation(table, cause, outcome, possibly_causal(graph, cause, outcome));
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

TotalEffect total_effect(const Dataset& dataset, const Digraph& graph, int cause, int outcome,
                         const TotalEffectOptions& options) {
  check_question(dataset, graph.nodes(), cause, outcome);
  const std::vector<std::string>& names = dataset.table.names;
  const std::string &x = names[static_cast<std::size_t>(cause)],
                    &y = names[static_cast<std::size_t>(outcome)];
  TotalEffect answer;
  answer.cause = cause;
  answer.outcome = outcome;
  const EffectTable table(dataset);
  const Digraph dag = ancestral_graph(graph, cause, outcome);
  if (const std::vector<int> cycle = find_cycle(dag); !cycle.empty()) {
    answer.reason = fmt::format(
        "among the causes of {} and {} the graph has a directed cycle, {}: break it first "
        "(--acyclic)",
        x, y, arrow_text(names, cycle));
    return answer;
  }
  const std::vector<int> causal = causal_nodes(dag, cause, outcome);
  const EffectEstimation estimation(table, cause, outcome,
                                    causal.empty() ? std::vector<int>{outcome} : causal);
  const std::string obstacle = estimation.obstacle();
  if (causal.empty()) {
    answer.identification = Identification::kZero;
    answer.reason = fmt::format("{} is no descendant of {} in the graph", y, x);
    if (obstacle.empty()) estimation.add_experiments(answer.estimates);
  } else {
    answer.identification = Identification::kAdjustment;
    answer.reason = fmt::format("adjustment for the parents of {} suffices in a graph without cycles", x);
    answer.parents.assign(dag.parents(cause).begin(), dag.parents(cause).end());
    answer.optimal = optimal_set(dag, cause, outcome);
    MinimalSets minimal = minimal_sets(dag, cause, outcome);
    answer.minimal_sets = std::move(minimal.sets);
    answer.searched_size = minimal.searched_size;
    answer.front_door = front_door_set(dag, cause, outcome);
    answer.instruments = instruments(dag, cause, outcome);
    say_obstacle(obstacle, answer);
  }
  if (!obstacle.empty()) return answer;
  if (!causal.empty()) {
    answer.estimates.push_back(estimation.linear("optimal", answer.optimal));
    if (answer.parents != answer.optimal)
      answer.estimates.push_back(estimation.linear("parents", answer.parents));
    estimation.add_others("optimal", answer.optimal, options.seed, answer.estimates);
    if (!answer.front_door.empty()) answer.estimates.push_back(estimation.front_door(answer.front_door));
    estimation.add_experiments(answer.estimates);
    // Cycles elsewhere in the graph leave no independences that could be tested.
    if (is_acyclic(graph))
      answer.negative_controls = negative_controls(table, graph, cause, outcome, answer.optimal);
  }
  add_graphs(table, options, answer);
  add_bootstrap(dataset, dag, options, answer);
  return answer;
}

TotalEffect total_effect(const Dataset& dataset, const MixedGraph& marks, GraphClass graph_class, int cause,
                         int outcome, const TotalEffectOptions& options) {
  check_question(dataset, marks.nodes(), cause, outcome);
  if (graph_class == GraphClass::kCpdag) return effect_in_class(dataset, marks, cause, outcome, options);
  if (graph_class == GraphClass::kDag || graph_class == GraphClass::kDirected)
    return total_effect(dataset, possible_directions(marks), cause, outcome, options);
  TotalEffect answer;
  answer.cause = cause;
  answer.outcome = outcome;
  answer.reason = graph_class == GraphClass::kPag
                      ? "a PAG allows causes that were not measured at its edges, so that adjustment may not "
                        "suffice; take a method that assumes there are none"
                      : "the graph has no directions";
  return answer;
}

}  // namespace causcale

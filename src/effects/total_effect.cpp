#include "effects/total_effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

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

std::string arrow_text(const std::vector<std::string>& names, const std::vector<int>& cycle) {
  std::string text;
  for (const int node : cycle) text += names[static_cast<std::size_t>(node)] + " -> ";
  return text + names[static_cast<std::size_t>(cycle.front())];
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
    const double error = (estimate.high - estimate.low) / (2.0 * normal_quantile(0.95));
    for (int k = 0; k < kPointsPerGraph; ++k)
      points.push_back(estimate.size + error * normal_quantile((k + 0.5) / kPointsPerGraph));
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

// Where adjustment is ruled out: mediators, or an instrument.
void add_other_ways(const std::vector<std::string>& names, TotalEffect& answer) {
  const std::string &x = names[static_cast<std::size_t>(answer.cause)],
                    &y = names[static_cast<std::size_t>(answer.outcome)];
  const std::string why = "causes that were not measured leave no set that could be adjusted for";
  const auto name = [&](int node) { return names[static_cast<std::size_t>(node)]; };
  if (!answer.front_door.empty()) {
    answer.identification = Identification::kFrontDoor;
    std::vector<std::string> mediators;
    for (const int node : answer.front_door) mediators.push_back(name(node));
    answer.reason = fmt::format("{}, but all of the effect of {} on {} goes through {} (front door)", why, x,
                                y, fmt::join(mediators, ", "));
  } else if (!answer.instruments.empty()) {
    answer.identification = Identification::kInstrument;
    answer.reason =
        fmt::format("{}, but {} acts on {} through {} only (instrument; lines have to be straight)", why,
                    name(answer.instruments.front().variable), y, x);
  } else {
    answer.reason = why + ", and there are neither mediators (front door) nor an instrument";
  }
}

void add_estimates(const EffectEstimation& estimation, const TotalEffectOptions& options,
                   TotalEffect& answer) {
  std::vector<EffectEstimate>& estimates = answer.estimates;
  if (answer.identification == Identification::kAdjustment) {
    const std::string kind = answer.is_optimal ? "optimal" : "measured";
    estimates.push_back(estimation.linear(kind, answer.optimal));
    if (answer.parents_measured && answer.parents != answer.optimal)
      estimates.push_back(estimation.linear("parents", answer.parents));
    estimation.add_others(kind, answer.optimal, options.seed, estimates);
  }
  if (!answer.front_door.empty()) estimates.push_back(estimation.front_door(answer.front_door));
  if (answer.identification == Identification::kInstrument)
    for (const Instrument& instrument : answer.instruments)
      estimates.push_back(estimation.instrument(instrument));
  estimation.add_experiments(estimates);
}

}  // namespace

TotalEffect begin_total_effect(const Dataset& dataset, int nodes, int cause, int outcome) {
  const auto columns = static_cast<int>(dataset.table.names.size());
  if (cause < 0 || cause >= columns || outcome < 0 || outcome >= columns)
    throw UsageError(fmt::format("cause {} and outcome {}: variables have numbers from 0 to {}", cause,
                                 outcome, columns - 1));
  if (cause == outcome) throw UsageError("cause and outcome are the same variable");
  if (columns > nodes)
    throw UsageError(fmt::format("the table has {} columns, the graph {} variables", columns, nodes));
  require_value_range(dataset.table);
  TotalEffect answer;
  answer.cause = cause;
  answer.outcome = outcome;
  return answer;
}

void say_obstacle(const std::string& obstacle, TotalEffect& answer) {
  if (!obstacle.empty()) answer.reason += "; no estimate: " + obstacle;
}

TotalEffect total_effect_with_hidden(const Dataset& dataset, const Digraph& graph,
                                     const std::vector<std::string>& names, int cause, int outcome,
                                     const TotalEffectOptions& options) {
  TotalEffect answer = begin_total_effect(dataset, graph.nodes(), cause, outcome);
  const auto measured = static_cast<int>(dataset.table.names.size());
  const std::string &x = names[static_cast<std::size_t>(cause)],
                    &y = names[static_cast<std::size_t>(outcome)];
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
  for (int node = measured; node < graph.nodes(); ++node) answer.not_measured.push_back(node);
  if (causal.empty()) {
    answer.identification = Identification::kZero;
    answer.reason = fmt::format("{} is no descendant of {} in the graph", y, x);
  } else {
    answer.front_door = front_door_set(dag, measured, cause, outcome);
    answer.instruments = instruments(dag, measured, cause, outcome);
    if (std::optional<std::vector<int>> set = measured_set(dag, measured, cause, outcome)) {
      answer.identification = Identification::kAdjustment;
      const std::span<const int> parents = dag.parents(cause);
      answer.parents_measured = std::ranges::all_of(parents, [&](int node) { return node < measured; });
      answer.is_optimal = *set == optimal_set(dag, cause, outcome);
      if (answer.parents_measured) answer.parents.assign(parents.begin(), parents.end());
      answer.reason =
          answer.parents_measured
              ? fmt::format("adjustment for the parents of {} suffices in a graph without cycles", x)
              : fmt::format("not all parents of {} were measured, but adjustment for others suffices", x);
      answer.optimal = std::move(*set);
      MinimalSets minimal = minimal_sets(dag, measured, cause, outcome);
      answer.minimal_sets = std::move(minimal.sets);
      answer.searched_size = minimal.searched_size;
    } else {
      add_other_ways(names, answer);
    }
  }
  const std::string obstacle = estimation.obstacle();
  if (!obstacle.empty()) {
    if (!causal.empty()) say_obstacle(obstacle, answer);
    return answer;
  }
  add_estimates(estimation, options, answer);
  // Cycles elsewhere in the graph leave no independences that could be tested.
  if (answer.identification == Identification::kAdjustment && is_acyclic(graph))
    answer.negative_controls = negative_controls(table, graph, cause, outcome, answer.optimal);
  add_graphs(table, options, answer);
  add_bootstrap(dataset, dag, options, answer);
  return answer;
}

TotalEffect total_effect(const Dataset& dataset, const Digraph& graph, int cause, int outcome,
                         const TotalEffectOptions& options) {
  if (dataset.table.names.size() != static_cast<std::size_t>(graph.nodes()))
    throw UsageError(fmt::format("the table has {} columns, the graph {} variables",
                                 dataset.table.names.size(), graph.nodes()));
  return total_effect_with_hidden(dataset, graph, dataset.table.names, cause, outcome, options);
}

}  // namespace causcale

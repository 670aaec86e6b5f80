// How right are total effects by the graph that the network found?
//
// Simulated tables (Erdos-Renyi graphs, 1.5 edges per node, 1000 rows, all observational or as many rows with
// each variable set at random as without); the graph is found with the default model and made acyclic. In
// every table up to ten random pairs of cause and outcome, true causes by the true graph. The truth is an
// intervention: the mean change of the outcome over 20,000 rows in which the cause is raised by a hundredth
// of its deviation and all noise stays. Numbers are in deviations of the outcome per deviation of the cause.
//
//   found_effects_bench [tables=10] [threads=0] [variables=10,20,50,100]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "causcale/discover.h"
#include "causcale/effects.h"
#include "causcale/samples.h"
#include "effect_truth.h"
#include "effects/adjustment_sets.h"

namespace {

using namespace causcale;

constexpr std::uint64_t kSeed = 77;
constexpr std::size_t kPairs = 10, kShown = 4;
constexpr int kGraphs = 200;

SyntheticOptions options_of(Mechanism mechanism, int nodes, int rows, bool experiments) {
  SyntheticOptions options;
  options.nodes = nodes;
  options.edges_per_node = 1.5;
  options.rows = rows;
  options.mechanism = mechanism;
  if (!experiments) options.interventions.effect = InterventionEffect::kNone;
  return options;
}

std::vector<Edge> random_pairs(const Digraph& dag, std::uint32_t index) {
  std::vector<Edge> pairs;
  for (int cause = 0; cause < dag.nodes(); ++cause)
    for (int outcome = 0; outcome < dag.nodes(); ++outcome)
      if (cause != outcome && !causal_nodes(dag, cause, outcome).empty()) pairs.push_back({cause, outcome});
  RandomStream random(kSeed, index, 0x70616972);
  for (std::size_t k = 0; k < std::min(kPairs, pairs.size()); ++k)
    std::swap(pairs[k], pairs[k + random.below(static_cast<std::uint32_t>(pairs.size() - k))]);
  if (pairs.size() > kPairs) pairs.resize(kPairs);
  return pairs;
}

struct Tally {
  std::size_t count = 0, seen = 0, held = 0, flexible_held = 0, flexible = 0, graphs_held = 0, same_sign = 0;
  double error = 0.0, truth = 0.0;
};

void run_world(const std::string& name, Mechanism mechanism, bool experiments, int nodes, int tables,
               int threads) {
  Tally tally;
  std::vector<std::string> shown;
  for (int k = 0; k < tables; ++k) {
    const auto index = static_cast<std::uint32_t>(k);
    const Simulation table =
        simulate_synthetic(options_of(mechanism, nodes, 1000, experiments), kSeed, index);
    const SyntheticOptions larger = options_of(mechanism, nodes, kTruthRows, false);
    const Simulation truth = simulate_synthetic(larger, kSeed, index);
    DiscoverOptions options;
    options.acyclic = true;
    options.threads = threads;
    const DiscoverResult found = discover(table.dataset, options);
    const GraphSamples samples =
        sample_graphs(found.probabilities, {.count = kGraphs, .seed = 1, .threads = threads});
    TotalEffectOptions asked;
    asked.threads = threads;
    asked.graphs = &samples.graphs;
    for (const Edge& pair : random_pairs(table.graph, index)) {
      const double unit = deviation(truth.dataset, pair.source) / deviation(truth.dataset, pair.target);
      const double measured = unit * measured_effect(larger, kSeed, index, pair, truth.dataset);
      const TotalEffect total = total_effect(table.dataset, found.graph, pair.source, pair.target, asked);
      ++tally.count;
      tally.truth += std::abs(measured);
      double size = 0.0, low = 0.0, high = 0.0;
      if (total.identification == Identification::kAdjustment && !total.estimates.empty()) {
        const EffectEstimate& linear = total.estimates.front();
        size = unit * linear.size, low = unit * linear.low, high = unit * linear.high;
        ++tally.seen;
        tally.held += low <= measured && measured <= high;
        tally.same_sign += (size > 0) == (measured > 0);
        for (const EffectEstimate& estimate : total.estimates)
          if (estimate.estimator == "flexible" && !std::isnan(estimate.low)) {
            ++tally.flexible;
            tally.flexible_held += unit * estimate.low <= measured && measured <= unit * estimate.high;
          }
      }
      tally.error += std::abs(size - measured);
      tally.graphs_held += unit * total.graphs_low <= measured && measured <= unit * total.graphs_high;
      if (k == 0 && shown.size() < kShown)
        shown.push_back(fmt::format(
            "| {} | {} | {} -> {} | {:+.2f} | {} | {:+.2f} [{:.2f}, {:.2f}] |", name, nodes,
            table.dataset.table.names[pair.source], table.dataset.table.names[pair.target], measured,
            total.identification == Identification::kAdjustment
                ? fmt::format("{:+.2f} [{:.2f}, {:.2f}]", size, low, high)
                : "no path",
            unit * total.graphs_mean, unit * total.graphs_low, unit * total.graphs_high));
    }
  }
  const auto share = [](std::size_t part, std::size_t whole) {
    return whole > 0 ? fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole))
                     : std::string("-");
  };
  const auto count = static_cast<double>(tally.count);
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {:.3f} | {:.3f} |\n", name, nodes, tally.count,
             share(tally.seen, tally.count), share(tally.same_sign, tally.seen),
             share(tally.held, tally.seen), share(tally.flexible_held, tally.flexible),
             share(tally.graphs_held, tally.count), tally.error / count, tally.truth / count);
  for (const std::string& line : shown) fmt::print(stderr, "{}\n", line);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int tables = argc > 1 ? std::atoi(argv[1]) : 10, threads = argc > 2 ? std::atoi(argv[2]) : 0;
  std::istringstream sizes(argc > 3 ? argv[3] : "10,20,50,100");
  fmt::print(
      "| world | variables | pairs | path found | sign right | linear holds | flexible holds | graphs hold | "
      "mean "
      "error | mean size |\n|---|---|---|---|---|---|---|---|---|---|\n");
  struct World {
    const char* name;
    Mechanism mechanism;
    bool experiments;
  };
  for (std::string size; std::getline(sizes, size, ',');)
    for (const World& world :
         {World{"linear", Mechanism::kLinear, false}, World{"linear, experiments", Mechanism::kLinear, true},
          World{"neural additive", Mechanism::kNeuralAdditive, false},
          World{"neural additive, experiments", Mechanism::kNeuralAdditive, true}})
      run_world(world.name, world.mechanism, world.experiments, std::atoi(size.c_str()), tables, threads);
}

// Do 90 % intervals of effects hold the truth nine times in ten when the graph is known?
//
// Simulated tables on random graphs (Erdos-Renyi, 1.5 edges per node). Direct effects: the truth is the same
// coefficient in 20,000 further rows of the same model. Total effects of one random pair per table, cause
// above outcome: the truth is an intervention, the mean change of the outcome over 20,000 rows in which the
// cause is raised by a hundredth of its deviation and all noise stays. Two-valued causes: a model written
// here whose truth is known. Experiments: perfect interventions on every variable; the confounders are hidden
// from the estimate.
//
//   effects_bench [tables=500] [threads=0]   # a fifth of the tables with 100 variables
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "causcale/effects.h"
#include "effect_truth.h"
#include "effects/adjustment_sets.h"
#include "simulate/causal_model.h"

namespace {

using namespace causcale;

constexpr std::uint64_t kSeed = 2024;
constexpr std::uint32_t kPairPurpose = 0x70616972;

// What one estimator did over all tables.
struct Tally {
  std::size_t count = 0, held = 0;
  double error = 0.0, bias = 0.0, width = 0.0;

  void add(double size, double low, double high, double truth, double unit) {
    if (std::isnan(low)) return;
    ++count;
    held += low <= truth && truth <= high;
    error += std::abs(size - truth) * unit;
    bias += (size - truth) * unit;
    width += (high - low) * unit;
  }
};

class Tallies {
 public:
  void add(const std::string& name, double size, double low, double high, double truth, double unit = 1.0) {
    const std::lock_guard lock(mutex_);
    tallies_[name].add(size, low, high, truth, unit);
  }
  void print(const std::string& world) const {
    for (const auto& [name, tally] : tallies_) {
      const auto count = static_cast<double>(tally.count);
      fmt::print("| {} | {} | {} | {:.1f} % | {:.3f} | {:+.3f} | {:.3f} |\n", world, name, tally.count,
                 100.0 * static_cast<double>(tally.held) / count, tally.error / count, tally.bias / count,
                 tally.width / count);
    }
    std::fflush(stdout);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Tally> tallies_;
};

std::optional<Edge> random_pair(const Digraph& dag, std::uint32_t index) {
  std::vector<Edge> pairs;
  for (int cause = 0; cause < dag.nodes(); ++cause)
    for (int outcome = 0; outcome < dag.nodes(); ++outcome)
      if (cause != outcome && !causal_nodes(dag, cause, outcome).empty()) pairs.push_back({cause, outcome});
  if (pairs.empty()) return std::nullopt;
  RandomStream random(kSeed, index, kPairPurpose);
  return pairs[random.below(static_cast<std::uint32_t>(pairs.size()))];
}

SyntheticOptions options_of(Mechanism mechanism, int nodes, int rows) {
  SyntheticOptions options;
  options.nodes = nodes;
  options.edges_per_node = 1.5;
  options.rows = rows;
  options.mechanism = mechanism;
  options.interventions.effect = InterventionEffect::kNone;
  return options;
}

void run_world(const std::string& name, Mechanism mechanism, int nodes, int rows, int tables, int threads) {
  Tallies tallies;
  parallel_for(static_cast<std::size_t>(tables), threads, [&](std::size_t k) {
    const auto index = static_cast<std::uint32_t>(k);
    const Simulation table = simulate_synthetic(options_of(mechanism, nodes, rows), kSeed, index);
    const SyntheticOptions larger = options_of(mechanism, nodes, kTruthRows);
    const Simulation truth = simulate_synthetic(larger, kSeed, index);
    const auto direct = edge_effects(table.dataset, table.graph, 1);
    const auto direct_truth = edge_effects(truth.dataset, table.graph, 1);
    for (std::size_t e = 0; e < direct.size(); ++e)
      tallies.add("direct effects of all edges", direct[e].size, direct[e].low, direct[e].high,
                  direct_truth[e].size);
    const std::optional<Edge> pair = random_pair(table.graph, index);
    if (!pair) return;
    const double measured = measured_effect(larger, kSeed, index, *pair, truth.dataset);
    const double unit = deviation(truth.dataset, pair->source) / deviation(truth.dataset, pair->target);
    const TotalEffect total = total_effect(table.dataset, table.graph, pair->source, pair->target);
    for (const EffectEstimate& estimate : total.estimates)
      tallies.add(fmt::format("total, {}{}", estimate.estimator,
                              estimate.estimator == "linear" ? ", " + estimate.set + " set" : ""),
                  estimate.size, estimate.low, estimate.high, measured, unit);
  });
  tallies.print(fmt::format("{}, {} variables, {} rows", name, nodes, rows));
}

void run_two_values(int tables, int threads) {
  Tallies tallies;
  parallel_for(static_cast<std::size_t>(tables), threads, [&](std::size_t k) {
    RandomStream random(kSeed, static_cast<std::uint32_t>(k), 1);
    Dataset dataset;
    dataset.table.names = {"u", "v", "x", "y"};
    dataset.table.values = Matrix<double>(500, 4);
    for (std::size_t r = 0; r < 500; ++r) {
      const double u = random.normal(), v = random.normal();
      const double x = random.coin(1.0 / (1.0 + std::exp(-u + 0.5 * v)));
      const std::span<double> row = dataset.table.values.row(r);
      row[0] = u, row[1] = v, row[2] = x;
      row[3] = x * (1.0 + 0.5 * u) + u - v + (0.5 + 0.5 * x) * random.normal();  // 1 on average
    }
    const Digraph graph(4, {{0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}});
    for (const EffectEstimate& estimate : total_effect(dataset, graph, 2, 3).estimates)
      tallies.add("total, " + estimate.estimator, estimate.size, estimate.low, estimate.high, 1.0);
  });
  tallies.print("two-valued cause, effect differs by row, 500 rows");
}

void run_experiments(int tables, int threads) {
  Tallies tallies;
  parallel_for(static_cast<std::size_t>(tables), threads, [&](std::size_t k) {
    const auto index = static_cast<std::uint32_t>(k);
    SyntheticOptions options = options_of(Mechanism::kLinear, 10, 1500);
    options.interventions = {};
    options.interventions.value_shift = 2.0;
    const Simulation table = simulate_synthetic(options, kSeed, index);
    const std::optional<Edge> pair = random_pair(table.graph, index);
    if (!pair) return;
    const SyntheticOptions larger = options_of(Mechanism::kLinear, 10, kTruthRows);
    const Simulation truth = simulate_synthetic(larger, kSeed, index);
    const double measured = measured_effect(larger, kSeed, index, *pair, truth.dataset);
    const double unit = deviation(truth.dataset, pair->source) / deviation(truth.dataset, pair->target);
    // A graph of one edge: nothing is known that could be adjusted for.
    const TotalEffect total = total_effect(table.dataset, Digraph(10, {*pair}), pair->source, pair->target);
    for (const EffectEstimate& estimate : total.estimates)
      if (estimate.estimator.starts_with("experiment"))
        tallies.add("total, " + estimate.estimator, estimate.size, estimate.low, estimate.high, measured,
                    unit);
  });
  tallies.print("linear, experiments, 10 variables, 1500 rows");
}

}  // namespace

int main(int argc, char** argv) {
  const int tables = argc > 1 ? std::atoi(argv[1]) : 500, threads = argc > 2 ? std::atoi(argv[2]) : 0;
  fmt::print(
      "| world | estimate | count | coverage | mean error | bias | mean width "
      "|\n|---|---|---|---|---|---|---|\n");
  run_world("linear", Mechanism::kLinear, 10, 500, tables, threads);
  run_world("neural additive", Mechanism::kNeuralAdditive, 10, 500, tables, threads);
  run_world("sigmoid additive", Mechanism::kSigmoidAdditive, 10, 500, tables, threads);
  run_two_values(tables, threads);
  run_experiments(tables, threads);
  run_world("linear", Mechanism::kLinear, 100, 1000, tables / 5, threads);
}

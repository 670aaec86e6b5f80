// Gene networks with rules (and, or, not, any table) whose inputs are steep Hill responses, and mRNA that is
// produced in bursts: cells of a few trajectories, also under perturbations.
#include <algorithm>
#include <bit>
#include <cmath>

#include "simulate/poisson.h"
#include "simulate/worlds/cyclic_graph.h"
#include "simulate/worlds/gene_experiments.h"
#include "simulate/worlds/system.h"

namespace causcale {
namespace {

constexpr int kMostRegulators = 4;
constexpr double kTimeStep = 0.15;
constexpr int kStepsToSettle = 60, kStepsBetweenCells = 12, kCellsPerTrajectory = 8;

struct BooleanGene {
  std::vector<int> regulators;
  std::vector<double> half, hill;
  std::vector<double> table;  // [2^regulators], the first regulator has the highest bit
};

struct BooleanNetwork {
  std::vector<BooleanGene> genes;
  double bursts;       // per lifetime of mRNA at full activation
  double leak;         // production of a gene that is off
  double protein_lag;  // lifetime of protein relative to mRNA
};

bool depends_on_all(const std::vector<double>& table, int inputs) {
  for (int i = 0; i < inputs; ++i) {
    bool matters = false;
    for (std::size_t row = 0; row < table.size(); ++row)
      matters |= table[row] != table[row ^ (std::size_t{1} << i)];
    if (!matters) return false;
  }
  return true;
}

// And, or, a majority of inputs that may each be negated, or any table in which all inputs matter.
std::vector<double> draw_table(int inputs, RandomStream& random) {
  std::vector<double> table(std::size_t{1} << inputs);
  const std::uint32_t form = random.below(4);
  const std::uint32_t negated = random.below(1u << inputs);
  for (int attempt = 0; attempt < 50; ++attempt) {
    for (std::size_t row = 0; row < table.size(); ++row) {
      const int on = std::popcount(static_cast<std::uint32_t>(row) ^ negated);
      const bool any = on > 0, all = on == inputs, most = 2 * on > inputs;
      table[row] = form == 0 ? any : form == 1 ? all : form == 2 ? most : random.coin();
    }
    if (depends_on_all(table, inputs)) return table;
    if (form != 3) break;
  }
  for (std::size_t row = 0; row < table.size(); ++row)
    table[row] = std::popcount(static_cast<std::uint32_t>(row) ^ negated) > 0;
  return table;
}

// The rule as the probability that it holds when every input is on with its own probability.
double activation(const BooleanGene& gene, const std::vector<double>& protein) {
  double folded[1 << kMostRegulators];
  std::ranges::copy(gene.table, folded);
  std::size_t half_size = gene.table.size() / 2;
  for (std::size_t k = 0; k < gene.regulators.size(); ++k, half_size /= 2) {
    const double ratio = std::pow(std::max(protein[gene.regulators[k]], 1e-9) / gene.half[k], gene.hill[k]);
    const double on = ratio / (1 + ratio);
    for (std::size_t row = 0; row < half_size; ++row)
      folded[row] += on * (folded[row + half_size] - folded[row]);
  }
  return folded[0];
}

BooleanNetwork draw_network(WorldDraw& draw, const Digraph& graph, RandomStream& random) {
  BooleanNetwork network{{}, draw.number("bursts"), draw.number("leak"), random.uniform(0.5, 3.0)};
  const SettingRange hill = draw.range("hill");
  for (int node = 0; node < graph.nodes(); ++node) {
    BooleanGene gene;
    for (const int parent : graph.parents(node)) {
      gene.regulators.push_back(parent);
      gene.half.push_back(random.uniform(0.2, 0.6));
      gene.hill.push_back(hill.draw(random));
    }
    const int inputs = static_cast<int>(gene.regulators.size());
    // A gene without regulators has a level of its own.
    gene.table = inputs > 0 ? draw_table(inputs, random) : std::vector<double>{random.uniform(0.2, 1.0)};
    network.genes.push_back(std::move(gene));
  }
  return network;
}

// The cells of the rows of one regime.
void run(const BooleanNetwork& network, int target, double residual, const std::vector<int>& rows,
         RandomStream& random, Columns& cells) {
  const std::size_t genes = network.genes.size();
  const double kept = std::exp(-kTimeStep), follow = 1 - std::exp(-kTimeStep / network.protein_lag);
  std::vector<double> mrna(genes), protein(genes);
  std::size_t done = 0;
  while (done < rows.size()) {
    for (std::size_t g = 0; g < genes; ++g) protein[g] = mrna[g] = random.uniform();
    int steps = kStepsToSettle;
    for (int cell = 0; cell < kCellsPerTrajectory && done < rows.size(); ++cell) {
      for (int step = 0; step < steps; ++step) {
        for (std::size_t g = 0; g < genes; ++g) {
          double level = network.leak + (1 - network.leak) * activation(network.genes[g], protein);
          if (static_cast<int>(g) == target) level *= residual;
          double made = 0;
          for (double count = draw_poisson(network.bursts * level * kTimeStep, random); count > 0; --count)
            made += random.exponential();
          mrna[g] = mrna[g] * kept + made / network.bursts;
        }
        for (std::size_t g = 0; g < genes; ++g) protein[g] += follow * (mrna[g] - protein[g]);
      }
      for (std::size_t g = 0; g < genes; ++g) cells[g][rows[done]] = mrna[g];
      ++done;
      steps = kStepsBetweenCells;
    }
  }
}

WorldSample make(WorldDraw& draw) {
  RandomStream random = draw.stream(Purpose::kWorldExtra);
  Digraph graph = draw_world_graph(draw, draw.nodes()).graph;
  if (draw.number("feedback") > 0) graph = with_feedback(graph, draw.number("feedback"), random);
  graph = with_few_parents(graph, kMostRegulators, random);
  const BooleanNetwork network = draw_network(draw, graph, random);
  const GeneExperiments experiments = plan_gene_experiments(draw, draw.nodes(), draw.rows());
  const std::vector<std::vector<int>> rows = experiments.plan.rows_of_regimes();
  Columns cells(draw.nodes(), std::vector<double>(draw.rows()));
  for (std::size_t regime = 0; regime < rows.size(); ++regime)
    run(network, regime == 0 ? -1 : experiments.plan.hits[regime][0].node, experiments.residual[regime],
        rows[regime], random, cells);
  const std::string measured = draw.word("measured");
  const double depth = measured == "counts" || measured == "log_counts" ? draw.number("depth") : 0.0;
  for (std::vector<double>& column : cells)
    for (double& x : column) {
      if (depth > 0) x = draw_poisson(depth * x, random);
      if (measured == "log_counts") x = std::log1p(x);
      if (measured == "log") x = std::log(x + 0.01);
    }
  const std::vector<std::uint8_t> hidden(draw.nodes(), 0);
  const std::vector<ColumnKind> kinds(draw.nodes(),
                                      measured == "counts" ? ColumnKind::kCount : ColumnKind::kContinuous);
  return make_sample(draw, graph, hidden, std::move(cells), kinds, experiments.plan, false);
}

}  // namespace

World boolean_hill_world() {
  std::vector<WorldSetting> experiments = gene_experiment_settings();
  experiments[2].fallback = "1:40";
  return {
      "boolean_hill", "gene networks with logical rules and bursts, cells of a few trajectories",
      join_settings(
          {word_setting_of("graph", "sf,er,er,ws", {"er", "sf", "sbm", "ws", "geometric"}, "graph model"),
           number_setting_of("edges_per_node", SettingKind::kFactor, "0.8:2.5", 0, 1000,
                             "expected number of edges per gene; a gene keeps four regulators at most"),
           number_setting_of(
               "hubs", SettingKind::kNumber, "0.5:2.5", 0, 5,
               "sf: exponent of preferential attachment; large: few genes regulate most others"),
           word_setting_of("reversed", "no", {"yes", "no"},
                           "yes: every edge turned round, so that hubs collect"),
           number_setting_of("feedback", SettingKind::kNumber, "0:0.4", 0, 1,
                             "edges that close cycles, relative to the number of the others; 0: none"),
           number_setting_of("hill", SettingKind::kFactor, "2:10", 0.1, 20, "Hill exponents, per regulator"),
           number_setting_of("bursts", SettingKind::kFactor, "3:60", 0.1, 1e4,
                             "bursts per lifetime of mRNA: few are noisy"),
           number_setting_of("leak", SettingKind::kFactor, "0.01:0.1", 0, 1,
                             "production of a gene that is off"),
           word_setting_of("measured", "levels,levels,log,counts,log_counts",
                           {"levels", "log", "counts", "log_counts"},
                           "levels, logarithms, counts of molecules, log(1 + counts)"),
           number_setting_of("depth", SettingKind::kFactor, "3:100", 0.01, 1e6, "counts at full activation")},
          {experiments, missing_settings()}),
      make};
}

}  // namespace causcale

// Gene networks at steady state: wild type, a row or two per knock-out and knock-down, rows in which all
// genes are perturbed a little or in which conditions set the genes that nothing regulates, small noise.
#include <algorithm>
#include <cmath>

#include "causcale/error.h"
#include "simulate/worlds/cyclic_graph.h"
#include "simulate/worlds/gene_experiments.h"
#include "simulate/worlds/gene_network.h"
#include "simulate/worlds/system.h"

namespace causcale {
namespace {

// How much production varies among the rows without a target: log deviations of all genes, and whether
// conditions set those that nothing regulates anywhere between almost off and twice the usual.
struct Variation {
  double intrinsic, multifactorial;
  bool conditions;
};

// Factors of every gene's production in every row.
Matrix<double> draw_factors(const GeneExperiments& experiments, const Digraph& graph,
                            const Variation& variation, RandomStream& random) {
  const auto rows = experiments.plan.regime_of_row.size();
  const int genes = graph.nodes();
  Matrix<double> factors(rows, genes, 1.0);
  for (std::size_t r = 0; r < rows; ++r) {
    const int regime = experiments.plan.regime_of_row[r];
    const double spread =
        regime == 0 ? std::hypot(variation.intrinsic, variation.multifactorial) : variation.intrinsic;
    for (int gene = 0; gene < genes; ++gene) {
      if (spread > 0) factors(r, gene) = std::exp(spread * random.normal());
      if (variation.conditions && regime == 0 && graph.parents(gene).empty())
        factors(r, gene) *= random.uniform(0.02, 2.0);
    }
    if (regime > 0) factors(r, experiments.plan.hits[regime][0].node) *= experiments.residual[regime];
  }
  return factors;
}

// Levels of all rows, or nothing where a row does not settle.
bool settle_rows(const GeneNetwork& network, const Matrix<double>& factors, bool protein, Columns& levels) {
  const std::vector<double> wild_type(network.genes(), 1.0);
  GeneState start;
  start.protein.assign(network.genes(), 0.1);
  if (!settle(network, wild_type, start)) return false;
  levels.assign(network.genes(), std::vector<double>(factors.rows()));
  for (std::size_t r = 0; r < factors.rows(); ++r) {
    GeneState state = start;
    if (!settle(network, factors.row(r), state)) return false;
    for (int gene = 0; gene < network.genes(); ++gene)
      levels[gene][r] = protein ? state.protein[gene] : state.mrna[gene];
  }
  return true;
}

// In proportion to the level and beside it, as instruments have; scaled so that the largest value is about 1.
void measure(double noise, double translation_noise, bool logarithm, RandomStream& random, Columns& levels) {
  double largest = 1e-12, sum = 0, count = 0;
  for (const std::vector<double>& column : levels)
    for (const double x : column) {
      largest = std::max(largest, x);
      sum += x;
      count += 1;
    }
  const double floor_noise = noise * sum / count;
  for (std::vector<double>& column : levels)
    for (double& x : column) {
      x *= std::exp(std::hypot(noise, translation_noise) * random.normal());
      x = std::max(0.0, x + floor_noise * random.normal()) / largest;
      if (logarithm) x = std::log(x + 0.01);
    }
}

WorldSample make(WorldDraw& draw) {
  RandomStream random = draw.stream(Purpose::kWorldExtra);
  Digraph graph = draw_world_graph(draw, draw.nodes()).graph;
  if (draw.number("feedback") > 0) graph = with_feedback(graph, draw.number("feedback"), random);
  graph = with_few_parents(graph, 8, random);
  const GeneExperiments experiments = plan_gene_experiments(draw, draw.nodes(), draw.rows());
  const bool conditions = draw.word("design") == "conditions";
  const bool multifactorial =
      draw.word("design") == "multifactorial" || (draw.word("perturbations") == "none" && !conditions);
  const double intrinsic = draw.number("intrinsic");
  const Matrix<double> factors =
      draw_factors(experiments, graph,
                   {intrinsic, multifactorial ? draw.number("multifactorial") : 0.0, conditions}, random);
  const SettingRange hill = draw.range("hill");
  GeneNetwork network = draw_gene_network(graph, hill.low, hill.high, random);
  const bool protein = draw.word("measured") == "protein";
  Columns levels;
  int softened = 0;
  for (; !settle_rows(network, factors, protein, levels); ++softened) {
    if (softened == 60) throw Error("a gene network does not settle");
    soften(network);
  }
  draw.note("softened", softened);
  measure(draw.number("noise"), protein ? intrinsic : 0.0, draw.word("transform") == "log", random, levels);
  const std::vector<std::uint8_t> hidden(draw.nodes(), 0);
  const std::vector<ColumnKind> kinds(draw.nodes(), ColumnKind::kContinuous);
  return make_sample(draw, graph, hidden, std::move(levels), kinds, experiments.plan, false);
}

}  // namespace

World genes_world() {
  return {
      "genes", "gene networks with feedback at steady state, few rows per knock-out, small noise",
      join_settings(
          {word_setting_of("graph", "sf,sf,er,sbm", {"er", "sf", "sbm", "ws", "geometric"}, "graph model"),
           number_setting_of("edges_per_node", SettingKind::kFactor, "0.8:2.5", 0, 1000,
                             "expected number of edges per gene"),
           number_setting_of(
               "hubs", SettingKind::kNumber, "0.5:2.5", 0, 5,
               "sf: exponent of preferential attachment; large: few genes regulate most others"),
           word_setting_of("reversed", "no", {"yes", "no"},
                           "yes: every edge turned round, so that hubs collect"),
           number_setting_of("feedback", SettingKind::kNumber, "0:0.2", 0, 1,
                             "edges that close cycles, relative to the number of the others; 0: none"),
           number_setting_of(
               "hill", SettingKind::kNumber, "1:4", 0.1, 20,
               "range of the Hill exponents of all regulators; smaller where a network would not settle"),
           word_setting_of(
               "design", "multifactorial,multifactorial,wild_type,conditions,conditions",
               {"multifactorial", "wild_type", "conditions"},
               "rows without a target: all genes perturbed, repeats of the wild type, or conditions "
               "that set the genes without regulators"),
           number_setting_of("multifactorial", SettingKind::kFactor, "0.1:0.6", 0, 3,
                             "log deviation of all genes' production in multifactorial rows"),
           number_setting_of("intrinsic", SettingKind::kFactor, "0.003:0.15", 0, 3,
                             "log deviation of production in every row"),
           number_setting_of("noise", SettingKind::kFactor, "0.005:0.1", 0, 3,
                             "measurement error relative to levels"),
           word_setting_of("measured", "mrna,mrna,mrna,protein", {"mrna", "protein"}, "what is measured"),
           word_setting_of("transform", "raw,raw,log", {"raw", "log"}, "levels or their logarithms")},
          {gene_experiment_settings(), missing_settings()}),
      make};
}

}  // namespace causcale

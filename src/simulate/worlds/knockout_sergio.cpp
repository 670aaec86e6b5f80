// The SERGIO simulator with incomplete knock-outs, all noise profiles, and counts, logarithms or shares.
#include <algorithm>
#include <cmath>

#include "simulate/names.h"
#include "simulate/worlds/system.h"

namespace causcale {
namespace {

// Counts as analysts use them: as they are, log(1 + x), or log(1 + share of the cell's total times 10,000).
void transform(const std::string& word, Matrix<double>& values) {
  for (std::size_t r = 0; r < values.rows(); ++r) {
    double total = 0;
    for (const double x : values.row(r)) total += x;
    for (double& x : values.row(r)) {
      if (word == "log") x = std::log1p(x);
      if (word == "normalised") x = std::log1p(total > 0 ? 1e4 * x / total : 0.0);
    }
  }
}

WorldSample make(WorldDraw& draw) {
  SergioOptions options;
  options.graph.model = choice_named(kGraphModelNames, draw.word("graph"), "graph model");
  options.graph.nodes = draw.nodes();
  options.graph.edges_per_node = std::min(draw.number("edges_per_node"), 0.5 * (draw.nodes() - 1));
  options.graph.attachment_power = draw.number("hubs");
  options.graph.blocks = std::min(draw.nodes(), options.graph.blocks);
  options.min_cell_types = options.max_cell_types = draw.whole("cell_types");
  options.coverage = std::max(draw.number("treated"), 1.0 / draw.nodes());
  options.wild_type_rows =
      std::clamp(static_cast<int>(std::lround(draw.number("wild_type") * draw.rows())), 1, draw.rows() - 1);
  options.rows = draw.rows() - options.wild_type_rows;
  options.profile = choice_named(kProfileNames, draw.word("profile"), "noise profile");
  const double residual = draw.number("residual");
  if (residual > 0) {
    options.perturbation = PerturbationKind::kKnockDown;
    options.min_residual = 0.5 * residual;
    options.max_residual = residual;
  }
  SergioSimulation simulation = simulate_sergio(options, draw.seed(), draw.index());
  const std::string measured = draw.word("measured");
  Matrix<double>& values = simulation.dataset.table.values;
  transform(measured, values);
  const Interventions& done = simulation.dataset.interventions;
  TreatmentPlan plan;
  plan.hits.assign(done.regimes.size(), {});
  plan.named = done.regimes;
  plan.regime_of_row = done.regime_of_row;
  Columns columns(draw.nodes());
  for (int c = 0; c < draw.nodes(); ++c)
    for (std::size_t r = 0; r < values.rows(); ++r) columns[c].push_back(values(r, c));
  const bool counts = measured == "counts" && options.profile != NoiseProfile::kNone;
  const std::vector<std::uint8_t> hidden(draw.nodes(), 0);
  const std::vector<ColumnKind> kinds(draw.nodes(), counts ? ColumnKind::kCount : ColumnKind::kContinuous);
  return make_sample(draw, simulation.graph, hidden, std::move(columns), kinds, plan, false);
}

}  // namespace

World knockout_sergio_world() {
  return {
      "knockout_sergio", "SERGIO's single cells under complete and incomplete knock-outs, all noise profiles",
      join_settings(
          {word_setting_of("graph", "sf,er,sbm", {"er", "sf", "sbm", "ws", "geometric"}, "graph model"),
           number_setting_of("edges_per_node", SettingKind::kFactor, "0.8:4", 0, 1000,
                             "expected number of edges per gene"),
           number_setting_of(
               "hubs", SettingKind::kNumber, "0.5:2.5", 0, 5,
               "sf: exponent of preferential attachment; large: few genes regulate most others"),
           number_setting_of("cell_types", SettingKind::kWhole, "1:10", 1, 100, "number of cell types"),
           word_setting_of("profile", "10x-chromium,illumina,drop-seq,smart-seq,none",
                           all_names(kProfileNames), "technical noise"),
           number_setting_of("treated", SettingKind::kNumber, "0.1:1", 0, 1, "share of the genes perturbed"),
           number_setting_of("wild_type", SettingKind::kNumber, "0.05:0.7", 0, 1,
                             "share of the rows that are wild type"),
           number_setting_of(
               "residual", SettingKind::kNumber, "0:0.6", 0, 1,
               "largest share of production that a perturbation leaves; the least is half of it"),
           word_setting_of("measured", "counts,log,normalised", {"counts", "log", "normalised"},
                           "counts, log(1 + counts), log(1 + counts per ten thousand of the cell)")},
          {missing_settings()}),
      make};
}

}  // namespace causcale

#include "learn/config/sergio_data.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "learn/config/resolve_names.h"
#include "simulate/hidden.h"
#include "simulate/names.h"
#include "simulate/worlds/projection.h"

namespace causcale {

namespace {

// Beyond the purposes that simulators use.

constexpr NameTable<ExpressionTransform, 2> kTransformNames{{
    {ExpressionTransform::kNone, "none"},
    {ExpressionTransform::kLog1p, "log1p"},
}};

int cells_per_type(int rows, int types, int targets) {
  return (rows + types * targets - 1) / (types * targets);
}

// Rows by regime, in the order of regimes; the simulator deals them out in turn.
std::vector<std::size_t> grouped_rows(const Interventions& interventions) {
  std::vector<std::size_t> order(interventions.regime_of_row.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return interventions.regime_of_row[a] < interventions.regime_of_row[b];
  });
  return order;
}

// Columns `visible` of the simulated cells, rows grouped. A perturbed gene that is hidden leaves a regime of
// its own without a known target.
Dataset visible_part(const Dataset& full, const std::vector<int>& visible) {
  const std::vector<std::size_t> order = grouped_rows(full.interventions);
  std::vector<int> column(full.table.cols(), -1);
  Dataset part;
  for (std::size_t c = 0; c < visible.size(); ++c) {
    column[static_cast<std::size_t>(visible[c])] = static_cast<int>(c);
    part.table.names.push_back(full.table.names[static_cast<std::size_t>(visible[c])]);
  }
  part.table.values = Matrix<double>(order.size(), visible.size());
  for (std::size_t r = 0; r < order.size(); ++r)
    for (std::size_t c = 0; c < visible.size(); ++c)
      part.table.values(r, c) = full.table.values(order[r], static_cast<std::size_t>(visible[c]));
  for (const std::vector<int>& targets : full.interventions.regimes) {
    std::vector<int>& seen = part.interventions.regimes.emplace_back();
    for (const int target : targets)
      if (column[static_cast<std::size_t>(target)] >= 0)
        seen.push_back(column[static_cast<std::size_t>(target)]);
  }
  for (const std::size_t row : order)
    part.interventions.regime_of_row.push_back(full.interventions.regime_of_row[row]);
  return part;
}

std::vector<double> draw_factors(int columns, double spread, RandomStream& random) {
  if (spread <= 1.0) return {};
  std::vector<double> factor(columns);
  for (double& value : factor) value = random.factor(spread);
  return factor;
}

}  // namespace

SergioSource::SergioSource(const SergioDataOptions& options, const Weighted<std::string>& graphs,
                           const Weighted<double>& edges_per_node)
    : options_(options),
      graphs_(
          resolve_names(options.graphs.empty() ? graphs : options.graphs, kGraphModelNames, "graph model")),
      edges_per_node_(options.edges_per_node.empty() ? edges_per_node : options.edges_per_node),
      perturbations_(resolve_names(options.perturbations, kPerturbationNames, "perturbation")),
      profiles_(resolve_names(options.profiles, kProfileNames, "technical noise profile")),
      transforms_(resolve_names(options.transforms, kTransformNames, "transform")) {}

SergioOptions SergioSource::draw_options(int rows, int genes, double coverage, RandomStream& random) const {
  SergioOptions drawn;
  drawn.graph.model = graphs_.draw(random);
  drawn.graph.nodes = genes;
  drawn.graph.edges_per_node = edges_per_node_.draw(random);
  drawn.graph.attachment_power = options_.attachment_power.draw(random);
  drawn.graph.reverse_edges = random.coin(options_.reverse_edges);
  drawn.graph.blocks = std::min(options_.blocks.draw(random), genes);
  const CountRange types = options_.cell_types.draw(random);
  drawn.min_cell_types = drawn.max_cell_types =
      types.low + static_cast<int>(random.below(static_cast<std::uint32_t>(types.high - types.low + 1)));
  drawn.perturbation = perturbations_.draw(random);
  drawn.profile = profiles_.draw(random);
  drawn.coverage = coverage;
  const double wild_type = options_.wild_type_share.draw(random);
  drawn.wild_type_rows = static_cast<int>(std::lround(wild_type * rows));
  drawn.rows = rows - drawn.wild_type_rows;
  if (options_.window_rows > rows) {
    // The simulator's own rule with more rows, but no more cells drawn from the longer window.
    const int targets =
        std::clamp(static_cast<int>(std::lround(coverage * genes)), 1, std::max(1, drawn.rows));
    const int cells = cells_per_type(std::max(1, drawn.rows), drawn.min_cell_types, targets);
    const int wanted = cells_per_type(options_.window_rows, drawn.min_cell_types, targets);
    drawn.steps_per_cell = (drawn.steps_per_cell * wanted + cells - 1) / cells;
  }
  return drawn;
}

SergioDataPlan SergioSource::plan(int rows, int nodes, const SergioCircumstances& circumstances,
                                  std::uint64_t seed, std::uint32_t dataset) const {
  RandomStream random(seed, dataset, Purpose::kSergioExample);
  const SergioOptions drawn =
      draw_options(rows, nodes + circumstances.hidden, circumstances.coverage, random);
  SergioParameters parameters = draw_sergio_parameters(drawn, seed, dataset);
  parameters.hill = options_.hill.draw(random);
  parameters.decay = options_.decay.draw(random);
  parameters.noise = options_.noise.draw(random);
  SergioDataPlan plan;
  plan.visible = visible_nodes(parameters.graph, circumstances.hidden);
  plan.cells = plan_sergio(drawn, std::move(parameters), seed, dataset);
  plan.transform = transforms_.draw(random);
  plan.factor = draw_factors(nodes, circumstances.unit_spread, random);
  return plan;
}

SergioData SergioSource::make(int rows, int nodes, const SergioCircumstances& circumstances,
                              std::uint64_t seed, std::uint32_t dataset) const {
  SergioDataPlan drawn = plan(rows, nodes, circumstances, seed, dataset);
  const SergioSimulation simulation = simulate_sergio(std::move(drawn.cells));
  SergioData data{visible_part(simulation.dataset, drawn.visible),
                  induced_subgraph(simulation.graph, drawn.visible),
                  hidden_common_causes(simulation.graph, drawn.visible)};
  Matrix<double>& values = data.dataset.table.values;
  if (drawn.transform == ExpressionTransform::kLog1p)
    for (double& value : values.values()) value = std::log1p(value);
  if (drawn.factor.empty()) return data;
  for (std::size_t r = 0; r < values.rows(); ++r)
    for (std::size_t c = 0; c < values.cols(); ++c) values(r, c) *= drawn.factor[c];
  return data;
}

}  // namespace causcale

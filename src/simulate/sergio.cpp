#include "simulate/sergio.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "causcale/error.h"
#include "simulate/batch_random.h"

namespace causcale {
namespace {

constexpr std::uint32_t kPerturbedGroup = 0, kWildTypeGroup = 1;

RandomStream stream(std::uint64_t seed, std::uint32_t index, Purpose purpose, std::uint32_t item = 0) {
  return {seed, index, static_cast<std::uint32_t>(purpose), item};
}

std::vector<SergioExperiment> plan_experiments(const SergioOptions& options, int genes, std::uint64_t seed,
                                               std::uint32_t index) {
  RandomStream random = stream(seed, index, Purpose::kRegimes);
  std::vector<int> targets = random_permutation(genes, random);
  // More genes than rows: those of the first rows only.
  targets.resize(std::min<std::size_t>(std::lround(options.coverage * genes), options.rows));
  std::sort(targets.begin(), targets.end());
  std::vector<SergioExperiment> experiments;
  for (const int target : targets) {
    const double residual = random.uniform(options.min_residual, options.max_residual);
    const bool knock_out = options.perturbation == PerturbationKind::kKnockOut;
    experiments.push_back({target, knock_out ? 0.0f : static_cast<float>(residual)});
  }
  return experiments;
}

// Noise is added to every experiment by itself, all its cells together.
std::vector<float> observe(const SergioCells& cells, NoiseProfile profile, const TechnicalNoise& technical,
                           std::uint32_t group, std::uint64_t seed, std::uint32_t index, int threads) {
  std::vector<float> observed = cells.expression;
  if (profile == NoiseProfile::kNone) return observed;
  const std::size_t size = static_cast<std::size_t>(cells.genes) * cells.cells;
  parallel_for(cells.steps.size(), threads, [&](std::size_t experiment) {
    RandomStream random =
        stream(seed, index, Purpose::kTechnicalNoise, static_cast<std::uint32_t>(2 * experiment + group));
    add_technical_noise(technical, cells.genes, cells.cells, random,
                        std::span(observed).subspan(experiment * size, size));
  });
  return observed;
}

// Row `row` of the result takes cell `cell` of an experiment.
void copy_row(const SergioCells& cells, const std::vector<float>& observed, int experiment, int cell, int row,
              SergioSimulation& result) {
  for (int gene = 0; gene < cells.genes; ++gene) {
    const std::size_t at = cells.offset(experiment, gene) + cell;
    result.clean(row, gene) = cells.expression[at];
    result.dataset.table.values(row, gene) = observed[at];
  }
}

void check_parameters(const SergioParameters& parameters) {
  if (parameters.strength.size() != parameters.graph.edge_count())
    throw InputError(fmt::format("{} interaction strengths for {} edges: one per edge is needed",
                                 parameters.strength.size(), parameters.graph.edge_count()));
  if (static_cast<int>(parameters.basal_rates.rows()) != parameters.genes() || parameters.cell_types() < 1)
    throw InputError(fmt::format("basal rates are {} x {}, but must be genes ({}) x cell types",
                                 parameters.basal_rates.rows(), parameters.basal_rates.cols(),
                                 parameters.genes()));
  for (const double value : {parameters.decay, parameters.noise, parameters.hill})
    if (!(value > 0) || !std::isfinite(value))
      throw InputError(fmt::format("decay, noise and Hill coefficient must be positive, found {}", value));
}

}  // namespace

void check_sergio_options(const SergioOptions& options) {
  check_graph_options(options.graph);
  if (options.rows < 0 || options.wild_type_rows < 0 || options.rows + options.wild_type_rows < 1)
    throw UsageError(fmt::format("{} perturbed and {} wild-type rows, but at least one row is needed",
                                 options.rows, options.wild_type_rows));
  if (options.min_cell_types < 1 || options.max_cell_types < options.min_cell_types)
    throw UsageError(
        fmt::format("cell types from {} to {}, but the range must start at 1 or more and not be empty",
                    options.min_cell_types, options.max_cell_types));
  if (!(options.coverage >= 0 && options.coverage <= 1))
    throw UsageError(fmt::format("share of perturbed genes is {}, but must lie in [0, 1]", options.coverage));
  if (!(options.min_residual >= 0 && options.max_residual >= options.min_residual))
    throw UsageError(fmt::format(
        "residual production from {} to {}, but the range must start at 0 or more and not be empty",
        options.min_residual, options.max_residual));
  if (!(options.time_step > 0 && options.time_step <= 0.5))
    throw UsageError(fmt::format("time step is {}, but must lie in (0, 0.5]", options.time_step));
  if (options.steps_per_cell < 1 || options.steps_per_level < 1)
    throw UsageError("steps per cell and per level must be at least 1");
}

SergioParameters draw_sergio_parameters(const SergioOptions& options, std::uint64_t seed,
                                        std::uint32_t index) {
  check_sergio_options(options);
  RandomStream graph_random = stream(seed, index, Purpose::kGraph);
  SergioParameters parameters;
  parameters.graph = sample_graph(options.graph, graph_random).graph;
  const int genes = parameters.genes();

  RandomStream random = stream(seed, index, Purpose::kSergioParameters);
  const auto one_of = [&](double low, double middle, double high) {
    const double choices[] = {low, middle, high};
    return choices[random.below(3)];
  };
  parameters.hill = one_of(1.9, 2.0, 2.1);
  parameters.decay = one_of(0.7, 0.8, 0.9);
  parameters.noise = one_of(0.9, 1.0, 1.1);
  const int types = options.min_cell_types +
                    static_cast<int>(random.below(options.max_cell_types - options.min_cell_types + 1));

  // How often a regulator activates: Beta(1, 1) is uniform, Beta(1/2, 1/2) the arcsine law.
  const bool arcsine = random.coin();
  std::vector<double> activating(genes);
  for (double& share : activating) {
    const double u = random.uniform();
    const double sine = std::sin(1.5707963267948966 * u);
    share = arcsine ? sine * sine : u;
  }
  for (const Edge& edge : parameters.graph.edges()) {
    const double magnitude = random.uniform(1.0, 5.0);
    parameters.strength.push_back(random.coin(activating[edge.source]) ? magnitude : -magnitude);
  }
  parameters.basal_rates = Matrix<double>(genes, types);
  for (double& rate : parameters.basal_rates.values()) rate = random.uniform(1.0, 3.0);
  return parameters;
}

SergioPlan plan_sergio(const SergioOptions& options, SergioParameters parameters,
                       const TechnicalNoise& technical, std::uint64_t seed, std::uint32_t index) {
  check_sergio_options(options);
  check_parameters(parameters);
  SergioPlan plan{std::move(parameters), options.profile, technical, seed, index, {}};
  const int types = plan.parameters.cell_types();
  std::vector<SergioExperiment> experiments = plan_experiments(options, plan.parameters.genes(), seed, index);
  const int targets = static_cast<int>(experiments.size());
  const int perturbed_rows = targets > 0 ? options.rows : 0;
  const int wild_type_rows = options.wild_type_rows + options.rows - perturbed_rows;
  SergioSchedule schedule{1, options.time_step, options.steps_per_cell, options.steps_per_level};
  if (perturbed_rows > 0) {
    schedule.cells_per_type = (perturbed_rows + types * targets - 1) / (types * targets);
    plan.groups.push_back({kPerturbedGroup, std::move(experiments), schedule, perturbed_rows});
  }
  if (wild_type_rows > 0) {
    schedule.cells_per_type = (wild_type_rows + types - 1) / types;
    plan.groups.push_back({kWildTypeGroup, {SergioExperiment{}}, schedule, wild_type_rows});
  }
  return plan;
}

SergioPlan plan_sergio(const SergioOptions& options, SergioParameters parameters, std::uint64_t seed,
                       std::uint32_t index) {
  TechnicalNoise technical;
  if (options.profile != NoiseProfile::kNone) {
    RandomStream random = stream(seed, index, Purpose::kObservation);
    technical = draw_technical_noise(options.profile, random);
  }
  return plan_sergio(options, std::move(parameters), technical, seed, index);
}

SergioSimulation simulate_sergio(const SergioOptions& options, std::uint64_t seed, std::uint32_t index,
                                 int threads) {
  return simulate_sergio(options, draw_sergio_parameters(options, seed, index), seed, index, threads);
}

SergioSimulation simulate_sergio(const SergioOptions& options, SergioParameters parameters,
                                 std::uint64_t seed, std::uint32_t index, int threads) {
  return simulate_sergio(plan_sergio(options, std::move(parameters), seed, index), threads);
}

SergioSimulation simulate_sergio(const SergioOptions& options, SergioParameters parameters,
                                 const TechnicalNoise& technical, std::uint64_t seed, std::uint32_t index,
                                 int threads) {
  return simulate_sergio(plan_sergio(options, std::move(parameters), technical, seed, index), threads);
}

SergioSimulation simulate_sergio(SergioPlan plan, int threads) {
  const int genes = plan.parameters.genes();
  int rows = 0;
  for (const SergioGroup& group : plan.groups) rows += group.rows;

  SergioSimulation result;
  result.graph = plan.parameters.graph;
  result.technical = plan.technical;
  result.clean = Matrix<double>(rows, genes);
  Table& table = result.dataset.table;
  table.values = Matrix<double>(rows, genes);
  for (int gene = 0; gene < genes; ++gene) table.names.push_back(fmt::format("G{}", gene));
  Interventions& interventions = result.dataset.interventions;
  int first_row = 0;
  for (const SergioGroup& group : plan.groups) {
    SergioCells& cells = group.number == kPerturbedGroup ? result.perturbed : result.wild_type;
    cells = run_sergio(plan.parameters, group.experiments, group.schedule, plan.seed, plan.index,
                       group.number, threads);
    const std::vector<float> observed =
        observe(cells, plan.profile, plan.technical, group.number, plan.seed, plan.index, threads);
    const int experiments = static_cast<int>(group.experiments.size());
    const int first_regime = static_cast<int>(interventions.regimes.size());
    for (const SergioExperiment& experiment : group.experiments) {
      std::vector<int>& targets = interventions.regimes.emplace_back();
      if (experiment.target >= 0) targets.push_back(experiment.target);
    }
    for (int row = 0; row < group.rows; ++row) {
      const int cell = row / experiments;
      copy_row(cells, observed, row % experiments, cell, first_row + row, result);
      interventions.regime_of_row.push_back(first_regime + row % experiments);
      result.cell_type.push_back(cell / group.schedule.cells_per_type);
    }
    first_row += group.rows;
  }
  result.parameters = std::move(plan.parameters);
  return result;
}

}  // namespace causcale

#include "simulate/packed_sergio.h"

#include <algorithm>
#include <cmath>

#include "graph/order.h"
#include "simulate/count_sampler.h"
#include "simulate/packed_bytes.h"

namespace causcale {
namespace {

// Lists of all data sets, growing.
struct Lists {
  std::vector<PackedGroup> groups;
  std::vector<PackedExperiment> experiments;
  std::vector<PackedGene> genes;
  std::vector<PackedRegulator> regulators;
  std::vector<int> depth_end, sampled_steps;
  std::vector<float> basal_rates;
};

// Longest paths from a gene without regulators.
std::vector<int> depths(const Digraph& graph) {
  std::vector<int> depth(graph.nodes(), 0);
  const std::vector<int> order = topological_order(graph).value();
  for (const int gene : order)
    for (const int regulator : graph.parents(gene)) depth[gene] = std::max(depth[gene], depth[regulator] + 1);
  return depth;
}

// Returns the steps that all trajectories of an experiment take for each cell type.
std::int64_t append_genes(const SergioParameters& parameters, const SergioSchedule& schedule,
                          PackedGroup& group, Lists& lists) {
  const int genes = parameters.genes();
  const SergioLengths lengths = sergio_lengths(parameters.graph, schedule);
  const std::vector<std::vector<float>> strength = strengths_by_target(parameters);
  const std::vector<int> depth = depths(parameters.graph);
  std::vector<int> order(genes);
  for (int gene = 0; gene < genes; ++gene) order[gene] = gene;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return depth[a] < depth[b]; });

  group.first_gene = static_cast<int>(lists.genes.size());
  group.first_depth = static_cast<int>(lists.depth_end.size());
  std::vector<std::int64_t> first_step(genes);
  std::int64_t steps = 0;
  for (int place = 0; place < genes; ++place) {
    const int gene = order[place];
    first_step[gene] = steps;
    steps += (lengths.steps[gene] + 3) / 4 * 4;  // targets read four steps at a time
    PackedGene packed{};
    packed.gene = gene;
    packed.steps = lengths.steps[gene];
    packed.read_steps = lengths.read_steps[gene];
    packed.first_step = first_step[gene];
    packed.first_regulator = static_cast<int>(lists.regulators.size());
    const auto regulators = parameters.graph.parents(gene);
    for (std::size_t r = 0; r < regulators.size(); ++r) {
      packed.constant += std::max(0.0f, -strength[gene][r]);
      lists.regulators.push_back({regulators[r], strength[gene][r], first_step[regulators[r]]});
    }
    packed.end_regulator = static_cast<int>(lists.regulators.size());
    lists.genes.push_back(packed);
    if (place + 1 == genes || depth[order[place + 1]] != depth[gene]) lists.depth_end.push_back(place + 1);
  }
  group.end_depth = static_cast<int>(lists.depth_end.size());
  return steps;
}

PackedGroup pack_group(const SergioPlan& plan, const SergioGroup& group) {
  const SergioParameters& parameters = plan.parameters;
  PackedGroup packed{};
  packed.seed = plan.seed;
  packed.index = plan.index;
  packed.number = group.number;
  packed.genes = parameters.genes();
  packed.types = parameters.cell_types();
  packed.cells_per_type = group.schedule.cells_per_type;
  packed.decay = static_cast<float>(parameters.decay);
  packed.hill = static_cast<float>(parameters.hill);
  packed.time_step = static_cast<float>(group.schedule.time_step);
  packed.diffusion = static_cast<float>(parameters.noise * std::sqrt(group.schedule.time_step));
  packed.noisy = plan.profile != NoiseProfile::kNone ? 1 : 0;
  packed.technical = plan.technical;
  return packed;
}

}  // namespace

PackedSergio::PackedSergio(std::span<const SergioPlan> plans, std::int64_t most_trajectories) {
  Lists lists;
  std::int64_t in_wave = 0;
  for (const SergioPlan& plan : plans) {
    const auto first_basal_rate = static_cast<int>(lists.basal_rates.size());
    for (const double rate : plan.parameters.basal_rates.values())
      lists.basal_rates.push_back(static_cast<float>(rate));
    std::vector<SergioRow>& rows = rows_.emplace_back();
    for (const SergioGroup& group : plan.groups) {
      PackedGroup packed = pack_group(plan, group);
      packed.first_basal_rate = first_basal_rate;
      const std::int64_t steps = append_genes(plan.parameters, group.schedule, packed, lists);
      const std::vector<std::vector<int>> sampled =
          draw_sampled_steps(group.schedule, group.experiments.size(), plan.seed, plan.index, group.number);
      const int count = static_cast<int>(group.experiments.size());
      for (int e = 0; e < count; ++e) {
        PackedExperiment experiment{};
        experiment.group = static_cast<int>(lists.groups.size());
        experiment.number = e;
        experiment.target = group.experiments[e].target;
        experiment.residual = group.experiments[e].residual;
        experiment.first_sampled_step = static_cast<int>(lists.sampled_steps.size());
        lists.sampled_steps.insert(lists.sampled_steps.end(), sampled[e].begin(), sampled[e].end());
        if (waves_.empty() || in_wave + steps * packed.types > most_trajectories) {
          waves_.push_back({static_cast<int>(lists.experiments.size()), 0});
          in_wave = 0;
        }
        experiment.first_trajectory = in_wave;
        in_wave += steps * packed.types;
        sizes_.trajectories = std::max(sizes_.trajectories, in_wave);
        experiment.first_cell = sizes_.cells;
        experiment.first_gene_value = sizes_.gene_values;
        experiment.first_lane_value = sizes_.lane_values;
        experiment.first_cell_value = sizes_.cell_values;
        sizes_.cells += static_cast<std::int64_t>(packed.genes) * packed.cells();
        sizes_.gene_values += packed.genes;
        sizes_.lane_values += packed.genes * packed.types;
        sizes_.cell_values += packed.cells();
        for (int row = e, cell = 0; row < group.rows; row += count, ++cell)
          rows.push_back({experiment.first_cell + cell, packed.cells(), experiment.target});
        lists.experiments.push_back(experiment);
        ++waves_.back().experiments;
      }
      lists.groups.push_back(packed);
    }
  }
  groups_ = append_packed(lists.groups, bytes_);
  experiments_ = append_packed(lists.experiments, bytes_);
  genes_ = append_packed(lists.genes, bytes_);
  regulators_ = append_packed(lists.regulators, bytes_);
  depth_end_ = append_packed(lists.depth_end, bytes_);
  sampled_steps_ = append_packed(lists.sampled_steps, bytes_);
  basal_rates_ = append_packed(lists.basal_rates, bytes_);
}

PackedSergioView PackedSergio::view(const std::byte* copy) const {
  return {reinterpret_cast<const PackedGroup*>(copy + groups_),
          reinterpret_cast<const PackedExperiment*>(copy + experiments_),
          reinterpret_cast<const PackedGene*>(copy + genes_),
          reinterpret_cast<const PackedRegulator*>(copy + regulators_),
          reinterpret_cast<const int*>(copy + depth_end_),
          reinterpret_cast<const int*>(copy + sampled_steps_),
          reinterpret_cast<const float*>(copy + basal_rates_)};
}

void simulate_packed_on_host(const PackedSergioView& view, std::span<const SergioWave> waves,
                             const SergioBuffers& buffers) {
  const HostTeam team;
  CountScratch scratch;
  for (const SergioWave& wave : waves)
    for (int e = wave.first_experiment; e < wave.first_experiment + wave.experiments; ++e) {
      ExperimentRun(team, view, e, buffers).run();
      if (view.groups[view.experiments[e].group].noisy) CountRun(team, view, e, buffers, scratch).run();
    }
}

}  // namespace causcale

#include "simulate/sergio_dynamics.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/parallel.h"
#include "causcale/error.h"
#include "graph/order.h"
#include "simulate/batch_random.h"
#include "simulate/vector_clones.h"

namespace causcale {
namespace {

CAUSCALE_VECTOR_CLONES
void add_response(const float* __restrict response, float strength, int lanes, float* __restrict production) {
  for (int i = 0; i < lanes; ++i) production[i] += strength * response[i];
}

CAUSCALE_VECTOR_CLONES
void advance(const float* __restrict x, const float* __restrict production, const float* __restrict residual,
             const float* __restrict normal, float decay, float time_step, float diffusion, int lanes,
             float* __restrict next) {
  for (int i = 0; i < lanes; ++i)
    next[i] = sergio_step(x[i], residual[i] * fast_max(production[i], 0.0f), decay, time_step, diffusion,
                          normal[i]);
}

CAUSCALE_VECTOR_CLONES
void respond(const float* __restrict x, const float* __restrict log_half, float hill, int lanes,
             float* __restrict response) {
  for (int i = 0; i < lanes; ++i) response[i] = hill_response(x[i], log_half[i], hill);
}

// What all batches share.
struct Plan {
  const SergioParameters& parameters;
  const std::vector<SergioExperiment>& experiments;
  const SergioSchedule& schedule;
  std::uint64_t seed;
  std::uint32_t index;
  std::uint32_t group;
  std::vector<int> order;  // regulators first
  SergioLengths lengths;
  std::vector<std::vector<float>> strength;  // as strengths_by_target gives them
};

Plan make_plan(const SergioParameters& parameters, const std::vector<SergioExperiment>& experiments,
               const SergioSchedule& schedule, std::uint64_t seed, std::uint32_t index, std::uint32_t group) {
  const SergioLengths lengths = sergio_lengths(parameters.graph, schedule);
  return {parameters,
          experiments,
          schedule,
          seed,
          index,
          group,
          *topological_order(parameters.graph),
          lengths,
          strengths_by_target(parameters)};
}

// A few experiments side by side: a lane is one cell type of one experiment.
class Batch {
 public:
  Batch(const Plan& plan, int first_experiment, int experiments, SergioCells& out)
      : plan_(plan),
        first_(first_experiment),
        experiments_(experiments),
        types_(plan.parameters.cell_types()),
        lanes_(experiments * types_),
        out_(out),
        responses_(plan.order.size()),
        residual_(lanes_),
        production_(lanes_),
        log_half_(plan.order.size(), std::vector<float>(lanes_)),
        mean_(plan.order.size(), std::vector<float>(lanes_)) {
    const int longest = *std::max_element(plan.lengths.steps.begin(), plan.lengths.steps.end());
    trajectory_.resize(static_cast<std::size_t>(longest + 4) * lanes_);
    normals_.resize(static_cast<std::size_t>(4) * lanes_);
  }

  void run() {
    for (const int gene : plan_.order) {
      prepare(gene);
      integrate(gene);
      sample(gene);
      keep_response(gene);
    }
  }

 private:
  // Production before the target's residual: constant part plus signed strength times response.
  void start_production(int gene) {
    const auto regulators = plan_.parameters.graph.parents(gene);
    if (regulators.empty()) {
      for (int i = 0; i < lanes_; ++i)
        production_[i] = static_cast<float>(plan_.parameters.basal_rates(gene, i % types_));
      return;
    }
    float constant = 0.0f;
    for (std::size_t p = 0; p < regulators.size(); ++p) constant += std::max(0.0f, -strength(gene, p));
    std::fill(production_.begin(), production_.end(), constant);
  }

  float strength(int gene, std::size_t regulator) const { return plan_.strength[gene][regulator]; }

  // The expected steady state: what the regulators' mean expression calls for.
  void prepare(int gene) {
    for (int i = 0; i < lanes_; ++i) {
      const SergioExperiment& experiment = plan_.experiments[first_ + i / types_];
      residual_[i] = experiment.target == gene ? experiment.residual : 1.0f;
    }
    start_production(gene);
    const auto regulators = plan_.parameters.graph.parents(gene);
    std::vector<float> response(lanes_);
    for (std::size_t p = 0; p < regulators.size(); ++p) {
      respond(mean_[regulators[p]].data(), log_half_[regulators[p]].data(),
              static_cast<float>(plan_.parameters.hill), lanes_, response.data());
      add_response(response.data(), strength(gene, p), lanes_, production_.data());
    }
    for (int i = 0; i < lanes_; ++i)
      trajectory_[i] =
          residual_[i] * std::max(0.0f, production_[i]) / static_cast<float>(plan_.parameters.decay);
  }

  // trajectory_[t] for t in [0, steps); regulators are read at the same t, counted from the start.
  void integrate(int gene) {
    const int steps = plan_.lengths.steps[gene];
    const auto regulators = plan_.parameters.graph.parents(gene);
    const BatchAddress address{
        plan_.seed, plan_.index, Purpose::kSergioDynamics,
        plan_.group * static_cast<std::uint32_t>(plan_.order.size()) + static_cast<std::uint32_t>(gene)};
    const auto blocks = static_cast<std::uint32_t>((steps + 3) / 4);
    const float time_step = static_cast<float>(plan_.schedule.time_step);
    const float diffusion = static_cast<float>(plan_.parameters.noise * std::sqrt(plan_.schedule.time_step));
    const float decay = static_cast<float>(plan_.parameters.decay);
    float* planes[4];
    for (int p = 0; p < 4; ++p) planes[p] = normals_.data() + static_cast<std::size_t>(p) * lanes_;
    if (regulators.empty()) start_production(gene);

    for (int t = 0; t + 1 < steps; ++t) {
      if (t % 4 == 0)
        fill_normal_planes(address, static_cast<std::uint32_t>(first_ * types_) * blocks + t / 4, blocks,
                           lanes_, planes);
      if (!regulators.empty()) {
        start_production(gene);
        for (std::size_t p = 0; p < regulators.size(); ++p)
          add_response(responses_[regulators[p]].data() + static_cast<std::size_t>(t) * lanes_,
                       strength(gene, p), lanes_, production_.data());
      }
      advance(at(t), production_.data(), residual_.data(), planes[t % 4], decay, time_step, diffusion, lanes_,
              at(t + 1));
    }
  }

  void sample(int gene) {
    const int steps = plan_.lengths.steps[gene], cells = plan_.schedule.cells_per_type;
    for (int e = 0; e < experiments_; ++e) {
      const std::vector<int>& from_end = out_.steps[first_ + e];
      float* cell = out_.expression.data() + out_.offset(first_ + e, gene);
      double over_types = 0;
      for (int type = 0; type < types_; ++type) {
        const int lane = e * types_ + type;
        double sum = 0;
        for (const int step : from_end) {
          *cell = at(steps - step)[lane];
          sum += *cell++;
        }
        mean_[gene][lane] = static_cast<float>(sum / cells);
        over_types += sum / cells;
      }
      const double half = over_types / types_;
      out_.half_response(first_ + e, gene) = half;
      std::fill_n(log_half_[gene].begin() + e * types_, types_,
                  static_cast<float>(std::log(std::max(half, 1e-30))));
    }
  }

  void keep_response(int gene) {
    const int steps = plan_.lengths.read_steps[gene];
    if (steps == 0) return;
    responses_[gene].resize(static_cast<std::size_t>(steps) * lanes_);
    for (int t = 0; t < steps; ++t)
      respond(at(t), log_half_[gene].data(), static_cast<float>(plan_.parameters.hill), lanes_,
              responses_[gene].data() + static_cast<std::size_t>(t) * lanes_);
  }

  float* at(int step) { return trajectory_.data() + static_cast<std::size_t>(step) * lanes_; }

  const Plan& plan_;
  int first_, experiments_, types_, lanes_;
  SergioCells& out_;
  std::vector<std::vector<float>> responses_;  // [gene][step * lane], for genes that regulate
  std::vector<float> trajectory_, normals_, residual_, production_;
  std::vector<std::vector<float>> log_half_, mean_;  // [gene][lane]
};

}  // namespace

std::vector<int> sergio_levels(const Digraph& graph) {
  const std::optional<std::vector<int>> order = topological_order(graph);
  if (!order) throw InputError("the regulatory network has a directed cycle");
  std::vector<int> level(graph.nodes(), 0);
  for (auto gene = order->rbegin(); gene != order->rend(); ++gene)
    for (const int child : graph.children(*gene)) level[*gene] = std::max(level[*gene], level[child] + 1);
  return level;
}

SergioLengths sergio_lengths(const Digraph& graph, const SergioSchedule& schedule) {
  SergioLengths lengths;
  for (const int level : sergio_levels(graph))
    lengths.steps.push_back(schedule.steps_per_cell * schedule.cells_per_type +
                            schedule.steps_per_level * level);
  lengths.read_steps.assign(lengths.steps.size(), 0);
  for (const Edge& edge : graph.edges())
    lengths.read_steps[edge.source] = std::max(lengths.read_steps[edge.source], lengths.steps[edge.target]);
  return lengths;
}

std::vector<std::vector<float>> strengths_by_target(const SergioParameters& parameters) {
  // Edges come sorted by source, so appending to every target keeps its regulators ascending.
  std::vector<std::vector<float>> strength(parameters.genes());
  const auto& edges = parameters.graph.edges();
  for (std::size_t e = 0; e < edges.size(); ++e)
    strength[edges[e].target].push_back(static_cast<float>(parameters.strength[e]));
  return strength;
}

std::vector<std::vector<int>> draw_sampled_steps(const SergioSchedule& schedule, std::size_t experiments,
                                                 std::uint64_t seed, std::uint32_t index,
                                                 std::uint32_t group) {
  const auto window = static_cast<std::uint32_t>(schedule.steps_per_cell * schedule.cells_per_type);
  std::vector<std::vector<int>> drawn(experiments, std::vector<int>(schedule.cells_per_type));
  for (std::size_t e = 0; e < experiments; ++e) {
    RandomStream random(seed, index, static_cast<std::uint32_t>(Purpose::kSergioSampling) + (group << 8),
                        static_cast<std::uint32_t>(e));
    for (int& step : drawn[e]) step = 1 + static_cast<int>(random.below(window));
  }
  return drawn;
}

SergioCells run_sergio(const SergioParameters& parameters, const std::vector<SergioExperiment>& experiments,
                       const SergioSchedule& schedule, std::uint64_t seed, std::uint32_t index,
                       std::uint32_t group, int threads) {
  const Plan plan = make_plan(parameters, experiments, schedule, seed, index, group);
  const int count = static_cast<int>(experiments.size());
  SergioCells out;
  out.genes = parameters.genes();
  out.cells = parameters.cell_types() * schedule.cells_per_type;
  out.expression.resize(static_cast<std::size_t>(count) * out.genes * out.cells);
  out.half_response = Matrix<double>(count, out.genes);
  out.steps = draw_sampled_steps(schedule, experiments.size(), seed, index, group);
  // Wide enough for vector code, small enough for the trajectories to stay in the cache.
  const int per_batch = std::max(1, 64 / parameters.cell_types());
  const int batches = (count + per_batch - 1) / per_batch;
  parallel_for(batches, threads, [&](std::size_t b) {
    const int first = static_cast<int>(b) * per_batch;
    Batch(plan, first, std::min(per_batch, count - first), out).run();
  });
  return out;
}

}  // namespace causcale

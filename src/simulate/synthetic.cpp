#include "simulate/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "causcale/error.h"
#include "graph/order.h"
#include "simulate/batch_random.h"
#include "simulate/draw_mechanism.h"
#include "simulate/hidden.h"
#include "simulate/vector_clones.h"

namespace causcale {
namespace {

constexpr int kTileRows = 64;

CAUSCALE_VECTOR_CLONES
void apply_mechanism(const NodeMechanism& node, const float* parameters, const float* const* parents,
                     int first_row, int end_row, const float* noise, float* out) {
  alignas(32) float values[kTileRows];
  for (int tile = first_row / kTileRows * kTileRows; tile < end_row; tile += kTileRows) {
    MechanismTile<kTileRows>{parents, tile}.apply(node, parameters, noise + tile, values);
    for (int row = std::max(tile, first_row); row < std::min(tile + kTileRows, end_row); ++row)
      out[row] = values[row - tile];
  }
}

CAUSCALE_VECTOR_CLONES
void transform_noise(NoiseFamily family, const BatchAddress& address, int rows, float* out) {
  const BatchAddress fixed = address;
  for (int pair = 0; 2 * pair < rows; ++pair) {
    const Words4 words = random_words(fixed, static_cast<std::uint32_t>(pair));
    out[2 * pair] = noise_value(family, words.w0, words.w1);
    if (2 * pair + 1 < rows) out[2 * pair + 1] = noise_value(family, words.w2, words.w3);
  }
}

// Columns of floats to rows of doubles, a few columns at a time so that cache lines are written whole.
void transpose(const std::vector<const float*>& columns, Matrix<double>& out) {
  constexpr std::size_t kWidth = 16;
  for (std::size_t first = 0; first < columns.size(); first += kWidth) {
    const std::size_t width = std::min(kWidth, columns.size() - first);
    for (std::size_t r = 0; r < out.rows(); ++r) {
      double* row = &out(r, first);
      for (std::size_t c = 0; c < width; ++c) row[c] = columns[first + c][r];
    }
  }
}

// The values of all nodes, one column of floats a node, made in topological order.
class Sampler {
 public:
  Sampler(const SyntheticOptions& options, const Digraph& graph, const RegimePlan& plan, std::uint64_t seed,
          std::uint32_t index)
      : options_(options),
        graph_(graph),
        plan_(plan),
        seed_(seed),
        index_(index),
        stride_((static_cast<std::size_t>(options.rows) + kTileRows - 1) / kTileRows * kTileRows),
        values_(graph.nodes() * stride_),
        noise_padded_(stride_),
        noise_(noise_padded_.data(), options.rows),
        scales_(plan.interventions.regimes.size()),
        regimes_of_node_(graph.nodes()),
        moments_(graph.nodes()) {
    const auto& regimes = plan.interventions.regimes;
    for (std::size_t regime = 0; regime < regimes.size(); ++regime)
      for (const int target : regimes[regime]) regimes_of_node_[target].push_back(static_cast<int>(regime));
  }

  std::span<float> column(int node) {
    return {values_.data() + node * stride_, static_cast<std::size_t>(options_.rows)};
  }

  void sample_node(int node) {
    if (graph_.parents(node).empty())
      sample_root(node);
    else
      sample_child(node);
    if (options_.interventions.effect == InterventionEffect::kPerfect) intervene_perfectly(node);
    if (options_.interventions.effect == InterventionEffect::kSoft) intervene_softly(node);
  }

 private:
  BatchAddress address(Purpose purpose, int node) const {
    return {seed_, index_, purpose, static_cast<std::uint32_t>(node)};
  }
  RandomStream stream(Purpose purpose, int node) const {
    return {seed_, index_, static_cast<std::uint32_t>(purpose), static_cast<std::uint32_t>(node)};
  }

  void sample_root(int node) {
    const std::span<float> out = column(node);
    constexpr float kDeviation = 0.57735027f;  // of U(-1, 1)
    switch (options_.roots) {
      case RootDistribution::kUniform:
        fill_uniform(address(Purpose::kRoots, node), out);
        for (float& x : out) x = 2.0f * x - 1.0f;
        break;
      case RootDistribution::kGaussian:
        fill_normal(address(Purpose::kRoots, node), out);
        for (float& x : out) x *= kDeviation;
        break;
      case RootDistribution::kMixture: {
        RandomStream random = stream(Purpose::kWeights, node);
        constexpr int kMost = 4;
        const int parts = 2 + static_cast<int>(random.below(kMost - 1));
        float centre[kMost], deviation[kMost];
        for (int k = 0; k < parts; ++k) {
          centre[k] = static_cast<float>(random.uniform(-1.0, 1.0));
          deviation[k] = static_cast<float>(random.uniform(0.1, 0.4));
        }
        fill_uniform(address(Purpose::kRoots, node), out);
        fill_normal(address(Purpose::kNoise, node), noise_);
        for (std::size_t r = 0; r < out.size(); ++r) {
          const int k = std::min(parts - 1, static_cast<int>(out[r] * parts));
          out[r] = centre[k] + deviation[k] * noise_[r];
        }
        break;
      }
    }
    if (options_.interventions.effect == InterventionEffect::kMechanismChange)
      for (const int regime : regimes_of_node_[node]) {
        RandomStream random = change_stream(node, regime);
        const float scale = static_cast<float>(random.uniform(0.3, 2.0));
        const float shift = static_cast<float>(random.uniform(-1.0, 1.0));
        for (int r = plan_.first_row[regime]; r < plan_.first_row[regime + 1]; ++r)
          out[r] = scale * out[r] + shift;
      }
  }

  void sample_child(int node) {
    fill_noise(node);
    const std::span<const int> parents = graph_.parents(node);
    parent_columns_.clear();
    for (const int parent : parents) parent_columns_.push_back(column(parent).data());

    RandomStream weights = stream(Purpose::kWeights, node);
    Mechanism kind = options_.mechanism;
    if (!options_.mixed_mechanisms.empty())
      kind =
          options_
              .mixed_mechanisms[weights.below(static_cast<std::uint32_t>(options_.mixed_mechanisms.size()))];
    const NodeMechanism mechanism = draw(kind, parents, weights);
    float* out = column(node).data();
    apply_mechanism(mechanism, parameters_.data(), parent_columns_.data(), 0, options_.rows, noise_.data(),
                    out);

    if (options_.interventions.effect == InterventionEffect::kMechanismChange)
      for (const int regime : regimes_of_node_[node]) {
        RandomStream random = change_stream(node, regime);
        const NodeMechanism changed = draw(kind, parents, random);
        apply_mechanism(changed, parameters_.data(), parent_columns_.data(), plan_.first_row[regime],
                        plan_.first_row[regime + 1], noise_.data(), out);
      }
  }

  NodeMechanism draw(Mechanism kind, std::span<const int> parents, RandomStream& random) {
    parameters_.clear();
    const NodeMechanism mechanism =
        draw_mechanism(kind, options_.coupling, static_cast<int>(parents.size()), random, parameters_);
    if (standardizes_inputs(kind)) {
      centre_.clear();
      inverse_scale_.clear();
      for (const int parent : parents) {
        if (!moments_[parent]) moments_[parent] = moments_of(column(parent));
        centre_.push_back(static_cast<float>(moments_[parent]->mean));
        inverse_scale_.push_back(static_cast<float>(1.0 / moments_[parent]->deviation));
      }
      set_input_scales(mechanism, centre_, inverse_scale_, parameters_);
    }
    return mechanism;
  }

  void fill_noise(int node) {
    if (options_.noise == NoiseFamily::kGaussian)
      fill_normal(address(Purpose::kNoise, node), noise_);
    else
      transform_noise(options_.noise, address(Purpose::kNoise, node), options_.rows, noise_.data());
    fill_uniform(address(Purpose::kNoiseScale, node), scales_);
    for (std::size_t regime = 0; regime < scales_.size(); ++regime) {
      const float scale = static_cast<float>(options_.noise_scale) * std::sqrt(1.0f + scales_[regime]);
      for (int r = plan_.first_row[regime]; r < plan_.first_row[regime + 1]; ++r) noise_[r] *= scale;
    }
  }

  void intervene_perfectly(int node) {
    if (regimes_of_node_[node].empty()) return;
    RandomStream random = stream(Purpose::kInterventionValue, node);
    const std::span<float> out = column(node);
    for (const int regime : regimes_of_node_[node])
      for (int r = plan_.first_row[regime]; r < plan_.first_row[regime + 1]; ++r)
        out[r] = 2.0f * random.uniform_float() - 1.0f;
  }

  void intervene_softly(int node) {
    const std::span<float> out = column(node);
    for (const int regime : regimes_of_node_[node]) {
      RandomStream random = change_stream(node, regime);
      const float damping = static_cast<float>(random.uniform(0.2, 0.8));
      const float distance = static_cast<float>(random.uniform(0.5, 2.0));
      const float shift = random.coin() ? distance : -distance;
      for (int r = plan_.first_row[regime]; r < plan_.first_row[regime + 1]; ++r)
        out[r] = damping * out[r] + shift;
    }
  }

  // A regime may have several targets and a node several regimes: the pair is the address.
  RandomStream change_stream(int node, int regime) const {
    const auto pair = static_cast<std::uint32_t>(regime) * static_cast<std::uint32_t>(graph_.nodes()) +
                      static_cast<std::uint32_t>(node);
    return {seed_, index_, static_cast<std::uint32_t>(Purpose::kInterventionChange), pair};
  }

  const SyntheticOptions& options_;
  const Digraph& graph_;
  const RegimePlan& plan_;
  std::uint64_t seed_;
  std::uint32_t index_;
  std::size_t stride_;         // rows, padded to whole tiles
  std::vector<float> values_;  // [node][row]
  std::vector<float> noise_padded_;
  std::span<float> noise_;
  std::vector<float> scales_;  // of a node's noise, by regime
  std::vector<std::vector<int>> regimes_of_node_;
  std::vector<std::optional<Moments>> moments_;
  std::vector<float> parameters_, centre_, inverse_scale_;
  std::vector<const float*> parent_columns_;
};

Simulation simulate_on(const SyntheticOptions& options, Digraph graph, const std::vector<int>& order,
                       std::uint64_t seed, std::uint32_t index) {
  Simulation result;
  result.visible = visible_nodes(graph, options.hidden);
  RandomStream regime_stream(seed, index, static_cast<std::uint32_t>(Purpose::kRegimes));
  RegimePlan plan = plan_regimes(options.interventions, result.visible, options.rows, regime_stream);

  Sampler sampler(options, graph, plan, seed, index);
  for (const int node : order) sampler.sample_node(node);

  Table& table = result.dataset.table;
  const int columns = static_cast<int>(result.visible.size());
  table.values = Matrix<double>(options.rows, columns);
  std::vector<int> column_of(graph.nodes(), -1);
  std::vector<const float*> column_data;
  for (int c = 0; c < columns; ++c) {
    const int node = result.visible[c];
    column_of[node] = c;
    table.names.push_back(fmt::format("X{}", node));
    const std::span<float> column = sampler.column(node);
    if (options.observation.active()) {
      RandomStream random(seed, index, static_cast<std::uint32_t>(Purpose::kObservation),
                          static_cast<std::uint32_t>(node));
      observe_column(options.observation, random, column);
    }
    column_data.push_back(column.data());
  }
  transpose(column_data, table.values);
  for (auto& regime : plan.interventions.regimes)
    for (int& target : regime) target = column_of[target];
  result.dataset.interventions = std::move(plan.interventions);
  result.graph = options.hidden == 0 ? graph : induced_subgraph(graph, result.visible);
  result.full_graph = std::move(graph);
  return result;
}

}  // namespace

void check_synthetic_options(const SyntheticOptions& options) {
  check_graph_options(options.graph_options());
  check_observation_options(options.observation);
  if (options.rows < 1)
    throw UsageError(fmt::format("number of rows is {}, but must be at least 1", options.rows));
  if (options.hidden < 0 || options.hidden >= options.nodes)
    throw UsageError(fmt::format(
        "number of hidden nodes is {}, but must lie between 0 and the number of nodes less 1 ({})",
        options.hidden, options.nodes - 1));
  if (!(options.noise_scale >= 0) || !std::isfinite(options.noise_scale))
    throw UsageError(fmt::format("noise scale is {}, but must be 0 or more", options.noise_scale));
}

Simulation simulate_synthetic(const SyntheticOptions& options, std::uint64_t seed, std::uint32_t index) {
  check_synthetic_options(options);
  RandomStream random(seed, index, static_cast<std::uint32_t>(Purpose::kGraph));
  SampledGraph sampled = sample_graph(options.graph_options(), random);
  return simulate_on(options, std::move(sampled.graph), sampled.order, seed, index);
}

Simulation simulate_synthetic(const SyntheticOptions& options, const Digraph& graph, std::uint64_t seed,
                              std::uint32_t index) {
  SyntheticOptions adapted = options;
  adapted.nodes = graph.nodes();
  check_synthetic_options(adapted);
  const std::optional<std::vector<int>> order = topological_order(graph);
  if (!order) throw InputError("the graph to simulate from has a directed cycle");
  return simulate_on(adapted, graph, *order, seed, index);
}

}  // namespace causcale

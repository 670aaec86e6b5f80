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
#include "simulate/causal_model.h"
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
  // Fills in centres and scales of the mechanisms' inputs as they become known.
  explicit Sampler(CausalModel& model)
      : model_(model),
        options_(model.options),
        stride_((static_cast<std::size_t>(options_.rows) + kTileRows - 1) / kTileRows * kTileRows),
        values_(model.graph.nodes() * stride_),
        noise_padded_(stride_),
        noise_(noise_padded_.data(), options_.rows),
        scales_(model.plan.interventions.regimes.size()),
        moments_(model.graph.nodes()) {}

  // What is measured where nodes act otherwise than they look; once all nodes are sampled.
  void show_measured() {
    for (const Measured& rows : measured_)
      std::ranges::copy(rows.values, column(rows.node).begin() + rows.first_row);
  }

  std::span<float> column(int node) {
    return {values_.data() + node * stride_, static_cast<std::size_t>(options_.rows)};
  }

  void sample_node(int node) {
    if (model_.graph.parents(node).empty())
      sample_root(node);
    else
      sample_child(node);
    RandomStream values(model_.seed, model_.index, Purpose::kInterventionValue,
                        static_cast<std::uint32_t>(node));
    const std::span<float> out = column(node);
    for (const NodeChange& change : model_.nodes[node].changes) {
      const int first = model_.plan.first_row[change.regime], end = model_.plan.first_row[change.regime + 1];
      switch (change.kind) {
        case ChangeKind::kUniformValue:
          for (int r = first; r < end; ++r)
            out[r] = change.scale * (2.0f * values.uniform_float() - 1.0f) + change.shift;
          break;
        case ChangeKind::kAffine:
          if (change.unseen) measured_.push_back({node, first, {out.begin() + first, out.begin() + end}});
          for (int r = first; r < end; ++r) out[r] = change.scale * out[r] + change.shift;
          break;
        case ChangeKind::kMechanism:
          apply(change.mechanism, node, first, end);
          break;
      }
    }
  }

 private:
  void sample_root(int node) {
    const std::span<float> out = column(node);
    constexpr float kDeviation = 0.57735027f;  // of U(-1, 1)
    switch (options_.roots) {
      case RootDistribution::kUniform:
        fill_uniform(model_.address(Purpose::kRoots, node), out);
        for (float& x : out) x = 2.0f * x - 1.0f;
        break;
      case RootDistribution::kGaussian:
        fill_normal(model_.address(Purpose::kRoots, node), out);
        for (float& x : out) x *= kDeviation;
        break;
      case RootDistribution::kMixture: {
        const RootMixture& mixture = model_.nodes[node].mixture;
        fill_uniform(model_.address(Purpose::kRoots, node), out);
        fill_normal(model_.address(Purpose::kNoise, node), noise_);
        for (std::size_t r = 0; r < out.size(); ++r) {
          const int k = std::min(mixture.parts - 1, static_cast<int>(out[r] * mixture.parts));
          out[r] = mixture.centre[k] + mixture.deviation[k] * noise_[r];
        }
        break;
      }
    }
    for (float& x : out) x *= model_.nodes[node].size;
  }

  void sample_child(int node) {
    fill_noise(node);
    parent_columns_.clear();
    for (const int parent : model_.graph.parents(node)) parent_columns_.push_back(column(parent).data());
    apply(model_.nodes[node].mechanism, node, 0, options_.rows);
  }

  void apply(const NodeMechanism& mechanism, int node, int first_row, int end_row) {
    if (standardizes_inputs(mechanism.kind)) {
      centre_.clear();
      inverse_scale_.clear();
      for (const int parent : model_.graph.parents(node)) {
        if (!moments_[parent]) moments_[parent] = moments_of(column(parent));
        centre_.push_back(static_cast<float>(moments_[parent]->mean));
        inverse_scale_.push_back(static_cast<float>(1.0 / moments_[parent]->deviation));
      }
      set_input_scales(mechanism, centre_, inverse_scale_, model_.parameters);
    }
    apply_mechanism(mechanism, model_.parameters.data(), parent_columns_.data(), first_row, end_row,
                    noise_.data(), column(node).data());
  }

  void fill_noise(int node) {
    if (options_.noise == NoiseFamily::kGaussian)
      fill_normal(model_.address(Purpose::kNoise, node), noise_);
    else
      transform_noise(options_.noise, model_.address(Purpose::kNoise, node), options_.rows, noise_.data());
    fill_uniform(model_.address(Purpose::kNoiseScale, node), scales_);
    const float size = static_cast<float>(options_.noise_scale) * model_.nodes[node].size;
    for (std::size_t regime = 0; regime < scales_.size(); ++regime) {
      const float scale = size * std::sqrt(1.0f + scales_[regime]);
      for (int r = model_.plan.first_row[regime]; r < model_.plan.first_row[regime + 1]; ++r)
        noise_[r] *= scale;
    }
  }

  struct Measured {
    int node, first_row;
    std::vector<float> values;
  };

  CausalModel& model_;
  const SyntheticOptions& options_;
  std::size_t stride_;         // rows, padded to whole tiles
  std::vector<float> values_;  // [node][row]
  std::vector<float> noise_padded_;
  std::span<float> noise_;
  std::vector<float> scales_;  // of a node's noise, by regime
  std::vector<std::optional<Moments>> moments_;
  std::vector<float> centre_, inverse_scale_;
  std::vector<const float*> parent_columns_;
  std::vector<Measured> measured_;
};

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
  if (!(options.noise_spread >= 1) || !std::isfinite(options.noise_spread))
    throw UsageError(fmt::format("noise spread is {}, but must be 1 or more", options.noise_spread));
  if (!(options.effect_scale >= 0) || !std::isfinite(options.effect_scale))
    throw UsageError(fmt::format("effect scale is {}, but must be 0 or more", options.effect_scale));
}

Simulation sample_model(CausalModel model) {
  Sampler sampler(model);
  for (const int node : model.order) sampler.sample_node(node);
  sampler.show_measured();

  Simulation result;
  result.visible = std::move(model.visible);
  Table& table = result.dataset.table;
  const int columns = static_cast<int>(result.visible.size());
  table.values = Matrix<double>(model.options.rows, columns);
  std::vector<int> column_of(model.graph.nodes(), -1);
  std::vector<const float*> column_data;
  for (int c = 0; c < columns; ++c) {
    const int node = result.visible[c];
    column_of[node] = c;
    table.names.push_back(fmt::format("X{}", node));
    const std::span<float> column = sampler.column(node);
    if (model.options.observation.active()) {
      RandomStream random(model.seed, model.index, Purpose::kObservation, static_cast<std::uint32_t>(node));
      observe_column(model.options.observation, random, column);
    }
    column_data.push_back(column.data());
  }
  transpose(column_data, table.values);
  for (auto& regime : model.plan.interventions.regimes)
    for (int& target : regime) target = column_of[target];
  result.dataset.interventions = std::move(model.plan.interventions);
  result.graph = model.options.hidden == 0 ? model.graph : induced_subgraph(model.graph, result.visible);
  result.full_graph = std::move(model.graph);
  return result;
}

Simulation simulate_synthetic(const SyntheticOptions& options, std::uint64_t seed, std::uint32_t index) {
  return sample_model(draw_model(options, seed, index));
}

Simulation simulate_synthetic(const SyntheticOptions& options, const Digraph& graph, std::uint64_t seed,
                              std::uint32_t index) {
  SyntheticOptions adapted = options;
  adapted.nodes = graph.nodes();
  check_synthetic_options(adapted);
  std::optional<std::vector<int>> order = topological_order(graph);
  if (!order) throw InputError("the graph to simulate from has a directed cycle");
  return sample_model(draw_model(adapted, graph, std::move(*order), seed, index));
}

}  // namespace causcale

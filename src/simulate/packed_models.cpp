#include "simulate/packed_models.h"

#include <stdexcept>

#include "simulate/packed_bytes.h"

namespace causcale {

PackedModels::PackedModels(std::span<const CausalModel> models) {
  std::vector<PackedDataset> datasets;
  std::vector<PackedNode> nodes;
  std::vector<PackedChange> changes;
  std::vector<int> parents, regime_of_row;
  std::vector<float> parameters;
  for (const CausalModel& model : models) {
    rows_ = model.options.rows;
    first_column_.push_back(columns_);
    PackedDataset dataset{};
    dataset.seed = model.seed;
    dataset.index = model.index;
    dataset.regimes = static_cast<int>(model.plan.interventions.regimes.size());
    dataset.first_node = static_cast<int>(nodes.size());
    dataset.first_row = static_cast<int>(regime_of_row.size());
    dataset.noise = model.options.noise;
    dataset.roots = model.options.roots;
    dataset.noise_scale = static_cast<float>(model.options.noise_scale);
    const auto first_parameter = static_cast<std::uint32_t>(parameters.size());
    const auto moved = [&](NodeMechanism mechanism) {
      mechanism.parameters += first_parameter;
      return mechanism;
    };
    std::vector<int> place(model.graph.nodes());  // of a node among `nodes`
    for (const int number : model.order) {
      const CausalModelNode& drawn = model.nodes[number];
      PackedNode node{};
      node.mechanism = moved(drawn.mechanism);
      node.mixture = drawn.mixture;
      node.size = drawn.size;
      node.node = number;
      node.column = columns_ + number;
      node.first_parent = static_cast<int>(parents.size());
      for (const int parent : model.graph.parents(number)) {
        parents.push_back(columns_ + parent);
        if (standardizes_inputs(drawn.mechanism.kind)) nodes[place[parent]].wants_moments = 1;
      }
      node.first_change = static_cast<int>(changes.size());
      for (const NodeChange& change : drawn.changes) {
        // A node that acts otherwise than it looks needs two values a row, and the packed form has one.
        if (change.unseen) throw std::logic_error("blocked nodes cannot be packed");
        changes.push_back({model.plan.first_row[change.regime], model.plan.first_row[change.regime + 1],
                           change.kind, change.first_value, change.scale, change.shift,
                           moved(change.mechanism)});
      }
      node.end_change = static_cast<int>(changes.size());
      place[number] = static_cast<int>(nodes.size());
      nodes.push_back(node);
    }
    dataset.end_node = static_cast<int>(nodes.size());
    datasets.push_back(dataset);
    const std::vector<int>& regimes = model.plan.interventions.regime_of_row;
    regime_of_row.insert(regime_of_row.end(), regimes.begin(), regimes.end());
    parameters.insert(parameters.end(), model.parameters.begin(), model.parameters.end());
    columns_ += model.graph.nodes();
  }
  datasets_ = append_packed(datasets, bytes_);
  nodes_ = append_packed(nodes, bytes_);
  changes_ = append_packed(changes, bytes_);
  parents_ = append_packed(parents, bytes_);
  regime_of_row_ = append_packed(regime_of_row, bytes_);
  parameters_ = append_packed(parameters, bytes_);
}

PackedView PackedModels::view(std::byte* copy) const {
  return {reinterpret_cast<const PackedDataset*>(copy + datasets_),
          reinterpret_cast<const PackedNode*>(copy + nodes_),
          reinterpret_cast<const PackedChange*>(copy + changes_),
          reinterpret_cast<const int*>(copy + parents_),
          reinterpret_cast<const int*>(copy + regime_of_row_),
          reinterpret_cast<float*>(copy + parameters_),
          static_cast<int>(first_column_.size()),
          rows_,
          columns_};
}

void sample_packed_on_host(const PackedView& view, const SampledColumns& out) {
  const int lanes = view.lanes();
  for (int d = 0; d < view.dataset_count; ++d) {
    const PackedDataset& dataset = view.datasets[d];
    for (int i = dataset.first_node; i < dataset.end_node; ++i) {
      const PackedNode& node = view.nodes[i];
      if (node.mechanism.parents > 0 && standardizes_inputs(node.mechanism.kind))
        for (int p = 0; p < node.mechanism.parents; ++p) set_input_scale(view, node, p, out.scales);
      for (int lane = 0; lane < lanes; ++lane) LaneSampler(view, dataset, node, lane, out).sample();
      if (!node.wants_moments) continue;
      ColumnSums sums;
      const float* column = out.values + static_cast<std::int64_t>(node.column) * kLaneRows * lanes;
      for (int lane = 0; lane < lanes; ++lane)
        sums.add_lane(column + kLaneRows * lane, lane, lanes, view.rows);
      out.scales[node.column] = sums.scale(view.rows);
    }
  }
}

}  // namespace causcale

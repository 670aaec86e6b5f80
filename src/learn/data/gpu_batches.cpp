#include "learn/data/gpu_batches.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "learn/data/device_channels.h"
#include "learn/networks/batched_prior.h"
#include "simulate/hidden.h"

namespace causcale {

namespace {

std::uint32_t dataset_number(const BatchPlan& plan, std::int64_t place) {
  return static_cast<std::uint32_t>(plan.first_dataset +
                                    static_cast<std::uint64_t>(place * plan.share.size + plan.share.rank));
}

void write_adjacency(const Digraph& graph, const std::vector<int>& visible, std::uint8_t* out) {
  const std::size_t n = visible.size();
  std::fill_n(out, n * n, std::uint8_t{0});
  const Digraph shown = induced_subgraph(graph, visible);
  for (const Edge& edge : shown.edges())
    out[static_cast<std::size_t>(edge.source) * n + static_cast<std::size_t>(edge.target)] = 1;
}

PackedInputDraws pack_input_draws(const std::vector<InputDraw>& inputs, std::int64_t m,
                                  const at::TensorOptions& options) {
  const auto S = static_cast<std::int64_t>(inputs.size());
  PackedInputDraws packed;
  packed.told = at::empty({S, 1, 1}, options.dtype(at::kFloat));
  packed.order = at::empty({S * m}, options.dtype(at::kLong));
  packed.prior_rows = at::empty({S, 1, m}, options.dtype(at::kDouble));
  packed.standardized = at::empty({S, 1, 1}, options.dtype(at::kBool));
  for (std::int64_t s = 0; s < S; ++s) {
    const InputDraw& input = inputs[s];
    packed.told.data_ptr<float>()[s] = input.flags ? 1.0f : 0.0f;
    packed.standardized.data_ptr<bool>()[s] = input.prior.scale == PriorScale::kStandardized;
    for (std::int64_t r = 0; r < m; ++r)
      packed.order.data_ptr<std::int64_t>()[s * m + r] = s * m + static_cast<std::int64_t>(input.order[r]);
    double* counts = packed.prior_rows.data_ptr<double>() + s * m;
    std::fill_n(counts, m, 0.0);
    const auto total = static_cast<std::size_t>(m);
    for (const std::size_t r : draw_rows(total, input.prior.rows.value_or(total), input.prior.seed))
      counts[r] = 1.0;
  }
  return packed;
}

void pack_models(const std::vector<CausalModel>& models, std::uint64_t seed, const at::TensorOptions& options,
                 BatchRecipe& result) {
  const std::int64_t n = result.plan.nodes;
  const auto S = static_cast<std::int64_t>(models.size());
  result.packed = PackedModels(models);
  const std::vector<std::byte>& bytes = result.packed.bytes();
  result.packed_bytes = at::empty({static_cast<std::int64_t>(bytes.size())}, options.dtype(at::kByte));
  if (!bytes.empty()) std::memcpy(result.packed_bytes.data_ptr(), bytes.data(), bytes.size());
  result.columns = at::empty({S * n}, options.dtype(at::kLong));
  result.factor = at::empty({S, n, 1}, options.dtype(at::kDouble));
  result.shift = at::empty({S, n, 1}, options.dtype(at::kDouble));
  for (std::int64_t s = 0; s < S; ++s) {
    const CausalModel& model = models[s];
    for (std::int64_t c = 0; c < n; ++c) {
      const int node = model.visible[c];
      result.columns.data_ptr<std::int64_t>()[s * n + c] =
          result.packed.first_column(static_cast<int>(s)) + node;
      RandomStream random(seed, model.index, Purpose::kObservation, static_cast<std::uint32_t>(node));
      const ColumnUnits units = draw_column_units(model.options.observation, random);
      result.factor.data_ptr<double>()[s * n + c] = units.factor;
      result.shift.data_ptr<double>()[s * n + c] = units.shift;
    }
  }
}

// Columns of the sampled causal models, rows in order.
RawTables sampled_tables(const BatchRecipe& recipe, const DeviceSamples& samples) {
  const std::int64_t m = recipe.plan.rows, n = recipe.plan.nodes;
  const auto S = static_cast<std::int64_t>(recipe.sampled.size());
  const auto here = [&](const at::Tensor& tensor) {
    return tensor.to(samples.values.device(), /*non_blocking=*/true);
  };
  const at::Tensor columns = here(recipe.columns);
  const auto in_order = [&](const at::Tensor& lanes) {  // [S, n, m]
    return lanes.index_select(0, columns)
        .view({S, n, -1, kLaneRows})
        .transpose(2, 3)
        .reshape({S, n, -1})
        .narrow(2, 0, m);
  };
  // Units are applied in double precision and stored as floats, as on the host.
  const at::Tensor x = (in_order(samples.values).to(at::kDouble) * here(recipe.factor) + here(recipe.shift))
                           .to(at::kFloat)
                           .to(at::kDouble);
  return {x, in_order(samples.flags).to(at::kFloat)};
}

struct NetworkInputs {
  at::Tensor data, prior;
};

// What the device samples has no gaps; which columns are discrete, it has to find out.
at::Tensor with_channels(const at::Tensor& data, const InputChannels& channels) {
  if (channels.data.empty()) return data;
  std::vector<at::Tensor> all = {data};
  for (const DataChannel channel : channels.data) {
    const at::Tensor one = channel == DataChannel::kDiscrete
                               ? discrete_columns(data).unsqueeze(1).expand({-1, data.size(1), -1})
                               : at::zeros({data.size(0), data.size(1), data.size(2)}, data.options());
    all.push_back(one.unsqueeze(3));
  }
  return at::cat(all, 3);
}

at::Tensor pair_channels(const at::Tensor& data, const at::Tensor& knowledge, const InputChannels& channels) {
  if (channels.pairs.empty()) return {};
  std::vector<at::Tensor> all;
  for (const PairChannel channel : channels.pairs)
    all.push_back(channel == PairChannel::kShift ? shift_statistics(data, channels) : knowledge);
  return at::stack(all, 3);
}

NetworkInputs network_inputs(const RawTables& raw, const PackedInputDraws& inputs, bool logarithms) {
  const at::Tensor x = logarithms ? raw.values.log1p() : raw.values;
  const std::int64_t S = x.size(0), n = x.size(1), m = x.size(2);
  const auto here = [&](const at::Tensor& tensor) { return tensor.to(x.device(), /*non_blocking=*/true); };
  const at::Tensor distance = x - x.mean(2, true);
  const at::Tensor deviation = distance.square().mean(2, true).sqrt();
  const at::Tensor varies = x.amax(2, true) > x.amin(2, true);
  const at::Tensor scale = deviation.reciprocal().masked_fill(varies.logical_not(), 0.0);
  const at::Tensor told = raw.flags * here(inputs.told);
  const at::Tensor data = at::stack({(distance * scale).to(at::kFloat), told}, 3)  // [S, n, m, 2]
                              .transpose(1, 2)
                              .reshape({S * m, n, 2})
                              .index_select(0, here(inputs.order))
                              .view({S, m, n, 2});
  return {data, batched_precision(x, here(inputs.prior_rows), here(inputs.standardized)).to(at::kFloat)};
}

}  // namespace

BatchRecipe prepare_batch(const ExampleSource& examples, const BatchPlan& plan, std::uint64_t seed,
                          bool pinned) {
  const std::int64_t B = plan.graphs, m = plan.rows, n = plan.nodes;
  const auto options = at::TensorOptions().pinned_memory(pinned);
  BatchRecipe result;
  result.plan = plan;
  result.logarithms = examples.logarithms();
  result.channels = examples.channels();
  result.adjacency = at::empty({B, n, n}, options.dtype(at::kByte));
  const auto adjacency = [&](std::int64_t place) {
    return result.adjacency.data_ptr<std::uint8_t>() + place * n * n;
  };
  const auto K = static_cast<std::int64_t>(examples.outputs().size());
  if (K > 0) result.labels = at::empty({B, K, n, n}, options.dtype(at::kChar));
  const auto labels = [&](std::int64_t place) {
    return K > 0 ? result.labels.data_ptr<std::int8_t>() + place * K * n * n : nullptr;
  };
  const auto label = [&](std::int64_t place, const auto& recipe) {
    if (K > 0) write_labels(recipe.truth(), examples.outputs(), static_cast<std::size_t>(n), labels(place));
  };
  if (result.channels.place(PairChannel::kKnowledge) >= 0)
    result.knowledge = at::empty({B, n, n}, options.dtype(at::kFloat));
  const auto tell = [&](std::int64_t place, const Digraph& graph) {
    if (!result.knowledge.defined()) return;
    const Matrix<float> told = examples.told_knowledge(graph, seed, dataset_number(plan, place));
    std::ranges::copy(told.values(), result.knowledge.data_ptr<float>() + place * n * n);
  };
  std::vector<CausalModel> models;
  std::vector<SergioDataPlan> expression;
  std::vector<InputDraw> inputs, expression_inputs;
  for (std::int64_t b = 0; b < B; ++b) {
    const std::uint32_t number = dataset_number(plan, b);
    if (auto recipe = examples.recipe(plan.rows, plan.nodes, seed, number)) {
      write_adjacency(recipe->model.graph, recipe->model.visible, adjacency(b));
      tell(b, induced_subgraph(recipe->model.graph, recipe->model.visible));
      label(b, *recipe);
      result.sampled.push_back(b);
      models.push_back(std::move(recipe->model));
      inputs.push_back(std::move(recipe->input));
    } else if (auto drawn = examples.expression_recipe(plan.rows, plan.nodes, seed, number)) {
      write_adjacency(drawn->data.cells.parameters.graph, drawn->data.visible, adjacency(b));
      tell(b, induced_subgraph(drawn->data.cells.parameters.graph, drawn->data.visible));
      label(b, *drawn);
      result.expressed.push_back(b);
      expression.push_back(std::move(drawn->data));
      expression_inputs.push_back(std::move(drawn->input));
    } else {
      result.made.push_back(b);
    }
  }
  pack_models(models, seed, options, result);
  result.inputs = pack_input_draws(inputs, m, options);
  result.expression = pack_expression(expression, plan.rows, plan.nodes, pinned);
  result.expression_inputs = pack_input_draws(expression_inputs, m, options);

  const auto others = static_cast<std::int64_t>(result.made.size());
  const std::int64_t width = result.channels.data_width(), P = result.channels.pair_width();
  result.made_data = at::empty({others, m, n, width}, options.dtype(at::kFloat));
  result.made_prior = at::empty({others, n, n}, options.dtype(at::kFloat));
  for (std::int64_t i = 0; i < others; ++i) {
    const std::int64_t b = result.made[i];
    std::vector<float> pairs(static_cast<std::size_t>(n * n * P));
    examples.make({plan.rows, plan.nodes, result.made_data.data_ptr<float>() + i * m * n * width,
                   result.made_prior.data_ptr<float>() + i * n * n, adjacency(b), pairs.data(), labels(b)},
                  seed, dataset_number(plan, b));
    // Shifts are measured on the device, for all tables of the batch alike.
    const std::int64_t knowledge = result.channels.place(PairChannel::kKnowledge);
    for (std::int64_t k = 0; knowledge >= 0 && k < n * n; ++k)
      result.knowledge.data_ptr<float>()[b * n * n + k] = pairs[static_cast<std::size_t>(k * P + knowledge)];
  }
  return result;
}

Batch finish_batch(const BatchRecipe& recipe, const DeviceSamples& samples) {
  const at::Device device = samples.values.device();
  const auto here = [&](const at::Tensor& tensor) { return tensor.to(device, /*non_blocking=*/true); };
  const at::Tensor knowledge = recipe.knowledge.defined() ? here(recipe.knowledge) : at::Tensor();
  Batch batch;
  batch.adjacency = here(recipe.adjacency);
  if (recipe.labels.defined()) batch.labels = here(recipe.labels);
  batch.next_dataset =
      recipe.plan.first_dataset + static_cast<std::uint64_t>(recipe.plan.graphs * recipe.plan.share.size);
  // Kind by kind, then put back into their places.
  std::vector<at::Tensor> data, prior;
  std::vector<std::int64_t> places;
  const auto add = [&](const NetworkInputs& shown, const std::vector<std::int64_t>& where) {
    data.push_back(shown.data.size(3) == recipe.channels.data_width()
                       ? shown.data
                       : with_channels(shown.data, recipe.channels));
    prior.push_back(shown.prior);
    places.insert(places.end(), where.begin(), where.end());
  };
  if (!recipe.sampled.empty())
    add(network_inputs(sampled_tables(recipe, samples), recipe.inputs, recipe.logarithms), recipe.sampled);
  if (!recipe.expressed.empty())
    add(network_inputs(expression_tables(recipe.expression, samples.cells), recipe.expression_inputs,
                       recipe.logarithms),
        recipe.expressed);
  if (!recipe.made.empty()) add({here(recipe.made_data), here(recipe.made_prior)}, recipe.made);
  if (data.size() == 1) {
    batch.input.data = data[0];
    batch.input.prior = prior[0];
    batch.input.pairs = pair_channels(batch.input.data, knowledge, recipe.channels);
    return batch;
  }
  std::vector<std::int64_t> source(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) source[places[i]] = static_cast<std::int64_t>(i);
  const at::Tensor from = at::tensor(source, at::kLong).to(device);
  batch.input.data = at::cat(data).index_select(0, from);
  batch.input.prior = at::cat(prior).index_select(0, from);
  batch.input.pairs = pair_channels(batch.input.data, knowledge, recipe.channels);
  return batch;
}

}  // namespace causcale

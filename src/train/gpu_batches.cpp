#include "train/gpu_batches.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "simulate/hidden.h"
#include "train/batched_prior.h"

namespace causcale {

namespace {

std::uint32_t dataset_number(const BatchPlan& plan, std::int64_t place) {
  return static_cast<std::uint32_t>(plan.first_dataset +
                                    static_cast<std::uint64_t>(place * plan.share.size + plan.share.rank));
}

void write_adjacency(const CausalModel& model, std::uint8_t* out) {
  const std::size_t n = model.visible.size();
  std::fill_n(out, n * n, std::uint8_t{0});
  const Digraph shown = induced_subgraph(model.graph, model.visible);
  for (const Edge& edge : shown.edges())
    out[static_cast<std::size_t>(edge.source) * n + static_cast<std::size_t>(edge.target)] = 1;
}

}  // namespace

BatchRecipe prepare_batch(const ExampleSource& examples, const BatchPlan& plan, std::uint64_t seed,
                          bool pinned) {
  const std::int64_t B = plan.graphs, m = plan.rows, n = plan.nodes;
  std::vector<CausalModel> models;
  std::vector<Presentation> presentations;
  std::vector<std::int64_t> sampled, made;
  for (std::int64_t b = 0; b < B; ++b) {
    auto recipe = examples.recipe(plan.rows, plan.nodes, seed, dataset_number(plan, b));
    (recipe ? sampled : made).push_back(b);
    if (!recipe) continue;
    models.push_back(std::move(recipe->model));
    presentations.push_back(std::move(recipe->presentation));
  }

  BatchRecipe result;
  result.plan = plan;
  result.packed = PackedModels(models);
  result.sampled = std::move(sampled);
  result.made = std::move(made);
  const auto S = static_cast<std::int64_t>(models.size());
  const auto options = at::TensorOptions().pinned_memory(pinned);
  const std::vector<std::byte>& bytes = result.packed.bytes();
  result.packed_bytes = at::empty({static_cast<std::int64_t>(bytes.size())}, options.dtype(at::kByte));
  if (!bytes.empty()) std::memcpy(result.packed_bytes.data_ptr(), bytes.data(), bytes.size());
  result.columns = at::empty({S * n}, options.dtype(at::kLong));
  result.factor = at::empty({S, n, 1}, options.dtype(at::kDouble));
  result.shift = at::empty({S, n, 1}, options.dtype(at::kDouble));
  result.told = at::empty({S, 1, 1}, options.dtype(at::kFloat));
  result.order = at::empty({S * m}, options.dtype(at::kLong));
  result.prior_rows = at::empty({S, 1, m}, options.dtype(at::kDouble));
  result.standardized = at::empty({S, 1, 1}, options.dtype(at::kBool));
  result.adjacency = at::empty({B, n, n}, options.dtype(at::kByte));
  for (std::int64_t s = 0; s < S; ++s) {
    const CausalModel& model = models[s];
    const Presentation& presentation = presentations[s];
    for (std::int64_t c = 0; c < n; ++c) {
      const int node = model.visible[c];
      result.columns.data_ptr<std::int64_t>()[s * n + c] =
          result.packed.first_column(static_cast<int>(s)) + node;
      RandomStream random(seed, model.index, static_cast<std::uint32_t>(Purpose::kObservation),
                          static_cast<std::uint32_t>(node));
      const ColumnUnits units = draw_column_units(model.options.observation, random);
      result.factor.data_ptr<double>()[s * n + c] = units.factor;
      result.shift.data_ptr<double>()[s * n + c] = units.shift;
    }
    result.told.data_ptr<float>()[s] = presentation.flags ? 1.0f : 0.0f;
    result.standardized.data_ptr<bool>()[s] = presentation.prior.scale == PriorScale::kStandardized;
    for (std::int64_t r = 0; r < m; ++r)
      result.order.data_ptr<std::int64_t>()[s * m + r] =
          s * m + static_cast<std::int64_t>(presentation.order[r]);
    double* counts = result.prior_rows.data_ptr<double>() + s * m;
    std::fill_n(counts, m, 0.0);
    const auto total = static_cast<std::size_t>(m);
    for (const std::size_t r :
         draw_rows(total, presentation.prior.rows.value_or(total), presentation.prior.seed))
      counts[r] = 1.0;
    write_adjacency(model, result.adjacency.data_ptr<std::uint8_t>() + result.sampled[s] * n * n);
  }

  const auto others = static_cast<std::int64_t>(result.made.size());
  result.made_data = at::empty({others, m, n, 2}, options.dtype(at::kFloat));
  result.made_prior = at::empty({others, n, n}, options.dtype(at::kFloat));
  for (std::int64_t i = 0; i < others; ++i) {
    const std::int64_t b = result.made[i];
    examples.make({plan.rows, plan.nodes, result.made_data.data_ptr<float>() + i * m * n * 2,
                   result.made_prior.data_ptr<float>() + i * n * n,
                   result.adjacency.data_ptr<std::uint8_t>() + b * n * n},
                  seed, dataset_number(plan, b));
  }
  return result;
}

Batch finish_batch(const BatchRecipe& recipe, const at::Tensor& values, const at::Tensor& flags) {
  const std::int64_t B = recipe.plan.graphs, m = recipe.plan.rows, n = recipe.plan.nodes;
  const auto S = static_cast<std::int64_t>(recipe.sampled.size());
  const at::Device device = values.device();
  const auto here = [&](const at::Tensor& tensor) { return tensor.to(device, /*non_blocking=*/true); };
  Batch batch;
  batch.adjacency = here(recipe.adjacency);
  batch.next_dataset = recipe.plan.first_dataset + static_cast<std::uint64_t>(B * recipe.plan.share.size);
  const auto floats = at::TensorOptions().dtype(at::kFloat).device(device);
  at::Tensor data = at::empty({0, m, n, 2}, floats), prior = at::empty({0, n, n}, floats);
  if (S > 0) {
    const at::Tensor columns = here(recipe.columns);
    const auto in_order = [&](const at::Tensor& lanes) {  // [S, n, m]
      return lanes.index_select(0, columns)
          .view({S, n, -1, kLaneRows})
          .transpose(2, 3)
          .reshape({S, n, -1})
          .narrow(2, 0, m);
    };
    // Units are applied in double precision and stored as floats, as on the host.
    const at::Tensor x = (in_order(values).to(at::kDouble) * here(recipe.factor) + here(recipe.shift))
                             .to(at::kFloat)
                             .to(at::kDouble);
    const at::Tensor distance = x - x.mean(2, true);
    const at::Tensor deviation = distance.square().mean(2, true).sqrt();
    const at::Tensor varies = x.amax(2, true) > x.amin(2, true);
    const at::Tensor scale = deviation.reciprocal().masked_fill(varies.logical_not(), 0.0);
    const at::Tensor told = in_order(flags).to(at::kFloat) * here(recipe.told);
    data = at::stack({(distance * scale).to(at::kFloat), told}, 3)  // [S, n, m, 2]
               .transpose(1, 2)
               .reshape({S * m, n, 2})
               .index_select(0, here(recipe.order))
               .view({S, m, n, 2});
    prior = batched_precision(x, here(recipe.prior_rows), here(recipe.standardized)).to(at::kFloat);
  }
  if (S == B) {
    batch.input.data = data;
    batch.input.prior = prior;
    return batch;
  }
  // Sampled ones first, then the others, put back into their places.
  std::vector<std::int64_t> source(static_cast<std::size_t>(B));
  for (std::int64_t s = 0; s < S; ++s) source[recipe.sampled[s]] = s;
  for (std::size_t i = 0; i < recipe.made.size(); ++i)
    source[recipe.made[i]] = S + static_cast<std::int64_t>(i);
  const at::Tensor places = at::tensor(source, at::kLong).to(device);
  batch.input.data = at::cat({data, here(recipe.made_data)}).index_select(0, places);
  batch.input.prior = at::cat({prior, here(recipe.made_prior)}).index_select(0, places);
  return batch;
}

}  // namespace causcale

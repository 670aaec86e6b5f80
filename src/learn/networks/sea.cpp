#include "learn/networks/sea.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "base/random.h"
#include "causcale/error.h"
#include "learn/networks/axial_layer.h"
#include "learn/networks/embedding.h"
#include "learn/networks/estimate_grid.h"
#include "learn/networks/subset_estimates.h"

namespace causcale {
namespace {

// By which a variable is told from the others: [n, d].
at::Tensor variable_vectors(std::int64_t n, std::int64_t d, const at::Tensor& like) {
  at::Tensor vectors = at::empty({n, d}, at::kFloat);
  float* values = vectors.data_ptr<float>();
  for (std::int64_t i = 0; i < n; ++i) {
    RandomStream random(0, static_cast<std::uint32_t>(i), Purpose::kVariableVectors);
    for (std::int64_t k = 0; k < d; ++k) values[i * d + k] = static_cast<float>(random.normal());
  }
  return vectors.to(like.device(), like.scalar_type());
}

at::Tensor linear(const LinearParams& layer, const at::Tensor& x) {
  return at::linear(x, layer.weight, layer.bias);
}

at::Tensor normed(const NormParams& norm, const at::Tensor& x) {
  return at::layer_norm(x, {x.size(-1)}, norm.weight, norm.bias, 1e-5);
}

// Estimates [B, T, P, d] and features [B, n, n, d] as the first layer sees them.
struct Streams {
  at::Tensor estimates, features;
};

Streams embed(const SeaParams& params, const ModelInput& input, const EstimateGrid& grid) {
  const std::int64_t B = grid.tables, T = grid.estimates, P = grid.places, d = params.edges.size(1);
  const at::Tensor vectors = variable_vectors(grid.columns, d, params.edges);  // [n, d]
  const auto of = [&](const at::Tensor& columns) {
    return vectors.index_select(0, columns.flatten()).view({B, T, P, d});
  };
  const at::Tensor named = linear(params.pair, at::cat({of(grid.sources), of(grid.targets)}, -1));
  const at::Tensor edges = params.edges.index_select(0, input.estimates.flatten()).view({B, T, P, d});
  const at::Tensor statistic = input.prior.to(params.edges.scalar_type()).unsqueeze(-1);  // [B, n, n, 1]
  return {normed(params.estimates_norm, edges + named),
          normed(params.features_norm, linear(params.statistic, statistic) +
                                           linear(params.source, vectors).unsqueeze(1) +
                                           linear(params.target, vectors))};
}

}  // namespace

void add_estimates(ModelInput& input, const SubsetOptions& options, int count, std::uint64_t seed,
                   const std::vector<std::uint32_t>& numbers, int threads) {
  const at::Tensor data = input.data.to(at::kCPU, at::kFloat).contiguous();
  const at::Tensor prior = input.prior.to(at::kCPU, at::kFloat).contiguous();
  const std::int64_t B = data.size(0), m = data.size(1), n = data.size(2), width = data.size(3);
  const std::int64_t k = std::min<std::int64_t>(options.variables, n);
  at::Tensor subsets = at::empty({B, count, k}, at::kLong);
  at::Tensor estimates = at::empty({B, count, k * (k - 1)}, at::kLong);
  for (std::int64_t b = 0; b < B; ++b) {
    const WrittenTable table{data.data_ptr<float>() + b * m * n * width, m, n, width, -1};
    const SubsetEstimates said = estimate_subsets(table, prior.data_ptr<float>() + b * n * n, options, count,
                                                  seed, numbers[static_cast<std::size_t>(b)], threads);
    std::ranges::copy(said.subsets, subsets.data_ptr<std::int64_t>() + b * count * k);
    std::ranges::copy(said.edges, estimates.data_ptr<std::int64_t>() + b * count * k * (k - 1));
  }
  input.subsets = subsets.to(input.data.device());
  input.estimates = estimates.to(input.data.device());
}

at::Tensor sea_encode(const ModelParams& params, const ModelConfig& config, const ModelInput& input,
                      const ExecutionOptions& execution) {
  if (!input.rows.empty()) throw Error("SEA takes no padded batches: its sets of variables know no padding");
  if (!input.subsets.defined()) throw Error("SEA's input lacks the estimates of sets of variables");
  const EstimateGrid grid(input.subsets, input.data.size(2));
  auto [estimates, features] = embed(params.sea, input, grid);
  for (const SeaBlockParams& block : params.sea.blocks) {
    estimates = estimate_layer(block.estimates, estimates, grid, config, execution);
    const at::Tensor message = mean_by_pair(estimates, grid, block.unseen);  // [B, n, n, d]
    features = linear(block.fuse, at::cat({features, message}, -1));
    features = axial_layer(block.features, features, {},
                           {config, {true, true}, /*of_pairs=*/true, execution, {}, ""});
    estimates = estimates + at_tokens(features, grid);
  }
  return final_norm(params, features);
}

}  // namespace causcale

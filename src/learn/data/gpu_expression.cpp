#include "learn/data/gpu_expression.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace causcale {

PackedExpression pack_expression(std::span<const SergioDataPlan> plans, int rows, int nodes, bool pinned) {
  const auto G = static_cast<std::int64_t>(plans.size());
  const std::int64_t m = rows, n = nodes;
  std::vector<SergioPlan> cells;
  for (const SergioDataPlan& plan : plans) cells.push_back(plan.cells);
  PackedExpression result;
  result.packed = PackedSergio(cells);
  const auto options = at::TensorOptions().pinned_memory(pinned);
  const std::vector<std::byte>& bytes = result.packed.bytes();
  result.packed_bytes = at::empty({static_cast<std::int64_t>(bytes.size())}, options.dtype(at::kByte));
  if (!bytes.empty()) std::memcpy(result.packed_bytes.data_ptr(), bytes.data(), bytes.size());
  result.first = at::empty({G, 1, m}, options.dtype(at::kLong));
  result.stride = at::empty({G, 1, m}, options.dtype(at::kLong));
  result.target = at::empty({G, 1, m}, options.dtype(at::kLong));
  result.gene = at::empty({G, n, 1}, options.dtype(at::kLong));
  result.factor = at::empty({G, n, 1}, options.dtype(at::kDouble));
  result.logarithm = at::empty({G, 1, 1}, options.dtype(at::kBool));
  for (std::int64_t g = 0; g < G; ++g) {
    const SergioDataPlan& plan = plans[g];
    result.logarithm.data_ptr<bool>()[g] = plan.transform == ExpressionTransform::kLog1p;
    std::vector<std::int64_t> column(plan.cells.parameters.genes(), -1);
    for (std::int64_t c = 0; c < n; ++c) {
      column[plan.visible[c]] = c;
      result.gene.data_ptr<std::int64_t>()[g * n + c] = plan.visible[c];
      result.factor.data_ptr<double>()[g * n + c] = plan.factor.empty() ? 1.0 : plan.factor[c];
    }
    const std::vector<SergioRow>& places = result.packed.rows(g);
    for (std::int64_t r = 0; r < m; ++r) {
      result.first.data_ptr<std::int64_t>()[g * m + r] = places[r].first;
      result.stride.data_ptr<std::int64_t>()[g * m + r] = places[r].stride;
      result.target.data_ptr<std::int64_t>()[g * m + r] =
          places[r].target >= 0 ? column[places[r].target] : -1;
    }
  }
  return result;
}

RawTables expression_tables(const PackedExpression& expression, const at::Tensor& cells) {
  const auto here = [&](const at::Tensor& tensor) {
    return tensor.to(cells.device(), /*non_blocking=*/true);
  };
  const at::Tensor entries = here(expression.first) + here(expression.stride) * here(expression.gene);
  const at::Tensor measured = cells.index_select(0, entries.view({-1})).view(entries.sizes()).to(at::kDouble);
  const at::Tensor shown = at::where(here(expression.logarithm), measured.log1p(), measured);
  const std::int64_t n = expression.gene.size(1);
  const at::Tensor columns = at::arange(n, entries.options()).view({1, n, 1});
  return {shown * here(expression.factor), here(expression.target).eq(columns).to(at::kFloat)};
}

SergioMemory::SergioMemory(const SergioSizes& sizes, at::Device device) {
  const auto floats = at::TensorOptions().dtype(at::kFloat).device(device);
  const auto doubles = floats.dtype(at::kDouble);
  cells_ = at::empty({sizes.cells}, floats);
  trajectories_ = at::empty({sizes.trajectories}, floats);
  lane_means_ = at::empty({sizes.lane_values}, doubles);
  log_halves_ = at::empty({sizes.gene_values}, floats);
  gene_factors_ = at::empty({sizes.gene_values}, doubles);
  cell_factors_ = at::empty({sizes.cell_values}, doubles);
}

SergioBuffers SergioMemory::buffers() const {
  return {cells_.data_ptr<float>(),      trajectories_.data_ptr<float>(),  lane_means_.data_ptr<double>(),
          log_halves_.data_ptr<float>(), gene_factors_.data_ptr<double>(), cell_factors_.data_ptr<double>()};
}

}  // namespace causcale

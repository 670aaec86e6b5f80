#include "core/cuda/workspace.h"

#include <algorithm>

namespace causcale::cuda {
namespace {

constexpr std::int64_t kSmallCells = 500'000;
constexpr std::int64_t kUsualScoreBytes = std::int64_t{256} << 20;
constexpr std::int64_t kMostPairs = 32768, kLeastPairs = 256;  // of the head at a time
constexpr std::int64_t kFloat = sizeof(float);

// For every operation on these grids.
std::int64_t scratch_bytes(const ModelConfig& config, std::initializer_list<Grid> grids, Storage storage,
                           std::int64_t max_score_bytes) {
  const int width = std::max(config.ffn_dim, config.embed_dim);
  std::int64_t bytes =
      std::max(feed_forward_scratch_bytes(width, storage), kLeastPairs * head_bytes_per_pair(storage));
  for (const Grid& grid : grids)
    for (const bool row_attention : {true, false})
      bytes = std::max(
          bytes, attention_scratch_bytes(AttentionShape(grid, row_attention, storage), max_score_bytes));
  return DeviceArena::rounded(bytes);
}

}  // namespace

bool is_small(const PassShape& shape) {
  return shape.batch() * (shape.m * shape.n + shape.n * shape.n) <= kSmallCells;
}

std::int64_t head_bytes_per_pair(Storage storage) {
  constexpr std::int64_t kReadings = 2;
  return kReadings * 2 * kChannels * (bytes_of(storage) + kFloat);
}

std::int64_t pairs_at_a_time(const Scratch& scratch, Storage storage) {
  // What is rounded off keeps both parts on their boundaries.
  return std::min(kMostPairs, scratch.bytes / head_bytes_per_pair(storage) / 64 * 64);
}

Workspace::Workspace(const ModelConfig& config, const PassShape& shape, const PassPlan& plan, Storage storage,
                     std::int64_t blas, DeviceArena& arena)
    : blas_bytes(blas) {
  const std::int64_t bytes = bytes_of(storage), batch = shape.batch(), m = shape.m, n = shape.n;
  const std::int64_t data_width = config.channels.data_width(), pair_width = config.channels.pair_width();
  const std::int64_t data_bytes = batch * m * n * kChannels * bytes;
  data_input = arena.take<float>(shape.tables * m * n * data_width * kFloat);
  prior_input = arena.take<float>(shape.tables * n * n * kFloat);
  pairs_input = arena.take<float>(shape.tables * n * n * pair_width * kFloat);
  signs_input = arena.take<float>(batch * n * kFloat);
  data_values = arena.take(batch * m * n * data_width * bytes);
  pair_values = arena.take(batch * n * n * (1 + pair_width) * bytes);
  data_buffers = plan.overlaps ? 3 : 1;
  data = {};
  for (int k = 0; k < data_buffers; ++k) data[static_cast<std::size_t>(k)] = arena.take(data_bytes);
  side = arena.take(data_bytes);
  graph = arena.take(batch * n * n * kChannels * bytes);
  pooled = arena.take(batch * n * kChannels * bytes);
  u = arena.take(batch * n * kChannels * bytes);
  v = arena.take(batch * n * kChannels * bytes);
  message = arena.take(batch * n * n * bytes);
  edges = arena.take<float>(batch * n * n * kFloat);
  outputs = arena.take<float>(static_cast<std::int64_t>(config.outputs.size()) * batch * n * n * kFloat);
  const Grid data_grid{batch, m, n}, graph_grid{batch, n, n};
  main_blas = side_blas = arena.take(blas_bytes);
  main.bytes = scratch_bytes(config, {data_grid, graph_grid}, storage, plan.max_score_bytes);
  main.memory = arena.take<std::byte>(main.bytes);
  beside = main;
  if (!plan.overlaps) return;
  side_blas = arena.take(blas_bytes);
  beside.memory = arena.take<std::byte>(beside.bytes);
}

PassPlan plan_pass(const ModelConfig& config, const PassShape& shape, Storage storage,
                   std::int64_t blas_bytes, std::int64_t max_bytes) {
  const auto planned = [&](bool overlaps, std::int64_t max_score_bytes) {
    PassPlan plan{overlaps, max_score_bytes, 0};
    DeviceArena counted;
    const Workspace workspace(config, shape, plan, storage, blas_bytes, counted);
    plan.bytes = counted.used();
    return plan;
  };
  if (max_bytes == 0) return planned(is_small(shape), kUsualScoreBytes);
  PassPlan plan = planned(false, kUsualScoreBytes);
  while (plan.bytes > max_bytes && plan.max_score_bytes > 1) plan = planned(false, plan.max_score_bytes / 2);
  return plan;
}

}  // namespace causcale::cuda

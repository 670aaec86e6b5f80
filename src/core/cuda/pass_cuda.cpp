#include "core/cuda/pass.h"

#include <algorithm>
#include <utility>

#include "core/cuda/batched_product.h"
#include "core/cuda/check.h"
#include "core/cuda/embedding_kernels.h"
#include "core/cuda/message_kernels.h"
#include "core/cuda/pooling_kernels.h"
#include "core/cuda/rows_kernels.h"

namespace causcale::cuda {

Pass::Pass(const ModelConfig& config, const DeviceWeights& weights, Storage storage, const PassShape& shape,
           const PassPlan& plan, const Workspace& work, const Queue& main, const Queue& beside,
           PassMarks& marks)
    : config_(config),
      weights_(weights),
      storage_(storage),
      shape_(shape),
      plan_(plan),
      work_(work),
      main_(main),
      beside_(plan.overlaps ? beside : main),
      marks_(marks),
      m_(shape.m) {}

void Pass::run(bool symmetrised, bool mirrored, const std::function<void(int block)>& block_done) {
  read_inputs(mirrored);  // data [V B, m, n, d], graph [V B, n, n, d]
  for (int b = 0; b < config_.blocks; ++b) {
    const DeviceBlockWeights& block = weights_.blocks[static_cast<std::size_t>(b)];
    data_layer(block.data);  // [V B, m, n, d]
    if (plan_.overlaps) {
      marks_.handed_over.set(main_.stream());
      marks_.handed_over.wait_in(beside_.stream());
    }
    data_to_graph(block);                          // message [V B, n, n]
    graph_layer(block);                            // [V B, n, n, d]
    if (config_.pools_after(b)) reduce_samples();  // [V B, m / r, n, d]
    if (block_done) block_done(b);
  }
  if (plan_.overlaps) {
    marks_.finished.set(beside_.stream());
    marks_.finished.wait_in(main_.stream());
  }
  read_pairs(symmetrised);
}

// x [tokens, d] = LayerNorm(W values + bias)
void Pass::embed(const DeviceEmbedding& weights, const void* values, std::int64_t tokens, void* x) {
  cuda::embed({.values = values,
               .weight = weights.weight,
               .bias = weights.bias,
               .norm_weight = weights.norm.weight,
               .norm_bias = weights.norm.bias,
               .tokens = tokens,
               .inputs = weights.inputs},
              x, nullptr, storage_, main_.stream());
}

void Pass::read_inputs(bool mirrored) {
  const std::int64_t batch = shape_.batch(), n = shape_.n;
  const float* signs = mirrored ? work_.signs_input : nullptr;
  write_data_values({.data = work_.data_input,
                     .signs = signs,
                     .tables = shape_.tables,
                     .views = shape_.views,
                     .rows = m_,
                     .columns = n,
                     .width = static_cast<int>(config_.channels.data_width())},
                    work_.data_values, storage_, main_.stream());
  write_pair_values({.prior = config_.use_prior ? work_.prior_input : nullptr,
                     .pairs = work_.pairs_input,
                     .signs = signs,
                     .tables = shape_.tables,
                     .views = shape_.views,
                     .columns = n,
                     .channels = static_cast<int>(config_.channels.pair_width())},
                    work_.pair_values, storage_, main_.stream());
  embed(weights_.embed_data, work_.data_values, batch * m_ * n, work_.data[0]);
  embed(weights_.embed_graph, work_.pair_values, batch * n * n, work_.graph);
}

// y [V B, R, n, d] = the axial layer of x; y may be x.
void Pass::axial_layer(const DeviceAxial& axial, const void* x, void* y, std::int64_t R, ScoreScaling scaling,
                       const Queue& queue, const Scratch& scratch, Mark* x_was_read) {
  const Grid grid{shape_.batch(), R, shape_.n};
  attend(axial.row, x, y, AttentionShape(grid, /*row_attention=*/true, storage_), scaling.rows,
         plan_.max_score_bytes, scratch, queue);
  if (x_was_read != nullptr) x_was_read->set(queue.stream());
  attend(axial.column, y, y, AttentionShape(grid, /*row_attention=*/false, storage_), scaling.columns,
         plan_.max_score_bytes, scratch, queue);
  feed_forward(axial, y, y, grid.tokens(), storage_, scratch, queue);
}

// A buffer that nobody reads any more.
void* Pass::next_data() {
  current_ = (current_ + 1) % work_.data_buffers;
  const auto k = static_cast<std::size_t>(current_);
  if (is_read_[k]) marks_.data_read[k].wait_in(main_.stream());
  return work_.data[k];
}

void Pass::data_layer(const DeviceAxial& axial) {
  const void* x = work_.data[static_cast<std::size_t>(current_)];
  axial_layer(axial, x, next_data(), m_, config_.scale_data, main_, work_.main, nullptr);
}

// message [V B, n, n] = u v^T, u and v projections of the side stream's mean over samples.
void Pass::data_to_graph(const DeviceBlockWeights& block) {
  const std::int64_t batch = shape_.batch(), n = shape_.n;
  const auto k = static_cast<std::size_t>(current_);
  axial_layer(block.data2graph, work_.data[k], work_.side, m_, config_.scale_data2graph, beside_,
              work_.beside, plan_.overlaps ? &marks_.data_read[k] : nullptr);
  is_read_[k] = plan_.overlaps;
  mean_over_samples(work_.side, work_.pooled, batch, m_, n, storage_, beside_.stream());  // [V B, n, d]
  project_u_v(work_.pooled, block.u, block.v, work_.u, work_.v, batch * n, storage_, beside_.stream());
  multiply(beside_.blas(), {.left = {work_.u, kChannels, n * kChannels},
                            .right = {work_.v, kChannels, n * kChannels, /*transposed=*/true},
                            .out = work_.message,
                            .out_row_stride = n,
                            .out_batch_stride = n * n,
                            .operands = storage_,
                            .result = storage_,
                            .m = n,
                            .n = n,
                            .k = kChannels,
                            .batch = batch});
}

// graph = W [graph; message] + bias, then its axial layer.
void Pass::graph_layer(const DeviceBlockWeights& block) {
  const std::int64_t tokens = shape_.batch() * shape_.n * shape_.n;
  merge_message({.graph = work_.graph,
                 .message = work_.message,
                 .weight = block.fuse,
                 .column = block.fuse_column,
                 .bias = block.fuse_bias,
                 .tokens = static_cast<std::uint32_t>(tokens)},
                work_.graph, storage_, beside_.stream());
  if (config_.use_graph_stream)
    axial_layer(block.graph, work_.graph, work_.graph, shape_.n, config_.scale_graph, beside_, work_.beside,
                nullptr);
}

void Pass::reduce_samples() {
  const std::int64_t r = config_.reduction_r;
  if (r == 1 || m_ < r) return;
  const void* from = work_.data[static_cast<std::size_t>(current_)];
  // Where one queue does everything the side stream has no use for its buffer now.
  void* to = plan_.overlaps ? next_data() : work_.side;
  const PoolKind kind = config_.pooling == Pooling::kMax       ? PoolKind::kMax
                        : config_.pooling == Pooling::kStrided ? PoolKind::kFirst
                                                               : PoolKind::kMean;
  pool(from, to, {shape_.batch(), m_, shape_.n * kChannels / 8, static_cast<int>(r), kind}, storage_,
       main_.stream());
  if (!plan_.overlaps) std::swap(work_.data[0], work_.side);
  m_ /= r;
}

// The final layer norm and the pairwise head: classes none, i -> j, j -> i of every pair i < j, from both of
// its cells.
void Pass::read_pairs(bool symmetrised) {
  const std::int64_t batch = shape_.batch(), n = shape_.n, plane = batch * n * n;
  check(cudaMemsetAsync(work_.edges, 0, static_cast<std::size_t>(plane) * sizeof(float), main_.stream()),
        "cudaMemsetAsync");
  if (!config_.outputs.empty())
    check(cudaMemsetAsync(work_.outputs, 0,
                          config_.outputs.size() * static_cast<std::size_t>(plane) * sizeof(float),
                          main_.stream()),
          "cudaMemsetAsync");
  constexpr std::int64_t kWidth = 2 * kChannels;  // of a pair
  const int readings = symmetrised ? 2 : 1;
  const std::int64_t most = pairs_at_a_time(work_.main, storage_), pairs = batch * (n * (n - 1) / 2);
  DeviceArena arena(work_.main.memory);
  void* joined = arena.take(2 * most * kWidth * bytes_of(storage_));  // [readings, pairs, 2 d]
  auto* hidden = arena.take<float>(2 * most * kWidth * static_cast<std::int64_t>(sizeof(float)));  // the same
  Head head = weights_.head;
  head.hidden = hidden;
  head.readings = readings;
  for (std::int64_t first = 0; first < pairs; first += most) {
    const PairRun run{first, std::min(most, pairs - first), n};
    join_normed_pairs(work_.graph, weights_.final_norm_weight, weights_.final_norm_bias, run, readings,
                      joined, storage_, main_.stream());
    multiply(main_.blas(), {.left = {joined, kWidth, 0},
                            .right = {weights_.head_first, kWidth, 0, /*transposed=*/true},
                            .out = hidden,
                            .out_row_stride = kWidth,
                            .out_batch_stride = 0,
                            .operands = storage_,
                            .result = Storage::kFloat,
                            .m = readings * run.count,
                            .n = kWidth,
                            .k = kWidth,
                            .batch = 1});
    cuda::read_pairs(head, run, work_.edges, work_.outputs, plane, main_.stream());
  }
}

}  // namespace causcale::cuda

#include "core/cuda/layers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/cuda/attention_kernels.h"
#include "core/cuda/batched_product.h"
#include "core/cuda/check.h"
#include "core/cuda/feed_forward_kernels.h"

namespace causcale::cuda {
namespace {

constexpr std::int64_t kHeadChannels = kChannels / kHeads;
constexpr std::int64_t kQueryTile = 128;

// In fp32 the hidden layer lies in memory; this much of it exists at a time, most of which stays in the
// cache.
constexpr std::int64_t kHiddenBytes = std::int64_t{32} << 20;
constexpr std::int64_t kLeastHiddenTokens = 1024;

// In fp32 probabilities take the place of their scores, in bf16 they lie beside them.
std::int64_t score_bytes(Storage storage) {
  return storage == Storage::kFloat ? 4 : 6;
}

// The parts of the scratch memory of one attention.
struct AttentionMemory {
  std::byte* stack;  // q, k, v [3, batch, 16, L, T, 8]; the result of attention takes the place of q
  float* scores;     // [maps, queries, L]
  std::byte* probabilities;

  AttentionMemory(const AttentionShape& shape, const ScoreChunks& chunks, DeviceArena& arena) {
    const std::int64_t count = chunks.maps * chunks.queries * shape.stride;
    stack = arena.take<std::byte>(3 * shape.maps() * shape.plane_values() * bytes_of(shape.storage));
    scores = arena.take<float>(count * static_cast<std::int64_t>(sizeof(float)));
    probabilities = shape.storage == Storage::kFloat ? reinterpret_cast<std::byte*>(scores)
                                                     : arena.take<std::byte>(count * bytes_of(shape.storage));
  }
};

// Planes [L, T 8] of every map from number `first` on, their rows from `row` on.
BatchedMatrix planes(const AttentionShape& shape, const std::byte* stack, std::int64_t first,
                     std::int64_t row, bool transposed = false) {
  return {stack + bytes_of(shape.storage) * (first * shape.plane_values() + row * shape.depth), shape.depth,
          shape.plane_values(), transposed};
}

// Rows of the planes beyond L must be zero where a product sums over them.
void clear_padding(const AttentionShape& shape, std::byte* stack, cudaStream_t stream) {
  if (shape.stride == shape.length) return;
  const std::int64_t bytes = bytes_of(shape.storage);
  check(cudaMemset2DAsync(stack + bytes * shape.length * shape.depth,
                          static_cast<std::size_t>(bytes * shape.plane_values()), 0,
                          static_cast<std::size_t>(bytes * (shape.stride - shape.length) * shape.depth),
                          static_cast<std::size_t>(3 * shape.maps()), stream),
        "cudaMemset2DAsync");
}

// softmax(scale q k^T) v of all maps, into q's place.
void mix(const AttentionShape& shape, const AttentionMemory& memory, const ScoreChunks& chunks, float scale,
         const Queue& queue) {
  const std::int64_t maps = shape.maps(), L = shape.stride;
  for (std::int64_t map = 0; map < maps; map += chunks.maps) {
    const std::int64_t count = std::min(chunks.maps, maps - map);
    for (std::int64_t query = 0; query < L; query += chunks.queries) {
      const std::int64_t queries = std::min(chunks.queries, L - query);
      const std::int64_t real_queries = std::clamp<std::int64_t>(shape.length - query, 0, queries);
      const BatchedMatrix q = planes(shape, memory.stack, map, query);
      const BatchedMatrix k = planes(shape, memory.stack, maps + map, 0, /*transposed=*/true);
      const BatchedMatrix v = planes(shape, memory.stack, 2 * maps + map, 0);
      // scores [count, queries, L] = q [queries, 8 T] k^T [8 T, L]
      multiply(queue.blas(), {.left = q,
                              .right = k,
                              .out = memory.scores,
                              .out_row_stride = L,
                              .out_batch_stride = queries * L,
                              .operands = shape.storage,
                              .result = Storage::kFloat,
                              .m = queries,
                              .n = L,
                              .k = shape.depth,
                              .batch = count});
      softmax(memory.scores, memory.probabilities, {count, queries, real_queries, shape.length, L}, scale,
              shape.storage, queue.stream());
      // [count, queries, 8 T] = probabilities [queries, L] v [L, 8 T]
      multiply(queue.blas(), {.left = {memory.probabilities, L, queries * L},
                              .right = v,
                              .out = const_cast<void*>(q.data),
                              .out_row_stride = shape.depth,
                              .out_batch_stride = shape.plane_values(),
                              .operands = shape.storage,
                              .result = shape.storage,
                              .m = queries,
                              .n = shape.depth,
                              .k = L,
                              .batch = count});
    }
  }
}

}  // namespace

AttentionShape::AttentionShape(const Grid& grid, bool row_attention, Storage stored)
    : batch(grid.batch),
      rows(grid.R),
      cols(grid.C),
      length(row_attention ? grid.C : grid.R),
      tied(row_attention ? grid.R : grid.C),
      stride(TokenMap::round_up(length)),
      depth(tied * kHeadChannels),
      storage(stored),
      map(grid.batch, grid.R, grid.C, row_attention) {}

ScoreChunks::ScoreChunks(const AttentionShape& shape, std::int64_t max_score_bytes)
    : maps(shape.maps()), queries(shape.stride) {
  const std::int64_t row_bytes = shape.stride * score_bytes(shape.storage);
  const std::int64_t map_bytes = row_bytes * shape.stride;
  if (max_score_bytes <= 0 || map_bytes * maps <= max_score_bytes) return;
  maps = std::max<std::int64_t>(1, max_score_bytes / map_bytes);
  if (map_bytes <= max_score_bytes) return;
  queries =
      std::min(shape.stride, std::max(kQueryTile, max_score_bytes / row_bytes / kQueryTile * kQueryTile));
}

std::int64_t attention_scratch_bytes(const AttentionShape& shape, std::int64_t max_score_bytes) {
  DeviceArena counted;
  AttentionMemory(shape, ScoreChunks(shape, max_score_bytes), counted);
  return counted.used();
}

std::int64_t feed_forward_scratch_bytes(int width, Storage storage) {
  return storage == Storage::kFloat ? kLeastHiddenTokens * width * 4 : 0;
}

void attend(const DeviceAttention& weights, const void* x, void* y, const AttentionShape& shape, bool scaled,
            std::int64_t max_score_bytes, const Scratch& scratch, const Queue& queue) {
  const ScoreChunks chunks(shape, max_score_bytes);
  DeviceArena arena(scratch.memory);
  const AttentionMemory memory(shape, chunks, arena);
  if (arena.used() > scratch.bytes) throw Error("the network's memory on the GPU was planned too small");
  clear_padding(shape, memory.stack, queue.stream());
  project_qkv({.x = x,
               .norm_weight = weights.norm.weight,
               .norm_bias = weights.norm.bias,
               .weight = weights.qkv,
               .bias = weights.qkv_bias,
               .stack = memory.stack,
               .mean = nullptr,
               .rstd = nullptr},
              shape.map, shape.storage, queue.stream());
  mix(shape, memory, chunks, scaled ? 1.f / std::sqrt(static_cast<float>(shape.depth)) : 1.f, queue);
  project_out({.planes = memory.stack, .weight = weights.out, .bias = weights.out_bias, .x = x, .y = y},
              shape.map, shape.storage, queue.stream());
}

void feed_forward(const DeviceAxial& weights, const void* x, void* y, std::int64_t tokens, Storage storage,
                  const Scratch& scratch, const Queue& queue) {
  FeedForward args{.x = x,
                   .norm_weight = weights.norm.weight,
                   .norm_bias = weights.norm.bias,
                   .up = weights.up,
                   .up_bias = weights.up_bias,
                   .down = weights.down,
                   .down_bias = weights.down_bias,
                   .y = y,
                   .mean = nullptr,
                   .rstd = nullptr,
                   .tokens = static_cast<std::uint32_t>(tokens),
                   .width = weights.width,
                   .hidden = nullptr,
                   .hidden_tokens = 0};
  if (storage == Storage::kFloat) {
    args.hidden = reinterpret_cast<float*>(scratch.memory);
    args.hidden_tokens = static_cast<std::uint32_t>(
        std::min(tokens, std::min(kHiddenBytes, scratch.bytes) / (weights.width * 4)));
  }
  feed_forward(args, storage, queue.stream());
}

}  // namespace causcale::cuda

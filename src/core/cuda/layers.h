// Tied attention and the feed-forward network on grids of tokens [batch, R, C, 128], and the scratch memory
// that they take.
#pragma once

#include <cstdint>

#include "core/cuda/device_memory.h"
#include "core/cuda/device_weights.h"
#include "core/cuda/queue.h"
#include "core/cuda/storage.h"
#include "core/cuda/token_map.h"

namespace causcale::cuda {

inline std::int64_t bytes_of(Storage storage) {
  return storage == Storage::kFloat ? 4 : 2;
}

struct Grid {
  std::int64_t batch, R, C;
  std::int64_t tokens() const { return batch * R * C; }
};

// Attention over one axis of a grid, tied over the other.
struct AttentionShape {
  std::int64_t batch, rows, cols;
  std::int64_t length, tied;  // of the mixed and of the tied axis: L, T
  std::int64_t stride;        // the mixed axis as stored: rounded up to a multiple of 8
  std::int64_t depth;         // channels of a head times tied length: the sum in a score
  Storage storage;
  TokenMap map;

  // Row attention mixes the columns.
  AttentionShape(const Grid& grid, bool row_attention, Storage storage);

  std::int64_t maps() const { return batch * kHeads; }
  std::int64_t plane_values() const { return stride * depth; }
};

// How many attention maps, and how many queries of each, are worked on at a time, so that their scores take
// at most `max_score_bytes` (0: no limit); 128 queries of one map at least. Exact: every row of scores is
// whole.
struct ScoreChunks {
  std::int64_t maps, queries;
  ScoreChunks(const AttentionShape& shape, std::int64_t max_score_bytes);
};

// What one queue needs for its own while an operation runs; the next operation takes the same memory.
struct Scratch {
  std::byte* memory = nullptr;
  std::int64_t bytes = 0;
};
std::int64_t attention_scratch_bytes(const AttentionShape& shape, std::int64_t max_score_bytes);
// The least; with more, more tokens go at a time.
std::int64_t feed_forward_scratch_bytes(int width, Storage storage);

// y = x + W_out Attention(LayerNorm(x)); y may be x. Scores are divided by sqrt(8 T) if `scaled`.
void attend(const DeviceAttention& weights, const void* x, void* y, const AttentionShape& shape, bool scaled,
            std::int64_t max_score_bytes, const Scratch& scratch, const Queue& queue);

// y = x + W_down GELU(W_up LayerNorm(x)); y may be x.
void feed_forward(const DeviceAxial& weights, const void* x, void* y, std::int64_t tokens, Storage storage,
                  const Scratch& scratch, const Queue& queue);

}  // namespace causcale::cuda

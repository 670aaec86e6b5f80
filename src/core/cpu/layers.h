// The layers of the network on the processor. Letters: a grid has R rows and C columns of tokens with d
// channels; attention mixes the axis of length L and is tied over the other one, of length T; H heads of e
// channels.
//
// All work on tiles of tokens that stay in a core's cache, shared out over threads; nothing depends on how.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "causcale/error.h"
#include "core/arena.h"
#include "core/cpu/packed_weights.h"

namespace causcale::core {

// A thread's scratch memory, handed out from front to back.
class Scratch {
 public:
  Scratch(std::byte* memory, std::int64_t bytes) : next_(memory), left_(bytes) {}
  // Throws Error when the plan was too small: a mistake in the code.
  template <class T>
  T* take(std::int64_t count) {
    std::byte* place = next_;
    const std::int64_t bytes = ArenaPlan::rounded(count * static_cast<std::int64_t>(sizeof(T)));
    if (bytes > left_) throw Error("a layer's memory was planned too small");
    next_ += bytes;
    left_ -= bytes;
    return reinterpret_cast<T*>(place);
  }

 private:
  std::byte* next_;
  std::int64_t left_;
};

// How a layer is computed: the kernels, the threads, and each thread's scratch memory.
template <class T>
struct Machine {
  const Kernels<T>& kernels;
  const Kernels<float>& floats;  // of the same instruction set
  int threads = 1;
  std::byte* memory = nullptr;  // threads * scratch_bytes
  std::int64_t scratch_bytes = 0;

  Scratch scratch(int slot) const { return {memory + slot * scratch_bytes, scratch_bytes}; }
};

enum class MixedAxis {
  kColumns,
  kRows
};  // row attention mixes the columns of a grid, column attention its rows

// Sizes of one attention layer and of the memory that it needs.
template <class T>
struct AttentionShape {
  AttentionShape(std::int64_t R, std::int64_t C, std::int64_t d, std::int64_t heads, MixedAxis axis,
                 const Kernels<T>& kernels)
      : L(axis == MixedAxis::kColumns ? C : R),
        tied(axis == MixedAxis::kColumns ? R : C),
        place_stride(axis == MixedAxis::kColumns ? d : C * d),
        tied_stride(axis == MixedAxis::kColumns ? C * d : d),
        d(d),
        H(heads),
        e(d / heads),
        width(tied * e),
        query_row(kernels.rounded_depth(width)),
        query_plane(L * query_row),
        key_plane(kernels.packed_size(width, L)),
        value_plane(kernels.packed_size(L, width)) {}

  std::int64_t L, tied;                    // lengths of the mixed and of the tied axis
  std::int64_t place_stride, tied_stride;  // in the grid
  std::int64_t d, H, e;
  std::int64_t width;                                           // T e: what a score sums over
  std::int64_t query_row, query_plane, key_plane, value_plane;  // per head, in elements
};

// Keys and values are kept for `heads_at_a_time` heads, all or so many that their channels are whole panels;
// their queries, later the answers, for all.
template <class T>
struct AttentionMemory {
  T *queries = nullptr, *keys = nullptr, *values = nullptr;
  std::int64_t heads_at_a_time = 0;
};

template <class T>
std::int64_t attention_scratch_bytes(const AttentionShape<T>& shape, const Kernels<T>& kernels);
template <class T>
std::int64_t feed_forward_scratch_bytes(std::int64_t d, std::int64_t ffn, const Kernels<T>& kernels);
template <class T>
std::int64_t projection_scratch_bytes(std::int64_t in, const Kernels<T>& kernels);

// What scores are multiplied by.
struct ScoreFactor {
  bool scaled = true;      // head_dim^-1/2 / sqrt(length of the tied axis)
  double sharpness = 1.0;  // and this
};

// y = x + Attention(LayerNorm(x)) over a grid [R, C, d]; y may be x.
template <class T>
void attend(const Attention<T>& weights, const float* x, float* y, const AttentionShape<T>& shape,
            ScoreFactor score_factor, const AttentionMemory<T>& memory, const Machine<T>& machine);

// x += W2 GELU(W1 LayerNorm(x)) over `tokens` tokens.
template <class T>
void feed_forward(const Axial<T>& weights, float* x, std::int64_t tokens, const Machine<T>& machine);

// out [rows, out] = W2 LayerNorm(GELU(W1 x)) of at most kTile rows x [rows, in]; on the calling thread.
template <class T>
void project_tile(const Projection<T>& weights, std::int64_t rows, const T* x, float* out, Scratch scratch,
                  const Machine<T>& machine);

// graph [n n, d] = W graph + message [n n] column + bias.
template <class T>
void merge_message(const Block<T>& block, const float* message, float* graph, std::int64_t tokens,
                   const Machine<T>& machine);

}  // namespace causcale::core

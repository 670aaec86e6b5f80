// Tied attention without permuted copies. A tile of tokens is normalised and projected in the cache, and its
// queries, keys and values go straight to where the products want them: one plane per head in which a score
// is one dot product over the tied axis and the head's channels at once.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/thread_pool.h"
#include "core/cpu/grid_tiles.h"
#include "core/cpu/layers.h"

namespace causcale::core {
namespace {

// A longer dot product is summed in pieces, so that those of all queries stay in the cache.
constexpr std::int64_t kDepth = 2048;

// Planes larger than this are written past the caches.
constexpr std::int64_t kCacheBytes = std::int64_t{1} << 20;

// A tile's tokens, normalised: rows [tied * places] of the length that products want.
template <class T>
void normalise(const Norm& norm, const float* x, const AttentionShape<T>& shape, const GridTile& tile,
               const Kernels<T>& kernels, T* normed) {
  const float* corner = x + tile.first_place * shape.place_stride + tile.first_tied * shape.tied_stride;
  for (std::int64_t t = 0; t < tile.tied; ++t)
    for (std::int64_t l = 0; l < tile.places; ++l, normed += kernels.rounded_depth(shape.d))
      kernels.layer_norm(corner + l * shape.place_stride + t * shape.tied_stride, normed, shape.d,
                         norm.weight.data(), norm.bias.data());
}

// The channels [first, first + to.heads * e) of W x + bias of a tile of x, to their planes: store(rows, their
// length, bias, planes) gets the heads of one panel after the other, or all where heads do not fit into
// panels.
template <class T, class Store>
void project(const Linear<T>& linear, std::int64_t first, const T* x, float* projected,
             const HeadPlanes<T>& to, const Kernels<T>& kernels, const Store& store) {
  const std::int64_t rows = to.tied * to.places, channels = to.heads * to.e, panel = kernels.panel;
  const std::int64_t depth = kernels.rounded_depth(linear.in);
  const T* panels = linear.panels.data() + first / panel * linear.panel_stride;
  const auto finish = [&](std::int64_t channel, std::int64_t cols, const float* sums, std::int64_t length) {
    HeadPlanes<T> part = to;
    part.heads = cols / to.e;
    part.plane += channel / to.e * to.plane_stride;
    store(sums, length, linear.bias.data() + first + channel, part);
  };
  if (panel % to.e != 0) {
    kernels.multiply(rows, channels, linear.in, x, depth, panels, linear.panel_stride, projected, channels,
                     false);
    return finish(0, channels, projected, channels);
  }
  const auto finish_panel = [&](std::int64_t channel, std::int64_t cols, const float* sums) {
    finish(channel, cols, sums, panel);
  };
  kernels.multiply_panels(rows, channels, linear.in, x, depth, panels, linear.panel_stride, projected,
                          PanelFunction(finish_panel));
}

// Columns of what `project` sums at once.
template <class T>
std::int64_t projected_columns(const AttentionShape<T>& shape, const Kernels<T>& kernels) {
  return kernels.panel % shape.e == 0 ? kernels.panel : shape.d;
}

// q, k and v of the heads [first, first + count) into their planes.
template <class T>
void project_heads(const Attention<T>& weights, const float* x, const AttentionShape<T>& shape,
                   ScoreFactor score_factor, std::int64_t first, std::int64_t count,
                   const AttentionMemory<T>& memory, const Machine<T>& machine) {
  const Kernels<T>& kernels = machine.kernels;
  const std::int64_t e = shape.e, panel = kernels.panel;
  const float scale =
      score_factor.scaled ? 1.0f / std::sqrt(static_cast<float>(e) * static_cast<float>(shape.tied)) : 1.0f;
  const float factor = scale * static_cast<float>(score_factor.sharpness);
  const bool large = static_cast<std::int64_t>(sizeof(T)) * shape.query_plane * shape.H > kCacheBytes;
  const auto store_queries = [&](const float* rows, std::int64_t length, const float* bias,
                                 const HeadPlanes<T>& to) {
    kernels.store_queries(rows, length, bias, factor, to);
  };
  const GridTiles tiles(shape.L, shape.tied, panel);
  for_each_item(tiles.count(), machine.threads, [&](std::int64_t number, int slot) {
    const GridTile tile = tiles[number];
    Scratch scratch = machine.scratch(slot);
    T* normed = scratch.take<T>(kTile * kernels.rounded_depth(shape.d));
    float* projected = scratch.take<float>(kTile * projected_columns(shape, kernels));
    normalise(weights.norm, x, shape, tile, kernels, normed);
    const auto planes = [&](T* plane, std::int64_t plane_stride, std::int64_t row_stride) {
      return HeadPlanes<T>{.heads = count,
                           .e = e,
                           .first_place = tile.first_place,
                           .places = tile.places,
                           .first_tied = tile.first_tied,
                           .tied = tile.tied,
                           .tied_length = shape.tied,
                           .large = large,
                           .plane = plane,
                           .plane_stride = plane_stride,
                           .row_stride = row_stride};
    };
    project(weights.q, first * e, normed, projected,
            planes(memory.queries + first * shape.query_plane, shape.query_plane, shape.query_row), kernels,
            store_queries);
    project(weights.k, first * e, normed, projected,
            planes(memory.keys, shape.key_plane, shape.query_row * panel), kernels, kernels.store_keys);
    project(weights.v, first * e, normed, projected,
            planes(memory.values, shape.value_plane, kernels.rounded_depth(shape.L) * panel), kernels,
            kernels.store_values);
  });
}

// Scores, exponentials, weighted values, head by head; the answer takes the place of the queries.
template <class T>
void mix(const AttentionShape<T>& shape, std::int64_t first, std::int64_t count,
         const AttentionMemory<T>& memory, const Machine<T>& machine) {
  const Kernels<T>& kernels = machine.kernels;
  const std::int64_t L = shape.L, weight_row = kernels.rounded_depth(L), panel = kernels.panel;
  const std::int64_t chunks = (L + kTile - 1) / kTile;
  const std::int64_t key_panel = shape.query_row * panel, value_panel = weight_row * panel;
  for_each_item(count * chunks, machine.threads, [&](std::int64_t item, int slot) {
    const std::int64_t head = item / chunks, begin = item % chunks * kTile, rows = std::min(kTile, L - begin);
    Scratch scratch = machine.scratch(slot);
    float* scores = scratch.take<float>(kTile * L);
    T* weights = scratch.take<T>(kTile * weight_row);
    float* sums = scratch.take<float>(kTile * panel);
    float inverse_sum[kTile];
    T* queries = memory.queries + (first + head) * shape.query_plane + begin * shape.query_row;
    const T* keys = memory.keys + head * shape.key_plane;
    const T* values = memory.values + head * shape.value_plane;
    for (std::int64_t from = 0; from < shape.query_row; from += kDepth) {
      const auto add = [&](std::int64_t place, std::int64_t cols, const float* part) {
        kernels.copy(rows, cols, part, panel, scores + place, L, from > 0);
      };
      kernels.multiply_panels(rows, L, std::min(kDepth, shape.query_row - from), queries + from,
                              shape.query_row, keys + from * panel, key_panel, sums, PanelFunction(add));
    }
    for (std::int64_t i = 0; i < rows; ++i)
      inverse_sum[i] = kernels.exponentials(scores + i * L, L, weights + i * weight_row);
    const auto finish = [&](std::int64_t column, std::int64_t cols, const float* answer) {
      for (std::int64_t i = 0; i < rows; ++i)
        kernels.scale(answer + i * panel, inverse_sum[i], queries + i * shape.query_row + column, cols);
    };
    kernels.multiply_panels(rows, shape.width, weight_row, weights, weight_row, values, value_panel, sums,
                            PanelFunction(finish));
  });
}

// A token's channels of all heads, side by side.
template <class T>
void join_heads(const T* answer, const AttentionShape<T>& shape, T* out) {
  constexpr std::int64_t kUsual = 8;  // of a known size, a copy is an instruction
  if (shape.e == kUsual)
    for (std::int64_t h = 0; h < shape.H; ++h)
      std::memcpy(out + h * kUsual, answer + h * shape.query_plane, sizeof(T) * kUsual);
  else
    for (std::int64_t h = 0; h < shape.H; ++h)
      std::copy_n(answer + h * shape.query_plane, shape.e, out + h * shape.e);
}

// A token that is looked at soon: it lies far from the last one, where processors do not foresee it.
inline void fetch(const float* token, std::int64_t d) {
  constexpr std::int64_t kLine = 16;
  for (std::int64_t c = 0; c < d; c += kLine) __builtin_prefetch(token + c);
}

// y = x + W answer + bias, heads put together again. Answers that lie in one cache line are read together:
// those of neighbours on the tied axis, which in column attention are the grid's neighbours anyway.
template <class T>
void project_answers(const Attention<T>& weights, const float* x, float* y, const AttentionShape<T>& shape,
                     const AttentionMemory<T>& memory, const Machine<T>& machine) {
  const Kernels<T>& kernels = machine.kernels;
  const std::int64_t d = shape.d, e = shape.e, depth = kernels.rounded_depth(d), tied = shape.tied;
  const bool in_order = shape.tied_stride < shape.place_stride;
  const GridTiles tiles =
      in_order ? GridTiles(1, shape.L * tied, kernels.panel) : GridTiles(shape.L, tied, kernels.panel);
  for_each_item(tiles.count(), machine.threads, [&](std::int64_t number, int slot) {
    const GridTile tile = tiles[number];
    const std::int64_t rows = tile.tied * tile.places;
    Scratch scratch = machine.scratch(slot);
    T* joined = scratch.take<T>(kTile * depth);
    float* sums = scratch.take<float>(kTile * kernels.panel);
    std::int64_t starts[kTile];  // of the rows, in the grid
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t token = tile.first_tied + r;  // where they are in order
      const std::int64_t place = in_order ? token / tied : tile.first_place + r % tile.places,
                         along = in_order ? token % tied : tile.first_tied + r / tile.places;
      starts[r] = place * shape.place_stride + along * shape.tied_stride;
      fetch(x + starts[r], d);
      join_heads(memory.queries + place * shape.query_row + along * e, shape, joined + r * depth);
      for (std::int64_t c = d; c < depth; ++c) joined[r * depth + c] = T{};
    }
    const auto add = [&](std::int64_t first, std::int64_t cols, const float* panel) {
      kernels.residual(rows, cols, starts, x + first, panel, kernels.panel, weights.out.bias.data() + first,
                       y + first);
    };
    kernels.multiply_panels(rows, d, d, joined, depth, weights.out.panels.data(), weights.out.panel_stride,
                            sums, PanelFunction(add));
  });
}

}  // namespace

template <class T>
std::int64_t attention_scratch_bytes(const AttentionShape<T>& shape, const Kernels<T>& kernels) {
  ArenaPlan projecting, mixing, answering;
  projecting.take<T>(kTile * kernels.rounded_depth(shape.d));
  projecting.take<float>(kTile * projected_columns(shape, kernels));
  mixing.take<float>(kTile * shape.L);
  mixing.take<T>(kTile * kernels.rounded_depth(shape.L));
  mixing.take<float>(kTile * kernels.panel);
  answering.take<T>(kTile * kernels.rounded_depth(shape.d));
  answering.take<float>(kTile * kernels.panel);
  return std::max({projecting.bytes(), mixing.bytes(), answering.bytes()});
}

template <class T>
void attend(const Attention<T>& weights, const float* x, float* y, const AttentionShape<T>& shape,
            ScoreFactor score_factor, const AttentionMemory<T>& memory, const Machine<T>& machine) {
  for (std::int64_t first = 0; first < shape.H; first += memory.heads_at_a_time) {
    const std::int64_t count = std::min(memory.heads_at_a_time, shape.H - first);
    project_heads(weights, x, shape, score_factor, first, count, memory, machine);
    mix(shape, first, count, memory, machine);
  }
  project_answers(weights, x, y, shape, memory, machine);
}

template std::int64_t attention_scratch_bytes(const AttentionShape<float>&, const Kernels<float>&);
template std::int64_t attention_scratch_bytes(const AttentionShape<Bf16>&, const Kernels<Bf16>&);
template void attend(const Attention<float>&, const float*, float*, const AttentionShape<float>&, ScoreFactor,
                     const AttentionMemory<float>&, const Machine<float>&);
template void attend(const Attention<Bf16>&, const float*, float*, const AttentionShape<Bf16>&, ScoreFactor,
                     const AttentionMemory<Bf16>&, const Machine<Bf16>&);

}  // namespace causcale::core

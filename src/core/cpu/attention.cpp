// Tied attention without permuted copies. A tile of tokens is normalised and projected in the cache, and its
// queries, keys and values go straight to where the products want them: one plane per head in which a score
// is one dot product over the tied axis and the head's channels at once.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/thread_pool.h"
#include "core/cpu/layers.h"

namespace causcale::core {
namespace {

// A longer dot product is summed in pieces, so that a panel's piece stays in the cache.
constexpr std::int64_t kDepth = 2048;
// Columns of the answer that are computed together.
constexpr std::int64_t kAnswerPanels = 8;

std::int64_t tied_per_tile(std::int64_t panel) {
  return std::max<std::int64_t>(1, kTile / panel);
}

template <class T>
void multiply_deep(const Kernels<T>& kernels, std::int64_t rows, std::int64_t cols, std::int64_t depth,
                   const T* a, std::int64_t a_stride, const T* panels, std::int64_t panel_stride, float* c,
                   std::int64_t c_stride) {
  for (std::int64_t from = 0; from < depth; from += kDepth)
    kernels.multiply(rows, cols, std::min(kDepth, depth - from), a + from, a_stride,
                     panels + from * kernels.panel, panel_stride, c, c_stride, from > 0);
}

// q, k and v of the heads [first, first + count) into their planes.
template <class T>
void project_heads(const Attention<T>& weights, const float* x, const AttentionShape<T>& shape,
                   ScoreFactor score_factor, std::int64_t first, std::int64_t count,
                   const AttentionMemory<T>& memory, const Machine<T>& machine) {
  const Kernels<T>& kernels = machine.kernels;
  const std::int64_t d = shape.d, e = shape.e, panel = kernels.panel, tied = tied_per_tile(panel);
  const std::int64_t depth = kernels.rounded_depth(d), channels = count * e;
  const std::int64_t tiles_along = (shape.tied + tied - 1) / tied;
  const float scale =
      score_factor.scaled ? 1.0f / std::sqrt(static_cast<float>(e) * static_cast<float>(shape.tied)) : 1.0f;
  const float factor = scale * static_cast<float>(score_factor.sharpness);
  for_each_item(kernels.panels(shape.L) * tiles_along, machine.threads, [&](std::int64_t tile, int slot) {
    const std::int64_t place = tile / tiles_along * panel, along = tile % tiles_along * tied;
    HeadPlanes<T> to{.heads = count,
                     .e = e,
                     .first_place = place,
                     .places = std::min(panel, shape.L - place),
                     .first_tied = along,
                     .tied = std::min(tied, shape.tied - along),
                     .tied_length = shape.tied,
                     .plane = nullptr,
                     .plane_stride = 0,
                     .row_stride = 0};
    Scratch scratch = machine.scratch(slot);
    T* normed = scratch.take<T>(panel * tied * depth);
    float* projected = scratch.take<float>(panel * tied * channels);
    for (std::int64_t t = 0; t < to.tied; ++t)
      for (std::int64_t l = 0; l < to.places; ++l)
        kernels.layer_norm(x + (place + l) * shape.place_stride + (along + t) * shape.tied_stride,
                           normed + (t * to.places + l) * depth, d, weights.norm.weight.data(),
                           weights.norm.bias.data());
    const std::int64_t rows = to.tied * to.places;
    const auto multiply = [&](const Linear<T>& linear) {
      kernels.multiply(rows, channels, d, normed, depth,
                       linear.panels.data() + first * e / panel * linear.panel_stride, linear.panel_stride,
                       projected, channels, false);
      return linear.bias.data() + first * e;
    };
    const auto planes = [&](T* plane, std::int64_t plane_stride, std::int64_t row_stride) {
      to.plane = plane;
      to.plane_stride = plane_stride;
      to.row_stride = row_stride;
      return to;
    };
    const float* bias = multiply(weights.q);
    kernels.store_queries(
        projected, channels, bias, factor,
        planes(memory.queries + first * shape.query_plane, shape.query_plane, shape.query_row));
    bias = multiply(weights.k);
    kernels.store_keys(projected, channels, bias,
                       planes(memory.keys, shape.key_plane, shape.query_row * panel));
    bias = multiply(weights.v);
    kernels.store_values(projected, channels, bias,
                         planes(memory.values, shape.value_plane, kernels.rounded_depth(shape.L) * panel));
  });
}

// Scores, exponentials, weighted values, head by head; the answer takes the place of the queries.
template <class T>
void mix(const AttentionShape<T>& shape, std::int64_t first, std::int64_t count,
         const AttentionMemory<T>& memory, const Machine<T>& machine) {
  const Kernels<T>& kernels = machine.kernels;
  const std::int64_t L = shape.L, weight_row = kernels.rounded_depth(L);
  const std::int64_t chunks = (L + kQueries - 1) / kQueries;
  const std::int64_t key_panel = shape.query_row * kernels.panel, value_panel = weight_row * kernels.panel;
  for_each_item(count * chunks, machine.threads, [&](std::int64_t item, int slot) {
    const std::int64_t head = item / chunks, begin = item % chunks * kQueries,
                       rows = std::min(kQueries, L - begin);
    Scratch scratch = machine.scratch(slot);
    float* scores = scratch.take<float>(kQueries * L);
    T* weights = scratch.take<T>(kQueries * weight_row);
    float* answer = scratch.take<float>(kQueries * kAnswerPanels * kernels.panel);
    float inverse_sum[kQueries];
    T* queries = memory.queries + (first + head) * shape.query_plane + begin * shape.query_row;
    const T* keys = memory.keys + head * shape.key_plane;
    const T* values = memory.values + head * shape.value_plane;
    multiply_deep(kernels, rows, L, shape.query_row, queries, shape.query_row, keys, key_panel, scores, L);
    for (std::int64_t i = 0; i < rows; ++i)
      inverse_sum[i] = kernels.exponentials(scores + i * L, L, weights + i * weight_row);
    const std::int64_t step = kAnswerPanels * kernels.panel;
    for (std::int64_t column = 0; column < shape.width; column += step) {
      const std::int64_t cols = std::min(step, shape.width - column);
      multiply_deep(kernels, rows, cols, weight_row, weights, weight_row,
                    values + column / kernels.panel * value_panel, value_panel, answer, step);
      for (std::int64_t i = 0; i < rows; ++i)
        kernels.scale(answer + i * step, inverse_sum[i], queries + i * shape.query_row + column, cols);
    }
  });
}

// y = x + W answer + bias, heads put together again.
template <class T>
void project_answers(const Attention<T>& weights, const float* x, float* y, const AttentionShape<T>& shape,
                     const AttentionMemory<T>& memory, const Machine<T>& machine) {
  const Kernels<T>& kernels = machine.kernels;
  const std::int64_t d = shape.d, e = shape.e, depth = kernels.rounded_depth(d),
                     tokens = shape.L * shape.tied;
  for_each_block(tokens, kTile, machine.threads, [&](const WorkBlock& block) {
    const std::int64_t rows = block.end - block.begin;
    Scratch scratch = machine.scratch(block.slot);
    T* joined = scratch.take<T>(kTile * depth);
    float* projected = scratch.take<float>(kTile * d);
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t token = block.begin + r, place = token / shape.tied, along = token % shape.tied;
      const T* answer = memory.queries + place * shape.query_row + along * e;
      for (std::int64_t h = 0; h < shape.H; ++h)
        std::memcpy(joined + r * depth + h * e, answer + h * shape.query_plane, sizeof(T) * e);
      for (std::int64_t c = d; c < depth; ++c) joined[r * depth + c] = T{};
    }
    kernels.multiply(rows, d, d, joined, depth, weights.out.panels.data(), weights.out.panel_stride,
                     projected, d, false);
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t token = block.begin + r;
      const std::int64_t at =
          token / shape.tied * shape.place_stride + token % shape.tied * shape.tied_stride;
      kernels.residual(x + at, projected + r * d, weights.out.bias.data(), y + at, d);
    }
  });
}

}  // namespace

template <class T>
std::int64_t attention_scratch_bytes(const AttentionShape<T>& shape, const Kernels<T>& kernels) {
  const std::int64_t tile = kernels.panel * tied_per_tile(kernels.panel), d = shape.d;
  ArenaPlan projecting, mixing, answering;
  projecting.take<T>(tile * kernels.rounded_depth(d));
  projecting.take<float>(tile * d);
  mixing.take<float>(kQueries * shape.L);
  mixing.take<T>(kQueries * kernels.rounded_depth(shape.L));
  mixing.take<float>(kQueries * kAnswerPanels * kernels.panel);
  answering.take<T>(kTile * kernels.rounded_depth(d));
  answering.take<float>(kTile * d);
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

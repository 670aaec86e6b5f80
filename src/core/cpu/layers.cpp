#include "core/cpu/layers.h"

#include <array>

#include "base/thread_pool.h"

namespace causcale::core {

template <class T>
std::int64_t feed_forward_scratch_bytes(std::int64_t d, std::int64_t ffn, const Kernels<T>& kernels) {
  ArenaPlan plan;
  plan.take<T>(kTile * kernels.rounded_depth(d));
  plan.take<T>(kTile * kernels.rounded_depth(ffn));
  plan.take<float>(kTile * kernels.panel);
  return plan.bytes();
}

template <class T>
void feed_forward(const Axial<T>& weights, float* x, std::int64_t tokens, const Machine<T>& machine) {
  const Kernels<T>& kernels = machine.kernels;
  const Linear<T>&up = weights.up, &down = weights.down;
  const std::int64_t d = up.in, ffn = up.out;
  const std::int64_t depth = kernels.rounded_depth(d), hidden_depth = kernels.rounded_depth(ffn);
  std::array<std::int64_t, kTile> starts;
  for (std::size_t r = 0; r < kTile; ++r) starts[r] = static_cast<std::int64_t>(r) * d;
  for_each_block(tokens, kTile, machine.threads, [&](const WorkBlock& block) {
    const std::int64_t rows = block.end - block.begin;
    float* tile = x + block.begin * d;  // [rows, d]
    Scratch scratch = machine.scratch(block.slot);
    T* normed = scratch.take<T>(kTile * depth);
    T* hidden = scratch.take<T>(kTile * hidden_depth);
    float* sums = scratch.take<float>(kTile * kernels.panel);
    for (std::int64_t r = 0; r < rows; ++r)
      kernels.layer_norm(tile + r * d, normed + r * depth, d, weights.norm.weight.data(),
                         weights.norm.bias.data());
    const auto activate = [&](std::int64_t first, std::int64_t cols, const float* panel) {
      kernels.bias_gelu(panel, kernels.panel, rows, cols, up.bias.data() + first, hidden + first,
                        hidden_depth);
    };
    kernels.multiply_panels(rows, ffn, d, normed, depth, up.panels.data(), up.panel_stride, sums,
                            PanelFunction(activate));
    const auto add = [&](std::int64_t first, std::int64_t cols, const float* panel) {
      kernels.residual(rows, cols, starts.data(), tile + first, panel, kernels.panel,
                       down.bias.data() + first, tile + first);
    };
    kernels.multiply_panels(rows, d, ffn, hidden, hidden_depth, down.panels.data(), down.panel_stride, sums,
                            PanelFunction(add));
  });
}

template <class T>
std::int64_t projection_scratch_bytes(std::int64_t in, const Kernels<T>& kernels) {
  ArenaPlan plan;
  plan.take<float>(kTile * in);
  plan.take<T>(kTile * kernels.rounded_depth(in));
  return plan.bytes();
}

template <class T>
void project_tile(const Projection<T>& weights, std::int64_t rows, const T* x, float* out, Scratch scratch,
                  const Machine<T>& machine) {
  const Kernels<T>& kernels = machine.kernels;
  const std::int64_t in = weights.first.in, depth = kernels.rounded_depth(in), cols = weights.second.out;
  float* hidden = scratch.take<float>(kTile * in);
  T* normed = scratch.take<T>(kTile * depth);
  kernels.multiply(rows, in, in, x, depth, weights.first.panels.data(), weights.first.panel_stride, hidden,
                   in, false);
  machine.floats.bias_gelu(hidden, in, rows, in, weights.first.bias.data(), hidden, in);
  for (std::int64_t r = 0; r < rows; ++r)
    kernels.layer_norm(hidden + r * in, normed + r * depth, in, weights.norm.weight.data(),
                       weights.norm.bias.data());
  kernels.multiply(rows, cols, in, normed, depth, weights.second.panels.data(), weights.second.panel_stride,
                   out, cols, false);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c)
      out[r * cols + c] += weights.second.bias[static_cast<std::size_t>(c)];
}

template <class T>
void merge_message(const Block<T>& block, const float* message, float* graph, std::int64_t tokens,
                   const Machine<T>& machine) {
  const Kernels<T>& kernels = machine.kernels;
  const std::int64_t d = block.fuse.out, depth = kernels.rounded_depth(d);
  for_each_block(tokens, kTile, machine.threads, [&](const WorkBlock& work) {
    const std::int64_t rows = work.end - work.begin;
    float* tile = graph + work.begin * d;
    T* x = machine.scratch(work.slot).template take<T>(kTile * depth);
    for (std::int64_t r = 0; r < rows; ++r) {
      kernels.scale(tile + r * d, 1.0f, x + r * depth, d);
      for (std::int64_t c = d; c < depth; ++c) x[r * depth + c] = T{};
    }
    kernels.multiply(rows, d, d, x, depth, block.fuse.panels.data(), block.fuse.panel_stride, tile, d, false);
    for (std::int64_t r = 0; r < rows; ++r) {
      const float weight = message[work.begin + r];
      for (std::int64_t c = 0; c < d; ++c)
        tile[r * d + c] += block.fuse.bias[static_cast<std::size_t>(c)] +
                           weight * block.message_column[static_cast<std::size_t>(c)];
    }
  });
}

template std::int64_t feed_forward_scratch_bytes(std::int64_t, std::int64_t, const Kernels<float>&);
template std::int64_t feed_forward_scratch_bytes(std::int64_t, std::int64_t, const Kernels<Bf16>&);
template std::int64_t projection_scratch_bytes(std::int64_t, const Kernels<float>&);
template std::int64_t projection_scratch_bytes(std::int64_t, const Kernels<Bf16>&);
template void feed_forward(const Axial<float>&, float*, std::int64_t, const Machine<float>&);
template void feed_forward(const Axial<Bf16>&, float*, std::int64_t, const Machine<Bf16>&);
template void project_tile(const Projection<float>&, std::int64_t, const float*, float*, Scratch,
                           const Machine<float>&);
template void project_tile(const Projection<Bf16>&, std::int64_t, const Bf16*, float*, Scratch,
                           const Machine<Bf16>&);
template void merge_message(const Block<float>&, const float*, float*, std::int64_t, const Machine<float>&);
template void merge_message(const Block<Bf16>&, const float*, float*, std::int64_t, const Machine<Bf16>&);

}  // namespace causcale::core

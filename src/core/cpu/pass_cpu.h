// The forward pass on the processor: one table, one view. Reads like the paper, from the embeddings to the
// pairs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "core/arena.h"
#include "core/cpu/layers.h"
#include "core/cpu/network_cpu.h"

namespace causcale::core {

// The working memory of a pass. Memory is an Arena, or an ArenaPlan that counts what one must hold.
template <class T, class Memory>
struct Workspace {
  Workspace(const ModelConfig& config, std::int64_t m, std::int64_t n, std::int64_t heads_at_a_time,
            int threads, const Kernels<T>& kernels, Memory& memory) {
    const std::int64_t d = config.embed_dim, ffn = config.ffn_dim, heads = config.heads;
    std::int64_t queries = 0, keys = 0, values = 0;
    for (const auto& [R, C] : {std::pair(m, n), std::pair(n, n)})
      for (const MixedAxis axis : {MixedAxis::kColumns, MixedAxis::kRows}) {
        const AttentionShape<T> shape(R, C, d, heads, axis, kernels);
        queries = std::max(queries, shape.query_plane * heads);
        keys = std::max(keys, shape.key_plane * heads_at_a_time);
        values = std::max(values, shape.value_plane * heads_at_a_time);
        scratch_bytes = std::max(scratch_bytes, attention_scratch_bytes(shape, kernels));
      }
    const std::int64_t pair_depth = kernels.rounded_depth(2 * d);
    ArenaPlan projecting;  // a tile's input and output beside what the projection needs
    projecting.take<T>(kTile * pair_depth);
    projecting.take<float>(kTile * std::max<std::int64_t>(d, config.pair_logits()));
    scratch_bytes = std::max({scratch_bytes, feed_forward_scratch_bytes(d, std::max(ffn, d), kernels),
                              projecting.bytes() + projection_scratch_bytes(2 * d, kernels)});
    data = memory.template take<float>(m * n * d);
    side = memory.template take<float>(m * n * d);
    graph = memory.template take<float>(n * n * d);
    pooled = memory.template take<float>(n * d);
    u = memory.template take<float>(n * d);
    v = memory.template take<float>(n * d);
    left = memory.template take<T>(n * kernels.rounded_depth(d));
    right = memory.template take<T>(kernels.packed_size(d, n));
    message = memory.template take<float>(n * n);
    attention.queries = memory.template take<T>(queries);
    attention.keys = memory.template take<T>(keys);
    attention.values = memory.template take<T>(values);
    attention.heads_at_a_time = heads_at_a_time;
    scratch = memory.template take<std::byte>(threads * scratch_bytes);
  }

  float *data, *side, *graph, *pooled, *u, *v, *message;
  T *left, *right;  // u in rows, v in panels
  AttentionMemory<T> attention;
  std::byte* scratch;
  std::int64_t scratch_bytes = 0;
};

// One table, one view.
template <class T>
class Pass {
 public:
  Pass(const ModelConfig& config, const PackedWeights<T>& weights, const Kernels<T>& kernels,
       const Kernels<float>& floats, std::int64_t m, std::int64_t n, std::int64_t heads_at_a_time,
       int threads, Arena& arena, const Trace* trace)
      : config_(config),
        weights_(weights),
        kernels_(kernels),
        m_(m),
        n_(n),
        d_(config.embed_dim),
        trace_(trace),
        work_(config, m, n, heads_at_a_time, threads, kernels, arena),
        machine_{kernels, floats, threads, work_.scratch, work_.scratch_bytes} {}

  // data [m, n, 2 + channels], prior [n, n], pairs [n, n, channels], signs [n].
  PairProbabilities run(const float* data, const float* prior, const float* pairs, const float* signs,
                        bool symmetrised, const std::function<void(double)>& progress) {
    embed_data(data, signs);
    embed_graph(prior, pairs, signs);
    note("embed_data", work_.data, {m_, n_, d_});
    note("embed_graph", work_.graph, {n_, n_, d_});
    progress_ = &progress;
    for (int b = 0; b < config_.blocks; ++b) {
      report(b, 0);
      const Block<T>& block = weights_.blocks[static_cast<std::size_t>(b)];
      step_ = b;
      part_ = 0;
      axial_layer(block.data, work_.data, work_.data, m_, config_.scale_data, "data_layer");
      note_block("data", work_.data, {m_, n_, d_});
      axial_layer(block.data2graph, work_.data, work_.side, m_, config_.scale_data2graph, "data2graph_axial");
      data_to_graph(block);  // the message [n, n]
      note_block("data2graph", work_.message, {n_, n_});
      merge_message(block, work_.message, work_.graph, n_ * n_, machine_);
      note_step("fused_linear", work_.graph, {n_, n_, d_});
      if (config_.use_graph_stream)
        axial_layer(block.graph, work_.graph, work_.graph, n_, config_.scale_graph, "graph_layer");
      note_block("graph", work_.graph, {n_, n_, d_});
      if (config_.pools_after(b)) {
        reduce_samples();  // [m / r, n, d]
        note_block("data_reduced", work_.data, {m_, n_, d_});
      }
    }
    return read_pairs(symmetrised);
  }

 private:
  void note(const std::string& name, const float* values, const std::vector<std::int64_t>& shape) const {
    if (trace_ && *trace_) (*trace_)(name, values, shape);
  }
  void note_step(const std::string& what, const float* values, const std::vector<std::int64_t>& shape) const {
    if (trace_) note(fmt::format("step_{:02}_{}", step_, what), values, shape);
  }
  void note_block(const std::string& what, const float* values,
                  const std::vector<std::int64_t>& shape) const {
    if (trace_) note(fmt::format("block_{:02}_{}", step_, what), values, shape);
  }

  // Between the parts of a block, too: whoever wants to stop a large table must not wait for a whole one.
  void report(int block, int part) const {
    constexpr int kParts = 10;  // three layers of three parts, and what lies between
    if (progress_ && *progress_) (*progress_)((block + static_cast<double>(part) / kParts) / config_.blocks);
  }

  // x [tokens, d] = LayerNorm(W value + bias), with value(token, i) the i-th number of a token.
  template <class Value>
  void embed(const StoredLinear& linear, const Norm& norm, std::int64_t tokens, const Value& value,
             float* x) {
    for_each_block(tokens, kTile, machine_.threads, [&](const WorkBlock& block) {
      for (std::int64_t t = block.begin; t < block.end; ++t) {
        float* row = x + t * d_;
        std::copy(linear.bias.begin(), linear.bias.end(), row);
        for (std::int64_t i = 0; i < linear.in; ++i) {
          const float number = value(t, i);
          for (std::int64_t c = 0; c < d_; ++c)
            row[c] += number * linear.weight[static_cast<std::size_t>(c * linear.in + i)];
        }
        machine_.floats.layer_norm(row, row, d_, norm.weight.data(), norm.bias.data());
      }
    });
  }
  void embed_data(const float* data, const float* signs) {
    const std::int64_t width = config_.channels.data_width();
    embed(
        weights_.embed_data, weights_.embed_data_norm, m_ * n_,
        [&](std::int64_t token, std::int64_t i) {
          return data[width * token + i] * (i == 0 && signs ? signs[token % n_] : 1.0f);
        },
        work_.data);
  }
  void embed_graph(const float* prior, const float* pairs, const float* signs) {
    const std::int64_t width = config_.channels.pair_width();
    embed(
        weights_.embed_graph, weights_.embed_graph_norm, n_ * n_,
        [&](std::int64_t token, std::int64_t i) {
          if (i > 0) return pairs[width * token + i - 1];
          if (!config_.use_prior) return 1.0f;
          return signs ? prior[token] * signs[token / n_] * signs[token % n_] : prior[token];
        },
        work_.graph);
  }

  // y [R, n, d] = the axial layer of x; y may be x.
  void axial_layer(const Axial<T>& axial, const float* x, float* y, std::int64_t R, ScoreScaling scaling,
                   const char* layer) {
    const AttentionShape<T> row(R, n_, d_, config_.heads, MixedAxis::kColumns, kernels_);
    const AttentionShape<T> column(R, n_, d_, config_.heads, MixedAxis::kRows, kernels_);
    const double sharpness = config_.sharpness(n_);
    attend(axial.row, x, y, row, {scaling.rows, sharpness}, work_.attention, machine_);
    report(step_, ++part_);
    note_step(fmt::format("{}_after_row", layer), y, {R, n_, d_});
    // Columns of the graph stream are variables, those of the data stream samples.
    attend(axial.column, y, y, column, {scaling.columns, y == work_.graph ? sharpness : 1.0}, work_.attention,
           machine_);
    report(step_, ++part_);
    note_step(fmt::format("{}_after_col", layer), y, {R, n_, d_});
    feed_forward(axial, y, R * n_, machine_);
    report(step_, ++part_);
    note_step(fmt::format("{}_after_ffn", layer), y, {R, n_, d_});
  }

  // message [n, n] = u v^T, u and v projections of the side stream's mean over samples.
  void data_to_graph(const Block<T>& block) {
    mean_over_samples();
    project(block.u, work_.u);
    project(block.v, work_.v);
    note_step("pool_u", work_.u, {n_, d_});
    note_step("pool_v", work_.v, {n_, d_});
    const std::int64_t depth = kernels_.rounded_depth(d_);
    rows_of(work_.u, n_, work_.left);
    pack_transposed(work_.v, d_, n_, d_, kernels_, work_.right);
    for_each_block(n_, kTile, machine_.threads, [&](const WorkBlock& rows) {
      kernels_.multiply(rows.end - rows.begin, n_, d_, work_.left + rows.begin * depth, depth, work_.right,
                        depth * kernels_.panel, work_.message + rows.begin * n_, n_, false);
    });
  }

  // pooled [n, d]: sums of a few samples first, so that rounding does not grow with their number.
  void mean_over_samples() {
    constexpr std::int64_t kFew = 32;
    for_each_item(n_, machine_.threads, [&](std::int64_t j, int slot) {
      float* part = machine_.scratch(slot).template take<float>(d_);
      float* mean = work_.pooled + j * d_;
      std::fill_n(mean, d_, 0.0f);
      for (std::int64_t first = 0; first < m_; first += kFew) {
        std::fill_n(part, d_, 0.0f);
        for (std::int64_t r = first; r < std::min(first + kFew, m_); ++r) {
          const float* row = work_.side + (r * n_ + j) * d_;
          for (std::int64_t c = 0; c < d_; ++c) part[c] += row[c];
        }
        for (std::int64_t c = 0; c < d_; ++c) mean[c] += part[c];
      }
      for (std::int64_t c = 0; c < d_; ++c) mean[c] /= static_cast<float>(m_);
    });
  }

  // Rows of d floats as the left-hand side of a product.
  void rows_of(const float* x, std::int64_t rows, T* out) const {
    const std::int64_t depth = kernels_.rounded_depth(d_);
    for (std::int64_t r = 0; r < rows; ++r) {
      kernels_.scale(x + r * d_, 1.0f, out + r * depth, d_);
      for (std::int64_t c = d_; c < depth; ++c) out[r * depth + c] = T{};
    }
  }

  // out [n, d]
  void project(const Projection<T>& projection, float* out) {
    for_each_block(n_, kTile, machine_.threads, [&](const WorkBlock& block) {
      const std::int64_t rows = block.end - block.begin;
      Scratch scratch = machine_.scratch(block.slot);
      T* x = scratch.take<T>(kTile * kernels_.rounded_depth(d_));
      rows_of(work_.pooled + block.begin * d_, rows, x);
      project_tile(projection, rows, x, out + block.begin * d_, scratch, machine_);
    });
  }

  void reduce_samples() {
    const std::int64_t r = config_.reduction_r, row = n_ * d_;
    if (config_.pooling == Pooling::kNone || r == 1 || m_ < r) return;
    float* data = work_.data;
    // Variable by variable, as the results take the place of earlier samples.
    for_each_item(n_, machine_.threads, [&](std::int64_t j, int) {
      for (std::int64_t g = 0; g < m_ / r; ++g) {
        float* to = data + g * row + j * d_;
        const float* from = data + g * r * row + j * d_;
        for (std::int64_t c = 0; c < d_; ++c) to[c] = pooled_value(from + c, r, row);
      }
    });
    m_ /= r;
  }
  float pooled_value(const float* first, std::int64_t count, std::int64_t stride) const {
    float value = *first;
    if (config_.pooling == Pooling::kStrided) return value;
    for (std::int64_t k = 1; k < count; ++k)
      value =
          config_.pooling == Pooling::kMax ? std::max(value, first[k * stride]) : value + first[k * stride];
    return config_.pooling == Pooling::kMax ? value : value / static_cast<float>(count);
  }

  // The pairwise head: classes none, i -> j, j -> i and outputs of every pair i < j, from both of its cells.
  PairProbabilities read_pairs(bool symmetrised) {
    for_each_block(n_ * n_, kTile, machine_.threads, [&](const WorkBlock& block) {
      for (std::int64_t t = block.begin; t < block.end; ++t)
        machine_.floats.layer_norm(work_.graph + t * d_, work_.graph + t * d_, d_,
                                   weights_.final_norm.weight.data(), weights_.final_norm.bias.data());
    });
    note("graph_embedding", work_.graph, {n_, n_, d_});
    const auto n = static_cast<std::size_t>(n_);
    PairProbabilities result{Matrix<double>(n, n), {}, {}};
    for (const PairOutput output : config_.outputs) result.of(output) = Matrix<double>(n, n);
    const double share = symmetrised ? 0.5 : 1.0;
    for_each_item(n_, machine_.threads, [&](std::int64_t i, int slot) {
      for (std::int64_t begin = i + 1; begin < n_; begin += kTile) {
        read_tile(i, begin, std::min(kTile, n_ - begin), /*forward=*/true, share, slot, result);
        if (symmetrised) read_tile(i, begin, std::min(kTile, n_ - begin), false, share, slot, result);
      }
    });
    add_feedback(result);
    return result;
  }
  void read_tile(std::int64_t i, std::int64_t first, std::int64_t count, bool forward, double share, int slot,
                 PairProbabilities& result) {
    const std::int64_t depth = kernels_.rounded_depth(2 * d_), width = config_.pair_logits();
    Scratch scratch = machine_.scratch(slot);
    T* pairs = scratch.take<T>(kTile * depth);
    float* logits = scratch.take<float>(kTile * width);
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t j = first + k;
      const float* ij = work_.graph + (i * n_ + j) * d_;
      const float* ji = work_.graph + (j * n_ + i) * d_;
      kernels_.scale(forward ? ij : ji, 1.0f, pairs + k * depth, d_);
      kernels_.scale(forward ? ji : ij, 1.0f, pairs + k * depth + d_, d_);
    }
    project_tile(weights_.head, count, pairs, logits, scratch, machine_);
    for (std::int64_t k = 0; k < count; ++k) {
      const float* of = logits + width * k;
      const float top = std::max({of[0], of[1], of[2]});
      double z[3], sum = 0.0;
      for (int c = 0; c < 3; ++c) sum += z[c] = std::exp(static_cast<double>(of[c]) - top);
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(first + k);
      result.edges(a, b) += share * z[forward ? 1 : 2] / sum;
      result.edges(b, a) += share * z[forward ? 2 : 1] / sum;
      for (std::size_t o = 0; o < config_.outputs.size(); ++o) {
        Matrix<double>& output = result.of(config_.outputs[o]);
        output(a, b) += share / (1.0 + std::exp(-static_cast<double>(of[3 + o])));
        output(b, a) = output(a, b);
      }
    }
  }

  const ModelConfig& config_;
  const PackedWeights<T>& weights_;
  const Kernels<T>& kernels_;
  std::int64_t m_, n_, d_;  // m_ shrinks as samples are pooled
  const Trace* trace_;
  int step_ = 0;
  int part_ = 0;  // of the block at work
  const std::function<void(double)>* progress_ = nullptr;
  Workspace<T, Arena> work_;
  Machine<T> machine_;
};

}  // namespace causcale::core

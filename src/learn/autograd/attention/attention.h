// Axial tied attention with its layer norm, projections and residual: x + Attention(LayerNorm(x)).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "learn/autograd/cuda/packed_weights.h"

namespace causcale::autograd {

// Weights, all in the type of x: norm [d], qkv [3d, d] and [3d], out [d, d] and [d].
struct AttentionWeights {
  const at::Tensor& norm_weight;
  const at::Tensor& norm_bias;
  const at::Tensor& qkv_weight;
  const at::Tensor& qkv_bias;
  const at::Tensor& out_weight;
  const at::Tensor& out_bias;
};

enum class Axis {
  kRow,     // mixes the second axis (C), tied over the first (R)
  kColumn,  // mixes the first axis (R), tied over the second (C)
};

struct AttentionOptions {
  int heads = 16;
  Axis axis = Axis::kRow;
  bool scaled = true;      // scores times head_dim^-1/2 / sqrt(tied length)
  double sharpness = 1.0;  // and times this
  bool tied = true;        // false: every line has its own attention map (ablation)
  // Most bytes that score matrices may take at a time; queries are processed in exact chunks. 0 = no limit.
  std::int64_t max_score_bytes = 0;
  PackedWeights* packed = nullptr;  // of the CUDA path without derivatives; null: it packs in every call
};

// True extents of each grid of a padded batch; empty vectors: nothing is padded.
struct GridSizes {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> cols;
  bool padded() const { return !rows.empty(); }
};

// x [B, R, C, d] -> [B, R, C, d]. Chooses the fused CUDA path (bf16 or fp32, d = 128, 16 heads, no padding)
// or the plain composition, which serves every case and every derivative.
at::Tensor attention(const at::Tensor& x, const AttentionWeights& weights, const AttentionOptions& options,
                     const GridSizes& sizes = {});

// The plain libtorch composition: the reference that every other path is tested against.
at::Tensor attention_plain(const at::Tensor& x, const AttentionWeights& weights,
                           const AttentionOptions& options, const GridSizes& sizes = {});

}  // namespace causcale::autograd

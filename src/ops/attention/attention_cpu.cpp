// Tied attention without permuted copies. The tokens of a grid are numbered f = l * T + t (l: place on the
// mixed axis, t: on the tied axis); a tile of consecutive numbers is normalised and projected in the cache,
// and its q, k and v go into one plane [L T, e] per head. Such a plane is the matrix [L, T e] that the scores
// want: one product sums over the tied axis and the head's channels at once.
#include "ops/attention/attention_cpu.h"

#include <ATen/ATen.h>

#include <cmath>

#include "ops/cpu/gemm.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/tiles.h"

namespace causcale::ops {
namespace {

constexpr std::int64_t kTile = 128;
constexpr std::int64_t kScoreBytesPerThread = std::int64_t{4} << 20;
constexpr std::int64_t kLeastQueries = 256;  // fewer rows a product waste time on repacking the keys
constexpr std::int64_t kKeyValueBytes = std::int64_t{256} << 20;
constexpr int kPrefetch = 4;  // tokens ahead: in row attention neighbours in f lie far apart

struct Weights {
  explicit Weights(const AttentionWeights& given)
      : norm_weight(given.norm_weight.contiguous()),
        norm_bias(given.norm_bias.contiguous()),
        qkv(given.qkv_weight.t().contiguous()),
        qkv_bias(given.qkv_bias.contiguous()),
        out(given.out_weight.t().contiguous()),
        out_bias(given.out_bias.contiguous()) {}
  at::Tensor norm_weight, norm_bias, qkv /* [d, 3d] */, qkv_bias, out /* [d, d] */, out_bias;
};

// One grid [R, C, d] and where its tokens are.
struct Grid {
  const float* x;
  float* y;
  std::int64_t L, T, mixed_stride, tied_stride, d, H, e;
  std::int64_t tokens() const { return L * T; }
  std::int64_t tiles() const { return (tokens() + kTile - 1) / kTile; }
  std::int64_t offset(std::int64_t f) const { return f / T * mixed_stride + f % T * tied_stride; }
};

void prefetch_token(const Grid& grid, std::int64_t f) {
  if (f >= grid.tokens()) return;
  const float* row = grid.x + grid.offset(f);
  for (std::int64_t i = 0; i < grid.d; i += 16) __builtin_prefetch(row + i);
}

// q, k and v of the heads [first, first + group) into their planes; q is multiplied with `factor`.
void project(const Grid& grid, const Weights& weights, std::int64_t first, std::int64_t group, float factor,
             float* q, float* k, float* v) {
  const Kernels& kernel = kernels();
  const std::int64_t d = grid.d, e = grid.e, width = group * e, plane = grid.tokens() * e;
  for_each_tile(grid.tiles(), kTile * (d + 3 * width), [&](std::int64_t tile, float* normed) {
    const std::int64_t begin = tile * kTile, count = std::min(kTile, grid.tokens() - begin);
    float* projected = normed + kTile * d;  // [tile, 3, width]
    for (std::int64_t t = 0; t < count; ++t) {
      prefetch_token(grid, begin + t + kPrefetch);
      kernel.layer_norm(grid.x + grid.offset(begin + t), normed + t * d, d,
                        weights.norm_weight.data_ptr<float>(), weights.norm_bias.data_ptr<float>());
    }
    float* planes[] = {q + first * plane, k, v};
    const float* matrix = weights.qkv.data_ptr<float>();
    const float* bias = weights.qkv_bias.data_ptr<float>();
    if (group == grid.H)
      gemm(count, 3 * d, d, normed, d, matrix, 3 * d, projected, 3 * d);
    else
      for (int p = 0; p < 3; ++p)
        gemm(count, width, d, normed, d, matrix + p * d + first * e, 3 * d, projected + p * width, 3 * width);
    for (int p = 0; p < 3; ++p)
      kernel.split_heads(projected + p * width, 3 * width, count, bias + p * d + first * e,
                         p == 0 ? factor : 1.0f, planes[p] + begin * e, plane, group, e);
  });
}

// How many queries are looked at together.
std::int64_t queries_at_a_time(const Grid& grid, std::int64_t max_score_bytes) {
  const std::int64_t row = grid.L * static_cast<std::int64_t>(sizeof(float));
  std::int64_t queries = std::max(kLeastQueries, kScoreBytesPerThread / row);
  if (max_score_bytes > 0) queries = std::min(queries, max_score_bytes / (row * at::get_num_threads()));
  return std::clamp<std::int64_t>(queries, 1, grid.L);
}

// Scores, softmax, weighted values, head by head; the result takes the place of the queries.
void attend(const Grid& grid, std::int64_t group, std::int64_t max_score_bytes, float* q, const float* k,
            const float* v) {
  const Kernels& kernel = kernels();
  const std::int64_t L = grid.L, width = grid.T * grid.e, plane = grid.tokens() * grid.e;
  const std::int64_t queries = queries_at_a_time(grid, max_score_bytes), chunks = (L + queries - 1) / queries;
  for_each_tile(group * chunks, queries * L, [&](std::int64_t item, float* scores) {
    const std::int64_t head = item / chunks, begin = item % chunks * queries,
                       count = std::min(queries, L - begin);
    float* query = q + head * plane + begin * width;
    gemm_transposed(count, L, width, query, width, k + head * plane, width, scores, L);
    for (std::int64_t i = 0; i < count; ++i) kernel.softmax(scores + i * L, L);
    gemm(count, width, L, scores, L, v + head * plane, width, query, width);
  });
}

void merge(const Grid& grid, const Weights& weights, const float* mixed) {
  const Kernels& kernel = kernels();
  const std::int64_t d = grid.d, plane = grid.tokens() * grid.e;
  for_each_tile(grid.tiles(), 2 * kTile * d, [&](std::int64_t tile, float* rows) {
    const std::int64_t begin = tile * kTile, count = std::min(kTile, grid.tokens() - begin);
    float* projected = rows + kTile * d;
    kernel.merge_heads(mixed + begin * grid.e, plane, count, rows, grid.H, grid.e);
    gemm(count, d, d, rows, d, weights.out.data_ptr<float>(), d, projected, d);
    for (std::int64_t t = 0; t < count; ++t) {
      prefetch_token(grid, begin + t + kPrefetch);
      const std::int64_t offset = grid.offset(begin + t);
      kernel.residual(grid.x + offset, projected + t * d, weights.out_bias.data_ptr<float>(), grid.y + offset,
                      d);
    }
  });
}

}  // namespace

bool attention_cpu_supports(const at::Tensor& x, const AttentionOptions& options, const GridSizes& sizes) {
  return has_gemm() && x.is_cpu() && x.scalar_type() == at::kFloat && x.is_contiguous() && x.numel() > 0 &&
         options.tied && !sizes.padded();
}

at::Tensor attention_cpu(const at::Tensor& x, const AttentionWeights& given,
                         const AttentionOptions& options) {
  const std::int64_t B = x.size(0), R = x.size(1), C = x.size(2), d = x.size(3);
  const bool row = options.axis == Axis::kRow;
  const Weights weights(given);
  const at::Tensor y = options.overwrite_x ? x : at::empty_like(x);
  Grid grid{nullptr,         nullptr, row ? C : R,   row ? R : C,      row ? d : C * d,
            row ? C * d : d, d,       options.heads, d / options.heads};
  const float factor = options.scaled ? 1.0f / std::sqrt(float(grid.e) * float(grid.T)) : 1.0f;

  // Keys and values of a few heads at a time where a grid is large; their queries wait in place for all
  // heads.
  const std::int64_t plane = grid.tokens() * grid.e;
  std::int64_t group = grid.H;
  while (group % 2 == 0 && 2 * group * plane * static_cast<std::int64_t>(sizeof(float)) > kKeyValueBytes)
    group /= 2;

  Workspace own;
  Workspace& workspace = options.workspace ? *options.workspace : own;
  float* q = workspace.reserve(static_cast<std::size_t>((grid.H + 2 * group) * plane));
  float* k = q + grid.H * plane;
  float* v = k + group * plane;
  const SerialGemm serial;
  for (std::int64_t b = 0; b < B; ++b) {
    grid.x = x.data_ptr<float>() + b * R * C * d;
    grid.y = y.data_ptr<float>() + b * R * C * d;
    for (std::int64_t first = 0; first < grid.H; first += group) {
      project(grid, weights, first, group, factor, q, k, v);
      attend(grid, group, options.max_score_bytes, q + first * plane, k, v);
    }
    merge(grid, weights, q);
  }
  return y;
}

}  // namespace causcale::ops

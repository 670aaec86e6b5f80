#include "core/cost.h"

#include <algorithm>

namespace causcale {
namespace {

// Query rows below which chunking only costs time.
constexpr std::int64_t kSmallestChunk = 64;

// Whole-stream tensors alive at the peak of an axial layer: input, its side copy (data stream) or the other
// stream's tensor, q, k, v and the attention's output.
constexpr std::int64_t kLiveStreams = 6;

double axial_flops(double rows, double columns, double d, double ffn) {
  return 16 * rows * columns * d * d + 4 * rows * columns * columns * d + 4 * rows * rows * columns * d +
         4 * rows * columns * ffn * d;
}

// AVICI's tensors at once: a stream, its copy with the other axis last, the result; beside them the parts of
// a sublayer (learn/networks/avici.cpp) and the scores of such a part, before and after their softmax.
constexpr std::int64_t kAviciStreams = 3, kAviciPartBytes = std::int64_t{192} << 20;

std::int64_t avici_width(const ModelConfig& config) {
  return std::int64_t{config.heads} * config.key_dim;
}

double avici_flops(const ModelConfig& config, double rows, double columns) {
  const double d = config.embed_dim, inner = static_cast<double>(avici_width(config));
  const double cells = rows * columns;
  const double projections = 8 * cells * d * inner + 4 * cells * d * config.ffn_dim;
  const double block = 2 * projections + 4 * cells * (rows + columns) * inner;
  return 4 * cells * d + config.blocks * block + 4 * columns * d * d + 2 * columns * columns * d;
}

std::int64_t avici_bytes(const ModelConfig& config, std::int64_t m, std::int64_t n,
                         std::int64_t element_bytes, std::int64_t max_score_bytes) {
  const std::int64_t d = config.embed_dim, inner = avici_width(config), longest = std::max(m, n);
  std::int64_t scores = 2 * config.heads * m * n * longest * element_bytes;
  if (max_score_bytes > 0) scores = std::min(scores, max_score_bytes);
  const std::int64_t part =
      std::min(kAviciPartBytes, m * n * (8 * inner + 2 * config.ffn_dim) * element_bytes);
  const std::int64_t weights = config.blocks * 2 * d * (4 * inner + 2 * config.ffn_dim) * element_bytes;
  return kAviciStreams * m * n * d * element_bytes + part + scores + weights;
}

std::int64_t sea_tokens(const ModelConfig& config, std::int64_t n) {
  const std::int64_t k = std::min<std::int64_t>(config.subsets.variables, n);
  return config.subsets.count * k * (k - 1);
}

double sea_flops(const ModelConfig& config, double columns) {
  const double d = config.embed_dim, T = config.subsets.count;
  const auto tokens = static_cast<double>(sea_tokens(config, static_cast<std::int64_t>(columns)));
  const double estimates = 16 * tokens * d * d + 4 * tokens * config.ffn_dim * d +
                           4 * tokens * tokens / T * d + 4 * tokens * T * d;
  const double features = axial_flops(columns, columns, d, config.ffn_dim) + 4 * columns * columns * d * d;
  return config.blocks * (estimates + features) + 4 * columns * columns * d * d + 6 * columns * columns * d;
}

// The grid of variables with what a layer of it needs; tokens of the estimates, their maps, and dense parts
// of their grid (learn/networks/estimate_grid.cpp).
constexpr std::int64_t kSeaTokens = 16, kSeaPartBytes = std::int64_t{768} << 20;

std::int64_t sea_bytes(const ModelConfig& config, std::int64_t n, std::int64_t element_bytes,
                       std::int64_t max_score_bytes) {
  const std::int64_t d = config.embed_dim, T = config.subsets.count, tokens = sea_tokens(config, n);
  std::int64_t scores = config.heads * n * n * element_bytes;
  if (max_score_bytes > 0) scores = std::min(scores, max_score_bytes);
  const std::int64_t k = std::max<std::int64_t>(1, tokens / T);
  const std::int64_t dense = std::min(kSeaPartBytes, 6 * T * std::min(n * n, tokens) * d * element_bytes);
  const std::int64_t estimates = kSeaTokens * tokens * d * element_bytes +
                                 6 * tokens * k * config.heads * element_bytes +
                                 4 * config.heads * T * T * element_bytes + dense;
  const std::int64_t weights =
      config.blocks * (2 * (8 * d * d + 2 * d * config.ffn_dim) + 2 * d * d) * element_bytes;
  return (kLiveStreams + 2) * n * n * d * element_bytes + scores + estimates + weights;
}

}  // namespace

double rows_left(const ModelConfig& config, int block) {
  double left = 1.0;
  for (int b = 0; b < block; ++b)
    if (config.pools_after(b)) left /= config.reduction_r;
  return left;
}

double forward_flops(const ModelConfig& config, std::int64_t m, std::int64_t n) {
  if (config.architecture == Architecture::kAvici)
    return avici_flops(config, static_cast<double>(m), static_cast<double>(n));
  if (config.architecture == Architecture::kSea) return sea_flops(config, static_cast<double>(n));
  const double d = config.embed_dim, columns = static_cast<double>(n);
  double rows = static_cast<double>(m);
  double total = 4 * rows * columns * d + 2 * columns * columns * d;  // embeddings
  for (int b = 0; b < config.blocks; ++b) {
    total += axial_flops(rows, columns, d, config.ffn_dim);  // data
    total +=
        axial_flops(rows, columns, d, d) + 8 * columns * d * d + 2 * columns * columns * d;  // data to graph
    total += 2 * columns * columns * (d + 1) * d;                                            // fusion
    if (config.use_graph_stream) total += axial_flops(columns, columns, d, config.ffn_dim);
    if (config.pools_after(b))
      rows = static_cast<double>(static_cast<std::int64_t>(rows) / config.reduction_r);
  }
  return total + 4 * columns * columns * d * d + 6 * columns * columns * d;  // head
}

std::int64_t training_bytes(const ModelConfig& config, std::int64_t cells) {
  if (config.architecture == Architecture::kAvici) {  // what every sublayer keeps; scores are computed again
    const double kept = 2.0 * (6.0 * config.embed_dim + 8.0 * static_cast<double>(avici_width(config)) +
                               2.0 * config.ffn_dim);
    return static_cast<std::int64_t>(4.0 * kept * config.blocks * static_cast<double>(cells));
  }
  // Numbers a cell and block, seen as resident memory of single steps with d = 64 and 128, ffn = 128 to 512.
  const double numbers = 40.0 * config.embed_dim + 1.75 * config.ffn_dim;
  double blocks = 0.0;
  for (int b = 0; b < config.blocks; ++b) blocks += rows_left(config, b);
  return static_cast<std::int64_t>(4.0 * numbers * blocks * static_cast<double>(cells));
}

std::int64_t inference_bytes(const ModelConfig& config, std::int64_t m, std::int64_t n,
                             std::int64_t element_bytes, std::int64_t max_score_bytes) {
  if (config.architecture == Architecture::kAvici)
    return avici_bytes(config, m, n, element_bytes, max_score_bytes);
  if (config.architecture == Architecture::kSea) return sea_bytes(config, n, element_bytes, max_score_bytes);
  const std::int64_t d = config.embed_dim;
  const std::int64_t data = m * n * d * element_bytes, graph = n * n * d * element_bytes;
  const std::int64_t longest = std::max(m, n);
  std::int64_t scores = config.heads * longest * longest * element_bytes;
  if (max_score_bytes > 0) scores = std::min(scores, max_score_bytes);
  const std::int64_t per_block = 3 * (4 * d * d * 2 + 2 * d * config.ffn_dim);
  const std::int64_t weights = config.blocks * per_block * element_bytes;
  const std::int64_t while_data = (kLiveStreams - 1) * data + graph + data;
  const std::int64_t while_graph = data + (kLiveStreams - 1) * graph;
  return std::max(while_data, while_graph) + scores + weights;
}

std::int64_t smallest_score_bytes(const ModelConfig& config, std::int64_t m, std::int64_t n) {
  return config.heads * std::min(kSmallestChunk, std::max(m, n)) * std::max(m, n) *
         static_cast<std::int64_t>(sizeof(float));
}

}  // namespace causcale

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

}  // namespace

double rows_left(const ModelConfig& config, int block) {
  double left = 1.0;
  for (int b = 0; b < block; ++b)
    if (config.pools_after(b)) left /= config.reduction_r;
  return left;
}

double forward_flops(const ModelConfig& config, std::int64_t m, std::int64_t n) {
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
  // Numbers a cell and block, seen as resident memory of single steps with d = 64 and 128, ffn = 128 to 512.
  const double numbers = 40.0 * config.embed_dim + 1.75 * config.ffn_dim;
  double blocks = 0.0;
  for (int b = 0; b < config.blocks; ++b) blocks += rows_left(config, b);
  return static_cast<std::int64_t>(4.0 * numbers * blocks * static_cast<double>(cells));
}

std::int64_t inference_bytes(const ModelConfig& config, std::int64_t m, std::int64_t n,
                             std::int64_t element_bytes, std::int64_t max_score_bytes) {
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

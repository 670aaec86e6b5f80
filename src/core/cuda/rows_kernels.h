// Launchers of the kernels around the axial layers: input, mean over samples, u and v, pairs and the head.
// Device pointers; activations bf16 or fp32 as `storage` says, everything said to be of floats fp32 in either
// case.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/cuda/storage.h"

namespace causcale::cuda {

constexpr int kMostPairLogits = 5;

// What a token of the data is told: [V B, m, n, width] from floats [B, m, n, width], the first number of each
// token times the sign of its column. signs [V, B, n] may be null: all +1.
struct DataValues {
  const float* data;
  const float* signs;
  std::int64_t tables, views, rows, columns;
  int width;
};
void write_data_values(const DataValues& args, void* values, Storage storage, cudaStream_t stream);

// The same of pairs: [V B, n, n, 1 + channels] from the prior [B, n, n], times both signs (null: all ones
// instead of a prior), and floats of pairs [B, n, n, channels].
struct PairValues {
  const float* prior;
  const float* pairs;
  const float* signs;
  std::int64_t tables, views, columns;
  int channels;
};
void write_pair_values(const PairValues& args, void* values, Storage storage, cudaStream_t stream);

// mean [batch, n, 128] over the samples of x [batch, m, n, 128].
void mean_over_samples(const void* x, void* mean, std::int64_t batch, std::int64_t m, std::int64_t n,
                       Storage storage, cudaStream_t stream);

// out = W2 LayerNorm(GELU(W1 x + b1)) + b2 of rows of 128, with all weights as floats and both matrices
// transposed: [in, out].
struct Projection128 {
  const float* first;
  const float* first_bias;
  const float* norm_weight;
  const float* norm_bias;
  const float* second;
  const float* second_bias;
};
// x [tokens, 128] -> u [tokens, 128], v [tokens, 128]
void project_u_v(const void* x, const Projection128& u, const Projection128& v, void* u_out, void* v_out,
                 std::int64_t tokens, Storage storage, cudaStream_t stream);

// A run of the pairs i < j of a batch of graphs with n nodes, in row-major order, one graph after the other.
struct PairRun {
  std::int64_t first, count;
  std::int64_t nodes;
};
// joined [readings, count, 256]: the layer norms of g_ij and g_ji one after the other; in the second reading
// of g_ji and g_ij. graph [batch, n, n, 128]; norm weights as floats.
void join_normed_pairs(const void* graph, const float* norm_weight, const float* norm_bias,
                       const PairRun& pairs, int readings, void* joined, Storage storage,
                       cudaStream_t stream);

// The head behind its first product: bias, GELU, layer norm, second Linear, softmax over the first three
// logits (none, i -> j, j -> i) and the logistic function of the others. hidden [readings, count, 256] of
// floats.
struct Head {
  const float* hidden;
  const float* bias;         // [256]
  const float* norm_weight;  // [256]
  const float* norm_bias;
  const float* second;  // [logits, 256]
  const float* second_bias;
  int logits;    // 3 to kMostPairLogits
  int readings;  // 2: the mean of both readings of a pair
};
// Writes both directions into edges [batch, n, n] and output k into outputs [k][batch, n, n]; diagonals are
// left as they are. `plane`: batch n n, the distance between outputs.
void read_pairs(const Head& head, const PairRun& pairs, float* edges, float* outputs, std::int64_t plane,
                cudaStream_t stream);

}  // namespace causcale::cuda

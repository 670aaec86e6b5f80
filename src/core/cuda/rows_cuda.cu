// A warp takes a row of 128 or 256 channels wherever sums over the channels are wanted.
#include <algorithm>
#include <cmath>

#include "core/cuda/check.h"
#include "core/cuda/rows_fp32.cuh"
#include "core/cuda/rows_kernels.h"
#include "core/cuda/storage.cuh"
#include "core/cuda/warp_sum.cuh"

namespace causcale::cuda {
namespace {

constexpr int kThreads = 256;

unsigned blocks_for(std::int64_t items, int per_block) {
  const std::int64_t wanted = (items + per_block - 1) / per_block;
  return static_cast<unsigned>(std::min<std::int64_t>(wanted, std::int64_t{multiprocessors()} * 16));
}

__device__ __forceinline__ Four load_four_of(const float* source) {
  return load_four(source);
}
__device__ __forceinline__ Four load_four_of(const bf16* source) {
  const uint2 bits = __ldg(reinterpret_cast<const uint2*>(source));
  return {{low_half(bits.x), high_half(bits.x), low_half(bits.y), high_half(bits.y)}};
}
__device__ __forceinline__ void store_four_of(float* target, const Four& value) {
  store_four(target, value);
}
__device__ __forceinline__ void store_four_of(bf16* target, const Four& value) {
  *reinterpret_cast<uint2*>(target) =
      uint2{pack_pair(value.v[0], value.v[1]), pack_pair(value.v[2], value.v[3])};
}

__device__ __forceinline__ float gelu(float value) {
  return 0.5f * value * (1.f + erff(value * 0.70710678118654752f));
}

template <class T>
__global__ __launch_bounds__(kThreads) void data_values_kernel(DataValues args, T* values) {
  const std::int64_t cells = args.rows * args.columns, count = args.views * args.tables * cells;
  for (std::int64_t k = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; k < count;
       k += std::int64_t{gridDim.x} * kThreads) {
    const std::int64_t part = k / cells, cell = k - part * cells, table = part % args.tables;
    const float* from = args.data + (table * cells + cell) * args.width;
    T* to = values + k * args.width;
    const float sign = args.signs ? args.signs[part * args.columns + cell % args.columns] : 1.f;
    assign(to[0], from[0] * sign);
    for (int i = 1; i < args.width; ++i) assign(to[i], from[i]);
  }
}

template <class T>
__global__ __launch_bounds__(kThreads) void pair_values_kernel(PairValues args, T* values) {
  const std::int64_t n = args.columns, cells = n * n, count = args.views * args.tables * cells;
  for (std::int64_t k = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; k < count;
       k += std::int64_t{gridDim.x} * kThreads) {
    const std::int64_t part = k / cells, cell = k - part * cells, table = part % args.tables;
    const std::int64_t i = cell / n, j = cell - i * n;
    float prior = args.prior ? args.prior[table * cells + cell] : 1.f;
    if (args.prior && args.signs) prior *= args.signs[part * n + i] * args.signs[part * n + j];
    T* to = values + k * (1 + args.channels);
    assign(to[0], prior);
    for (int c = 0; c < args.channels; ++c)
      assign(to[1 + c], args.pairs[(table * cells + cell) * args.channels + c]);
  }
}

// A block for a variable of a table: sixteen threads share a sample, eight channels each.
constexpr int kMeanLanes = kChannels / 8, kMeanThreads = 512, kMeanSlots = kMeanThreads / kMeanLanes;

template <class T>
__global__ __launch_bounds__(kMeanThreads) void mean_kernel(const T* x, T* mean, std::int64_t m,
                                                            std::int64_t n, float factor) {
  __shared__ float by_slot[kMeanSlots][kChannels];
  const int lane = threadIdx.x % kMeanLanes, slot = threadIdx.x / kMeanLanes;
  const std::int64_t table = blockIdx.x / n, column = blockIdx.x - table * n;
  const T* from = x + (table * m * n + column) * kChannels + lane * 8;
  float sum[8] = {}, values[8];
#pragma unroll 8
  for (std::int64_t r = slot; r < m; r += kMeanSlots) {
    load_channels(from + r * n * kChannels, values);
#pragma unroll
    for (int e = 0; e < 8; ++e) sum[e] += values[e];
  }
#pragma unroll
  for (int e = 0; e < 8; ++e) by_slot[slot][lane * 8 + e] = sum[e];
  __syncthreads();
  if (threadIdx.x >= kChannels) return;
  float total = 0.f;
#pragma unroll
  for (int k = 0; k < kMeanSlots; ++k) total += by_slot[k][threadIdx.x];
  assign(mean[std::int64_t{blockIdx.x} * kChannels + threadIdx.x], total * factor);
}

// A block makes eight rows of u or of v, a thread one channel of each.
constexpr int kProjectRows = 8;

// acc [row] = sum over k of rows [row][k] matrix [k, channel]
__device__ __forceinline__ void multiply_rows(const float (&rows)[kProjectRows][kChannels],
                                              const float* matrix, float start, float (&acc)[kProjectRows]) {
#pragma unroll
  for (int r = 0; r < kProjectRows; ++r) acc[r] = start;
#pragma unroll 4
  for (int k = 0; k < kChannels; k += 4) {
    float weight[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) weight[e] = __ldg(matrix + (k + e) * kChannels + threadIdx.x);
#pragma unroll
    for (int r = 0; r < kProjectRows; ++r) {
      const float4 x = *reinterpret_cast<const float4*>(&rows[r][k]);
      acc[r] += x.x * weight[0];
      acc[r] += x.y * weight[1];
      acc[r] += x.z * weight[2];
      acc[r] += x.w * weight[3];
    }
  }
}

// Layer norm of four neighbouring channels of a row that a warp holds, in place.
__device__ __forceinline__ void normalise(Four& row, const Four& gamma, const Four& beta) {
  const float mean = warp_sum((row.v[0] + row.v[1]) + (row.v[2] + row.v[3])) * (1.f / kChannels);
  float squares = 0.f;
#pragma unroll
  for (int e = 0; e < 4; ++e) squares += (row.v[e] - mean) * (row.v[e] - mean);
  const float rstd = rsqrtf(warp_sum(squares) * (1.f / kChannels) + kEpsilon);
#pragma unroll
  for (int e = 0; e < 4; ++e) row.v[e] = (row.v[e] - mean) * rstd * gamma.v[e] + beta.v[e];
}

template <class T>
__global__ __launch_bounds__(kChannels) void project_kernel(const T* x, Projection128 u, Projection128 v,
                                                            T* u_out, T* v_out, std::int64_t tokens) {
  __shared__ __align__(16) float rows[kProjectRows][kChannels];
  const Projection128& weights = blockIdx.y == 0 ? u : v;
  T* out = blockIdx.y == 0 ? u_out : v_out;
  const std::int64_t first = std::int64_t{blockIdx.x} * kProjectRows;
#pragma unroll
  for (int r = 0; r < kProjectRows; ++r)
    rows[r][threadIdx.x] = first + r < tokens ? to_float(x[(first + r) * kChannels + threadIdx.x]) : 0.f;
  __syncthreads();
  float acc[kProjectRows];
  multiply_rows(rows, weights.first, weights.first_bias[threadIdx.x], acc);
  __syncthreads();
#pragma unroll
  for (int r = 0; r < kProjectRows; ++r) rows[r][threadIdx.x] = gelu(acc[r]);
  __syncthreads();
  const int warp = threadIdx.x / 32, channel = threadIdx.x % 32 * 4;
  const Four gamma = load_four(weights.norm_weight + channel), beta = load_four(weights.norm_bias + channel);
#pragma unroll
  for (int r = warp; r < kProjectRows; r += kChannels / 32) {
    Four row = load_four(&rows[r][channel]);
    normalise(row, gamma, beta);
    store_four(&rows[r][channel], row);
  }
  __syncthreads();
  multiply_rows(rows, weights.second, weights.second_bias[threadIdx.x], acc);
#pragma unroll
  for (int r = 0; r < kProjectRows; ++r)
    if (first + r < tokens) assign(out[(first + r) * kChannels + threadIdx.x], acc[r]);
}

struct NodePair {
  std::int64_t graph, i, j;
};

// Pair number `index` of all graphs.
__device__ __forceinline__ NodePair find_pair(std::int64_t index, std::int64_t n) {
  const std::int64_t pairs = n * (n - 1) / 2, graph = index / pairs, place = index - graph * pairs;
  // Row i starts at i (2 n - 1 - i) / 2; the root may be off by a rounding error.
  const double side = 2.0 * static_cast<double>(n) - 1.0;
  auto i = static_cast<std::int64_t>((side - sqrt(side * side - 8.0 * static_cast<double>(place))) * 0.5);
  i = max(std::int64_t{0}, min(i, n - 2));
  while (i * (2 * n - 1 - i) / 2 > place) --i;
  while ((i + 1) * (2 * n - 2 - i) / 2 <= place) ++i;
  return {graph, i, place - i * (2 * n - 1 - i) / 2 + i + 1};
}

template <class T>
__global__ __launch_bounds__(kThreads) void join_kernel(const T* graph, const float* norm_weight,
                                                        const float* norm_bias, PairRun pairs, int readings,
                                                        T* joined) {
  constexpr int kWarps = kThreads / 32;
  const int channel = threadIdx.x % 32 * 4;
  const Four gamma = load_four(norm_weight + channel), beta = load_four(norm_bias + channel);
  const std::int64_t n = pairs.nodes;
  for (std::int64_t k = std::int64_t{blockIdx.x} * kWarps + threadIdx.x / 32; k < pairs.count;
       k += std::int64_t{gridDim.x} * kWarps) {
    const NodePair pair = find_pair(pairs.first + k, n);
    const std::int64_t cells = pair.graph * n * n;
    Four ij = load_four_of(graph + (cells + pair.i * n + pair.j) * kChannels + channel);
    Four ji = load_four_of(graph + (cells + pair.j * n + pair.i) * kChannels + channel);
    normalise(ij, gamma, beta);
    normalise(ji, gamma, beta);
    T* to = joined + k * 2 * kChannels + channel;
    store_four_of(to, ij);
    store_four_of(to + kChannels, ji);
    if (readings < 2) continue;
    to += pairs.count * 2 * kChannels;
    store_four_of(to, ji);
    store_four_of(to + kChannels, ij);
  }
}

// A lane's channels of a row of 256: four from 4 lane on, and four from 128 + 4 lane on.
struct Eight {
  Four low, high;
};
__device__ __forceinline__ Eight load_row(const float* row) {
  const int channel = threadIdx.x % 32 * 4;
  return {load_four(row + channel), load_four(row + kChannels + channel)};
}

template <int kLogits>
__device__ __forceinline__ void read_row(const Head& head, const float* hidden, const Eight& bias,
                                         const Eight& gamma, const Eight& beta,
                                         const Eight (&second)[kLogits], float (&logits)[kLogits]) {
  Eight row = load_row(hidden);
  float sum = 0.f, squares = 0.f;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    row.low.v[e] = gelu(row.low.v[e] + bias.low.v[e]);
    row.high.v[e] = gelu(row.high.v[e] + bias.high.v[e]);
    sum += row.low.v[e] + row.high.v[e];
  }
  const float mean = warp_sum(sum) * (0.5f / kChannels);
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    row.low.v[e] -= mean;
    row.high.v[e] -= mean;
    squares += row.low.v[e] * row.low.v[e] + row.high.v[e] * row.high.v[e];
  }
  const float rstd = rsqrtf(warp_sum(squares) * (0.5f / kChannels) + kEpsilon);
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    row.low.v[e] = row.low.v[e] * rstd * gamma.low.v[e] + beta.low.v[e];
    row.high.v[e] = row.high.v[e] * rstd * gamma.high.v[e] + beta.high.v[e];
  }
#pragma unroll
  for (int o = 0; o < kLogits; ++o) {
    float product = 0.f;
#pragma unroll
    for (int e = 0; e < 4; ++e)
      product += row.low.v[e] * second[o].low.v[e] + row.high.v[e] * second[o].high.v[e];
    logits[o] = warp_sum(product) + __ldg(head.second_bias + o);
  }
}

template <int kLogits>
__global__ __launch_bounds__(kThreads) void read_kernel(Head head, PairRun pairs, float* edges,
                                                        float* outputs, std::int64_t plane) {
  constexpr int kWarps = kThreads / 32;
  const Eight bias = load_row(head.bias), gamma = load_row(head.norm_weight), beta = load_row(head.norm_bias);
  Eight second[kLogits];
#pragma unroll
  for (int o = 0; o < kLogits; ++o) second[o] = load_row(head.second + o * 2 * kChannels);
  const float share = 1.f / static_cast<float>(head.readings);
  const std::int64_t n = pairs.nodes;
  for (std::int64_t k = std::int64_t{blockIdx.x} * kWarps + threadIdx.x / 32; k < pairs.count;
       k += std::int64_t{gridDim.x} * kWarps) {
    float forward = 0.f, backward = 0.f, others[kLogits > 3 ? kLogits - 3 : 1] = {};
    for (int reading = 0; reading < head.readings; ++reading) {
      float z[kLogits];
      read_row<kLogits>(head, head.hidden + (reading * pairs.count + k) * 2 * kChannels, bias, gamma, beta,
                        second, z);
      const float top = fmaxf(z[0], fmaxf(z[1], z[2]));
      const float none = expf(z[0] - top), first = expf(z[1] - top), other = expf(z[2] - top);
      const float inverse = share / (none + first + other);
      forward += (reading == 0 ? first : other) * inverse;
      backward += (reading == 0 ? other : first) * inverse;
#pragma unroll
      for (int o = 3; o < kLogits; ++o) others[o - 3] += share / (1.f + expf(-z[o]));
    }
    if (threadIdx.x % 32 != 0) continue;
    const NodePair pair = find_pair(pairs.first + k, n);
    const std::int64_t ij = pair.graph * n * n + pair.i * n + pair.j,
                       ji = pair.graph * n * n + pair.j * n + pair.i;
    edges[ij] = forward;
    edges[ji] = backward;
#pragma unroll
    for (int o = 3; o < kLogits; ++o)
      outputs[(o - 3) * plane + ij] = outputs[(o - 3) * plane + ji] = others[o - 3];
  }
}

}  // namespace

void write_data_values(const DataValues& args, void* values, Storage storage, cudaStream_t stream) {
  const unsigned blocks = blocks_for(args.views * args.tables * args.rows * args.columns, kThreads);
  if (storage == Storage::kBf16)
    data_values_kernel<<<blocks, kThreads, 0, stream>>>(args, static_cast<bf16*>(values));
  else
    data_values_kernel<<<blocks, kThreads, 0, stream>>>(args, static_cast<float*>(values));
  check_launch("write_data_values");
}

void write_pair_values(const PairValues& args, void* values, Storage storage, cudaStream_t stream) {
  const unsigned blocks = blocks_for(args.views * args.tables * args.columns * args.columns, kThreads);
  if (storage == Storage::kBf16)
    pair_values_kernel<<<blocks, kThreads, 0, stream>>>(args, static_cast<bf16*>(values));
  else
    pair_values_kernel<<<blocks, kThreads, 0, stream>>>(args, static_cast<float*>(values));
  check_launch("write_pair_values");
}

void mean_over_samples(const void* x, void* mean, std::int64_t batch, std::int64_t m, std::int64_t n,
                       Storage storage, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(batch * n);
  const float factor = 1.f / static_cast<float>(m);
  if (storage == Storage::kBf16)
    mean_kernel<<<blocks, kMeanThreads, 0, stream>>>(static_cast<const bf16*>(x), static_cast<bf16*>(mean), m,
                                                     n, factor);
  else
    mean_kernel<<<blocks, kMeanThreads, 0, stream>>>(static_cast<const float*>(x), static_cast<float*>(mean),
                                                     m, n, factor);
  check_launch("mean_over_samples");
}

void project_u_v(const void* x, const Projection128& u, const Projection128& v, void* u_out, void* v_out,
                 std::int64_t tokens, Storage storage, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((tokens + kProjectRows - 1) / kProjectRows), 2);
  if (storage == Storage::kBf16)
    project_kernel<<<grid, kChannels, 0, stream>>>(
        static_cast<const bf16*>(x), u, v, static_cast<bf16*>(u_out), static_cast<bf16*>(v_out), tokens);
  else
    project_kernel<<<grid, kChannels, 0, stream>>>(
        static_cast<const float*>(x), u, v, static_cast<float*>(u_out), static_cast<float*>(v_out), tokens);
  check_launch("project_u_v");
}

void join_normed_pairs(const void* graph, const float* norm_weight, const float* norm_bias,
                       const PairRun& pairs, int readings, void* joined, Storage storage,
                       cudaStream_t stream) {
  const unsigned blocks = blocks_for(pairs.count, kThreads / 32);
  if (storage == Storage::kBf16)
    join_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<const bf16*>(graph), norm_weight, norm_bias,
                                                 pairs, readings, static_cast<bf16*>(joined));
  else
    join_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<const float*>(graph), norm_weight, norm_bias,
                                                 pairs, readings, static_cast<float*>(joined));
  check_launch("join_normed_pairs");
}

void read_pairs(const Head& head, const PairRun& pairs, float* edges, float* outputs, std::int64_t plane,
                cudaStream_t stream) {
  const unsigned blocks = blocks_for(pairs.count, kThreads / 32);
  if (head.logits == 3)
    read_kernel<3><<<blocks, kThreads, 0, stream>>>(head, pairs, edges, outputs, plane);
  else if (head.logits == 4)
    read_kernel<4><<<blocks, kThreads, 0, stream>>>(head, pairs, edges, outputs, plane);
  else if (head.logits == 5)
    read_kernel<5><<<blocks, kThreads, 0, stream>>>(head, pairs, edges, outputs, plane);
  else
    throw Error("read_pairs: no kernel for so many outputs");
  check_launch("read_pairs");
}

}  // namespace causcale::cuda

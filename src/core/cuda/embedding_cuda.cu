// The embedding reads a few bytes a token and writes 128 channels, so it is as fast as it can write. Sixteen
// threads share a token, eight channels each.
//
// Layer norm subtracts the mean over the channels, which is linear: with weight and bias centred once, the
// mean of every token is zero. Backward, with v = (values, 1) and centred rows w_j (the last one the bias),
// the normalised token is rstd sum_j v_j w_j, and all gradients follow from sums over the tokens:
//   A_jc = sum rstd v_j dy_c,  sum dy_c,  Q_jk = sum rstd^2 v_j v_k s,  s = mean over c of gamma_c dy_c
//   xhat_c.
#include <string>

#include "core/cuda/check.h"
#include "core/cuda/embedding_kernels.h"
#include "core/cuda/for_training.cuh"
#include "core/cuda/storage.cuh"
#include "core/cuda/warp_sum.cuh"

namespace causcale::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kLanes = kChannels / 8;        // threads of a token
constexpr int kSlots = kThreads / kLanes;    // tokens of a block at a time
constexpr int kBlocksPerMultiprocessor = 2;  // of the backward pass: as many as fit at once
constexpr int kAhead = 4;                    // tokens of a thread whose gradients are fetched together

__device__ __forceinline__ void centre(float (&row)[8]) {
  float sum = 0.f;
#pragma unroll
  for (int e = 0; e < 8; ++e) sum += row[e];
  const float mean = warp_sum<kLanes>(sum) * (1.f / kChannels);
#pragma unroll
  for (int e = 0; e < 8; ++e) row[e] -= mean;
}

// This thread's eight channels of the centred weights: a row for each value, then the bias.
template <class T, int kInputs>
struct CentredRows {
  float row[kInputs + 1][8];

  __device__ __forceinline__ CentredRows(const Embedding& args, int lane) {
    const T* weight = static_cast<const T*>(args.weight) + lane * 8 * kInputs;
#pragma unroll
    for (int j = 0; j < kInputs; ++j) {
#pragma unroll
      for (int e = 0; e < 8; ++e) row[j][e] = to_float(weight[e * kInputs + j]);
    }
    load_channels(static_cast<const T*>(args.bias) + lane * 8, row[kInputs]);
#pragma unroll
    for (int j = 0; j <= kInputs; ++j) centre(row[j]);
  }

  __device__ __forceinline__ float deviation(const float (&v)[kInputs], int e) const {
    float h = row[kInputs][e];
#pragma unroll
    for (int j = 0; j < kInputs; ++j) h += v[j] * row[j][e];
    return h;
  }
};

template <class T, int kInputs>
__device__ __forceinline__ void load_values(const void* values, std::int64_t token, bool valid,
                                            float (&v)[kInputs]) {
#pragma unroll
  for (int j = 0; j < kInputs; ++j)
    v[j] = valid ? to_float(static_cast<const T*>(values)[token * kInputs + j]) : 0.f;
}

template <class T, int kInputs>
__global__ __launch_bounds__(kThreads) void embed_kernel(Embedding args, T* y, float* rstd) {
  const int lane = threadIdx.x % kLanes, slot = threadIdx.x / kLanes;
  const CentredRows<T, kInputs> rows(args, lane);
  float gamma[8], beta[8];
  load_channels(static_cast<const T*>(args.norm_weight) + lane * 8, gamma);
  load_channels(static_cast<const T*>(args.norm_bias) + lane * 8, beta);
  // All threads of a block go round equally often: the sums need whole warps.
  for (std::int64_t base = std::int64_t{blockIdx.x} * kSlots; base < args.tokens;
       base += std::int64_t{gridDim.x} * kSlots) {
    const std::int64_t token = base + slot;
    const bool valid = token < args.tokens;
    float v[kInputs], h[8], squares = 0.f;
    load_values<T, kInputs>(args.values, token, valid, v);
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      h[e] = rows.deviation(v, e);
      squares += h[e] * h[e];
    }
    const float inverse = rsqrtf(warp_sum<kLanes>(squares) * (1.f / kChannels) + kEpsilon);
    if (!valid) continue;
#pragma unroll
    for (int e = 0; e < 8; ++e) h[e] = h[e] * inverse * gamma[e] + beta[e];
    store_channels(y + token * kChannels + lane * 8, h);
    if (rstd != nullptr && lane == 0) rstd[token] = inverse;
  }
}

// Partial sums of a block: A_jc for each j, sum of dy_c, then Q_jk for j <= k.
template <int kInputs>
struct Partial {
  static constexpr int kSums = kInputs + 2;
  static constexpr int kProducts = (kInputs + 1) * (kInputs + 2) / 2;
  static constexpr int kFloats = kSums * kChannels + 8;
};

template <class T, int kInputs>
__global__ __launch_bounds__(kThreads) void embed_backward_kernel(Embedding args, const T* dy,
                                                                  const float* rstd, float* partials) {
  if (!kForTraining) return;
  using Sums = Partial<kInputs>;
  __shared__ float by_slot[Sums::kSums][kSlots][kChannels];
  __shared__ float products_by_slot[kSlots][Sums::kProducts];
  const int lane = threadIdx.x % kLanes, slot = threadIdx.x / kLanes;
  const CentredRows<T, kInputs> rows(args, lane);
  float gamma[8], sums[Sums::kSums][8] = {}, products[Sums::kProducts] = {};
  load_channels(static_cast<const T*>(args.norm_weight) + lane * 8, gamma);
  for (std::int64_t base = std::int64_t{blockIdx.x} * kSlots * kAhead; base < args.tokens;
       base += std::int64_t{gridDim.x} * kSlots * kAhead) {
    float v[kAhead][kInputs], gradient[kAhead][8], inverse[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      const std::int64_t token = base + i * kSlots + slot;
      const bool valid = token < args.tokens;
      load_values<T, kInputs>(args.values, token, valid, v[i]);
      inverse[i] = valid ? __ldg(rstd + token) : 0.f;
#pragma unroll
      for (int e = 0; e < 8; ++e) gradient[i][e] = 0.f;
      if (valid) load_channels(dy + token * kChannels + lane * 8, gradient[i]);
    }
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      float scaled[kInputs + 1], product = 0.f;
      scaled[kInputs] = inverse[i];
#pragma unroll
      for (int j = 0; j < kInputs; ++j) scaled[j] = v[i][j] * inverse[i];
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        product += gradient[i][e] * gamma[e] * rows.deviation(v[i], e);
#pragma unroll
        for (int j = 0; j <= kInputs; ++j) sums[j][e] += scaled[j] * gradient[i][e];
        sums[kInputs + 1][e] += gradient[i][e];
      }
      const float s = warp_sum<kLanes>(product) * (1.f / kChannels) * inverse[i];
      int index = 0;
#pragma unroll
      for (int j = 0; j <= kInputs; ++j) {
#pragma unroll
        for (int k = j; k <= kInputs; ++k) products[index++] += scaled[j] * scaled[k] * s;
      }
    }
  }
#pragma unroll
  for (int j = 0; j < Sums::kSums; ++j) {
#pragma unroll
    for (int e = 0; e < 8; ++e) by_slot[j][slot][lane * 8 + e] = sums[j][e];
  }
  if (lane == 0) {
#pragma unroll
    for (int i = 0; i < Sums::kProducts; ++i) products_by_slot[slot][i] = products[i];
  }
  __syncthreads();
  float* partial = partials + std::int64_t{blockIdx.x} * Sums::kFloats;
  for (int i = threadIdx.x; i < Sums::kSums * kChannels; i += kThreads) {
    float sum = 0.f;
    for (int k = 0; k < kSlots; ++k) sum += by_slot[i / kChannels][k][i % kChannels];
    partial[i] = sum;
  }
  if (threadIdx.x < 8) {
    float sum = 0.f;
    if (threadIdx.x < Sums::kProducts)
      for (int k = 0; k < kSlots; ++k) sum += products_by_slot[k][threadIdx.x];
    partial[Sums::kSums * kChannels + threadIdx.x] = sum;
  }
}

constexpr int kFinishGroups = 8;
constexpr int kFinishThreads = kFinishGroups * kChannels;

// Sum of 128 values in shared memory, for a whole warp.
__device__ __forceinline__ float warp_total(const float* values) {
  const int lane = threadIdx.x % 32;
  return warp_sum((values[lane] + values[lane + 32]) + (values[lane + 64] + values[lane + 96]));
}

template <class T, int kInputs>
__global__ __launch_bounds__(kFinishThreads) void finish_embed_backward_kernel(Embedding args,
                                                                               const float* partials,
                                                                               int blocks,
                                                                               EmbeddingGradients gradients) {
  if (!kForTraining) return;
  using Sums = Partial<kInputs>;
  __shared__ float grouped[kFinishGroups][kChannels];
  __shared__ float sums[Sums::kSums][kChannels];
  __shared__ float grouped_products[kFinishThreads / 8][8];
  __shared__ float products[8];
  __shared__ float rows[kInputs + 1][kChannels], scaled[kInputs + 1][kChannels];
  __shared__ float row_mean[kInputs + 1], scaled_mean[kInputs + 1];
  const int channel = threadIdx.x % kChannels, group = threadIdx.x / kChannels;

  for (int j = 0; j < Sums::kSums; ++j) {
    float sum = 0.f;
    for (int b = group; b < blocks; b += kFinishGroups)
      sum += partials[std::int64_t{b} * Sums::kFloats + j * kChannels + channel];
    grouped[group][channel] = sum;
    __syncthreads();
    if (group == 0) {
      for (int k = 1; k < kFinishGroups; ++k) sum += grouped[k][channel];
      sums[j][channel] = sum;
    }
    __syncthreads();
  }
  float sum = 0.f;
  for (int b = threadIdx.x / 8; b < blocks; b += kFinishThreads / 8)
    sum += partials[std::int64_t{b} * Sums::kFloats + Sums::kSums * kChannels + threadIdx.x % 8];
  grouped_products[threadIdx.x / 8][threadIdx.x % 8] = sum;
  const float gamma = to_float(static_cast<const T*>(args.norm_weight)[channel]);
  if (group == 0) {
    for (int j = 0; j < kInputs; ++j)
      rows[j][channel] = to_float(static_cast<const T*>(args.weight)[channel * kInputs + j]);
    rows[kInputs][channel] = to_float(static_cast<const T*>(args.bias)[channel]);
    for (int j = 0; j <= kInputs; ++j) scaled[j][channel] = gamma * sums[j][channel];
  }
  __syncthreads();
  if (threadIdx.x < 8) {
    float total = 0.f;
    for (int k = 0; k < kFinishThreads / 8; ++k) total += grouped_products[k][threadIdx.x];
    products[threadIdx.x] = total;
  }
  const int warp = threadIdx.x / 32;
  if (warp >= 1 && warp <= kInputs + 1) {
    const float mean = warp_total(rows[warp - 1]) * (1.f / kChannels);
    const float other = warp_total(scaled[warp - 1]) * (1.f / kChannels);
    if (threadIdx.x % 32 == 0) {
      row_mean[warp - 1] = mean;
      scaled_mean[warp - 1] = other;
    }
  }
  __syncthreads();
  if (group != 0) return;

  float d_gamma = 0.f;
  for (int j = 0; j <= kInputs; ++j) {
    d_gamma += (rows[j][channel] - row_mean[j]) * sums[j][channel];
    float gradient = scaled[j][channel] - scaled_mean[j];
    for (int k = 0; k <= kInputs; ++k) {
      const int low = j < k ? j : k, high = j < k ? k : j;
      // Place of (low, high) in the order of the partial sums.
      const int index = low * (2 * kInputs + 3 - low) / 2 + (high - low);
      gradient -= (rows[k][channel] - row_mean[k]) * products[index];
    }
    if (j < kInputs)
      assign(static_cast<T*>(gradients.weight)[channel * kInputs + j], gradient);
    else
      assign(static_cast<T*>(gradients.bias)[channel], gradient);
  }
  assign(static_cast<T*>(gradients.norm_weight)[channel], d_gamma);
  assign(static_cast<T*>(gradients.norm_bias)[channel], sums[kInputs + 1][channel]);
}

template <class T, int kInputs>
struct Instance {
  using Type = T;
  static constexpr int kCount = kInputs;
};

template <class T, int kInputs, int kMost, class Launch>
void dispatch_inputs(int inputs, const Launch& launch) {
  if constexpr (kInputs > kMost) {
    throw Error("embed: no kernel for tokens of " + std::to_string(inputs) + " values");
  } else {
    if (inputs != kInputs) return dispatch_inputs<T, kInputs + 1, kMost>(inputs, launch);
    launch(Instance<T, kInputs>());
  }
}

// Calls `launch` with the instance for the storage and the number of inputs.
template <int kMost, class Launch>
void dispatch(int inputs, Storage storage, const Launch& launch) {
  if (storage == Storage::kBf16)
    dispatch_inputs<bf16, 1, kMost>(inputs, launch);
  else
    dispatch_inputs<float, 1, kMost>(inputs, launch);
}

int blocks_for(std::int64_t tokens, int per_multiprocessor) {
  const std::int64_t wanted = (tokens + kSlots - 1) / kSlots;
  const std::int64_t most = std::int64_t{multiprocessors()} * per_multiprocessor;
  return static_cast<int>(wanted < most ? wanted : most);
}

}  // namespace

void embed(const Embedding& args, void* y, float* rstd, Storage storage, cudaStream_t stream) {
  dispatch<kMostInputs>(args.inputs, storage, [&](auto instance) {
    using T = typename decltype(instance)::Type;
    constexpr int kInputs = decltype(instance)::kCount;
    embed_kernel<T, kInputs>
        <<<blocks_for(args.tokens, 8), kThreads, 0, stream>>>(args, static_cast<T*>(y), rstd);
  });
  check_launch("embed");
}

int embed_backward_blocks(std::int64_t tokens) {
  return blocks_for((tokens + kAhead - 1) / kAhead, kBlocksPerMultiprocessor);
}

std::int64_t embed_backward_floats(int inputs, int blocks) {
  return std::int64_t{blocks} * (inputs == 1 ? Partial<1>::kFloats : Partial<2>::kFloats);
}

void embed_backward(const Embedding& args, const void* dy, const float* rstd, float* workspace, int blocks,
                    const EmbeddingGradients& gradients, Storage storage, cudaStream_t stream) {
  dispatch<2>(args.inputs, storage, [&](auto instance) {
    using T = typename decltype(instance)::Type;
    constexpr int kInputs = decltype(instance)::kCount;
    embed_backward_kernel<T, kInputs>
        <<<blocks, kThreads, 0, stream>>>(args, static_cast<const T*>(dy), rstd, workspace);
    finish_embed_backward_kernel<T, kInputs>
        <<<1, kFinishThreads, 0, stream>>>(args, workspace, blocks, gradients);
  });
  check_launch("embed_backward");
}

}  // namespace causcale::cuda

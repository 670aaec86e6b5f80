// A warpgroup's tile of 64 tokens by 128 channels in registers.
//
// A matrix product does not care about the order of the channels it sums over, nor about the order in which
// output channels are computed, as long as the weights follow. We choose the order in which thread t of each
// group of four owns channels 32 g + 8 t .. + 7 (g = 0..3) of two tokens: then every thread reads and writes
// whole 16-byte pieces, accumulators turn into the next product's operand without moving, and a piece is
// exactly one head.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "core/cuda/hopper.cuh"
#include "core/cuda/token_map.h"

namespace causcale::cuda {

using bf16 = __nv_bfloat16;

__device__ __forceinline__ float low_half(std::uint32_t pair) {
  return __uint_as_float(pair << 16);
}
__device__ __forceinline__ float high_half(std::uint32_t pair) {
  return __uint_as_float(pair & 0xffff0000u);
}
__device__ __forceinline__ std::uint32_t pack_pair(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}
__device__ __forceinline__ void unpack(const uint4& piece, float (&values)[8]) {
  values[0] = low_half(piece.x), values[1] = high_half(piece.x);
  values[2] = low_half(piece.y), values[3] = high_half(piece.y);
  values[4] = low_half(piece.z), values[5] = high_half(piece.z);
  values[6] = low_half(piece.w), values[7] = high_half(piece.w);
}
__device__ __forceinline__ uint4 pack(const float (&v)[8]) {
  return {pack_pair(v[0], v[1]), pack_pair(v[2], v[3]), pack_pair(v[4], v[5]), pack_pair(v[6], v[7])};
}
__device__ __forceinline__ uint4 load_piece(const void* source, std::int64_t piece) {
  return __ldg(static_cast<const uint4*>(source) + piece);
}
__device__ __forceinline__ void store_piece(void* target, std::int64_t piece, const uint4& value) {
  static_cast<uint4*>(target)[piece] = value;
}
__device__ __forceinline__ void load_eight(const float* source, float (&values)[8]) {
  const float4 a = *reinterpret_cast<const float4*>(source), b = *reinterpret_cast<const float4*>(source + 4);
  values[0] = a.x, values[1] = a.y, values[2] = a.z, values[3] = a.w;
  values[4] = b.x, values[5] = b.y, values[6] = b.z, values[7] = b.w;
}

// Pieces [channel group][token half] of a thread; the second token is eight rows below the first.
template <int kGroups>
struct Pieces {
  uint4 v[kGroups][2];
};

struct Lane {
  int row;      // first of this thread's two rows in the tile; the other is row + 8
  int quarter;  // t above
  __device__ __forceinline__ explicit Lane(int thread_in_warpgroup)
      : row((thread_in_warpgroup / 32) * 16 + (thread_in_warpgroup % 32) / 4),
        quarter(thread_in_warpgroup % 4) {}
};

__device__ __forceinline__ float quad_sum(float value) {
  value += __shfl_xor_sync(0xffffffffu, value, 1);
  return value + __shfl_xor_sync(0xffffffffu, value, 2);
}

// A packed matrix of kChannels x kChannels, and the part of it that holds 64 columns.
constexpr int kImageBytes = kChannels * kChannels * 2;
constexpr int kBlockBytes = kChannels * 128;

// The two rows of a tile that a thread holds, for tokens that lie one after the other.
__device__ __forceinline__ void locate(TokenPlace (&place)[2], std::uint32_t token, std::uint32_t tokens) {
  place[0] = {token < tokens, token, 0};
  place[1] = {token + 8 < tokens, token + 8, 0};
}

// One tile's tokens as rows of 128 channels.
__device__ __forceinline__ void load_rows(Pieces<4>& tile, const bf16* x, const TokenPlace (&place)[2],
                                          int quarter) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int g = 0; g < 4; ++g) {
      tile.v[g][half] =
          place[half].valid ? load_piece(x, place[half].token * 16 + 4 * g + quarter) : uint4{0, 0, 0, 0};
    }
  }
}

// One tile's tokens from 16 head planes.
__device__ __forceinline__ void load_planes(Pieces<4>& tile, const bf16* planes, std::int64_t plane_pieces,
                                            const TokenPlace (&place)[2], int quarter) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int g = 0; g < 4; ++g) {
      tile.v[g][half] = place[half].valid
                            ? load_piece(planes, place[half].piece + (4 * g + quarter) * plane_pieces)
                            : uint4{0, 0, 0, 0};
    }
  }
}

// The eight values of channel group g, token half `half` in the accumulators of a product.
template <int kCount>
__device__ __forceinline__ void accumulator_piece(const float (&acc)[kCount], int g, int half,
                                                  float (&values)[8]) {
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    values[2 * j] = acc[(4 * g + j) * 4 + half * 2];
    values[2 * j + 1] = acc[(4 * g + j) * 4 + half * 2 + 1];
  }
}

// acc (+)= tile W^T: W [N, 32 kGroups] as packed by pack_weights in blocks of `block_bytes` = N * 128 bytes.
template <int kGroups, int kCount>
__device__ __forceinline__ void multiply_by_rows(float (&acc)[kCount], const Pieces<kGroups>& tile,
                                                 std::uint32_t weights, std::uint32_t block_bytes,
                                                 bool accumulate) {
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const std::uint64_t b = matrix_descriptor(weights + (g / 2) * block_bytes + (g % 2) * 64, block_bytes);
    const uint4 &first = tile.v[g][0], &second = tile.v[g][1];
    wgmma_registers<false>(acc, first.x, second.x, first.y, second.y, b, accumulate || g > 0);
    wgmma_registers<false>(acc, first.z, second.z, first.w, second.w, b + 2, true);
  }
}

// acc (+)= tile W: W [32 kGroups, N] in the same packed form, read the other way round.
template <int kGroups, int kCount>
__device__ __forceinline__ void multiply_by_columns(float (&acc)[kCount], const Pieces<kGroups>& tile,
                                                    std::uint32_t weights, std::uint32_t block_bytes,
                                                    bool accumulate) {
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const std::uint64_t b = matrix_descriptor(weights + g * 4096, block_bytes);
    const uint4 &first = tile.v[g][0], &second = tile.v[g][1];
    wgmma_registers<true>(acc, first.x, second.x, first.y, second.y, b, accumulate || g > 0);
    wgmma_registers<true>(acc, first.z, second.z, first.w, second.w, b + (2048 >> 4), true);
  }
}

// Layer norm of each token in place; gamma and beta [128] in shared memory.
__device__ __forceinline__ void layer_norm(Pieces<4>& tile, const float* gamma, const float* beta,
                                           int quarter, float epsilon, float (&mean)[2], float (&rstd)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float sum = 0.f, values[8];
#pragma unroll
    for (int g = 0; g < 4; ++g) {
      unpack(tile.v[g][half], values);
#pragma unroll
      for (int e = 0; e < 8; ++e) sum += values[e];
    }
    mean[half] = quad_sum(sum) * (1.f / kChannels);
    float squares = 0.f;
#pragma unroll
    for (int g = 0; g < 4; ++g) {
      unpack(tile.v[g][half], values);
#pragma unroll
      for (int e = 0; e < 8; ++e) squares += (values[e] - mean[half]) * (values[e] - mean[half]);
    }
    rstd[half] = rsqrtf(quad_sum(squares) * (1.f / kChannels) + epsilon);
  }
#pragma unroll
  for (int g = 0; g < 4; ++g) {
    float scale[8], shift[8], values[8];
    load_eight(gamma + 32 * g + 8 * quarter, scale);
    load_eight(beta + 32 * g + 8 * quarter, shift);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      unpack(tile.v[g][half], values);
#pragma unroll
      for (int e = 0; e < 8; ++e) values[e] = (values[e] - mean[half]) * rstd[half] * scale[e] + shift[e];
      tile.v[g][half] = pack(values);
    }
  }
}

// Layer norm backward and the residual: writes dx = dy + (d LayerNorm / dx)^T acc, where acc holds the
// gradient of the layer norm's output.
__device__ __forceinline__ void store_norm_backward(const float (&acc)[64], const bf16* x, const bf16* dy,
                                                    const float* mean, const float* rstd, const float* gamma,
                                                    bf16* dx, const TokenPlace (&place)[2], int quarter) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    uint4 input[4], residual[4];
#pragma unroll
    for (int g = 0; g < 4; ++g) {
      const std::int64_t piece = place[half].token * 16 + 4 * g + quarter;
      input[g] = place[half].valid ? load_piece(x, piece) : uint4{0, 0, 0, 0};
      residual[g] = place[half].valid ? load_piece(dy, piece) : uint4{0, 0, 0, 0};
    }
    const float centre = place[half].valid ? __ldg(mean + place[half].token) : 0.f;
    const float inverse = place[half].valid ? __ldg(rstd + place[half].token) : 0.f;
    float sum = 0.f, product = 0.f, values[8], gradient[8], scale[8];
#pragma unroll
    for (int g = 0; g < 4; ++g) {
      unpack(input[g], values);
      accumulator_piece(acc, g, half, gradient);
      load_eight(gamma + 32 * g + 8 * quarter, scale);
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        const float scaled = gradient[e] * scale[e];
        sum += scaled;
        product += scaled * (values[e] - centre) * inverse;
      }
    }
    sum = quad_sum(sum) * (1.f / kChannels);
    product = quad_sum(product) * (1.f / kChannels);
#pragma unroll
    for (int g = 0; g < 4; ++g) {
      float passed[8];
      unpack(input[g], values);
      unpack(residual[g], passed);
      accumulator_piece(acc, g, half, gradient);
      load_eight(gamma + 32 * g + 8 * quarter, scale);
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        const float normalised = (values[e] - centre) * inverse;
        passed[e] += inverse * (gradient[e] * scale[e] - sum - normalised * product);
      }
      if (place[half].valid) store_piece(dx, place[half].token * 16 + 4 * g + quarter, pack(passed));
    }
  }
}

// Copies `count` bf16 values into shared memory as floats.
__device__ __forceinline__ void widen(float* target, const bf16* source, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) target[i] = __bfloat162float(source[i]);
}

}  // namespace causcale::cuda

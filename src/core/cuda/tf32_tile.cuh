// Products of fp32 tiles on the matrix unit, with nearly the accuracy of fp32. Every operand is split into
// two tf32 numbers, x = high + low, and three of the four products are added: high low + low high + high
// high; what is left out is 2^-22 of a product. The matrix unit truncates as it accumulates, which over long
// sums would become a bias, so it sums 32 terms only and ordinary additions do the rest.
#pragma once

#include "core/cuda/tf32_mma.cuh"

namespace causcale::cuda {

// A block of eight warps makes a tile of 64 x 128: two rows of four warps, 32 x 32 each.
constexpr int kTileWarps = 8;
constexpr int kTileThreads = kTileWarps * 32;
constexpr int kTileRows = 64;
constexpr int kTileCols = 128;

// Rows of operands in shared memory: with four words more than a multiple of 32 a warp's reads meet no bank
// twice where the summed index runs along the row, with eight more where it runs across the rows.
constexpr int kAlongStride = kTileCols + 4;
constexpr int kAcrossStride = kTileCols + 8;
constexpr int kAcrossHalfStride = kTileCols / 2 + 8;

// A thread's share of the tile: [block of 16 rows][block of 8 columns][as in mma_tf32].
using TileSums = float[2][4][4];

struct TilePlace {
  int row, col;  // of the warp's part
  int group, quarter;
  __device__ __forceinline__ explicit TilePlace(int thread)
      : row(thread / 128 * 32), col(thread / 32 % 4 * 32), group(thread % 32 / 4), quarter(thread % 4) {}
};

struct SplitTf32 {
  std::uint32_t high, low;
  __device__ __forceinline__ explicit SplitTf32(float value) {
    high = to_tf32(value);
    low = to_tf32(value - __uint_as_float(high));
  }
};

// sums += A[64, kDepth] B[kDepth, 128], both in shared memory: A (m, k) at m kRowA + k kDepthA, B (k, n) at
// k kDepthB + n kColB. kDepth is a multiple of 32.
template <int kDepth, int kRowA, int kDepthA, int kDepthB, int kColB>
__device__ __forceinline__ void multiply_tile(TileSums& sums, const float* a, const float* b,
                                              const TilePlace& place) {
  a += (place.row + place.group) * kRowA + place.quarter * kDepthA;
  b += (place.col + place.group) * kColB + place.quarter * kDepthB;
#pragma unroll 1
  for (int start = 0; start < kDepth; start += 32) {
    float acc[2][4][4] = {};
#pragma unroll
    for (int k = start; k < start + 32; k += 8) {
      std::uint32_t high_a[2][4], low_a[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const SplitTf32 split(a[(16 * i + e % 2 * 8) * kRowA + (k + e / 2 * 4) * kDepthA]);
          high_a[i][e] = split.high;
          low_a[i][e] = split.low;
        }
      }
      // The three products of an accumulator wait for each other, so four accumulators take turns.
#pragma unroll
      for (int first = 0; first < 4; first += 2) {
        std::uint32_t high_b[2][2], low_b[2][2];
#pragma unroll
        for (int j = 0; j < 2; ++j) {
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            const SplitTf32 split(b[(k + 4 * e) * kDepthB + 8 * (first + j) * kColB]);
            high_b[j][e] = split.high;
            low_b[j][e] = split.low;
          }
        }
        const auto add_products = [&](const std::uint32_t(&of_a)[2][4], const std::uint32_t(&of_b)[2][2]) {
#pragma unroll
          for (int j = 0; j < 2; ++j) {
#pragma unroll
            for (int i = 0; i < 2; ++i) mma_tf32(acc[i][first + j], of_a[i], of_b[j]);
          }
        };
        add_products(high_a, low_b);
        add_products(low_a, high_b);
        add_products(high_a, high_b);
      }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[i][j][e] += acc[i][j][e];
      }
    }
  }
}

// Writes the tile row by row; `stride` must be even and the target on an 8-byte boundary.
__device__ __forceinline__ void store_tile(float* target, std::int64_t stride, const TileSums& sums,
                                           const TilePlace& place) {
  target += (place.row + place.group) * stride + place.col + 2 * place.quarter;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float* upper = target + 16 * i * stride + 8 * j;
      *reinterpret_cast<float2*>(upper) = float2{sums[i][j][0], sums[i][j][1]};
      *reinterpret_cast<float2*>(upper + 8 * stride) = float2{sums[i][j][2], sums[i][j][3]};
    }
  }
}

}  // namespace causcale::cuda

// Where the tokens of a grid [B, R, C] lie in memory: as rows of 128 channels, and in the head planes
// [B, 16, L, T, 8] that make tied attention a plain matrix product (T: tied axis; L: mixed axis, rounded up
// to a multiple of 8, because matrix products with odd extents fall back to slow kernels).
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define CAUSCALE_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define CAUSCALE_HOST_DEVICE inline
#endif

namespace causcale::cuda {

constexpr int kChannels = 128;
constexpr int kHeads = 16;
constexpr float kEpsilon = 1e-5f;  // of layer norms
constexpr int kTileTokens = 64;    // rows of one warpgroup's matrix product

// Division by a number known at launch time, for numerators below 2^31.
struct FastDivide {
  std::uint32_t divisor = 1;
  std::uint32_t multiplier = 0;
  std::uint32_t shift = 0;

  FastDivide() = default;
  explicit FastDivide(std::uint32_t value) : divisor(value) {
    while ((std::uint64_t{1} << shift) < divisor) ++shift;
    multiplier = static_cast<std::uint32_t>(
        ((std::uint64_t{1} << 32) * ((std::uint64_t{1} << shift) - divisor)) / divisor + 1);
  }
  CAUSCALE_HOST_DEVICE std::uint32_t quotient(std::uint32_t n) const {
#ifdef __CUDA_ARCH__
    const std::uint32_t high = __umulhi(n, multiplier);
#else
    const auto high = static_cast<std::uint32_t>((std::uint64_t{n} * multiplier) >> 32);
#endif
    return (high + n) >> shift;
  }
};

// One token of a tile: its row number, and the number of its 8-channel piece in the plane of head 0.
struct TokenPlace {
  bool valid;
  std::int64_t token;
  std::int64_t piece;
};

// Deals the tokens into tiles of 64. Eight consecutive rows of a tile are neighbours in the planes, so that
// every access to a plane moves 128 consecutive bytes.
struct TokenMap {
  std::uint32_t tokens = 0;       // B R C
  std::uint32_t tiles = 0;        // of 64 rows
  std::uint32_t groups = 0;       // row layout: groups of eight tokens, B ceil(R / 8) C
  std::uint32_t rows = 0;         // R
  std::uint32_t cols = 0;         // C
  bool row_attention = false;     // planes [B, 16, C, R, 8] rather than [B, 16, R, C, 8]
  std::int64_t plane_pieces = 0;  // L T: distance between the planes of neighbouring heads
  std::int64_t stack_pieces = 0;  // B 16 L T: distance between q, k and v
  FastDivide by_cells, by_cols, by_row_groups;

  static constexpr std::int64_t round_up(std::int64_t extent) { return (extent + 7) / 8 * 8; }

  TokenMap() = default;
  TokenMap(std::int64_t batch, std::int64_t grid_rows, std::int64_t grid_cols, bool is_row_attention)
      : tokens(static_cast<std::uint32_t>(batch * grid_rows * grid_cols)),
        rows(static_cast<std::uint32_t>(grid_rows)),
        cols(static_cast<std::uint32_t>(grid_cols)),
        row_attention(is_row_attention),
        plane_pieces(is_row_attention ? round_up(grid_cols) * grid_rows : round_up(grid_rows) * grid_cols),
        stack_pieces(batch * kHeads * plane_pieces),
        by_cells(rows * cols),
        by_cols(cols),
        by_row_groups((rows + 7) / 8) {
    groups = static_cast<std::uint32_t>(batch) * by_row_groups.divisor * cols;
    tiles = row_attention ? (groups + 7) / 8 : (tokens + kTileTokens - 1) / kTileTokens;
  }

  // Tokens that have no grid: one after the other.
  static TokenMap in_a_row(std::uint32_t count) { return TokenMap(1, count, 1, /*is_row_attention=*/false); }

  CAUSCALE_HOST_DEVICE TokenPlace place(std::uint32_t tile, std::uint32_t row) const {
    if (!row_attention) {
      const std::uint32_t token = tile * kTileTokens + row;
      const std::uint32_t b = by_cells.quotient(token);
      return {token < tokens, token,
              static_cast<std::int64_t>(b) * kHeads * plane_pieces + (token - b * by_cells.divisor)};
    }
    const std::uint32_t group = tile * 8 + row / 8;
    const std::uint32_t strip = by_cols.quotient(group);
    const std::uint32_t c = group - strip * cols;
    const std::uint32_t b = by_row_groups.quotient(strip);
    const std::uint32_t r = (strip - b * by_row_groups.divisor) * 8 + row % 8;
    return {group < groups && r < rows, (static_cast<std::int64_t>(b) * rows + r) * cols + c,
            static_cast<std::int64_t>(b) * kHeads * plane_pieces + static_cast<std::int64_t>(c) * rows + r};
  }
};

}  // namespace causcale::cuda

// Products of bfloat16 on tile registers. There are eight, of at most 16 rows of 64 bytes: 0 to 3 sum a block
// of 2 x 2 tiles of 16 x 16 floats, 4 and 5 hold 16 rows of a each, 6 and 7 the two halves of a panel of b.
// One instruction multiplies 16 rows by 16 columns over 32 depths.
//
// Tiles is who keeps the registers: the processor (amx_tiles.h), or an emulation with which tests run this
// code anywhere. It gives them back when it is destroyed.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/cpu/bfloat16.h"

namespace causcale::core {
namespace {

// What the processor reads to know the shapes of its registers.
struct TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfig) == 64);

// The upper tiles of a block have `upper` rows, the lower ones `lower`, which may be none.
constexpr TileConfig tile_config(std::int64_t upper, std::int64_t lower) {
  TileConfig config;
  const std::int64_t rows[8] = {upper, upper, lower, lower, upper, lower, 16, 16};
  for (int tile = 0; tile < 8; ++tile) {
    config.rows[tile] = static_cast<std::uint8_t>(rows[tile]);
    config.row_bytes[tile] = rows[tile] > 0 ? 64 : 0;
  }
  return config;
}

template <class Tiles>
class TileProducts {
 public:
  static constexpr std::int64_t kPanel = 32, kGroup = 2;

  // Kernels<Bf16>::multiply.
  static void multiply(std::int64_t rows, std::int64_t cols, std::int64_t depth, const Bf16* a,
                       std::int64_t a_stride, const Bf16* panels, std::int64_t panel_stride, float* c,
                       std::int64_t c_stride, bool accumulate) {
    Tiles tiles;
    const std::int64_t pairs = (depth + 1) / 2;
    const Right right{panels, panel_stride, cols, pairs};
    for (std::int64_t first = 0; first < rows; first += kRowsAtOnce) {
      const std::int64_t count = smaller(rows - first, kRowsAtOnce), whole = count / kBlock * kBlock;
      const Left left(tiles, a + first * a_stride, a_stride, count, pairs);
      const Sums sums{c + first * c_stride, c_stride, accumulate};
      if (whole > 0) panels_of<2>(tiles, left, 0, whole, kBlock, right, sums);
      if (const std::int64_t rest = count - whole; rest > kSide)
        panels_of<2>(tiles, left, whole, count, rest, right, sums);
      else if (rest > 0)
        panels_of<1>(tiles, left, whole, count, rest, right, sums);
    }
  }

 private:
  static constexpr std::int64_t kSide = 16;             // rows and columns of a tile of sums
  static constexpr std::int64_t kBlock = 2 * kSide;     // of a block
  static constexpr std::int64_t kPairs = 16;            // of depths, in one tile
  static constexpr std::int64_t kRowsAtOnce = 128;      // whose last depths are copied at once
  static constexpr std::int64_t kTileRow = 2 * kPairs;  // elements
  static constexpr std::int64_t kPanelRow = kPanel * kGroup;

  static constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

  // Rows of a. Depths that fill no tile go through a copy that ends in zeros: registers must not change their
  // shape while they sum.
  struct Left {
    Left(Tiles& tiles, const Bf16* a, std::int64_t stride, std::int64_t rows, std::int64_t pairs)
        : a(a), stride(stride), steps(pairs / kPairs), rest(pairs % kPairs) {
      if (rest > 0)
        for (std::int64_t i = 0; i < rows; ++i)
          tiles.copy_pairs(a + i * stride + steps * kTileRow, rest, last + i * kTileRow);
    }
    const Bf16* a;
    std::int64_t stride, steps, rest;
    alignas(64) Bf16 last[kRowsAtOnce * kTileRow];
  };
  struct Right {
    const Bf16* panels;
    std::int64_t stride, cols, pairs;
  };
  struct Sums {
    float* c;
    std::int64_t stride;
    bool accumulate;
  };

  // Rows [begin, end) of all panels, `height` at a time, in M tiles.
  template <int M>
  static void panels_of(Tiles& tiles, const Left& left, std::int64_t begin, std::int64_t end,
                        std::int64_t height, const Right& right, const Sums& sums) {
    const TileConfig config = tile_config(smaller(height, kSide), height > kSide ? height - kSide : 0);
    tiles.configure(config);
    alignas(64) Bf16 last[kPairs * kPanelRow];  // as in Left
    const Bf16* panel = right.panels;
    for (std::int64_t j = 0; j < right.cols; j += kPanel, panel += right.stride) {
      if (left.rest > 0) {
        std::memset(last, 0, sizeof last);
        for (std::int64_t k = 0; k < left.rest; ++k)
          std::memcpy(last + k * kPanelRow, panel + (left.steps * kPairs + k) * kPanelRow,
                      sizeof(Bf16) * kPanelRow);
      }
      const std::int64_t cols = smaller(right.cols - j, kPanel);
      for (std::int64_t i = begin; i < end; i += height) {
        float* c = sums.c + i * sums.stride + j;
        if (cols > kSide)
          part<M, 2>(tiles, left, i, panel, last, c, sums, height, cols);
        else
          part<M, 1>(tiles, left, i, panel, last, c, sums, height, cols);
      }
    }
  }

  // Tiles are stored whole: columns that c does not have go to a copy.
  template <int M, int N>
  static void part(Tiles& tiles, const Left& left, std::int64_t row, const Bf16* panel, const Bf16* last,
                   float* c, const Sums& sums, std::int64_t rows, std::int64_t cols) {
    if (cols == N * kSide) return block<M, N>(tiles, left, row, panel, last, c, sums.stride, sums.accumulate);
    alignas(64) float copy[kBlock * kBlock];
    if (sums.accumulate)
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < N * kSide; ++j)
          copy[i * kBlock + j] = j < cols ? c[i * sums.stride + j] : 0.0f;
    block<M, N>(tiles, left, row, panel, last, copy, kBlock, sums.accumulate);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < cols; ++j) c[i * sums.stride + j] = copy[i * kBlock + j];
  }

  // M x N tiles of sums over the whole depth.
  template <int M, int N>
  static void block(Tiles& tiles, const Left& left, std::int64_t row, const Bf16* panel, const Bf16* last,
                    float* c, std::int64_t stride, bool accumulate) {
    const std::int64_t bytes = stride * static_cast<std::int64_t>(sizeof(float));
    float* lower = c + kSide * stride;
    if (accumulate) {
      tiles.template load<0>(c, bytes);
      if constexpr (N == 2) tiles.template load<1>(c + kSide, bytes);
      if constexpr (M == 2) tiles.template load<2>(lower, bytes);
      if constexpr (M == 2 && N == 2) tiles.template load<3>(lower + kSide, bytes);
    } else {
      tiles.template zero<0>();
      if constexpr (N == 2) tiles.template zero<1>();
      if constexpr (M == 2) tiles.template zero<2>();
      if constexpr (M == 2 && N == 2) tiles.template zero<3>();
    }
    const Bf16* a = left.a + row * left.stride;
    for (std::int64_t s = 0; s < left.steps; ++s, a += kTileRow, panel += kPairs * kPanelRow)
      step<M, N>(tiles, a, left.stride, panel);
    if (left.rest > 0) step<M, N>(tiles, left.last + row * kTileRow, kTileRow, last);
    tiles.template store<0>(c, bytes);
    if constexpr (N == 2) tiles.template store<1>(c + kSide, bytes);
    if constexpr (M == 2) tiles.template store<2>(lower, bytes);
    if constexpr (M == 2 && N == 2) tiles.template store<3>(lower + kSide, bytes);
  }

  // 32 depths.
  template <int M, int N>
  static inline void step(Tiles& tiles, const Bf16* a, std::int64_t a_stride, const Bf16* b) {
    const std::int64_t a_bytes = a_stride * static_cast<std::int64_t>(sizeof(Bf16));
    constexpr std::int64_t kPanelBytes = kPanelRow * static_cast<std::int64_t>(sizeof(Bf16));
    tiles.template load<6>(b, kPanelBytes);
    if constexpr (N == 2) tiles.template load<7>(b + kTileRow, kPanelBytes);
    tiles.template load<4>(a, a_bytes);
    tiles.template multiply<0, 4, 6>();
    if constexpr (N == 2) tiles.template multiply<1, 4, 7>();
    if constexpr (M == 2) {
      tiles.template load<5>(a + kSide * a_stride, a_bytes);
      tiles.template multiply<2, 5, 6>();
      if constexpr (N == 2) tiles.template multiply<3, 5, 7>();
    }
  }
};

}  // namespace
}  // namespace causcale::core

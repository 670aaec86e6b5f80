// Products of bfloat16 on tile registers. There are eight, of at most 16 rows of 64 bytes: 0 to 3 sum a block
// of 2 x 2 tiles of 16 x 16 floats, 4 and 5 hold 16 rows of a each, 6 and 7 the two halves of a panel of b.
// One instruction multiplies 16 rows by 16 columns over 32 depths.
//
// Tiles is who keeps the registers: the processor (amx_tiles.h), or an emulation with which tests run this
// code anywhere. It gives them back when it is destroyed.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/cpu/kernels.h"

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

  // Kernels<Bf16>::multiply_panels. Configured once: the last rows are computed in a block that overlaps the
  // one before it, whose sums come out the same.
  static void multiply_panels(std::int64_t rows, std::int64_t cols, std::int64_t depth, const Bf16* a,
                              std::int64_t a_stride, const Bf16* panels, std::int64_t panel_stride,
                              float* sums, const PanelFunction& finish) {
    Tiles tiles;
    const std::int64_t pairs = (depth + 1) / 2, height = smaller(rows, kBlock);
    const Left left(tiles, a, a_stride, rows, pairs);
    tiles.configure(tile_config(smaller(height, kSide), height > kSide ? height - kSide : 0));
    alignas(64) Bf16 last[kPairs * kPanelRow];
    for (std::int64_t j = 0; j < cols; j += kPanel, panels += panel_stride) {
      copy_last_depths(left, panels, last);
      const std::int64_t count = smaller(cols - j, kPanel);
      if (height > kSide && count > kSide)
        one_panel<2, 2>(tiles, left, rows, height, panels, last, sums);
      else if (height > kSide)
        one_panel<2, 1>(tiles, left, rows, height, panels, last, sums);
      else if (count > kSide)
        one_panel<1, 2>(tiles, left, rows, height, panels, last, sums);
      else
        one_panel<1, 1>(tiles, left, rows, height, panels, last, sums);
      finish.call(finish.object, j, count, sums);
    }
  }

 private:
  static constexpr std::int64_t kSide = 16;             // rows and columns of a tile of sums
  static constexpr std::int64_t kBlock = 2 * kSide;     // of a block
  static constexpr std::int64_t kPairs = 16;            // of depths, in one tile
  static constexpr std::int64_t kRowsAtOnce = kTile;    // whose last depths are copied at once
  static constexpr std::int64_t kTileRow = 2 * kPairs;  // elements
  static constexpr std::int64_t kPanelRow = kPanel * kGroup;
  static constexpr std::int64_t kQuarters = 4, kFetchedPerStep = kPairs * kPanelRow / kQuarters;

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
  // Steps [begin, end) of the depth, in the last piece also those that fill no tile. A piece of a panel stays
  // in the innermost cache while all rows are multiplied with it.
  struct Depths {
    std::int64_t begin, end;
    bool last, done = false;

    static Depths first(const Left& left) { return from(0, left); }
    static Depths all(const Left& left) { return {0, left.steps, true}; }
    Depths next(const Left& left) const { return last ? Depths{end, end, true, true} : from(end, left); }
    bool empty() const { return done; }

    static constexpr std::int64_t kSteps = 8;

   private:
    static Depths from(std::int64_t begin, const Left& left) {
      const std::int64_t end = smaller(begin + kSteps, left.steps);
      return {begin, end, end == left.steps};
    }
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

  // As Left does it.
  static void copy_last_depths(const Left& left, const Bf16* panel, Bf16* last) {
    if (left.rest == 0) return;
    std::memset(last, 0, sizeof(Bf16) * kPairs * kPanelRow);
    for (std::int64_t k = 0; k < left.rest; ++k)
      std::memcpy(last + k * kPanelRow, panel + (left.steps * kPairs + k) * kPanelRow,
                  sizeof(Bf16) * kPanelRow);
  }

  template <int M, int N>
  static void one_panel(Tiles& tiles, const Left& left, std::int64_t rows, std::int64_t height,
                        const Bf16* panel, const Bf16* last, float* sums) {
    const auto multiply_block = [&](std::int64_t row, Depths depths) {
      block<M, N>(tiles, left, row, depths, panel, last, sums + row * kPanel, kPanel, depths.begin > 0);
    };
    for (Depths depths = Depths::first(left); !depths.empty(); depths = depths.next(left))
      for (std::int64_t row = 0; row + height <= rows; row += height) multiply_block(row, depths);
    if (rows % height > 0) multiply_block(rows - height, Depths::all(left));
  }

  // Rows [begin, end) of all panels, `height` at a time, in M tiles.
  template <int M>
  static void panels_of(Tiles& tiles, const Left& left, std::int64_t begin, std::int64_t end,
                        std::int64_t height, const Right& right, const Sums& sums) {
    const TileConfig config = tile_config(smaller(height, kSide), height > kSide ? height - kSide : 0);
    tiles.configure(config);
    alignas(64) Bf16 last[kPairs * kPanelRow];
    const Bf16* panel = right.panels;
    for (std::int64_t j = 0; j < right.cols; j += kPanel, panel += right.stride) {
      copy_last_depths(left, panel, last);
      const std::int64_t cols = smaller(right.cols - j, kPanel);
      for (Depths depths = Depths::first(left); !depths.empty(); depths = depths.next(left))
        for (std::int64_t i = begin; i < end; i += height) {
          float* c = sums.c + i * sums.stride + j;
          const bool accumulate = sums.accumulate || depths.begin > 0;
          if (cols > kSide)
            part<M, 2>(tiles, left, i, depths, panel, last, c, sums.stride, accumulate, height, cols);
          else
            part<M, 1>(tiles, left, i, depths, panel, last, c, sums.stride, accumulate, height, cols);
        }
    }
  }

  // Tiles are stored whole: columns that c does not have go to a copy.
  template <int M, int N>
  static void part(Tiles& tiles, const Left& left, std::int64_t row, Depths depths, const Bf16* panel,
                   const Bf16* last, float* c, std::int64_t stride, bool accumulate, std::int64_t rows,
                   std::int64_t cols) {
    if (cols == N * kSide) return block<M, N>(tiles, left, row, depths, panel, last, c, stride, accumulate);
    alignas(64) float copy[kBlock * kBlock];
    if (accumulate)
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < N * kSide; ++j)
          copy[i * kBlock + j] = j < cols ? c[i * stride + j] : 0.0f;
    block<M, N>(tiles, left, row, depths, panel, last, copy, kBlock, accumulate);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < cols; ++j) c[i * stride + j] = copy[i * kBlock + j];
  }

  // M x N tiles of sums over a piece of the depth.
  template <int M, int N>
  static void block(Tiles& tiles, const Left& left, std::int64_t row, Depths depths, const Bf16* panel,
                    const Bf16* last, float* c, std::int64_t stride, bool accumulate) {
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
    const Bf16* a = left.a + row * left.stride + depths.begin * kTileRow;
    panel += depths.begin * kPairs * kPanelRow;
    // While a piece is multiplied, the next one is fetched: a quarter with each block of rows.
    const Bf16* ahead =
        panel + Depths::kSteps * (kPairs * kPanelRow + row / kBlock % kQuarters * kFetchedPerStep);
    for (std::int64_t s = depths.begin; s < depths.end; ++s, a += kTileRow, panel += kPairs * kPanelRow) {
      tiles.fetch(ahead, kFetchedPerStep);
      ahead += kFetchedPerStep;
      step<M, N>(tiles, a, left.stride, panel);
    }
    if (depths.last && left.rest > 0) step<M, N>(tiles, left.last + row * kTileRow, kTileRow, last);
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

// The product on tile registers, run on emulated ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/emulated_tiles.h"
#include "core/sample_kernels.h"

namespace causcale::core {
namespace {

constexpr Bf16 kNan{0x7fc0};

Bf16 denormal() {
  return {0x0040};  // 2^-127
}

// One row by one column on tiles of 16 x 16, sums beginning at `start`.
float one_product(const std::vector<float>& a, const std::vector<Bf16>& b, float start) {
  Bf16 left[16 * 32] = {}, right[16 * 32] = {};
  float sums[16 * 16] = {start};
  for (std::size_t k = 0; k < a.size(); ++k) {
    left[k] = to_bf16(a[k]);
    right[k / 2 * 32 + k % 2] = b[k];
  }
  EmulatedTiles tiles;
  tiles.configure(tile_config(16, 16));
  tiles.load<0>(sums, 64);
  tiles.load<4>(left, 64);
  tiles.load<6>(right, 64);
  tiles.multiply<0, 4, 6>();
  tiles.store<0>(sums, 64);
  return sums[0];
}

TEST(EmulatedTiles, EvenAndOddDepthsAreSummedApart) {
  const Bf16 one = to_bf16(1.0f);
  // One after the other these would give 1: the large terms cancel before the small one comes.
  EXPECT_EQ(one_product({0x1p24f, -0x1p24f, 1.0f}, {one, one, one}, 0.0f), 0.0f);
  // Together with the large start each term would be lost; their sum is not.
  EXPECT_EQ(one_product({1.0f, 1.0f}, {one, one}, 0x1p24f), 0x1p24f + 2.0f);
}

TEST(EmulatedTiles, DenormalNumbersAreZero) {
  const Bf16 one = to_bf16(1.0f);
  EXPECT_EQ(one_product({0x1p100f}, {denormal()}, 0.0f), 0.0f);
  EXPECT_EQ(one_product({0x1p-70f}, {to_bf16(0x1p-60f)}, 0.0f), 0.0f);  // 2^-130
  EXPECT_EQ(one_product({0x1p-70f}, {to_bf16(0x1p-56f)}, 0.0f), 0x1p-126f);
  EXPECT_EQ(one_product({0.0f}, {one}, 0x1p-130f), 0.0f);
}

TEST(EmulatedTiles, WhatTheProcessorRefusesIsAnException) {
  EmulatedTiles tiles;
  EXPECT_THROW(tiles.zero<0>(), std::logic_error);
  TileConfig config = tile_config(16, 16);
  config.rows[0] = 17;
  EXPECT_THROW(tiles.configure(config), std::logic_error);
  tiles.configure(tile_config(7, 0));
  EXPECT_NO_THROW((tiles.multiply<0, 4, 6>()));
  EXPECT_THROW((tiles.multiply<2, 4, 6>()), std::logic_error);
}

// Every sum must have the bits that the documented order gives, wherever it lies in a tile, and nothing
// beyond the operands may count: there stands what would show.
TEST(TileProducts, EverySumHasTheBitsOfTheDocumentedOrder) {
  struct Size {
    std::int64_t rows, cols, depth;
  };
  const Kernels<Bf16>& kernel = test::emulated_amx();
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (const Size& size : {Size{1, 1, 1},
                           {16, 16, 32},
                           {17, 17, 33},
                           {32, 32, 64},
                           {33, 31, 65},
                           {31, 33, 31},
                           {47, 16, 50},
                           {48, 48, 96},
                           {130, 20, 40},
                           {161, 70, 2},
                           {128, 40, 258},
                           {127, 17, 700},
                           {5, 3, 129}}) {
    SCOPED_TRACE(std::to_string(size.rows) + "x" + std::to_string(size.cols) + "x" +
                 std::to_string(size.depth));
    const std::int64_t depth = kernel.rounded_depth(size.depth), a_stride = depth + 6,
                       panel_stride = depth * kernel.panel + 64, c_stride = size.cols + 5;
    std::vector<Bf16> a(static_cast<std::size_t>(size.rows * a_stride), kNan),
        panels(static_cast<std::size_t>(kernel.panels(size.cols) * panel_stride), kNan);
    std::vector<float> start(static_cast<std::size_t>(size.rows * c_stride));
    const auto b_at = [&](std::int64_t k, std::int64_t j) -> Bf16& {
      return panels[static_cast<std::size_t>(j / kernel.panel * panel_stride + k / 2 * kernel.panel * 2 +
                                             j % kernel.panel * 2 + k % 2)];
    };
    const auto a_at = [&](std::int64_t i, std::int64_t k) -> Bf16& {
      return a[static_cast<std::size_t>(i * a_stride + k)];
    };
    for (std::int64_t k = 0; k < depth; ++k) {
      for (std::int64_t i = 0; i < size.rows; ++i)
        a_at(i, k) = to_bf16(k < size.depth ? normal(random) : 0.0f);
      for (std::int64_t j = 0; j < size.cols; ++j)
        b_at(k, j) = to_bf16(k < size.depth ? normal(random) : 0.0f);
    }
    for (float& value : start) value = normal(random);
    // The sum at (i, j), beginning at `sum`.
    const auto documented = [&](std::int64_t i, std::int64_t j, float sum) {
      for (std::int64_t first = 0; first < depth; first += 32) {
        float part[2] = {};
        for (std::int64_t k = first; k < std::min(first + 32, depth); ++k)
          part[k % 2] = std::fma(to_float(a_at(i, k)), to_float(b_at(k, j)), part[k % 2]);
        sum += part[0] + part[1];
      }
      return sum;
    };
    for (const bool accumulate : {false, true}) {
      std::vector<float> c = start;
      kernel.multiply(size.rows, size.cols, size.depth, a.data(), a_stride, panels.data(), panel_stride,
                      c.data(), c_stride, accumulate);
      for (std::int64_t i = 0; i < size.rows; ++i)
        for (std::int64_t j = 0; j < c_stride; ++j) {
          const auto at = static_cast<std::size_t>(i * c_stride + j);
          ASSERT_EQ(c[at], j >= size.cols ? start[at] : documented(i, j, accumulate ? start[at] : 0.0f))
              << i << ", " << j;
        }
    }
    if (size.rows > kTile) continue;
    std::vector<float> sums(static_cast<std::size_t>(size.rows * kernel.panel));
    const auto expect_panel = [&](std::int64_t first, std::int64_t cols, const float* panel) {
      for (std::int64_t i = 0; i < size.rows; ++i)
        for (std::int64_t j = 0; j < cols; ++j)
          ASSERT_EQ(panel[i * kernel.panel + j], documented(i, first + j, 0.0f)) << i << ", " << first + j;
    };
    kernel.multiply_panels(size.rows, size.cols, size.depth, a.data(), a_stride, panels.data(), panel_stride,
                           sums.data(), PanelFunction(expect_panel));
  }
}

}  // namespace
}  // namespace causcale::core

// How queries, keys and values are stored.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/cpu/grid_tiles.h"
#include "core/cpu/packed_weights.h"
#include "core/sample_kernels.h"

namespace causcale::core {
namespace {

using test::all_kernels;
using test::assign;
using test::number;
using test::random_values;

template <class T>
class HeadsOf : public testing::Test {};
using Numbers = testing::Types<float, Bf16>;
TYPED_TEST_SUITE(HeadsOf, Numbers);

struct HeadShape {
  std::int64_t L, tied, heads, e;
};

// Queries, keys and values of a grid, tile by tile, each in a vector of its own; what nobody writes is NaN.
template <class T>
struct StoredHeads {
  StoredHeads(const Kernels<T>& kernel, const HeadShape& shape, const std::vector<float>& grid,
              const std::vector<float>& bias, bool large)
      : width(shape.tied * shape.e),
        row(kernel.rounded_depth(width)),
        key_plane(kernel.packed_size(width, shape.L)),
        value_plane(kernel.packed_size(shape.L, width)) {
    const auto [L, tied, H, e] = shape;
    const std::int64_t channels = H * e;
    T nan;
    assign(nan, NAN);
    q.assign(static_cast<std::size_t>(H * L * row), nan);
    k.assign(static_cast<std::size_t>(H * key_plane), nan);
    v.assign(static_cast<std::size_t>(H * value_plane), nan);
    const GridTiles tiles(L, tied, kernel.panel);
    for (std::int64_t number = 0; number < tiles.count(); ++number) {
      const GridTile tile = tiles[number];
      std::vector<float> rows;
      for (std::int64_t t = 0; t < tile.tied; ++t)
        for (std::int64_t l = 0; l < tile.places; ++l) {
          const float* from = grid.data() + ((tile.first_place + l) * tied + tile.first_tied + t) * channels;
          rows.insert(rows.end(), from, from + channels);
        }
      HeadPlanes<T> to{.heads = H,
                       .e = e,
                       .first_place = tile.first_place,
                       .places = tile.places,
                       .first_tied = tile.first_tied,
                       .tied = tile.tied,
                       .tied_length = tied,
                       .large = large,
                       .plane = q.data(),
                       .plane_stride = L * row,
                       .row_stride = row};
      kernel.store_queries(rows.data(), channels, bias.data(), 0.25f, to);
      to.plane = k.data();
      to.plane_stride = key_plane;
      to.row_stride = row * kernel.panel;
      kernel.store_keys(rows.data(), channels, bias.data(), to);
      to.plane = v.data();
      to.plane_stride = value_plane;
      to.row_stride = kernel.rounded_depth(L) * kernel.panel;
      kernel.store_values(rows.data(), channels, bias.data(), to);
    }
  }
  std::int64_t width, row, key_plane, value_plane;
  LineVector<T> q, k, v;
};

template <class T>
bool same_bits(const LineVector<T>& a, const LineVector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(T) * a.size()) == 0;
}

// They must make the scores and answers of the definition, and be the same bits when they are written past
// the caches. Heads of 8 in even numbers go line by line where a kernel can, others do not.
TYPED_TEST(HeadsOf, GoToTheirPlaces) {
  using T = TypeParam;
  for (const Kernels<T>* kernel : all_kernels<T>())
    for (const HeadShape& shape : {HeadShape{5, 3, 2, 8},
                                   {40, 7, 4, 8},
                                   {33, 5, 3, 5},
                                   {64, 4, 16, 8},
                                   {35, 13, 4, 8},
                                   {36, 67, 2, 8},
                                   {37, 45, 3, 8},
                                   {7, 9, 1, 3},
                                   {70, 2, 2, 16},
                                   {1, 1, 5, 1}}) {
      const auto [L, tied, H, e] = shape;
      SCOPED_TRACE(std::string(kernel->name) + " L " + std::to_string(L) + " tied " + std::to_string(tied) +
                   " e " + std::to_string(e));
      const std::int64_t channels = H * e, panel = kernel->panel, group = kernel->group,
                         value_depth = kernel->rounded_depth(L);
      const std::vector<float> grid = random_values(L * tied * channels, 1.0f, 4);  // [L, tied, channels]
      const std::vector<float> bias = random_values(channels, 1.0f, 5);
      const StoredHeads<T> stored(*kernel, shape, grid, bias, false), past(*kernel, shape, grid, bias, true);
      EXPECT_TRUE(same_bits(stored.q, past.q));
      EXPECT_TRUE(same_bits(stored.k, past.k));
      EXPECT_TRUE(same_bits(stored.v, past.v));
      const auto& [width, row, key_plane, value_plane, q, k, v] = stored;
      // A panel's element: of the depth and the column.
      const auto in_panels = [&](std::int64_t depth, std::int64_t i, std::int64_t j) {
        return j / panel * depth * panel + i / group * panel * group + j % panel * group + i % group;
      };
      for (std::int64_t h = 0; h < H; ++h)
        for (std::int64_t l = 0; l < L; ++l) {
          for (std::int64_t w = 0; w < width; ++w) {
            const float exact = grid[(l * tied + w / e) * channels + h * e + w % e] + bias[h * e + w % e];
            T rounded, quarter;
            assign(rounded, exact);
            assign(quarter, exact * 0.25f);
            ASSERT_EQ(number(q[(h * L + l) * row + w]), number(quarter));
            ASSERT_EQ(number(k[h * key_plane + in_panels(row, w, l)]), number(rounded));
            ASSERT_EQ(number(v[h * value_plane + in_panels(value_depth, l, w)]), number(rounded));
          }
          for (std::int64_t w = width; w < row; ++w) {
            ASSERT_EQ(number(q[(h * L + l) * row + w]), 0.0f);
            ASSERT_EQ(number(k[h * key_plane + in_panels(row, w, l)]), 0.0f);
          }
        }
      for (std::int64_t h = 0; h < H; ++h)
        for (std::int64_t l = L; l < value_depth; ++l)
          for (std::int64_t w = 0; w < width; ++w)
            ASSERT_EQ(number(v[h * value_plane + in_panels(value_depth, l, w)]), 0.0f);
    }
}

}  // namespace
}  // namespace causcale::core

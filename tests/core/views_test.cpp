#include "core/views.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "simulate/synthetic.h"

namespace causcale {
namespace {

Dataset simulated(int nodes, int rows) {
  SyntheticOptions options;
  options.nodes = nodes;
  options.rows = rows;
  return simulate_synthetic(options, 4, 0).dataset;
}

TEST(ViewSigns, TheFirstViewIsTheTableAndOthersMirrorAboutHalfOfIt) {
  const Table table = simulated(60, 300).table;
  EXPECT_EQ(view_signs(table, 0), std::vector<float>(60, 1.0f));
  for (int view = 1; view < 6; ++view) {
    const std::vector<float> signs = view_signs(table, view);
    const auto turned = std::ranges::count(signs, -1.0f);
    EXPECT_GT(turned, 15) << view;
    EXPECT_LT(turned, 45) << view;
    EXPECT_EQ(std::ranges::count(signs, 1.0f), 60 - turned);
    EXPECT_NE(signs, view_signs(table, view - 1));
  }
}

TEST(ViewSigns, GoWithTheColumnAndNotWithItsPlaceOrUnit) {
  const Table table = simulated(20, 100).table;
  Table other = table;
  for (std::size_t c = 0; c < 20; ++c)
    for (std::size_t r = 0; r < table.rows(); ++r) other.values(r, c) = 1e-3 * table.values(r, 19 - c);
  std::vector<float> signs = view_signs(other, 3);
  std::ranges::reverse(signs);
  EXPECT_EQ(signs, view_signs(table, 3));
}

TEST(ViewSigns, RelatedColumnsAreMirroredIndependently) {
  // A column and a noisy copy of it: alike in half of all views, not in most.
  const Table table = simulated(2, 500).table;
  Table pair = table;
  for (std::size_t r = 0; r < pair.rows(); ++r)
    pair.values(r, 1) = table.values(r, 0) + 0.5 * table.values((r + 1) % pair.rows(), 0);
  int alike = 0;
  for (int view = 1; view <= 400; ++view) {
    const std::vector<float> signs = view_signs(pair, view);
    alike += signs[0] == signs[1];
  }
  EXPECT_GT(alike, 150);
  EXPECT_LT(alike, 280);
}

}  // namespace
}  // namespace causcale

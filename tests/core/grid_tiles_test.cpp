#include "core/cpu/grid_tiles.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace causcale::core {
namespace {

TEST(GridTiles, EveryTokenIsInOneTile) {
  for (const std::int64_t panel : {1, 8, 12, 32, 128})
    for (const std::int64_t L : {1, 2, 7, 12, 31, 32, 33, 100, 127, 128, 129, 257})
      for (const std::int64_t tied : {1, 2, 3, 4, 5, 31, 127, 128, 129, 1000}) {
        SCOPED_TRACE(std::to_string(L) + " x " + std::to_string(tied) + ", panels of " +
                     std::to_string(panel));
        const GridTiles tiles(L, tied, panel);
        std::vector<int> seen(static_cast<std::size_t>(L * tied));
        for (std::int64_t number = 0; number < tiles.count(); ++number) {
          const GridTile tile = tiles[number];
          ASSERT_GT(tile.places * tile.tied, 0);
          ASSERT_LE(tile.places * tile.tied, kTile);
          ASSERT_EQ(tile.first_place % panel, 0);
          ASSERT_TRUE(tile.places == panel || tile.first_place + tile.places == L);
          ASSERT_LE(tile.first_place + tile.places, L);
          ASSERT_LE(tile.first_tied + tile.tied, tied);
          for (std::int64_t l = 0; l < tile.places; ++l)
            for (std::int64_t t = 0; t < tile.tied; ++t)
              ++seen[static_cast<std::size_t>((tile.first_place + l) * tied + tile.first_tied + t)];
        }
        ASSERT_EQ(std::set<int>(seen.begin(), seen.end()), std::set<int>{1});
      }
}

// Incomplete tiles are left where nothing more fits, and at the end of the tied axis.
TEST(GridTiles, TilesAreFullButTheLastOnes) {
  const GridTiles tiles(70, 10, 32);  // panels hold 4 of 10, the last 6 places 21
  ASSERT_EQ(tiles.count(), 7);
  for (const std::int64_t number : {0, 1, 3, 4}) EXPECT_EQ(tiles[number].tied, 4);
  for (const std::int64_t number : {2, 5}) EXPECT_EQ(tiles[number].tied, 2);
  EXPECT_EQ(tiles[6].places, 6);
  EXPECT_EQ(tiles[6].tied, 10);
}

}  // namespace
}  // namespace causcale::core

#include "discover/cover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"

namespace causcale {
namespace {

// Everybody on a ring lists the nearest on both sides.
Neighbours ring(std::size_t columns, std::size_t each) {
  Neighbours neighbours{columns, each, {}};
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t k = 0; k < each; ++k) {
      const std::size_t step = k / 2 + 1;
      neighbours.list.push_back(
          static_cast<std::int32_t>((k % 2 == 0 ? c + step : c + columns - step) % columns));
    }
  return neighbours;
}

Neighbours random_lists(std::size_t columns, std::size_t each) {
  Neighbours neighbours{columns, each, {}};
  RandomStream random(3, 0, 0);
  for (std::size_t c = 0; c < columns; ++c) {
    std::set<std::int32_t> others;
    while (others.size() < each) {
      const auto other = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(columns)));
      if (other != static_cast<std::int32_t>(c) && others.insert(other).second)
        neighbours.list.push_back(other);
    }
  }
  return neighbours;
}

void expect_sound(const std::vector<Block>& blocks, std::size_t columns, std::size_t size, std::size_t core) {
  std::vector<int> times(columns, 0);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    EXPECT_LE(blocks[b].members.size(), size);
    EXPECT_GE(blocks[b].core, 1u);
    EXPECT_EQ(blocks[b].core == core || b + 1 == blocks.size(), true) << b;
    EXPECT_EQ(std::set<int>(blocks[b].members.begin(), blocks[b].members.end()).size(),
              blocks[b].members.size());
    for (std::size_t k = 0; k < blocks[b].core; ++k) ++times[static_cast<std::size_t>(blocks[b].members[k])];
  }
  EXPECT_EQ(times, std::vector<int>(columns, 1));
}

TEST(CoverColumns, EveryColumnIsAtTheCoreOfOneBlock) {
  expect_sound(cover_columns(ring(97, 6), 20, 4), 97, 20, 4);
  expect_sound(cover_columns(random_lists(200, 12), 40, 5), 200, 40, 5);
  expect_sound(cover_columns(random_lists(30, 2), 30, 30), 30, 30, 30);
  expect_sound(cover_columns(Neighbours{9, 0, {}}, 4, 2), 9, 4, 2);  // nobody is joined to anybody
  EXPECT_TRUE(cover_columns({}, 4, 2).empty());
}

// A core of neighbours shares its neighbours, so that they reach further.
TEST(CoverColumns, CoresGrowAlongLikelyEdges) {
  for (const Block& block : cover_columns(ring(60, 8), 12, 6)) {
    ASSERT_EQ(block.members.size(), 12u);
    for (std::size_t k = 0; k < block.core; ++k) {
      const int c = block.members[k];
      for (const int near : {(c + 1) % 60, (c + 59) % 60})
        EXPECT_NE(std::ranges::find(block.members, near), block.members.end()) << c << " and " << near;
    }
  }
}

// Who lists somebody first is with it, whether it is listed in return or not.
TEST(CoverColumns, ListsCountFromBothEnds) {
  const std::size_t n = 50;
  Neighbours star{n, 1, {}};
  star.list.push_back(1);
  for (std::size_t c = 1; c < n; ++c) star.list.push_back(0);
  const std::vector<Block> blocks = cover_columns(star, 10, 1);
  EXPECT_EQ(blocks.front().members.front(), 0);  // whom all list comes first
  for (const Block& block : blocks)
    if (block.members.front() != 0) {
      ASSERT_EQ(block.members.size(), 2u);
      EXPECT_EQ(block.members[1], 0);
    }
}

}  // namespace
}  // namespace causcale

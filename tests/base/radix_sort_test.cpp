#include "base/radix_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"

namespace causcale {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(SortKey, OrdersAsTheValuesDo) {
  const std::vector<double> ascending{-kInfinity, -1e300, -2.0, -1.0, -1e-310, 0.0,
                                      5e-324,     1e-310, 1.0,  1.5,  1e300,   kInfinity};
  for (std::size_t i = 1; i < ascending.size(); ++i)
    EXPECT_LT(sort_key(ascending[i - 1]), sort_key(ascending[i])) << ascending[i];
  EXPECT_EQ(sort_key(-0.0), sort_key(0.0));
  EXPECT_EQ(sort_key(kNan), sort_key(-kNan));
  EXPECT_GT(sort_key(kNan), sort_key(kInfinity));
}

TEST(RadixSort, EqualsAStableSortByValue) {
  RandomStream random(1, 0, 0);
  std::vector<KeyedIndex> room;
  for (const std::size_t count : {0u, 1u, 2u, 3u, 100u, 5000u})
    for (const bool whole : {false, true}) {
      std::vector<double> values(count);
      for (double& value : values) {
        value = random.uniform(-3.0, 3.0) * std::pow(10.0, random.uniform(-5.0, 5.0));
        if (whole) value = std::floor(random.uniform(-4.0, 5.0));
        if (random.coin(0.3)) value = 1.0 + 1e-12 * std::floor(random.uniform(0.0, 20.0));  // told apart late
      }
      std::vector<KeyedIndex> items;
      std::vector<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < count; ++i) {
        items.push_back({sort_key(values[i]), i});
        expected.push_back(i);
      }
      std::ranges::stable_sort(expected, {}, [&](std::uint32_t i) { return values[i]; });
      radix_sort(items, room);
      ASSERT_EQ(items.size(), count);
      for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(items[k].index, expected[k]);
    }
}

}  // namespace
}  // namespace causcale

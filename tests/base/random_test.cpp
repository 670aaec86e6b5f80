#include "base/random.h"

#include <gtest/gtest.h>

#include <vector>

namespace causcale {
namespace {

TEST(RandomStream, IsAPureFunctionOfItsAddress) {
  RandomStream a(7, 3, 2, 1), b(7, 3, 2, 1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.bits(), b.bits());
}

TEST(RandomStream, EveryPartOfTheAddressMatters) {
  const auto first = [](RandomStream stream) { return stream.bits(); };
  const auto reference = first({7, 3, 2, 1});
  EXPECT_NE(reference, first({8, 3, 2, 1}));
  EXPECT_NE(reference, first({7 + (std::uint64_t{1} << 32), 3, 2, 1}));
  EXPECT_NE(reference, first({7, 4, 2, 1}));
  EXPECT_NE(reference, first({7, 3, 3, 1}));
  EXPECT_NE(reference, first({7, 3, 2, 2}));
}

// Philox4x32-10, counter and key zero: published known answer.
TEST(RandomStream, KnownAnswer) {
  RandomStream stream(0, 0, 0, 0);
  EXPECT_EQ(stream.bits(), 0x6627e8d5u);
  EXPECT_EQ(stream.bits(), 0xe169c58du);
  EXPECT_EQ(stream.bits(), 0xbc57ac4cu);
  EXPECT_EQ(stream.bits(), 0x9b00dbd8u);
}

TEST(RandomStream, UniformMoments) {
  constexpr int kDraws = 200000;
  RandomStream stream(1, 0, 0);
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = stream.uniform();
    ASSERT_GT(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    squares += u * u;
  }
  // Five standard errors.
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 5 * std::sqrt((1.0 / 5 - 1.0 / 9) / kDraws));
}

TEST(RandomStream, NormalMoments) {
  constexpr int kDraws = 200000;
  RandomStream stream(2, 0, 0);
  double moment[5] = {};
  for (int i = 0; i < kDraws; ++i) {
    const double z = stream.normal();
    double power = 1;
    for (double& m : moment) {
      m += power / kDraws;
      power *= z;
    }
  }
  const double error = 5 / std::sqrt(static_cast<double>(kDraws));
  EXPECT_NEAR(moment[1], 0, error);
  EXPECT_NEAR(moment[2], 1, error * std::sqrt(2.0));
  EXPECT_NEAR(moment[3], 0, error * std::sqrt(15.0));
  EXPECT_NEAR(moment[4], 3, error * std::sqrt(96.0));
}

TEST(RandomStream, BelowIsEvenlySpread) {
  constexpr int kDraws = 100000, kBound = 7;
  RandomStream stream(3, 0, 0);
  std::vector<int> count(kBound);
  for (int i = 0; i < kDraws; ++i) ++count.at(stream.below(kBound));
  for (int c : count) EXPECT_NEAR(c, kDraws / kBound, 5 * std::sqrt(kDraws / kBound));
}

TEST(RandomStream, SingleUniformStaysOpen) {
  RandomStream stream(4, 0, 0);
  for (int i = 0; i < 100000; ++i) {
    const float u = stream.uniform_float();
    ASSERT_GT(u, 0.0f);
    ASSERT_LT(u, 1.0f);
  }
}

}  // namespace
}  // namespace causcale

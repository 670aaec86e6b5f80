#include <gtest/gtest.h>

#include <bit>

#include "base/parallel.h"
#include "causcale/error.h"
#include "graph/order.h"
#include "simulate/worlds/world_draw.h"
#include "world_checks.h"

namespace causcale {
namespace {

using test::sample_of;

bool same(const WorldSample& a, const WorldSample& b) {
  const Matrix<double>&x = a.dataset.table.values, &y = b.dataset.table.values;
  if (x.rows() != y.rows() || x.cols() != y.cols()) return false;
  for (std::size_t k = 0; k < x.size(); ++k)  // bits: NaN is equal to NaN
    if (std::bit_cast<std::uint64_t>(x.data()[k]) != std::bit_cast<std::uint64_t>(y.data()[k])) return false;
  return a.adjacency == b.adjacency && a.confounded == b.confounded && a.drawn == b.drawn &&
         a.dataset.table.kinds == b.dataset.table.kinds &&
         a.dataset.interventions.regimes == b.dataset.interventions.regimes &&
         a.dataset.interventions.regime_of_row == b.dataset.interventions.regime_of_row;
}

// Worlds whose truth may have cycles.
bool may_be_cyclic(const std::string& world) {
  return world == "feedback" || world == "genes" || world == "boolean_hill";
}

TEST(Worlds, SameSeedAndIndexSameBitsOnAnyNumberOfThreads) {
  for (const World& world : worlds()) {
    const WorldOptions options{7, 60, {{"missing", "0:0.3"}}};
    constexpr std::size_t kSets = 6;
    std::vector<WorldSample> alone(kSets), together(kSets);
    for (std::size_t i = kSets; i-- > 0;)
      alone[i] = draw_world(world, options, 5, static_cast<std::uint32_t>(i));
    parallel_for(kSets, 3, [&](std::size_t i) {
      together[i] = draw_world(world, options, 5, static_cast<std::uint32_t>(i));
    });
    for (std::size_t i = 0; i < kSets; ++i) EXPECT_TRUE(same(alone[i], together[i])) << world.name;
    EXPECT_FALSE(same(alone[0], alone[1])) << world.name;
    EXPECT_FALSE(same(alone[0], draw_world(world, options, 6, 0))) << world.name;
  }
}

TEST(Worlds, EverySampleIsSound) {
  const std::pair<int, int> sizes[] = {{2, 2}, {3, 40}, {12, 100}, {25, 30}};
  for (const World& world : worlds())
    for (const auto& [nodes, rows] : sizes)
      for (std::uint32_t index = 0; index < 15; ++index) {
        const WorldSample sample = draw_world(world, {nodes, rows, {}}, 3, index);
        const Table& table = sample.dataset.table;
        const auto n = static_cast<std::size_t>(nodes);
        ASSERT_EQ(table.cols(), n) << world.name;
        ASSERT_EQ(table.rows(), static_cast<std::size_t>(rows)) << world.name;
        ASSERT_EQ(table.kinds.size(), n);
        ASSERT_EQ(table.names.size(), n);
        for (const double value : table.values.values()) {
          ASSERT_TRUE(std::isfinite(value)) << world.name << " " << nodes << " " << index;
          ASSERT_EQ(value, static_cast<double>(static_cast<float>(value)));
        }
        ASSERT_EQ(sample.adjacency.rows(), n);
        ASSERT_EQ(sample.confounded.rows(), n);
        for (std::size_t i = 0; i < n; ++i) {
          EXPECT_EQ(sample.adjacency(i, i), 0);
          EXPECT_EQ(sample.confounded(i, i), 0);
          const std::vector<double> column = test::column_of(sample, i);
          const bool constant = std::count(column.begin(), column.end(), column[0]) == rows;
          EXPECT_EQ(table.kinds[i] == ColumnKind::kConstant, constant) << world.name;
          for (std::size_t j = 0; j < n; ++j) {
            EXPECT_EQ(sample.confounded(i, j), sample.confounded(j, i));
            if (constant) {
              EXPECT_EQ(sample.adjacency(i, j) + sample.adjacency(j, i), 0);
            }
          }
        }
        if (!may_be_cyclic(world.name)) {
          ASSERT_TRUE(is_acyclic(Digraph::from_adjacency(sample.adjacency))) << world.name;
        }
        const Interventions& done = sample.dataset.interventions;
        ASSERT_EQ(done.regime_of_row.size(), static_cast<std::size_t>(rows));
        for (const int regime : done.regime_of_row)
          ASSERT_LT(static_cast<std::size_t>(regime), done.regimes.size());
        for (const std::vector<int>& targets : done.regimes) {
          EXPECT_TRUE(std::is_sorted(targets.begin(), targets.end()));
          for (const int target : targets) ASSERT_TRUE(target >= 0 && target < nodes);
        }
      }
}

TEST(Worlds, OneFixedSettingLeavesTheOthersAsTheyWere) {
  for (const World& world : worlds()) {
    const WorldSample free = draw_world(world, {6, 40, {{"missing", "0:0.5"}}}, 2, 0);
    const WorldSample fixed = draw_world(world, {6, 40, {{"missing", "0"}}}, 2, 0);
    for (const auto& [key, value] : fixed.drawn) {
      if (key == "missing") continue;
      const auto found = std::ranges::find(free.drawn, key, &Drawn::value_type::first);
      ASSERT_NE(found, free.drawn.end()) << world.name << " " << key;
      EXPECT_EQ(found->second, value) << world.name << " " << key;
    }
    // A table with missing cells is the complete one with holes.
    for (std::size_t k = 0; k < fixed.dataset.table.values.size(); ++k) {
      const double value = free.dataset.table.values.data()[k];
      if (!std::isnan(value)) {
        ASSERT_EQ(value, fixed.dataset.table.values.data()[k]) << world.name;
      }
    }
  }
}

TEST(Worlds, EverySettingHasAMeaningAndAFallbackThatItAccepts) {
  for (const World& world : worlds()) {
    EXPECT_EQ(&world_named(world.name), &world);
    EXPECT_FALSE(world.summary.empty());
    for (const WorldSetting& setting : world.settings) {
      EXPECT_FALSE(setting.meaning.empty()) << world.name << " " << setting.name;
      EXPECT_NO_THROW(check_world_options(world, {5, 50, {{setting.name, setting.fallback}}}))
          << world.name << " " << setting.name;
    }
  }
}

TEST(Worlds, RefusesWhatMakesNoSenseAndSaysWhatIsAccepted) {
  const auto message = [](const WorldOptions& options) -> std::string {
    try {
      check_world_options(world_named("mixed"), options);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({5, 50, {}}), "");
  EXPECT_NE(message({1, 50, {}}).find("variables"), std::string::npos);
  EXPECT_NE(message({5, 0, {}}).find("rows"), std::string::npos);
  EXPECT_NE(message({5, 50, {{"colour", "1"}}}).find("accepted: discrete"), std::string::npos);
  EXPECT_NE(message({5, 50, {{"discrete", "1.5"}}}).find("within [0, 1]"), std::string::npos);
  EXPECT_NE(message({5, 50, {{"discrete", "0.8:0.2"}}}).find("0.8:0.2"), std::string::npos);
  EXPECT_NE(message({5, 50, {{"discrete", "much"}}}).find("'much'"), std::string::npos);
  EXPECT_NE(message({5, 50, {{"states", "2.5"}}}).find("whole"), std::string::npos);
  EXPECT_NE(message({5, 50, {{"graph", "er,tree"}}}).find("'tree'"), std::string::npos);
  EXPECT_THROW(world_named("underworld"), UsageError);
}

TEST(Worlds, NumbersStayInTheirRangeAndReachBothEnds) {
  RandomStream random(1, 0, 99);
  for (const SettingKind kind :
       {SettingKind::kNumber, SettingKind::kFactor, SettingKind::kOdds, SettingKind::kWhole}) {
    const bool whole = kind == SettingKind::kWhole;
    const SettingRange range{whole ? 1.0 : 0.02, whole ? 5.0 : 0.999, kind};
    double least = 1e9, most = -1e9;
    for (int k = 0; k < 2000; ++k) {
      const double value = range.draw(random);
      least = std::min(least, value);
      most = std::max(most, value);
      if (whole) {
        ASSERT_EQ(value, std::round(value));
      }
    }
    EXPECT_GE(least, range.low);
    EXPECT_LE(most, range.high);
    EXPECT_LT(least, whole ? 1.5 : 0.03);
    EXPECT_GT(most, whole ? 4.5 : 0.98);
  }
}

}  // namespace
}  // namespace causcale

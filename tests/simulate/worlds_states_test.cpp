// The worlds discrete and mixed.
#include <gtest/gtest.h>

#include <set>

#include "world_checks.h"

namespace causcale {
namespace {

using test::column_of;
using test::sample_of;

TEST(WorldDiscrete, ColumnsAreWholeCodesOfTheirKind) {
  std::set<ColumnKind> kinds;
  bool shuffled_codes = false;
  std::size_t most = 0;
  for (std::uint32_t index = 0; index < 40; ++index) {
    const WorldSample sample = sample_of("discrete", 8, 400, {}, index);
    for (std::size_t c = 0; c < 8; ++c) {
      const ColumnKind kind = sample.dataset.table.kinds[c];
      kinds.insert(kind);
      std::set<double> values;
      for (const double x : column_of(sample, c)) {
        EXPECT_EQ(x, std::round(x));
        values.insert(x);
      }
      if (kind == ColumnKind::kBinary) {
        EXPECT_EQ(values.size(), 2u);
      }
      EXPECT_LE(values.size(), 20u);
      most = std::max(most, values.size());
      if (kind == ColumnKind::kUnordered && *values.rbegin() >= 20) shuffled_codes = true;
    }
  }
  EXPECT_GT(most, 12u);
  EXPECT_TRUE(shuffled_codes);
  EXPECT_TRUE(kinds.contains(ColumnKind::kBinary) && kinds.contains(ColumnKind::kUnordered) &&
              kinds.contains(ColumnKind::kOrdered));
}

TEST(WorldDiscrete, DeterministicTablesAreFunctionsOfTheCauses) {
  int checked = 0;
  for (std::uint32_t index = 0; index < 20; ++index) {
    const WorldSample sample = sample_of(
        "discrete", 7, 500,
        {{"tables", "deterministic"}, {"flips", "0"}, {"interventions", "none"}, {"states", "2:4"}}, index);
    for (std::size_t node = 0; node < 7; ++node) {
      std::map<std::vector<double>, double> state;
      bool root = true;
      for (std::size_t i = 0; i < 7; ++i) root &= !sample.adjacency(i, node);
      if (root) continue;
      ++checked;
      for (std::size_t r = 0; r < 500; ++r) {
        std::vector<double> causes;
        for (std::size_t i = 0; i < 7; ++i)
          if (sample.adjacency(i, node)) causes.push_back(sample.dataset.table.values(r, i));
        const auto [found, added] = state.emplace(causes, sample.dataset.table.values(r, node));
        ASSERT_EQ(found->second, sample.dataset.table.values(r, node));
      }
    }
  }
  EXPECT_GT(checked, 40);
}

TEST(WorldDiscrete, RareStatesAreRare) {
  double rare_columns = 0, columns = 0;
  for (std::uint32_t index = 0; index < 20; ++index) {
    const WorldSample sample = sample_of(
        "discrete", 8, 2000, {{"tables", "rare"}, {"states", "2"}, {"interventions", "none"}}, index);
    for (std::size_t c = 0; c < 8; ++c) {
      const std::vector<double> x = column_of(sample, c);
      const auto other = static_cast<double>(std::count(x.begin(), x.end(), x[0]));
      ++columns;
      rare_columns += std::min(other, 2000 - other) < 0.1 * 2000;
    }
  }
  EXPECT_GT(rare_columns / columns, 0.5);
}

void expect_found_by_dependence(const std::string& world, const test::Settings& settings, double least) {
  test::MeanPrecision mean;
  for (std::uint32_t index = 0; index < 20; ++index) {
    const WorldSample sample = sample_of(world, 10, 1500, settings, index);
    mean.add(skeleton_average_precision(test::dependences(sample), Digraph::from_adjacency(sample.adjacency)),
             2 * test::edge_share(sample.adjacency));
  }
  EXPECT_GT(mean.precision, least) << world;
  EXPECT_LT(mean.chance, 0.3) << world;
  EXPECT_GT(mean.sets, 15) << world;
}

TEST(WorldDiscrete, ChiSquareFindsTheLinksOfEveryKindOfTable) {
  for (const char* tables : {"dirichlet", "noisy_or", "softmax", "ordinal"})
    expect_found_by_dependence("discrete",
                               {{"tables", tables},
                                {"states", "2:4"},
                                {"interventions", "none"},
                                {"graph", "er"},
                                {"edges_per_node", "1"},
                                {"concentration", "0.1:1"}},
                               0.6);
}

TEST(WorldMixed, ChiSquareOfBinsFindsTheLinks) {
  for (const char* choices : {"softmax", "threshold", "tree"})
    expect_found_by_dependence("mixed",
                               {{"choices", choices},
                                {"interventions", "none"},
                                {"graph", "er"},
                                {"edges_per_node", "1"},
                                {"explained", "0.5:0.9"},
                                {"gain", "2:6"}},
                               0.6);
}

TEST(WorldMixed, HasTheShareOfStatesThatWasAskedFor) {
  for (const double share : {0.0, 0.5, 1.0}) {
    double with_states = 0;
    for (std::uint32_t index = 0; index < 20; ++index) {
      const WorldSample sample =
          sample_of("mixed", 10, 100, {{"discrete", std::to_string(share)}, {"states", "8"}}, index);
      for (const ColumnKind kind : sample.dataset.table.kinds) with_states += kind != ColumnKind::kContinuous;
    }
    EXPECT_NEAR(with_states / 200, share, 0.12);
  }
}

}  // namespace
}  // namespace causcale

// Direct effects: against numbers worked out plainly, on tables whose truth is known, and on bad tables.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "causcale/effects.h"

namespace causcale {
namespace {

constexpr std::size_t kRows = 800;

// Columns are made row by row from a stream of random numbers.
template <class Make>
Dataset table_of(std::size_t rows, std::vector<std::string> names, std::uint32_t number, Make make) {
  RandomStream random(7, number, 0x65666674);
  Dataset dataset;
  dataset.table.values = Matrix<double>(rows, names.size());
  dataset.table.names = std::move(names);
  for (std::size_t r = 0; r < rows; ++r) make(random, dataset.table.values.row(r), r);
  return dataset;
}

const EdgeEffect& effect_of(const std::vector<EdgeEffect>& effects, Edge edge) {
  for (const EdgeEffect& effect : effects)
    if (effect.edge == edge) return effect;
  throw std::out_of_range("no such edge");
}

// One cause: the standardised coefficient is the correlation.
TEST(EdgeEffects, OfOneCauseIsTheCorrelation) {
  const Dataset dataset = table_of(50, {"x", "y"}, 0, [](RandomStream& random, std::span<double> row, auto) {
    row[0] = 5.0 + 3.0 * random.normal();
    row[1] = -row[0] + 2.0 * random.normal();
  });
  double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t r = 0; r < 50; ++r) {
    const double x = dataset.table.values(r, 0), y = dataset.table.values(r, 1);
    sx += x, sy += y, xx += x * x, yy += y * y, xy += x * y;
  }
  const double correlation = (xy - sx * sy / 50) / std::sqrt((xx - sx * sx / 50) * (yy - sy * sy / 50));
  const auto effects = edge_effects(dataset, Digraph(2, {{0, 1}}));
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_NEAR(effects[0].size, correlation, 1e-12);
  EXPECT_EQ(effects[0].kind, EffectKind::kStandardizedCoefficient);
  EXPECT_EQ(effects[0].rows, 50u);
  EXPECT_LT(effects[0].low, correlation);
  EXPECT_LT(effects[0].high, 0.0);
  EXPECT_TRUE(std::isnan(effects[0].shift));
  EXPECT_TRUE(std::isnan(effects[0].graph_low));
}

// HC3 for one regressor, written out.
TEST(EdgeEffects, RiskDifferenceWithHc3WrittenOut) {
  const std::size_t m = 40;
  const Dataset dataset = table_of(m, {"x", "y"}, 1, [](RandomStream& random, std::span<double> row, auto r) {
    row[0] = r % 3 == 0;
    row[1] = random.coin(row[0] > 0 ? 0.8 : 0.3);
  });
  double ones = 0, treated = 0, control = 0;
  for (std::size_t r = 0; r < m; ++r) {
    ones += dataset.table.values(r, 0);
    (dataset.table.values(r, 0) > 0 ? treated : control) += dataset.table.values(r, 1);
  }
  const double zeros = static_cast<double>(m) - ones, p1 = treated / ones, p0 = control / zeros;
  // The leverage of a row is 1 / the size of its group.
  const double variance =
      p1 * (1 - p1) * ones / ((ones - 1) * (ones - 1)) + p0 * (1 - p0) * zeros / ((zeros - 1) * (zeros - 1));
  const auto effects = edge_effects(dataset, Digraph(2, {{0, 1}}));
  EXPECT_EQ(effects[0].kind, EffectKind::kRiskDifference);
  EXPECT_NEAR(effects[0].size, p1 - p0, 1e-12);
  const double t = 1.6859544601667;  // of 38 degrees of freedom
  EXPECT_NEAR(effects[0].high - effects[0].size, t * std::sqrt(variance), 1e-9);
  EXPECT_TRUE(std::isnan(effects[0].nonlinear_p));
}

TEST(EdgeEffects, OtherParentsAreHeldFixed) {
  const Dataset dataset =
      table_of(kRows, {"u", "x", "y"}, 2, [](RandomStream& random, std::span<double> row, auto) {
        row[0] = random.normal();
        row[1] = row[0] + random.normal();
        row[2] = 2.0 * row[0] - row[1] + random.normal();
      });
  const auto both = edge_effects(dataset, Digraph(3, {{0, 1}, {0, 2}, {1, 2}}));
  const double deviation = std::sqrt(3.0);  // of y = u - e_x + e_y
  EXPECT_NEAR(effect_of(both, {1, 2}).size, -std::sqrt(2.0) / deviation, 0.08);
  EXPECT_NEAR(effect_of(both, {0, 2}).size, 2.0 / deviation, 0.08);
  EXPECT_GT(effect_of(both, {1, 2}).nonlinear_p, 0.01);
  const auto alone = edge_effects(dataset, Digraph(3, {{1, 2}}));
  EXPECT_NEAR(alone[0].size, 0.0, 0.08);  // u hides it
}

TEST(EdgeEffects, ACurveIsSeen) {
  const Dataset dataset =
      table_of(kRows, {"x", "z", "y"}, 3, [](RandomStream& random, std::span<double> row, auto) {
        row[0] = random.normal();
        row[1] = random.normal();
        row[2] = row[0] * row[0] + row[1] + random.normal();
      });
  const auto effects = edge_effects(dataset, Digraph(3, {{0, 2}, {1, 2}}));
  EXPECT_LT(effect_of(effects, {0, 2}).nonlinear_p, 1e-6);
  EXPECT_GT(effect_of(effects, {1, 2}).nonlinear_p, 0.01);
}

TEST(EdgeEffects, RowsWithTheTargetSetAreLeftOutAndShiftsMeasured) {
  Dataset dataset =
      table_of(kRows, {"x", "y"}, 4, [](RandomStream& random, std::span<double> row, std::size_t r) {
        const bool x_set = r >= 400 && r < 600, y_set = r >= 600;
        row[0] = x_set ? 3.0 : random.normal();
        row[1] = y_set ? -50.0 * row[0] : row[0] + random.normal();
      });
  dataset.interventions.regimes = {{}, {0}, {1}};
  for (std::size_t r = 0; r < kRows; ++r)
    dataset.interventions.regime_of_row.push_back(r < 400 ? 0 : r < 600 ? 1 : 2);
  const auto effects = edge_effects(dataset, Digraph(2, {{0, 1}}));
  EXPECT_EQ(effects[0].rows, 600u);
  EXPECT_GT(effects[0].size, 0.5);
  EXPECT_NEAR(effects[0].shift, 3.0 / std::sqrt(2.0), 0.25);
  EXPECT_LT(effects[0].shift_low, 3.0 / std::sqrt(2.0));
  EXPECT_GT(effects[0].shift_high, 3.0 / std::sqrt(2.0));
}

TEST(EdgeEffects, WhatCannotBeEstimatedIsNotANumber) {
  const Dataset dataset = table_of(60, {"a", "b", "sum", "constant", "y"}, 5,
                                   [](RandomStream& random, std::span<double> row, auto) {
                                     row[0] = random.normal();
                                     row[1] = random.normal();
                                     row[2] = row[0] + row[1];
                                     row[3] = 4.0;
                                     row[4] = row[0] + random.normal();
                                   });
  const auto effects = edge_effects(dataset, Digraph(5, {{0, 4}, {1, 4}, {2, 4}, {3, 4}, {0, 3}}));
  for (const EdgeEffect& effect : effects) {
    EXPECT_TRUE(std::isnan(effect.size)) << effect.edge.source << " " << effect.edge.target;
    EXPECT_TRUE(std::isnan(effect.low) && std::isnan(effect.high) && std::isnan(effect.nonlinear_p));
  }
  // Only those that hang together are lost.
  const auto rest = edge_effects(dataset, Digraph(5, {{0, 4}, {3, 4}}));
  EXPECT_GT(effect_of(rest, {0, 4}).low, 0.0);
}

TEST(EdgeEffects, MoreParentsThanRows) {
  const Dataset dataset = table_of(6, {"a", "b", "c", "d", "e", "f", "y"}, 6,
                                   [](RandomStream& random, std::span<double> row, auto) {
                                     for (double& value : row) value = random.normal();
                                   });
  std::vector<Edge> edges;
  for (int k = 0; k < 6; ++k) edges.push_back({k, 6});
  for (const EdgeEffect& effect : edge_effects(dataset, Digraph(7, edges)))
    EXPECT_TRUE(std::isnan(effect.size));
  EXPECT_TRUE(edge_effects({}, Digraph()).empty());
}

TEST(EdgeEffects, MissingCellsAreLeftOut) {
  Dataset dataset = table_of(100, {"x", "y"}, 7, [](RandomStream& random, std::span<double> row, auto) {
    row[0] = random.normal();
    row[1] = row[0] + random.normal();
  });
  dataset.table.values(3, 0) = kNoNumber;
  dataset.table.values(5, 1) = kNoNumber;
  const auto effects = edge_effects(dataset, Digraph(2, {{0, 1}}));
  EXPECT_EQ(effects[0].rows, 98u);
  EXPECT_GT(effects[0].low, 0.0);
}

TEST(EdgeEffects, CategoriesHaveAStrengthWithoutSign) {
  Dataset dataset =
      table_of(kRows, {"c", "y", "z"}, 8, [](RandomStream& random, std::span<double> row, auto) {
        row[0] = random.below(3);
        row[1] = (row[0] == 1 ? 2.0 : 0.0) + random.normal();
        row[2] = random.normal();
      });
  dataset.table.kinds = {ColumnKind::kUnordered, ColumnKind::kContinuous, ColumnKind::kContinuous};
  const auto effects = edge_effects(dataset, Digraph(3, {{0, 1}, {0, 2}, {1, 0}, {2, 0}}));
  const double truth = std::sqrt((4 * 2.0 / 9) / (4 * 2.0 / 9 + 1));  // of the variance between the groups
  EXPECT_EQ(effect_of(effects, {0, 1}).kind, EffectKind::kCorrelationRatio);
  EXPECT_NEAR(effect_of(effects, {0, 1}).size, truth, 0.05);
  EXPECT_LT(effect_of(effects, {0, 2}).size, 0.1);
  EXPECT_GT(effect_of(effects, {1, 0}).size, 0.3);
  EXPECT_LT(effect_of(effects, {2, 0}).size, 0.1);
  EXPECT_TRUE(std::isnan(effect_of(effects, {0, 1}).low));
}

// 90 % intervals of a standardised coefficient, errors of unequal size, strong and weak effects.
TEST(EdgeEffects, IntervalsHoldTheTruthNineTimesInTen) {
  for (const double slope : {0.2, 1.5}) {
    int held = 0;
    const int tables = 400;
    for (int k = 0; k < tables; ++k) {
      const Dataset dataset =
          table_of(200, {"x", "y"}, static_cast<std::uint32_t>(100 + k),
                   [&](RandomStream& random, std::span<double> row, auto) {
                     row[0] = random.normal();
                     row[1] = slope * row[0] + (0.5 + 0.5 * std::abs(row[0])) * random.normal();
                   });
      // E (0.5 + 0.5 |x|)^2 = 0.25 (1 + 2 sqrt(2 / pi) + 1)
      const double truth =
          slope / std::sqrt(slope * slope + 0.25 * (2.0 + 2.0 * std::sqrt(2.0 / 3.141592653589793)));
      const EdgeEffect effect = edge_effects(dataset, Digraph(2, {{0, 1}}), 1).front();
      held += effect.low <= truth && truth <= effect.high;
    }
    EXPECT_GE(held, 0.85 * tables) << slope;
    EXPECT_LE(held, 0.95 * tables) << slope;
  }
}

}  // namespace
}  // namespace causcale

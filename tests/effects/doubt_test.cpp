// The doubt about a total effect: rows drawn anew, and effects that have to be zero.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "causcale/effects.h"

namespace causcale {
namespace {

enum { u, x, m, y, before, apart };

// u -> x -> m -> y and u -> y; before -> x; apart alone. Total effect 1. With `hidden` another common cause
// of x, y and apart that no column holds.
Dataset table_of(std::size_t rows, std::uint32_t number, double hidden = 0.0) {
  RandomStream random(21, number, 7);
  Dataset dataset;
  dataset.table.names = {"u", "x", "m", "y", "before", "apart"};
  dataset.table.values = Matrix<double>(rows, 6);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::span<double> row = dataset.table.values.row(r);
    const double h = hidden * random.normal();
    row[u] = random.normal();
    row[before] = random.normal();
    row[x] = row[u] + row[before] + h + random.normal();
    row[m] = 2.0 * row[x] + random.normal();
    row[y] = 0.5 * row[m] - 2.0 * row[u] + h + random.normal();
    row[apart] = h + random.normal();
  }
  return dataset;
}
const Digraph kGraph(6, {{u, x}, {x, m}, {m, y}, {u, y}, {before, x}});

std::size_t against(const TotalEffect& effect) {
  std::size_t count = 0;
  for (const NegativeControl& control : effect.negative_controls)
    count += control.p * static_cast<double>(effect.negative_controls.size()) < 0.05;
  return count;
}

TEST(NegativeControls, AreWhatTheGraphSeparates) {
  const TotalEffect effect = total_effect(table_of(500, 0), kGraph, x, y);
  ASSERT_EQ(effect.optimal, std::vector<int>{u});
  ASSERT_EQ(effect.negative_controls.size(), 3u);
  // The cause on what it does not move; `before` is not a control of the outcome, as it acts on the cause.
  EXPECT_EQ(effect.negative_controls[0].cause, x);
  EXPECT_EQ(effect.negative_controls[0].outcome, apart);
  EXPECT_EQ(effect.negative_controls[0].adjustment, std::vector<int>{u});
  // On the outcome what acts on it through the cause only, or not at all; the one nearest to the cause first.
  EXPECT_EQ(effect.negative_controls[1].cause, before);
  EXPECT_EQ(effect.negative_controls[1].outcome, y);
  EXPECT_EQ(effect.negative_controls[1].adjustment, (std::vector<int>{u, x}));
  EXPECT_EQ(effect.negative_controls[2].cause, apart);
  EXPECT_EQ(against(effect), 0u);
}

TEST(NegativeControls, SeldomSpeakAgainstARightGraphAndUsuallyAgainstAWrongOne) {
  int right = 0, confounded = 0;
  for (std::uint32_t k = 0; k < 60; ++k) {
    right += against(total_effect(table_of(200, k), kGraph, x, y)) > 0;
    confounded += against(total_effect(table_of(200, k, 1.0), kGraph, x, y)) > 0;
  }
  EXPECT_LE(right, 9);  // 3 are expected
  EXPECT_GE(confounded, 55);
}

TEST(NegativeControls, AreNotThereWithoutDataOrWithCyclesElsewhere) {
  Dataset names = table_of(0, 0);
  EXPECT_TRUE(total_effect(names, kGraph, x, y).negative_controls.empty());
  const Digraph cyclic(6, {{u, x}, {x, y}, {u, y}, {y, before}, {before, apart}, {apart, before}});
  const TotalEffect effect = total_effect(table_of(100, 1), cyclic, x, y);
  EXPECT_EQ(effect.identification, Identification::kAdjustment);
  EXPECT_TRUE(effect.negative_controls.empty());
}

TEST(EffectBootstrap, AgreesWithTheIntervalOfTheEstimate) {
  TotalEffectOptions options;
  options.bootstrap = 400;
  const TotalEffect effect = total_effect(table_of(400, 2), kGraph, x, y, options);
  const EffectEstimate& linear = effect.estimates.front();
  EXPECT_EQ(effect.bootstrap, 400u);
  EXPECT_NEAR(effect.bootstrap_low, linear.low, 0.2 * (linear.high - linear.low));
  EXPECT_NEAR(effect.bootstrap_high, linear.high, 0.2 * (linear.high - linear.low));
  options.threads = 3;
  const TotalEffect again = total_effect(table_of(400, 2), kGraph, x, y, options);
  EXPECT_EQ(again.bootstrap_low, effect.bootstrap_low);
  EXPECT_TRUE(std::isnan(total_effect(table_of(400, 2), kGraph, x, y).bootstrap_low));
}

TEST(EffectBootstrap, HasTheDoubtAboutTheGraphInIt) {
  // In a third of the graphs the two are not joined, in another the common cause is not one.
  const std::vector<Digraph> graphs{kGraph, Digraph(6), Digraph(6, {{x, m}, {m, y}})};
  TotalEffectOptions options;
  options.bootstrap = 300;
  options.graphs = &graphs;
  const TotalEffect effect = total_effect(table_of(1000, 3), kGraph, x, y, options);
  EXPECT_EQ(effect.bootstrap, 300u);
  // Not adjusted for u the effect is 1 - 2 * cov(u, x) / var(x) = 1/3.
  EXPECT_EQ(effect.bootstrap_low, 0.0);
  EXPECT_NEAR(effect.bootstrap_high, 1.0, 0.1);
  EXPECT_NEAR(effect.graphs_mean, (1.0 + 0.0 + 1.0 / 3.0) / 3.0, 0.05);
}

TEST(EffectBootstrap, DrawsWithinRegimes) {
  Dataset dataset = table_of(300, 4);
  dataset.interventions.regimes = {{}, {x}};
  for (int r = 0; r < 300; ++r) {
    dataset.interventions.regime_of_row.push_back(r % 2);
    if (r % 2 == 1) {
      RandomStream random(5, static_cast<std::uint32_t>(r), 3);
      const std::span<double> row = dataset.table.values.row(static_cast<std::size_t>(r));
      row[x] = random.normal();
      row[m] = 2.0 * row[x] + random.normal();
      row[y] = 0.5 * row[m] - 2.0 * row[u] + random.normal();
    }
  }
  TotalEffectOptions options;
  options.bootstrap = 200;
  const TotalEffect effect = total_effect(dataset, kGraph, x, y, options);
  EXPECT_EQ(effect.bootstrap, 200u);
  EXPECT_LT(effect.bootstrap_low, 1.0);
  EXPECT_GT(effect.bootstrap_high, 0.9);
}

}  // namespace
}  // namespace causcale

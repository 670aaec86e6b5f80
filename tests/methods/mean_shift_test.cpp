#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "causcale/error.h"
#include "gaussian_models.h"
#include "methods/method.h"
#include "methods/shift/shift_statistics.h"

namespace causcale {
namespace {

TEST(ShiftStatistics, AreThoseOfTheFormulas) {
  const std::vector<double> control{1, 2, 3, 4, 5}, treated{5, 7, 9};
  const Shift mean = mean_shift(control, treated);
  EXPECT_NEAR(mean.size, 4.0 / std::sqrt(2.5), 1e-12);
  EXPECT_NEAR(mean.p_value, std::erfc(4.0 / std::sqrt(2.5 / 5 + 4.0 / 3) / std::sqrt(2.0)), 1e-12);
  const Shift spread = spread_shift(control, treated);  // deviations 2 1 0 1 2 and 2 0 2
  EXPECT_NEAR(spread.size, (4.0 / 3 - 1.2) / std::sqrt(0.7), 1e-12);
  EXPECT_NEAR(distribution_shift(control, treated).size, 0.8, 1e-12);
  EXPECT_NEAR(distribution_shift(control, control).p_value, 1.0, 1e-12);
  EXPECT_EQ(mean_shift({1, 1, 1}, {1, 1}).size, 0.0);
  EXPECT_GT(mean_shift({1, 1, 1}, {2, 2}).size, 0.0);
  // Kolmogorov's distribution: P(D sqrt(n) > 1.3581) = 0.05.
  std::vector<double> a, b;
  for (int k = 0; k < 20000; ++k) {
    a.push_back(k);
    b.push_back(k + 0.5 + 20000 * 0.013581);
  }
  EXPECT_NEAR(distribution_shift(a, b).p_value, 0.05, 0.004);
}

// 0 -> 1 -> 2, 3 apart; 0 and 1 are intervened on.
Dataset chain(bool spread) {
  RandomStream random(15, spread, 0);
  Dataset data;
  data.table.names = test::column_names(4);
  data.table.values = Matrix<double>(900, 4);
  data.interventions.regimes = {{}, {0}, {1}};
  for (int r = 0; r < 900; ++r) {
    const int regime = r % 3;
    data.interventions.regime_of_row.push_back(regime);
    double x = random.normal(), y = x + random.normal();
    if (regime == 1) {
      x = spread ? 4.0 * random.normal() : 3.0 + random.normal();
      y = x + random.normal();
    }
    if (regime == 2) y = spread ? 6.0 * random.normal() : -4.0 + std::sqrt(2.0) * random.normal();
    data.table.values(r, 0) = x;
    data.table.values(r, 1) = y;
    data.table.values(r, 2) = y + random.normal();
    data.table.values(r, 3) = random.normal();
  }
  return data;
}

TEST(MeanShift, FindsWhatInterventionsMove) {
  for (const bool spread : {false, true})
    for (const char* kind : {"mean", "spread", "distribution"}) {
      SCOPED_TRACE(kind);
      MethodOptions options;
      options.settings["shift"] = kind;
      const MethodResult found = run_method(mean_shift_method(), chain(spread), options);
      const bool visible = std::string(kind) == "distribution" || (std::string(kind) == "spread") == spread;
      EXPECT_EQ(found.graph.directed(0, 1), visible);
      EXPECT_EQ(found.graph.directed(0, 2), visible);
      EXPECT_EQ(found.graph.directed(1, 2), visible);
      EXPECT_FALSE(found.graph.adjacent(0, 3) || found.graph.adjacent(1, 3) || found.graph.adjacent(2, 3));
      EXPECT_EQ(found.scores(2, 0), 0.0);  // never intervened on
      if (visible) {
        EXPECT_GT(found.scores(0, 1), 2.0 * found.scores(1, 0));
      }
    }
}

TEST(MeanShift, SaysThatItNeedsInterventions) {
  Dataset data = chain(false);
  data.interventions = {};
  try {
    run_method(mean_shift_method(), data, {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--interventions"), std::string::npos);
  }
}

TEST(MeanShift, WithoutControlRowsComparesRegimes) {
  Dataset data = chain(false);
  data.interventions.regimes[0] = {3};
  const MethodResult found = run_method(mean_shift_method(), data, {});
  EXPECT_TRUE(found.graph.directed(1, 2));
  EXPECT_TRUE(std::ranges::any_of(
      found.log, [](const std::string& line) { return line.find("hardly any row") != std::string::npos; }));
}

}  // namespace
}  // namespace causcale

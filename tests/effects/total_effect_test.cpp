// Total effects: estimates on tables whose truth is known, refusals with reasons, graphs of other classes.
#include "effects/total_effect.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "causcale/error.h"
#include "effects/estimators.h"
#include "report/total_effect_report.h"

namespace causcale {
namespace {

template <class Make>
Dataset table_of(std::size_t rows, std::vector<std::string> names, std::uint32_t number, Make make) {
  RandomStream random(11, number, 0x746f7461);
  Dataset dataset;
  dataset.table.values = Matrix<double>(rows, names.size());
  dataset.table.names = std::move(names);
  for (std::size_t r = 0; r < rows; ++r) make(random, dataset.table.values.row(r), r);
  return dataset;
}

const EffectEstimate& estimate_of(const TotalEffect& effect, const std::string& estimator) {
  for (const EffectEstimate& estimate : effect.estimates)
    if (estimate.estimator == estimator) return estimate;
  throw std::out_of_range(estimator);
}

void expect_holds(const EffectEstimate& estimate, double truth, double tolerance) {
  EXPECT_NEAR(estimate.size, truth, tolerance) << estimate.estimator;
  EXPECT_LT(estimate.low, estimate.size) << estimate.estimator;
  EXPECT_GT(estimate.high, estimate.size) << estimate.estimator;
}

enum { u, x, m, y };

// u -> x -> m -> y, u -> y: total effect 2 * 0.5 = 1.
Dataset chain(std::size_t rows, std::uint32_t number) {
  return table_of(rows, {"u", "x", "m", "y"}, number, [](RandomStream& random, std::span<double> row, auto) {
    row[u] = random.normal();
    row[x] = row[u] + random.normal();
    row[m] = 2.0 * row[x] + random.normal();
    row[y] = 0.5 * row[m] - 2.0 * row[u] + random.normal();
  });
}
const Digraph kChain(4, {{u, x}, {x, m}, {m, y}, {u, y}});

TEST(TotalEffects, OfAConfoundedChain) {
  const TotalEffect effect = total_effect(chain(2000, 0), kChain, x, y);
  EXPECT_EQ(effect.identification, Identification::kAdjustment);
  EXPECT_EQ(effect.parents, std::vector<int>{u});
  EXPECT_EQ(effect.minimal_sets, std::vector<std::vector<int>>{{u}});
  EXPECT_EQ(effect.front_door, std::vector<int>{m});
  for (const char* estimator : {"linear", "flexible", "front_door"})
    expect_holds(estimate_of(effect, estimator), 1.0, 0.15);
  EXPECT_EQ(estimate_of(effect, "linear").rows, 2000u);
  EXPECT_TRUE(std::isnan(effect.graphs_mean));
}

TEST(TotalEffects, NoDescendantNoEffect) {
  const TotalEffect effect = total_effect(chain(100, 1), kChain, y, x);
  EXPECT_EQ(effect.identification, Identification::kZero);
  EXPECT_TRUE(effect.estimates.empty());
  EXPECT_NE(effect.reason.find("x is no descendant of y"), std::string::npos);
}

TEST(TotalEffects, ACycleIsNamed) {
  const TotalEffect effect = total_effect(chain(100, 1), Digraph(4, {{u, x}, {x, u}, {x, y}}), x, y);
  EXPECT_EQ(effect.identification, Identification::kNone);
  EXPECT_NE(effect.reason.find("u -> x -> u"), std::string::npos) << effect.reason;
  EXPECT_TRUE(effect.estimates.empty());
}

TEST(TotalEffects, WithoutDataOnlyTheSets) {
  Dataset names;
  names.table.names = {"u", "x", "m", "y"};
  names.table.values = Matrix<double>(0, 4);
  const TotalEffect effect = total_effect(names, kChain, x, y);
  EXPECT_EQ(effect.optimal, std::vector<int>{u});
  EXPECT_TRUE(effect.estimates.empty());
  EXPECT_THROW(total_effect(names, kChain, x, x), UsageError);
  EXPECT_THROW(total_effect(names, kChain, x, 9), UsageError);
}

TEST(TotalEffects, OfATwoValuedCause) {
  const Dataset dataset =
      table_of(3000, {"u", "x", "m", "y"}, 2, [](RandomStream& random, std::span<double> row, auto) {
        row[u] = random.normal();
        row[x] = random.coin(1.0 / (1.0 + std::exp(-1.5 * row[u])));
        row[m] = random.normal();
        row[y] = row[x] * (1.0 + row[u]) + 2.0 * row[u] + random.normal();  // 1 on average
      });
  const TotalEffect effect = total_effect(dataset, Digraph(4, {{u, x}, {x, y}, {u, y}}), x, y);
  expect_holds(estimate_of(effect, "doubly_robust"), 1.0, 0.15);
  expect_holds(estimate_of(effect, "flexible"), 1.0, 0.15);
}

// The slope of a line says nothing here: the average derivative of (x - 1)^2 / 2 is -1 at mean 0, whatever u.
TEST(TotalEffects, TheFlexibleEstimateFollowsACurve) {
  const Dataset dataset =
      table_of(3000, {"u", "x", "m", "y"}, 3, [](RandomStream& random, std::span<double> row, auto) {
        row[u] = random.exponential() - 1.0;
        row[x] = row[u] + 0.7 * random.normal();
        row[m] = random.normal();
        row[y] = 0.5 * (row[x] - 1.0) * (row[x] - 1.0) + std::sin(2.0 * row[u]) + random.normal();
      });
  const TotalEffect effect = total_effect(dataset, Digraph(4, {{u, x}, {x, y}, {u, y}}), x, y);
  expect_holds(estimate_of(effect, "flexible"), -1.0, 0.12);
}

// y = x^2: the mean slope is 2 where x has mean 1, whatever an experiment sets x to.
TEST(TotalEffects, TheSlopeOfACurveIsThatWhereTheCauseLies) {
  Dataset dataset =
      table_of(1000, {"u", "x", "m", "y"}, 9, [](RandomStream& random, std::span<double> row, std::size_t r) {
        row[u] = row[m] = random.normal();
        row[x] = r < 500 ? 1.0 + 0.5 * random.normal() : -2.0 + 0.5 * random.normal();
        row[y] = row[x] * row[x] + 0.3 * random.normal();
      });
  dataset.interventions.regimes = {{}, {x}};
  for (std::size_t r = 0; r < 1000; ++r) dataset.interventions.regime_of_row.push_back(r >= 500);
  const EffectEstimate flexible = estimate_of(total_effect(dataset, Digraph(4, {{x, y}}), x, y), "flexible");
  expect_holds(flexible, 2.0, 0.2);
}

TEST(TotalEffects, AnExperimentIsUsed) {
  // u is not in the graph: only the experiment is right.
  Dataset dataset =
      table_of(2000, {"u", "x", "m", "y"}, 4, [](RandomStream& random, std::span<double> row, std::size_t r) {
        row[u] = random.normal();
        row[x] = r < 1000 ? row[u] + random.normal() : 3.0 + random.normal();
        row[m] = r < 1500 ? random.normal() : 100.0;
        row[y] = 0.5 * row[x] - 2.0 * row[u] + random.normal();
      });
  dataset.interventions.regimes = {{}, {x}, {x, m}};
  for (std::size_t r = 0; r < 2000; ++r)
    dataset.interventions.regime_of_row.push_back(r < 1000 ? 0 : r < 1500 ? 1 : 2);
  const TotalEffect effect = total_effect(dataset, Digraph(4, {{x, y}}), x, y);
  EXPECT_EQ(estimate_of(effect, "experiment").rows, 1500u);
  expect_holds(estimate_of(effect, "experiment"), 0.5, 0.15);
  expect_holds(estimate_of(effect, "experiment_slope"), 0.5, 0.3);
  // A graph without the edge still shows what was measured.
  EXPECT_EQ(total_effect(dataset, Digraph(4), x, y).estimates.size(), 2u);
}

TEST(TotalEffects, RegimesThatTouchOtherVariablesAreTakenApart) {
  // In every regime u has another level and x another one by chance: pooled rows would be confounded.
  Dataset dataset =
      table_of(900, {"u", "x", "m", "y"}, 5, [](RandomStream& random, std::span<double> row, std::size_t r) {
        row[u] = r < 450 ? 5.0 : -5.0;
        row[m] = r < 450 ? 5.0 : -5.0;
        row[x] = row[m] + random.normal();
        row[y] = row[x] + 10.0 * row[u] + random.normal();
      });
  dataset.interventions.regimes = {{u, m}, {u}};
  for (std::size_t r = 0; r < 900; ++r) dataset.interventions.regime_of_row.push_back(r < 450 ? 0 : 1);
  const TotalEffect effect = total_effect(dataset, Digraph(4, {{m, x}, {x, y}}), x, y);
  expect_holds(estimate_of(effect, "linear"), 1.0, 0.15);
  EXPECT_NE(estimate_of(effect, "linear").note.find("within regimes"), std::string::npos);
}

TEST(TotalEffects, OverGraphs) {
  const std::vector<Digraph> graphs{kChain, Digraph(4), kChain, Digraph(4, {{u, x}})};
  TotalEffectOptions options;
  options.graphs = &graphs;
  const TotalEffect effect = total_effect(chain(2000, 0), kChain, x, y, options);
  EXPECT_EQ(effect.graphs, 4u);
  EXPECT_DOUBLE_EQ(effect.graphs_share, 0.5);
  EXPECT_NEAR(effect.graphs_mean, 0.5, 0.1);
  EXPECT_EQ(effect.graphs_low, 0.0);
  EXPECT_NEAR(effect.graphs_high, 1.0, 0.15);
}

TEST(TotalEffects, BoundsOfACpdag) {
  // x - m - y undirected: x -> m -> y, or x <- m -> y, or x <- m <- y
  const Dataset dataset =
      table_of(2000, {"u", "x", "m", "y"}, 6, [](RandomStream& random, std::span<double> row, auto) {
        row[u] = random.normal();
        row[x] = random.normal();
        row[m] = row[x] + random.normal();
        row[y] = row[m] + random.normal();
      });
  MixedGraph marks(4);
  marks.set(x, m, Mark::kTail, Mark::kTail);
  marks.set(m, y, Mark::kTail, Mark::kTail);
  const TotalEffect effect = total_effect(dataset, marks, GraphClass::kCpdag, x, y);
  EXPECT_EQ(effect.identification, Identification::kBounds);
  ASSERT_EQ(effect.estimates.size(), 2u);
  expect_holds(effect.estimates[0], 1.0, 0.1);
  expect_holds(effect.estimates[1], 0.0, 0.1);
  EXPECT_LE(effect.low, effect.estimates[1].low);
  EXPECT_GE(effect.high, effect.estimates[0].high);
  // Nothing leads to u.
  EXPECT_EQ(total_effect(dataset, marks, GraphClass::kCpdag, x, u).identification, Identification::kZero);
  // A neighbour as the outcome: it may be a cause.
  const TotalEffect near = total_effect(dataset, marks, GraphClass::kCpdag, x, m);
  ASSERT_EQ(near.estimates.size(), 2u);
  EXPECT_EQ(near.estimates[1].size, 0.0);
  // Circles leave the size entirely open.
  marks.set(x, m, Mark::kCircle, Mark::kArrow);
  marks.set(m, y, Mark::kTail, Mark::kArrow);
  const TotalEffect refused = total_effect(dataset, marks, GraphClass::kPag, x, y);
  EXPECT_EQ(refused.identification, Identification::kNone);
  EXPECT_NE(refused.reason.find("x o-> m may stand for a cause of both that was not measured"),
            std::string::npos)
      << refused.reason;
  EXPECT_EQ(total_effect(dataset, MixedGraph(kChain), GraphClass::kDag, x, y).identification,
            Identification::kAdjustment);
}

TEST(TotalEffects, CategoriesAndConstantsAreNamed) {
  Dataset dataset = chain(50, 7);
  for (std::size_t r = 0; r < 50; ++r) dataset.table.values(r, x) = 3.0;
  const TotalEffect effect = total_effect(dataset, kChain, x, y);
  EXPECT_TRUE(effect.estimates.empty());
  EXPECT_NE(effect.reason.find("x has the same value in all rows"), std::string::npos) << effect.reason;
}

// Regressions would end in sums that are not numbers, which is not a want of rows.
TEST(TotalEffects, ValuesTooLargeAreNamed) {
  Dataset dataset = chain(50, 7);
  for (double& value : dataset.table.values.values()) value *= 1e200;
  try {
    total_effect(dataset, kChain, x, y);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("too large"), std::string::npos) << error.what();
  }
  EXPECT_THROW(edge_effects(dataset, kChain), InputError);
}

TEST(TotalEffects, AreWrittenInWordsAndAsJson) {
  const TotalEffect effect = total_effect(chain(500, 8), kChain, x, y);
  const std::vector<std::string> names{"u", "x", "m", "y"};
  const std::string text = format_total_effect(effect, names), json = format_total_effect_json(effect, names);
  EXPECT_NE(text.find("Total effect of x on y: identified"), std::string::npos) << text;
  EXPECT_NE(text.find("front door: m"), std::string::npos) << text;
  EXPECT_NE(json.find("\"identification\": \"adjustment\""), std::string::npos) << json;
}

// 90 % intervals over many small tables: linear by both sets, doubly robust, flexible.
TEST(TotalEffects, IntervalsHoldTheTruthNineTimesInTen) {
  const int tables = 200;
  int linear = 0, robust = 0, flexible = 0;
  for (int k = 0; k < tables; ++k) {
    const Dataset dataset =
        table_of(300, {"u", "x", "m", "y"}, static_cast<std::uint32_t>(1000 + k),
                 [](RandomStream& random, std::span<double> row, auto) {
                   row[u] = random.normal();
                   row[x] = random.coin(1.0 / (1.0 + std::exp(-row[u])));
                   row[m] = random.normal();
                   row[y] = 0.7 * row[x] + row[u] + 0.5 * row[m] + (0.5 + std::abs(row[u])) * random.normal();
                 });
    const TotalEffect effect = total_effect(dataset, Digraph(4, {{u, x}, {x, y}, {u, y}, {m, y}}), x, y);
    const auto holds = [&](const char* estimator) {
      const EffectEstimate& estimate = estimate_of(effect, estimator);
      return estimate.low <= 0.7 && 0.7 <= estimate.high;
    };
    linear += holds("linear");
    robust += holds("doubly_robust");
    flexible += holds("flexible");
  }
  for (const int held : {linear, robust, flexible}) {
    EXPECT_GE(held, 0.85 * tables);
    EXPECT_LE(held, 0.95 * tables);
  }
}

}  // namespace
}  // namespace causcale

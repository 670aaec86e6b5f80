// What units, signs and orders may do to the sizes of effects, whatever those sizes are.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "causcale/effects.h"

namespace causcale {
namespace {

enum { u, x, m, y };
const Digraph kGraph(4, {{u, x}, {x, m}, {m, y}, {u, y}});

Dataset table() {
  Dataset dataset;
  dataset.table.names = {"u", "x", "m", "y"};
  dataset.table.values = Matrix<double>(400, 4);
  RandomStream random(17, 0, 0);
  for (std::size_t r = 0; r < 400; ++r) {
    const auto row = dataset.table.values.row(r);
    row[u] = random.normal();
    row[x] = row[u] + random.uniform(-1.0, 1.0);
    row[m] = 2.0 * row[x] + random.normal();
    row[y] = 0.5 * row[m] - row[u] + random.normal();
  }
  return dataset;
}

// factor * value + origin, column by column.
Dataset in_units(Dataset dataset, const std::vector<double>& factor, double origin) {
  for (std::size_t r = 0; r < dataset.table.rows(); ++r)
    for (std::size_t c = 0; c < factor.size(); ++c)
      dataset.table.values(r, c) = factor[c] * dataset.table.values(r, c) + origin;
  return dataset;
}

void expect_close(double found, double expected, const std::string& what) {
  EXPECT_NEAR(found, expected, 1e-6 * (1.0 + std::abs(expected))) << what;
}

TEST(EffectsMetamorphic, UnitsAndMirrorsChangeAnEdgeByItsSignAlone) {
  const Dataset dataset = table();
  const std::vector<double> factors{3.0, -0.01, 100.0, -7.0};
  const std::vector<EdgeEffect> before = edge_effects(dataset, kGraph),
                                after = edge_effects(in_units(dataset, factors, 5.0), kGraph);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t k = 0; k < before.size(); ++k) {
    const auto [source, target] = before[k].edge;
    const double sign = factors[source] * factors[target] > 0 ? 1.0 : -1.0;
    const std::string what = dataset.table.names[source] + " -> " + dataset.table.names[target];
    expect_close(after[k].size, sign * before[k].size, what);
    expect_close(sign > 0 ? after[k].low : -after[k].high, before[k].low, what);
    expect_close(sign > 0 ? after[k].high : -after[k].low, before[k].high, what);
    expect_close(after[k].nonlinear_p, before[k].nonlinear_p, what);
  }
}

TEST(EffectsMetamorphic, UnitsAndMirrorsScaleATotalEffect) {
  const Dataset dataset = table();
  const std::vector<double> factors{-2.0, 0.5, -10.0, 8.0};
  const TotalEffect before = total_effect(dataset, kGraph, x, y),
                    after = total_effect(in_units(dataset, factors, -3.0), kGraph, x, y);
  ASSERT_EQ(before.estimates.size(), after.estimates.size());
  EXPECT_EQ(before.minimal_sets, after.minimal_sets);
  for (std::size_t k = 0; k < before.estimates.size(); ++k) {
    const std::string& estimator = before.estimates[k].estimator;
    // The features of the flexible one are drawn for standardised values; mirrored ones meet others.
    if (estimator == "flexible") continue;
    const double factor = factors[y] / factors[x];
    expect_close(after.estimates[k].size, factor * before.estimates[k].size, estimator);
    expect_close(after.estimates[k].low, factor * before.estimates[k].low, estimator);
    expect_close(after.estimates[k].high, factor * before.estimates[k].high, estimator);
    expect_close(after.estimates[k].standardized, before.estimates[k].standardized, estimator);
  }
}

TEST(EffectsMetamorphic, OrderOfRowsAndColumnsDoesNotMatter) {
  const Dataset dataset = table();
  const std::vector<int> place{2, 0, 3, 1};  // of u, x, m, y
  Dataset other;
  other.table.names = {"x", "y", "u", "m"};
  other.table.values = Matrix<double>(400, 4);
  for (std::size_t r = 0; r < 400; ++r)
    for (std::size_t c = 0; c < 4; ++c)
      other.table.values(r, static_cast<std::size_t>(place[c])) = dataset.table.values(399 - r, c);
  std::vector<Edge> edges;
  for (const Edge& edge : kGraph.edges()) edges.push_back({place[edge.source], place[edge.target]});
  const TotalEffect before = total_effect(dataset, kGraph, x, y),
                    after = total_effect(other, Digraph(4, edges), place[x], place[y]);
  const EffectEstimate &one = before.estimates.front(), &two = after.estimates.front();
  EXPECT_EQ(one.estimator, two.estimator);
  expect_close(two.size, one.size, "size");
  expect_close(two.low, one.low, "low");
  expect_close(two.high, one.high, "high");
}

// A copy of a column that the graph does not join to anything.
TEST(EffectsMetamorphic, AnIdleCopyOfAColumnChangesNothing) {
  const Dataset dataset = table();
  Dataset copied;
  copied.table.names = {"u", "x", "m", "y", "copy"};
  copied.table.values = Matrix<double>(400, 5);
  for (std::size_t r = 0; r < 400; ++r)
    for (std::size_t c = 0; c < 5; ++c) copied.table.values(r, c) = dataset.table.values(r, c < 4 ? c : x);
  std::vector<Edge> edges(kGraph.edges().begin(), kGraph.edges().end());
  const TotalEffect before = total_effect(dataset, kGraph, x, y),
                    after = total_effect(copied, Digraph(5, edges), x, y);
  EXPECT_EQ(before.estimates.front().size, after.estimates.front().size);
  EXPECT_EQ(before.estimates.front().low, after.estimates.front().low);
  // As a second parent it leaves neither of the two anything of its own.
  edges.push_back({4, m});
  for (const EdgeEffect& effect : edge_effects(copied, Digraph(5, edges)))
    if (effect.edge.target == m) {
      EXPECT_TRUE(std::isnan(effect.size));
    }
}

}  // namespace
}  // namespace causcale

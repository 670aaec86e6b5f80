#include "simulate/causal_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "causcale/error.h"

namespace causcale {
namespace {

SyntheticOptions options_of(int nodes, int rows) {
  SyntheticOptions options;
  options.nodes = nodes;
  options.rows = rows;
  return options;
}

// Calls use(value, target, regime) for every cell that an intervention set.
template <typename Use>
void for_each_set_cell(const Simulation& simulation, const Use& use) {
  const Interventions& interventions = simulation.dataset.interventions;
  for (std::size_t r = 0; r < simulation.dataset.table.rows(); ++r) {
    const int regime = interventions.regime_of_row[r];
    for (const int target : interventions.regimes[regime])
      use(simulation.dataset.table.values(r, target), target, regime);
  }
}

TEST(CausalModel, SpreadOfInterventionsStretchesTheSameValues) {
  SyntheticOptions options = options_of(8, 270);
  std::vector<double> usual, stretched;
  for_each_set_cell(simulate_synthetic(options, 3, 0), [&](double x, int, int) { usual.push_back(x); });
  options.interventions.value_spread = 4.0;
  for_each_set_cell(simulate_synthetic(options, 3, 0), [&](double x, int, int) { stretched.push_back(x); });
  ASSERT_EQ(usual.size(), 240u);
  ASSERT_EQ(stretched.size(), usual.size());
  for (std::size_t i = 0; i < usual.size(); ++i) ASSERT_EQ(stretched[i], 4.0 * usual[i]);
}

TEST(CausalModel, EveryTargetIsShiftedByADistanceOfItsOwn) {
  SyntheticOptions options = options_of(200, 6030);
  options.interventions.value_spread = 0.25;
  options.interventions.value_shift = 3.0;
  std::vector<double> low(200, std::numeric_limits<double>::infinity()), high(200, -low[0]);
  for_each_set_cell(simulate_synthetic(options, 4, 0), [&](double x, int target, int) {
    low[target] = std::min(low[target], x);
    high[target] = std::max(high[target], x);
  });
  double sum = 0, squares = 0;
  for (int node = 0; node < 200; ++node) {
    ASSERT_LE(high[node] - low[node], 0.5 + 1e-5);
    ASSERT_GT(high[node] - low[node], 0.3);
    const double centre = 0.5 * (low[node] + high[node]);
    sum += centre, squares += centre * centre;
  }
  EXPECT_NEAR(sum / 200, 0.0, 4 * 3.0 / std::sqrt(200.0));
  EXPECT_NEAR(std::sqrt(squares / 200), 3.0, 4 * 3.0 / std::sqrt(400.0));
}

TEST(CausalModel, TheNodesSizeIsThatOfTheirNoiseAndOfRootsThemselves) {
  SyntheticOptions options = options_of(2, 90);
  const Digraph pair(2, {{0, 1}});
  const CausalModel usual = draw_model(options, pair, {0, 1}, 5, 0);
  const Simulation before = sample_model(usual);
  options.noise_spread = 8.0;
  const CausalModel uneven = draw_model(options, pair, {0, 1}, 5, 0);
  const Simulation after = sample_model(uneven);
  ASSERT_EQ(usual.parameters, uneven.parameters);
  const double weight = uneven.parameters.at(0), root = uneven.nodes[0].size, noise = uneven.nodes[1].size;
  EXPECT_NE(root, 1.0);
  EXPECT_NE(noise, 1.0);
  EXPECT_NE(noise, root);
  const Matrix<double>&a = before.dataset.table.values, &b = after.dataset.table.values;
  const Interventions& interventions = after.dataset.interventions;
  for (std::size_t r = 0; r < 90; ++r) {
    const std::vector<int>& targets = interventions.regimes[interventions.regime_of_row[r]];
    const bool first = targets == std::vector{0}, second = targets == std::vector{1};
    ASSERT_NEAR(b(r, 0), first ? a(r, 0) : root * a(r, 0), 1e-6 * (1 + root));
    if (second)
      ASSERT_EQ(b(r, 1), a(r, 1));
    else
      ASSERT_NEAR(b(r, 1) - weight * b(r, 0), noise * (a(r, 1) - weight * a(r, 0)),
                  1e-5 * (1 + noise + root));
  }
}

TEST(CausalModel, SizesFillTheirRangeEvenlyByFactors) {
  SyntheticOptions options = options_of(1000, 10);
  options.noise_spread = 16.0;
  const CausalModel model = draw_model(options, 6, 0);
  double sum = 0;
  int outer = 0;
  for (const CausalModelNode& node : model.nodes) {
    const double factor = std::log2(node.size);
    ASSERT_LE(std::abs(factor), 4.0 + 1e-6);
    sum += factor;
    outer += std::abs(factor) > 2.0;
  }
  EXPECT_NEAR(sum / 1000, 0.0, 4 * 4.0 / std::sqrt(3000.0));
  EXPECT_NEAR(outer, 500, 4 * std::sqrt(250.0));
}

TEST(CausalModel, SizesAndValuesThatMakeNoSenseAreRefused) {
  const auto refuse = [](auto change) {
    SyntheticOptions options = options_of(5, 20);
    change(options);
    EXPECT_THROW(draw_model(options, 0, 0), UsageError);
  };
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  for (const double wrong : {0.5, -2.0, kInfinite, std::nan("")})
    refuse([&](SyntheticOptions& o) { o.noise_spread = wrong; });
  for (const double wrong : {-0.5, kInfinite, std::nan("")}) {
    refuse([&](SyntheticOptions& o) { o.effect_scale = wrong; });
    refuse([&](SyntheticOptions& o) { o.interventions.value_spread = wrong; });
    refuse([&](SyntheticOptions& o) { o.interventions.value_shift = wrong; });
  }
}

}  // namespace
}  // namespace causcale

#include "learn/data/example.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "causcale/error.h"
#include "learn/data/batch_comparison.h"

namespace causcale {
namespace {

using test::data_of;

// All that may stand in the way of a table, in every data set.
const std::string kTrouble = R"("noises": "laplace", "couplings": "multiplicative", "roots": "mixture",
  "interventions": "soft", "mechanisms": ["linear", "nn"], "mixed_mechanisms": 1, "varied_noise": 1, "uneven_noise": 1,
  "varied_interventions": 1, "weak_effects": 1,
  "partial_coverage": 1, "several_targets": 1, "hidden_variables": 1, "random_units": 1)";

TEST(ExampleSource, PlainTablesHaveNothingInTheWay) {
  const ExampleSource examples(data_of(kTrouble + R"(, "plain": 1, "messy_columns": 1, "observational": 1)"));
  const SyntheticOptions paper;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const auto recipe = examples.recipe(50, 6, 3, i);
    ASSERT_TRUE(recipe);
    const SyntheticOptions& drawn = recipe->model.options;
    EXPECT_EQ(drawn.nodes, 6);
    EXPECT_EQ(drawn.hidden, 0);
    EXPECT_EQ(drawn.noise, paper.noise);
    EXPECT_EQ(drawn.noise_scale, paper.noise_scale);
    EXPECT_EQ(drawn.noise_spread, paper.noise_spread);
    EXPECT_EQ(drawn.effect_scale, paper.effect_scale);
    EXPECT_EQ(drawn.coupling, paper.coupling);
    EXPECT_EQ(drawn.roots, paper.roots);
    EXPECT_TRUE(drawn.mixed_mechanisms.empty());
    EXPECT_EQ(drawn.interventions.effect, InterventionEffect::kPerfect);
    EXPECT_EQ(drawn.interventions.coverage, 1.0);
    EXPECT_EQ(drawn.interventions.targets_per_regime, 1);
    EXPECT_EQ(drawn.interventions.value_spread, 1.0);
    EXPECT_EQ(drawn.interventions.value_shift, 0.0);
    EXPECT_EQ(drawn.observation.output_scale, paper.observation.output_scale);
  }
}

TEST(ExampleSource, TroubleReachesTheOtherTables) {
  const ExampleSource examples(data_of(kTrouble));
  double least = 1e9, most = 0.0;
  for (std::uint32_t i = 0; i < 50; ++i) {
    const auto recipe = examples.recipe(50, 6, 3, i);
    ASSERT_TRUE(recipe);
    const SyntheticOptions& drawn = recipe->model.options;
    EXPECT_GT(drawn.hidden, 0);
    EXPECT_EQ(drawn.nodes, 6 + drawn.hidden);
    EXPECT_EQ(drawn.interventions.effect, InterventionEffect::kSoft);
    EXPECT_LT(drawn.interventions.coverage, 1.0);
    EXPECT_GE(drawn.noise_spread, 2.0);
    EXPECT_LE(drawn.noise_spread, 32.0);
    EXPECT_GE(drawn.effect_scale, 1.0 / 16);
    EXPECT_LT(drawn.effect_scale, 1.0);
    EXPECT_GE(drawn.interventions.value_spread, 0.125);
    EXPECT_LE(drawn.interventions.value_spread, 4.0);
    EXPECT_GE(drawn.interventions.value_shift, 0.5);
    EXPECT_LE(drawn.interventions.value_shift, 5.7);
    least = std::min(least, drawn.noise_scale);
    most = std::max(most, drawn.noise_scale);
  }
  const double usual = SyntheticOptions().noise_scale;
  EXPECT_GE(least, usual / 4.0);
  EXPECT_LT(least, usual / 2.0);
  EXPECT_LE(most, usual * 4.0);
  EXPECT_GT(most, usual * 2.0);
}

TEST(ExampleSource, PlainIsAShareOfTheTables) {
  const ExampleSource examples(data_of(kTrouble + R"(, "plain": 0.5)"));
  int plain = 0;
  for (std::uint32_t i = 0; i < 400; ++i)
    plain += examples.recipe(50, 6, 3, i)->model.options.hidden == 0 ? 1 : 0;
  EXPECT_NEAR(plain, 200, 50);
}

// Every world gives tables of the size asked for, with its labels and without gaps.
TEST(ExampleSource, WorldsBecomeExamples) {
  for (const World& world : worlds()) {
    SCOPED_TRACE(world.name);
    const ExampleSource examples(data_of(R"("families": "world", "worlds": ")" + world.name + "\""));
    EXPECT_FALSE(examples.recipe(60, 7, 5, 3));
    EXPECT_FALSE(examples.expression_recipe(60, 7, 5, 3));
    const ExampleSource::Known known = examples.known(60, 7, 5, 3);
    ASSERT_EQ(known.table.table.rows(), 60u);
    ASSERT_EQ(known.table.table.cols(), 7u);
    const WorldSample sample = draw_world(world, {.nodes = 7, .rows = 60, .settings = {}}, 5, 3);
    EXPECT_EQ(known.table.table.values, sample.dataset.table.values);
    for (int i = 0; i < 7; ++i)
      for (int j = 0; j < 7; ++j) {
        if (i == j) continue;
        const bool both = sample.adjacency(i, j) && sample.adjacency(j, i);
        EXPECT_EQ(known.graph.has_edge(i, j) + (both ? known.graph.has_edge(j, i) : 0),
                  sample.adjacency(i, j));
      }
    std::vector<float> data(60 * 7 * 2), prior(49);
    std::vector<std::uint8_t> adjacency(49);
    examples.make({60, 7, data.data(), prior.data(), adjacency.data()}, 5, 3);
    for (const float value : data) EXPECT_TRUE(std::isfinite(value));
    for (const float value : prior) EXPECT_TRUE(std::isfinite(value));
    EXPECT_EQ(std::ranges::count(adjacency, 1), static_cast<long>(known.graph.edge_count()));
  }
  EXPECT_THROW(ExampleSource(data_of(R"("families": "world", "worlds": "atlantis")")), InputError);
}

// What a constant is to discover, it is in training: nothing.
TEST(ExampleSource, ConstantColumnsAreZeros) {
  const ExampleSource examples(data_of(R"("families": "world", "worlds": "nothing")"));
  int constants = 0;
  for (std::uint32_t index = 0; index < 60; ++index) {
    const Matrix<double> values = examples.known(40, 8, 2, index).table.table.values;
    std::vector<float> data(40 * 8 * 2), prior(64);
    std::vector<std::uint8_t> adjacency(64);
    examples.make({40, 8, data.data(), prior.data(), adjacency.data()}, 2, index);
    for (std::size_t c = 0; c < 8; ++c) {
      bool constant = true;
      for (std::size_t r = 1; r < 40; ++r) constant = constant && values(r, c) == values(0, c);
      if (!constant) continue;
      ++constants;
      for (std::size_t r = 0; r < 40; ++r) EXPECT_EQ(data[2 * (r * 8 + c)], 0.0f);
    }
  }
  EXPECT_GT(constants, 0);
}

}  // namespace
}  // namespace causcale

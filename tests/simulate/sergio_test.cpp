#include "simulate/sergio.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "causcale/error.h"
#include "simulate/names.h"

namespace causcale {
namespace {

SergioOptions small() {
  SergioOptions options;
  options.graph.nodes = 8;
  options.rows = 330;
  options.wild_type_rows = 60;
  return options;
}

TEST(Sergio, SameBitsOnAnyNumberOfThreads) {
  SergioOptions options = small();
  options.graph.nodes = 30;
  const SergioSimulation one = simulate_sergio(options, 3, 5, 1), four = simulate_sergio(options, 3, 5, 4);
  EXPECT_EQ(one.dataset.table.values, four.dataset.table.values);
  EXPECT_EQ(one.clean, four.clean);
  EXPECT_EQ(one.cell_type, four.cell_type);
  EXPECT_EQ(one.perturbed.half_response, four.perturbed.half_response);
  EXPECT_NE(one.clean, simulate_sergio(options, 3, 6, 1).clean);
  EXPECT_NE(one.clean, simulate_sergio(options, 4, 5, 1).clean);
}

TEST(Sergio, RowsAreInterleavedAndKnockedOutGenesAreZero) {
  const SergioOptions options = small();
  const SergioSimulation simulation = simulate_sergio(options, 1, 0);
  const Interventions& interventions = simulation.dataset.interventions;
  const int genes = 8, types = simulation.parameters.cell_types();
  const int cells = (330 + genes * types - 1) / (genes * types);
  ASSERT_EQ(simulation.dataset.table.rows(), 390u);
  ASSERT_EQ(simulation.dataset.table.names,
            (std::vector<std::string>{"G0", "G1", "G2", "G3", "G4", "G5", "G6", "G7"}));
  for (int row = 0; row < 330; ++row) {
    const std::vector<int>& targets = interventions.regimes[interventions.regime_of_row[row]];
    ASSERT_EQ(targets, std::vector<int>{row % genes});
    ASSERT_EQ(simulation.cell_type[row], row / genes / cells);
    ASSERT_LT(simulation.cell_type[row], types);
    ASSERT_EQ(simulation.clean(row, row % genes), 0.0);
    ASSERT_EQ(simulation.dataset.table.values(row, row % genes), 0.0);
  }
  for (int row = 330; row < 390; ++row)
    ASSERT_TRUE(interventions.regimes[interventions.regime_of_row[row]].empty());
  for (int gene = 0; gene < genes; ++gene) {
    int positive = 0;
    for (int row = 330; row < 390; ++row) positive += simulation.clean(row, gene) > 0;
    EXPECT_GT(positive, 0) << "gene " << gene << " is expressed in the wild type";
  }
  for (const double count : simulation.dataset.table.values.values())
    ASSERT_TRUE(count >= 0 && count == std::floor(count));
}

TEST(Sergio, HalfResponseIsTheMeanOverCellTypesOfTheSampledMean) {
  const SergioSimulation simulation = simulate_sergio(small(), 1, 1);
  for (const SergioCells* cells : {&simulation.perturbed, &simulation.wild_type})
    for (std::size_t e = 0; e < cells->steps.size(); ++e)
      for (int gene = 0; gene < cells->genes; ++gene) {
        double sum = 0;
        for (int c = 0; c < cells->cells; ++c)
          sum += cells->expression[cells->offset(static_cast<int>(e), gene) + c];
        EXPECT_NEAR(cells->half_response(e, gene), sum / cells->cells, 1e-6 * (1 + sum / cells->cells));
      }
}

TEST(Sergio, LevelsAreLongestPathsToAGeneWithoutChildren) {
  EXPECT_EQ(sergio_levels(Digraph(5, {{0, 1}, {1, 2}, {0, 2}, {3, 2}})), (std::vector<int>{2, 1, 0, 1, 0}));
  EXPECT_THROW(sergio_levels(Digraph(2, {{0, 1}, {1, 0}})), InputError);
}

// One gene without regulators, small steps: the stationary law of dx = (b - l x) dt + q (sqrt(b) + sqrt(l x))
// dW has mean b / l and variance q^2 b / l (fluctuations b + l x average to 2 b, relaxation is 2 l); 0.005
// steps and the barrier at zero, four deviations away, change that by about a hundredth.
TEST(Sergio, ALonelyGeneHasTheKnownMeanAndVariance) {
  SergioParameters parameters;
  parameters.graph = Digraph(1);
  parameters.basal_rates = Matrix<double>(1, 60, 2.4);
  parameters.decay = 0.8;
  parameters.noise = 0.4;
  const SergioCells cells =
      run_sergio(parameters, {{-1, 0.0f}}, {.cells_per_type = 2000, .time_step = 0.005, .steps_per_cell = 15},
                 1, 0, 0, 1);
  double sum = 0, squares = 0;
  const double count = cells.cells;
  for (const float x : cells.expression) sum += x, squares += static_cast<double>(x) * x;
  const double mean = sum / count, variance = squares / count - mean * mean;
  // 60 runs of 150 time units with relaxation 1.25: 7200 independent values at least, counted as half of
  // that.
  EXPECT_NEAR(mean, 3.0, 5 * std::sqrt(0.48 / 3600));
  EXPECT_NEAR(variance, 0.48, 0.48 * (5 * std::sqrt(2.0 / 3600) + 0.01));
}

TEST(Sergio, KnockDownsLeaveTheAskedShareOfARootsExpression) {
  SergioParameters parameters;
  parameters.graph = Digraph(2, {{0, 1}});
  parameters.strength = {4.0};
  parameters.basal_rates = Matrix<double>(2, 40, 2.0);
  parameters.noise = 0.5;
  const SergioCells cells =
      run_sergio(parameters, {{-1, 0.0f}, {0, 0.25f}, {0, 0.0f}}, {.cells_per_type = 500}, 2, 0, 0, 1);
  EXPECT_NEAR(cells.half_response(0, 0), 2.5, 0.1);
  EXPECT_NEAR(cells.half_response(1, 0), 0.625, 0.05);
  EXPECT_EQ(cells.half_response(2, 0), 0.0);
  // The half response follows the regulator, so a knock-down alone leaves the target near half of 4 / 0.8 ...
  EXPECT_NEAR(cells.half_response(0, 1), 2.5, 0.3);
  EXPECT_NEAR(cells.half_response(1, 1), 2.5, 0.5);
  // ... and a knock-out of its only activator silences it.
  EXPECT_EQ(cells.half_response(2, 1), 0.0);

  parameters.strength = {-4.0};  // a repressor knocked out: full production
  const SergioCells repressed = run_sergio(parameters, {{0, 0.0f}}, {.cells_per_type = 500}, 2, 1, 0, 1);
  EXPECT_NEAR(repressed.half_response(0, 1), 5.0, 0.2);
}

TEST(Sergio, DrawnParametersLieInTheirRanges) {
  SergioOptions options = small();
  options.graph.nodes = 40;
  std::set<int> types;
  std::set<double> decays, hills, noises;
  int positive = 0, edges = 0;
  for (std::uint32_t index = 0; index < 60; ++index) {
    const SergioParameters parameters = draw_sergio_parameters(options, 9, index);
    types.insert(parameters.cell_types());
    decays.insert(parameters.decay), hills.insert(parameters.hill), noises.insert(parameters.noise);
    for (const double k : parameters.strength) {
      ASSERT_TRUE(std::abs(k) >= 1 && std::abs(k) <= 5);
      positive += k > 0, ++edges;
    }
    for (const double rate : parameters.basal_rates.values()) ASSERT_TRUE(rate >= 1 && rate <= 3);
  }
  EXPECT_EQ(types, (std::set<int>{5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(decays, (std::set<double>{0.7, 0.8, 0.9}));
  EXPECT_EQ(hills, (std::set<double>{1.9, 2.0, 2.1}));
  EXPECT_EQ(noises, (std::set<double>{0.9, 1.0, 1.1}));
  EXPECT_NEAR(static_cast<double>(positive) / edges, 0.5, 0.06);
}

TEST(Sergio, CoverageAndWildTypeOnly) {
  SergioOptions options = small();
  options.coverage = 0.5;
  const SergioSimulation half = simulate_sergio(options, 1, 0);
  EXPECT_EQ(half.dataset.interventions.regimes.size(), 5u);
  options.coverage = 0;
  const SergioSimulation none = simulate_sergio(options, 1, 0);
  EXPECT_TRUE(none.dataset.interventions.observational());
  EXPECT_EQ(none.dataset.table.rows(), 390u);
  options = small();
  options.rows = 3;  // fewer rows than genes
  const SergioSimulation few = simulate_sergio(options, 1, 0);
  EXPECT_EQ(few.dataset.interventions.regimes.size(), 4u);
}

TEST(Sergio, NonsenseIsRefused) {
  const auto refuse = [](auto change) {
    SergioOptions options = small();
    change(options);
    EXPECT_THROW(simulate_sergio(options, 0, 0), UsageError);
  };
  refuse([](SergioOptions& o) { o.rows = 0, o.wild_type_rows = 0; });
  refuse([](SergioOptions& o) { o.min_cell_types = 0; });
  refuse([](SergioOptions& o) { o.max_cell_types = 2; });
  refuse([](SergioOptions& o) { o.coverage = 2; });
  refuse([](SergioOptions& o) { o.time_step = 0; });
  refuse([](SergioOptions& o) { o.max_residual = 0.01; });
  SergioParameters parameters = draw_sergio_parameters(small(), 0, 0);
  parameters.strength.push_back(1.0);
  EXPECT_THROW(simulate_sergio(small(), parameters, 0, 0), InputError);
  parameters.strength.pop_back();
  parameters.decay = 0;
  EXPECT_THROW(simulate_sergio(small(), parameters, 0, 0), InputError);
}

TEST(TechnicalNoise, PercentileIsLinearBetweenNeighbours) {
  const std::vector<double> values{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(percentile(values, 0), 1);
  EXPECT_DOUBLE_EQ(percentile(values, 100), 4);
  EXPECT_DOUBLE_EQ(percentile(values, 50), 2.5);
  EXPECT_DOUBLE_EQ(percentile(values, 75), 3.25);
}

TEST(TechnicalNoise, LibrarySizesOutliersAndDropoutAreOfTheStatedSize) {
  constexpr int kGenes = 300, kCells = 400;
  std::vector<float> expression(kGenes * kCells, 2.0f);
  // No dropout to speak of: the midpoint is the least value and the slope steep.
  TechnicalNoise noise{
      .library_mean = 9.0, .library_scale = 0.4, .dropout_shape = 0.0, .dropout_percentile = 50};
  RandomStream random(1, 0, 0);
  add_technical_noise(noise, kGenes, kCells, random, expression);
  // Shape 0 keeps each value with probability one half, whatever its size.
  const double kept =
      static_cast<double>(std::count_if(expression.begin(), expression.end(), [](float x) { return x > 0; }));
  EXPECT_NEAR(kept / (kGenes * kCells), 0.5, 5 * 0.5 / std::sqrt(kGenes * kCells));
  double sum = 0, squares = 0;
  for (int cell = 0; cell < kCells; ++cell) {
    double total = 0;
    for (int gene = 0; gene < kGenes; ++gene) total += expression[gene * kCells + cell];
    sum += std::log(2 * total), squares += std::pow(std::log(2 * total), 2);
  }
  const double mean = sum / kCells, deviation = std::sqrt(squares / kCells - mean * mean);
  EXPECT_NEAR(mean, 9.0, 5 * 0.4 / std::sqrt(kCells));
  EXPECT_NEAR(deviation, 0.4, 5 * 0.4 / std::sqrt(2.0 * kCells) + 0.01);  // binomial thinning adds a little

  int outlying = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<float> one(kGenes, 1.0f);
    noise = {.outlier_share = 0.1,
             .outlier_mean = 4.0,
             .outlier_scale = 0.1,
             .library_mean = 14.0,
             .library_scale = 0.0,
             .dropout_shape = 1e6,
             .dropout_percentile = 0.0};
    RandomStream stream(2, 0, 0, round);
    add_technical_noise(noise, kGenes, 1, stream, one);
    const float typical = *std::max_element(one.begin(), one.end()) / 20;
    for (const float x : one)
      if (x > typical) ++outlying;
  }
  EXPECT_NEAR(outlying, 40 * kGenes * 0.1, 5 * std::sqrt(40 * kGenes * 0.09));
}

TEST(TechnicalNoise, EveryProfileGivesCountsAndItsShareOfZeros) {
  for (const auto& [profile, name] : kProfileNames) {
    if (profile == NoiseProfile::kNone) continue;
    SergioOptions options;
    options.graph.nodes = 30;
    options.rows = 1500;
    options.profile = profile;
    const SergioSimulation simulation = simulate_sergio(options, 6, 0);
    double zeros = 0;
    for (const double count : simulation.dataset.table.values.values()) {
      ASSERT_TRUE(count >= 0 && count == std::floor(count)) << name;
      zeros += count == 0;
    }
    // Dropout removes about the percentile, more where the slope is soft or counts are small.
    const double share = zeros / static_cast<double>(simulation.dataset.table.values.size());
    EXPECT_GT(share, simulation.technical.dropout_percentile / 100 - 0.12) << name;
    EXPECT_LT(share, simulation.technical.dropout_percentile / 100 + 0.12) << name;
  }
}

}  // namespace
}  // namespace causcale

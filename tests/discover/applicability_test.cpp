#include "discover/applicability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "causcale/error.h"
#include "simulate/synthetic.h"

namespace causcale {
namespace {

double trait(const Traits& traits, const std::string& name) {
  for (const auto& [key, value] : traits)
    if (key == name) return value;
  ADD_FAILURE() << "no trait " << name;
  return 0;
}

bool has(const std::vector<Remark>& remarks, const std::string& code) {
  return std::ranges::any_of(remarks, [&](const Remark& remark) { return remark.code == code; });
}

Simulation simulated(Mechanism mechanism, int nodes = 30, int rows = 500) {
  SyntheticOptions options;
  options.nodes = nodes;
  options.rows = rows;
  options.edges_per_node = 2;
  options.mechanism = mechanism;
  return simulate_synthetic(options, 5, 0);
}

// Pairs x, y = f(x) + noise.
template <class Function>
Dataset pairs(Function function, double noise) {
  RandomStream random(9, 0, 0);
  Dataset dataset;
  dataset.table.values = Matrix<double>(600, 10);
  for (int c = 0; c < 10; ++c) dataset.table.names.push_back("v" + std::to_string(c));
  for (std::size_t r = 0; r < 600; ++r)
    for (std::size_t c = 0; c < 10; c += 2) {
      dataset.table.values(r, c) = random.normal();
      dataset.table.values(r, c + 1) = function(dataset.table.values(r, c)) + noise * random.normal();
    }
  return dataset;
}

TEST(Applicability, TrainingDataRaiseNoRemark) {
  for (const Mechanism mechanism : {Mechanism::kLinear, Mechanism::kNeural, Mechanism::kNeuralAdditive}) {
    const Traits traits = table_traits(simulated(mechanism).dataset);
    const auto remarks = compare_traits(traits, training_ranges({}));
    EXPECT_TRUE(remarks.empty()) << remarks.front().message;
  }
}

TEST(Applicability, NonLinearityIsZeroForLinesAndLargeForParabolas) {
  const Traits straight = table_traits(pairs([](double x) { return 2 * x; }, 0.5));
  EXPECT_LT(trait(straight, "non_linearity"), 0.02);
  const Traits curved = table_traits(pairs([](double x) { return x * x; }, 0.5));
  EXPECT_GT(trait(curved, "non_linearity"), 0.8);
  EXPECT_TRUE(has(compare_traits(curved, training_ranges({})), "more_curved_than_training"));
  // Unrelated columns say nothing.
  EXPECT_LT(trait(table_traits(pairs([](double) { return 0.0; }, 1)), "non_linearity"), 0.02);
}

TEST(Applicability, SizesFarFromTrainingAreRemarkedOn) {
  Traits traits = table_traits(simulated(Mechanism::kLinear).dataset);
  traits[0].second = 1000;
  traits[1].second = 100;
  const auto remarks = compare_traits(traits, training_ranges({}));
  EXPECT_TRUE(has(remarks, "columns_beyond_training"));
  EXPECT_TRUE(has(remarks, "rows_below_training"));
  const auto wide =
      compare_traits(traits, training_ranges({{"trained_columns", "10 1000"}, {"trained_rows", "50 500"}}));
  EXPECT_TRUE(wide.empty());
}

TEST(Applicability, CountsZerosAndTailsAreSeen) {
  Dataset counts = simulated(Mechanism::kLinear).dataset;
  for (double& value : counts.table.values.values()) value = std::floor(std::max(0.0, 3 * value));
  const Traits traits = table_traits(counts);
  EXPECT_EQ(trait(traits, "integer_columns"), 1.0);
  EXPECT_GT(trait(traits, "zeros"), 0.3);
  const auto remarks = compare_traits(traits, training_ranges({}));
  EXPECT_TRUE(has(remarks, "counts_not_in_training"));
  EXPECT_TRUE(has(remarks, "zeros_not_in_training"));

  Dataset heavy = simulated(Mechanism::kLinear).dataset;
  for (double& value : heavy.table.values.values()) value = std::exp(5 * value);
  EXPECT_TRUE(has(compare_traits(table_traits(heavy), training_ranges({})), "heavier_tails_than_training"));

  Dataset binary = simulated(Mechanism::kLinear).dataset;
  for (double& value : binary.table.values.values()) value = value > 0 ? 0.5 : -0.5;
  EXPECT_TRUE(has(compare_traits(table_traits(binary), training_ranges({})), "discrete_not_in_training"));
}

TEST(Applicability, CoverageOfInterventions) {
  Dataset dataset = simulated(Mechanism::kLinear, 10).dataset;
  EXPECT_EQ(trait(table_traits(dataset), "partial_coverage"), 0.0);
  dataset.interventions.regimes = {{}, {0, 1, 2}};
  dataset.interventions.regime_of_row.assign(dataset.table.rows(), 0);
  dataset.interventions.regime_of_row.front() = 1;
  const Traits traits = table_traits(dataset);
  EXPECT_EQ(trait(traits, "targets"), 3.0);
  const auto remarks = compare_traits(traits, training_ranges({}));
  EXPECT_TRUE(has(remarks, "partial_coverage_not_in_training"));
  EXPECT_TRUE(has(remarks, "several_targets_not_in_training"));
  dataset.interventions = {};
  const auto ranges = training_ranges({{"trained_interventions", "1 1"}});
  EXPECT_TRUE(has(compare_traits(table_traits(dataset), ranges), "observational_not_in_training"));
}

TEST(Applicability, RangesSurviveTheMetadata) {
  const TrainingRanges ranges = training_ranges({{"trained_tails", "-0.5 7.25"}});
  const TrainingRanges again = training_ranges(ranges_as_metadata(ranges));
  for (const auto& [name, range] : ranges) {
    EXPECT_DOUBLE_EQ(again.at(name).low, range.low);
    EXPECT_DOUBLE_EQ(again.at(name).high, range.high);
  }
  EXPECT_DOUBLE_EQ(again.at("tails").high, 7.25);
  EXPECT_THROW(training_ranges({{"trained_rows", "many"}}), InputError);
  EXPECT_THROW(training_ranges({{"trained_rows", "1 2 3"}}), InputError);
}

TEST(Applicability, TinyAndConstantTablesAreHarmless) {
  Dataset tiny;
  tiny.table.names = {"x", "y"};
  tiny.table.values = Matrix<double>(2, 2, std::vector<double>{1, 2, 1, 5});
  for (const auto& [name, value] : table_traits(tiny)) EXPECT_TRUE(std::isfinite(value)) << name;
}

}  // namespace
}  // namespace causcale

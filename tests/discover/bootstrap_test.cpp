#include "discover/bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "causcale/error.h"
#include "data/standardize.h"
#include "simulate/synthetic.h"

namespace causcale {
namespace {

Interventions three_regimes() {
  Interventions interventions;
  interventions.regimes = {{}, {0}, {1}};
  for (int r = 0; r < 50; ++r) interventions.regime_of_row.push_back(r < 30 ? 0 : r < 49 ? 1 : 2);
  return interventions;
}

TEST(ResampleRows, KeepsTheSizeOfEveryRegime) {
  const Interventions interventions = three_regimes();
  const auto rows = resample_rows(interventions, 50, 1, 0);
  ASSERT_EQ(rows.size(), 50u);
  for (std::size_t k = 0; k < 50; ++k)
    EXPECT_EQ(interventions.regime_of_row[rows[k]], interventions.regime_of_row[k]);
  EXPECT_EQ(rows[49], 49u);  // the only row of its regime
  const std::set<std::size_t> different(rows.begin(), rows.end());
  EXPECT_LT(different.size(), 45u);  // about 1 - 1/e of the rows
  EXPECT_GT(different.size(), 20u);
}

TEST(ResampleRows, DependsOnSeedAndRepetitionOnly) {
  const Interventions interventions = three_regimes();
  EXPECT_EQ(resample_rows(interventions, 50, 1, 3), resample_rows(interventions, 50, 1, 3));
  EXPECT_NE(resample_rows(interventions, 50, 1, 3), resample_rows(interventions, 50, 1, 4));
  EXPECT_NE(resample_rows(interventions, 50, 1, 3), resample_rows(interventions, 50, 2, 3));
  EXPECT_EQ(resample_rows({}, 20, 1, 0).size(), 20u);
}

TEST(ResampleRows, EveryRowIsEquallyLikely) {
  std::vector<int> count(10, 0);
  for (std::uint32_t k = 0; k < 2000; ++k)
    for (const std::size_t row : resample_rows({}, 10, 7, k)) ++count[row];
  for (const int drawn : count) EXPECT_NEAR(drawn, 2000, 220);  // 5 standard deviations
}

Simulation small_simulation() {
  SyntheticOptions options;
  options.nodes = 6;
  options.rows = 90;
  options.edges_per_node = 1.5;
  return simulate_synthetic(options, 11, 0);
}

TEST(Bootstrap, FiguresAreThoseOfTheRepetitions) {
  const Simulation simulation = small_simulation();
  DiscoverOptions options;
  options.bootstrap = 3;
  options.seed = 3;
  options.threshold = 0.3;
  options.knowledge.required = {{0, 1}};
  options.knowledge.forbidden = {{2, 3}};
  const DiscoverResult result = discover(simulation.dataset, options);
  EXPECT_EQ(result.bootstrap, 3);

  // The same by hand, one repetition after the other; the resampled table is not put in order again.
  const Dataset ordered = take_rows(simulation.dataset, canonical_row_order(simulation.dataset));
  const LoadedModel loaded = load_for_discover(options);
  const Settings settings = settle(options, loaded, ordered.table.rows(), ordered.table.cols());
  Settings together = settings;  // so that a batch is tested, too
  together.batch = 2;
  DiscoverResult batched;
  run_bootstrap(
      together, options, ordered, [](double) {}, batched);
  EXPECT_EQ(batched.bootstrap_mean, result.bootstrap_mean);
  std::vector<DiscoverResult> singles;
  for (std::uint32_t k = 0; k < 3; ++k) {
    DiscoverResult single;
    DiscoverOptions one = options;
    Settings alone = settings;
    alone.batch = 1;
    one.bootstrap = static_cast<int>(k) + 1;
    run_bootstrap(
        alone, one, ordered, [](double) {}, single);
    singles.push_back(std::move(single));
  }
  for (std::size_t k = 0; k < result.probabilities.size(); ++k) {
    EXPECT_NEAR(result.bootstrap_mean.data()[k], singles[2].bootstrap_mean.data()[k], 1e-5);
    EXPECT_NEAR(result.bootstrap_deviation.data()[k], singles[2].bootstrap_deviation.data()[k], 1e-5);
    // Means of 1, 2, 3 repetitions give the repetitions back, and these the deviation.
    double sum = 0, previous = 0;
    for (int b = 0; b < 3; ++b) {
      const double probability = (b + 1) * singles[b].bootstrap_mean.data()[k] - previous;
      previous += probability;
      sum +=
          (probability - result.bootstrap_mean.data()[k]) * (probability - result.bootstrap_mean.data()[k]);
    }
    EXPECT_NEAR(result.bootstrap_deviation.data()[k], std::sqrt(sum / 2), 1e-4);
    const double share = 3 * result.selection_frequency.data()[k];
    EXPECT_NEAR(share, std::round(share), 1e-12);
  }
  EXPECT_EQ(result.selection_frequency(0, 1), 1.0);
  EXPECT_EQ(result.bootstrap_mean(0, 1), 1.0);
  EXPECT_EQ(result.bootstrap_deviation(0, 1), 0.0);
  EXPECT_EQ(result.selection_frequency(2, 3), 0.0);
  EXPECT_GT(*std::ranges::max_element(result.bootstrap_deviation.values()), 1e-4);
}

TEST(Bootstrap, ShuffledRowsGiveTheIdenticalFigures) {
  const Simulation simulation = small_simulation();
  std::vector<std::size_t> reversed(simulation.dataset.table.rows());
  std::iota(reversed.rbegin(), reversed.rend(), std::size_t{0});
  DiscoverOptions options;
  options.bootstrap = 2;
  const DiscoverResult once = discover(simulation.dataset, options);
  const DiscoverResult again = discover(take_rows(simulation.dataset, reversed), options);
  EXPECT_EQ(once.bootstrap_mean, again.bootstrap_mean);
  EXPECT_EQ(once.bootstrap_deviation, again.bootstrap_deviation);
  EXPECT_EQ(once.selection_frequency, again.selection_frequency);
  options.seed = 1;
  EXPECT_NE(once.bootstrap_mean, discover(simulation.dataset, options).bootstrap_mean);
}

TEST(Bootstrap, PlanCountsThePassesAndKeepsTheMemoryLimit) {
  DiscoverOptions options;
  const DiscoverPlan plain = plan_discover(400, 12, options);
  options.bootstrap = 9;
  const DiscoverPlan repeated = plan_discover(400, 12, options);
  EXPECT_EQ(repeated.passes, plain.passes);
  EXPECT_EQ(repeated.bootstrap, 9);
  EXPECT_NEAR(repeated.tera_flops, 10 * plain.tera_flops, 1e-9);
  EXPECT_EQ(repeated.batch, 1);  // a processor is filled by one pass
  options.max_memory = plain.peak_bytes;
  const DiscoverPlan limited = plan_discover(400, 12, options);
  EXPECT_LE(limited.peak_bytes, options.max_memory);
  options.bootstrap = 1;
  EXPECT_THROW(plan_discover(400, 12, options), UsageError);
}

}  // namespace
}  // namespace causcale

// The whole pipeline with the shipped weights on small tables.
#include "causcale/discover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "base/random.h"
#include "causcale/error.h"
#include "data/standardize.h"
#include "graph/order.h"
#include "metrics/average_precision.h"
#include "simulate/synthetic.h"
#include "support/golden.h"

namespace causcale {
namespace {

Simulation small_simulation(int nodes = 8, int rows = 180) {
  SyntheticOptions options;
  options.nodes = nodes;
  options.rows = rows;
  options.edges_per_node = 1.5;
  return simulate_synthetic(options, 11, 0);
}

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  RandomStream stream(seed, 0, 0);
  for (std::size_t k = count; k > 1; --k)
    std::swap(order[k - 1], order[stream.below(static_cast<std::uint32_t>(k))]);
  return order;
}

Dataset with_columns(const Dataset& dataset, const std::vector<std::size_t>& order) {
  Dataset result = dataset;
  std::vector<int> place(order.size());
  for (std::size_t j = 0; j < order.size(); ++j) {
    place[order[j]] = static_cast<int>(j);
    result.table.names[j] = dataset.table.names[order[j]];
    for (std::size_t r = 0; r < dataset.table.rows(); ++r)
      result.table.values(r, j) = dataset.table.values(r, order[j]);
  }
  for (auto& regime : result.interventions.regimes) {
    for (int& target : regime) target = place[target];
    std::ranges::sort(regime);
  }
  return result;
}

TEST(Discover, ShuffledRowsGiveTheIdenticalAnswer) {
  const Simulation simulation = small_simulation();
  const DiscoverResult once = discover(simulation.dataset);
  const DiscoverResult again =
      discover(take_rows(simulation.dataset, shuffled(simulation.dataset.table.rows(), 5)));
  EXPECT_EQ(once.probabilities, again.probabilities);
  EXPECT_EQ(once.graph, again.graph);
}

TEST(Discover, ShuffledRowsGiveTheIdenticalAnswerOfAnEnsemble) {
  const Simulation simulation = small_simulation();
  DiscoverOptions options;
  options.max_samples = 50;
  options.ensemble = 3;
  const DiscoverResult once = discover(simulation.dataset, options);
  EXPECT_EQ(once.passes, 6);  // the model wants four views, so each of the three parts is seen twice
  EXPECT_EQ(once.views, 2);
  EXPECT_EQ(once.rows_per_pass, 50u);
  const Dataset other = take_rows(simulation.dataset, shuffled(simulation.dataset.table.rows(), 6));
  EXPECT_EQ(once.probabilities, discover(other, options).probabilities);
}

TEST(Discover, PermutedColumnsGiveThePermutedAnswer) {
  const Simulation simulation = small_simulation();
  const auto order = shuffled(simulation.dataset.table.cols(), 3);
  for (std::size_t max_samples : {0, 60}) {
    DiscoverOptions options;
    options.precision = Precision::kFloat32;
    options.max_samples = max_samples;
    options.ensemble = 1;
    const DiscoverResult plain = discover(simulation.dataset, options);
    const DiscoverResult permuted = discover(with_columns(simulation.dataset, order), options);
    for (std::size_t i = 0; i < order.size(); ++i) {
      EXPECT_EQ(permuted.names[i], plain.names[order[i]]);
      for (std::size_t j = 0; j < order.size(); ++j)
        EXPECT_NEAR(permuted.probabilities(i, j), plain.probabilities(order[i], order[j]), 2e-4);
    }
  }
}

TEST(Discover, UnitsDoNotMatterWithAStandardizedPrior) {
  const Simulation simulation = small_simulation();
  Dataset scaled = simulation.dataset;
  for (std::size_t j = 0; j < scaled.table.cols(); ++j)
    for (std::size_t r = 0; r < scaled.table.rows(); ++r)
      scaled.table.values(r, j) *= std::pow(10.0, static_cast<double>(j) - 3) * 1.7;
  DiscoverOptions options;
  options.precision = Precision::kFloat32;
  options.prior_units = PriorUnits::kStandardized;
  const DiscoverResult plain = discover(simulation.dataset, options);
  const DiscoverResult other = discover(scaled, options);
  for (std::size_t k = 0; k < plain.probabilities.size(); ++k)
    EXPECT_NEAR(plain.probabilities.data()[k], other.probabilities.data()[k], 2e-4);
  // Under the raw prior units do matter, so the test above can fail.
  options.prior_units = PriorUnits::kRaw;
  EXPECT_NE(discover(simulation.dataset, options).probabilities, discover(scaled, options).probabilities);
}

TEST(Discover, MemoryLimitChangesNothing) {
  const Simulation simulation = small_simulation(12, 400);
  const DiscoverResult plain = discover(simulation.dataset);
  DiscoverOptions options;
  options.max_memory = 1;
  try {
    discover(simulation.dataset, options);
    FAIL() << "one byte cannot be enough";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("--max-memory"), std::string::npos);
  }
  const std::int64_t unlimited =
      plan_discover(400, 12, {.max_memory = std::int64_t{8} << 30}).unlimited_bytes;
  options.max_memory = unlimited - 3 * 1000 * 1000;
  const DiscoverPlan plan = plan_discover(400, 12, options);
  EXPECT_LE(plan.peak_bytes, options.max_memory);
  EXPECT_LT(plan.peak_bytes, plan.unlimited_bytes);
  EXPECT_EQ(discover(simulation.dataset, options).probabilities, plain.probabilities);
}

TEST(Discover, SeveralThreadsAtOnceGetWhatOneGets) {
  const Dataset dataset = small_simulation().dataset;
  const DiscoverResult alone = discover(dataset);
  std::array<DiscoverResult, 3> found;
  {
    std::vector<std::jthread> callers;
    for (DiscoverResult& result : found) callers.emplace_back([&] { result = discover(dataset); });
  }
  for (const DiscoverResult& result : found) {
    EXPECT_EQ(result.probabilities, alone.probabilities);
    EXPECT_EQ(result.graph, alone.graph);
  }
}

TEST(Discover, PrecisionsAgreeToAHundredth) {
  const Simulation simulation = small_simulation(12, 300);
  const DiscoverResult single = discover(simulation.dataset, {.precision = Precision::kFloat32});
  const DiscoverResult half = discover(simulation.dataset, {.precision = Precision::kBfloat16});
  EXPECT_EQ(single.precision, "fp32");
  EXPECT_EQ(half.precision, "bf16");
  EXPECT_NE(single.probabilities, half.probabilities);
  for (std::size_t k = 0; k < single.probabilities.size(); ++k)
    EXPECT_NEAR(single.probabilities.data()[k], half.probabilities.data()[k], 1e-2);
}

TEST(Discover, KnowledgeIsGuaranteed) {
  const Simulation simulation = small_simulation();
  DiscoverOptions options;
  options.acyclic = true;
  const DiscoverResult free = discover(simulation.dataset, options);
  ASSERT_GT(free.graph.edge_count(), 0u);
  const Edge found = free.graph.edges()[0];
  options.knowledge.required = {{found.target, found.source}};
  const DiscoverResult bound = discover(simulation.dataset, options);
  EXPECT_TRUE(bound.graph.has_edge(found.target, found.source));
  EXPECT_FALSE(bound.graph.has_edge(found.source, found.target));
  EXPECT_TRUE(is_acyclic(bound.graph));
  options.knowledge.forbidden = options.knowledge.required;
  EXPECT_THROW(discover(simulation.dataset, options), InputError);
}

TEST(Discover, ProgressRisesAndEndsTheWorkWhereItThrows) {
  const Dataset dataset = small_simulation(5, 60).dataset;
  std::vector<std::string> stages;
  double last = 0.0;
  DiscoverOptions options;
  options.bootstrap = 2;
  options.progress = [&](const std::string& stage, double share) {
    EXPECT_GE(share, last) << stage;
    last = share;
    if (stages.empty() || stages.back() != stage) stages.push_back(stage);
  };
  discover(dataset, options);
  const std::vector<std::string> expected{"model", "rows", "network", "second stage", "bootstrap", "done"};
  EXPECT_EQ(stages, expected);
  EXPECT_EQ(last, 1.0);

  stages.clear();
  last = 0.0;
  options.stacking = StackingRule::kOff;
  discover(dataset, options);
  EXPECT_EQ(std::ranges::count(stages, "second stage"), 0);

  options.stacking = StackingRule::kAuto;
  struct Enough {};
  options.progress = [](const std::string& stage, double) {
    if (stage == "second stage") throw Enough();
  };
  EXPECT_THROW(discover(dataset, options), Enough);
}

TEST(Discover, SmallTablesWork) {
  Dataset tiny;
  tiny.table.names = {"x", "y"};
  tiny.table.values = Matrix<double>(2, 2, std::vector<double>{1, 2, 3, 5});
  const DiscoverResult result = discover(tiny);
  for (double p : result.probabilities.values()) EXPECT_TRUE(p >= 0 && p <= 1);
  EXPECT_EQ(result.probabilities(0, 0), 0);

  Dataset constant = small_simulation().dataset;
  for (std::size_t r = 0; r < constant.table.rows(); ++r) constant.table.values(r, 2) = 4.0;
  const DiscoverResult flat = discover(constant);
  for (double p : flat.probabilities.values()) EXPECT_TRUE(std::isfinite(p));
}

TEST(Discover, BadTablesAreExplained) {
  Dataset bad = small_simulation().dataset;
  bad.table.values(3, 1) = std::numeric_limits<double>::infinity();
  try {
    discover(bad);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("row 4, column \"" + bad.table.names[1] + "\""),
              std::string::npos);
  }
  // Squares that overflow ended in probabilities that are not numbers, or in an empty graph.
  for (const double unit : {1e200, 1e305, 1e-200}) {
    Dataset scaled = small_simulation().dataset;
    for (std::size_t r = 0; r < scaled.table.rows(); ++r) scaled.table.values(r, 1) *= unit;
    EXPECT_THROW(discover(scaled), InputError) << unit;
    EXPECT_THROW(discover(scaled, {.bootstrap = 2}), InputError) << unit;
  }
  EXPECT_THROW(discover(small_simulation().dataset, {.model = "no-such-model"}), InputError);
  EXPECT_THROW(discover(small_simulation().dataset, {.threshold = 2.0}), UsageError);
}

// The accuracy that the weights are known for, on a data set of the reference generator.
TEST(Discover, SyntheticAccuracy) {
  const std::string name = "synthetic/er_n20_deg2_linear_g0_";
  Dataset dataset;
  dataset.table.values = test::golden_matrix(name + "data.npy");
  for (std::size_t j = 0; j < dataset.table.values.cols(); ++j)
    dataset.table.names.push_back(std::to_string(j));
  const NpyArray targets = test::golden_npy(name + "targets.npy");
  dataset.interventions.regimes.push_back({});
  for (std::size_t j = 0; j < dataset.table.cols(); ++j)
    dataset.interventions.regimes.push_back({static_cast<int>(j)});
  for (double target : targets.values)
    dataset.interventions.regime_of_row.push_back(static_cast<int>(target) + 1);
  const Matrix<double> dag = test::golden_matrix(name + "dag.npy");
  Matrix<std::uint8_t> adjacency(dag.rows(), dag.cols());
  for (std::size_t k = 0; k < dag.size(); ++k) adjacency.data()[k] = dag.data()[k] != 0;

  const DiscoverResult result = discover(dataset, {.model = "synthetic", .prior_units = PriorUnits::kRaw});
  EXPECT_GT(average_precision(result.probabilities, Digraph::from_adjacency(adjacency)), 0.99);
}

}  // namespace
}  // namespace causcale

#include "learn/networks/subset_estimates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "core/input.h"
#include "methods/method.h"
#include "simulate/synthetic.h"

namespace causcale {
namespace {

// A table as the network takes it.
struct Written {
  std::vector<float> data, statistic;
  std::int64_t rows, columns;
  Interventions interventions;

  Written(int nodes, int row_count, InterventionEffect effect) : rows(row_count), columns(nodes) {
    SyntheticOptions options;
    options.nodes = nodes;
    options.rows = row_count;
    options.interventions.effect = effect;
    const Dataset dataset = simulate_synthetic(options, 7, 0).dataset;
    interventions = dataset.interventions;
    std::vector<std::size_t> order(static_cast<std::size_t>(rows));
    std::iota(order.begin(), order.end(), std::size_t{0});
    data.resize(static_cast<std::size_t>(rows * columns * 2));
    statistic.resize(static_cast<std::size_t>(columns * columns));
    write_data(dataset.table.values, dataset.interventions, order, true, {}, data.data());
    write_prior(dataset.table.values, {}, statistic.data());
  }
  WrittenTable table() const { return {data.data(), rows, columns, 2, -1}; }
  // All of it, without the detour through sets of variables.
  Dataset whole() const {
    Dataset dataset;
    dataset.interventions = interventions;
    dataset.table.values = Matrix<double>(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
    for (std::int64_t c = 0; c < columns; ++c) dataset.table.names.push_back("v" + std::to_string(c));
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c)
        dataset.table.values(static_cast<std::size_t>(r), static_cast<std::size_t>(c)) = table().value(r, c);
    return dataset;
  }
};

// Where a set holds all variables and a batch all rows, the estimate is what the method says of the table.
TEST(SubsetEstimates, AreThePlainMethodsAnswer) {
  for (const InterventionEffect effect : {InterventionEffect::kNone, InterventionEffect::kPerfect}) {
    const Written written(5, 400, effect);
    for (const Estimator estimator : {Estimator::kPc, Estimator::kFci, Estimator::kGes, Estimator::kGies}) {
      SCOPED_TRACE(estimator_name(estimator));
      SubsetOptions options;
      options.estimator = estimator;
      const SubsetEstimates found =
          estimate_subsets(written.table(), written.statistic.data(), options, 2, 1, 0, 2);
      const MixedGraph expected =
          run_method(method_named(estimator_name(estimator)), written.whole(), {}).graph;
      EXPECT_GT(expected.edge_count(), 0u);
      EXPECT_EQ(found.subsets, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
      std::size_t place = 0;
      for (int t = 0; t < 2; ++t)
        for (int a = 0; a < 5; ++a)
          for (int b = 0; b < 5; ++b)
            if (a != b)
              EXPECT_EQ(found.edges[place++], static_cast<std::int64_t>(estimated_edge(expected, a, b)));
    }
  }
}

TEST(SubsetEstimates, EveryKindOfEdgeHasItsNumber) {
  MixedGraph graph(2);
  const auto kind = [&](Mark at_a, Mark at_b) {
    graph.set(0, 1, at_a, at_b);
    return estimated_edge(graph, 0, 1);
  };
  EXPECT_EQ(estimated_edge(graph, 0, 1), EstimatedEdge::kNone);
  EXPECT_EQ(kind(Mark::kTail, Mark::kArrow), EstimatedEdge::kForward);
  EXPECT_EQ(estimated_edge(graph, 1, 0), EstimatedEdge::kBackward);
  EXPECT_EQ(kind(Mark::kTail, Mark::kTail), EstimatedEdge::kUndirected);
  EXPECT_EQ(kind(Mark::kArrow, Mark::kArrow), EstimatedEdge::kBidirected);
  EXPECT_EQ(kind(Mark::kCircle, Mark::kArrow), EstimatedEdge::kCircleForward);
  EXPECT_EQ(estimated_edge(graph, 1, 0), EstimatedEdge::kCircleBackward);
  EXPECT_EQ(kind(Mark::kCircle, Mark::kCircle), EstimatedEdge::kCircles);
}

TEST(SubsetEstimates, ThreadsChangeNothingAndSeedsDo) {
  const Written written(12, 200, InterventionEffect::kPerfect);
  const auto estimate = [&](std::uint64_t seed, std::uint32_t dataset, int threads) {
    return estimate_subsets(written.table(), written.statistic.data(), {}, 8, seed, dataset, threads);
  };
  const SubsetEstimates one = estimate(1, 0, 1), three = estimate(1, 0, 3);
  EXPECT_EQ(one.subsets, three.subsets);
  EXPECT_EQ(one.edges, three.edges);
  EXPECT_NE(one.subsets, estimate(2, 0, 1).subsets);
  EXPECT_NE(one.subsets, estimate(1, 1, 1).subsets);
}

// Of two blocks of related variables, sets stay within one of them mostly, and visit all their pairs.
TEST(SubsetEstimates, SetsFollowTheStatistic) {
  constexpr int kColumns = 12;
  std::vector<float> statistic(kColumns * kColumns);
  for (int i = 0; i < kColumns; ++i)
    for (int j = 0; j < kColumns; ++j)
      statistic[static_cast<std::size_t>(i * kColumns + j)] = i / 6 == j / 6 ? -1.0f : 0.0f;
  SubsetOptions options;
  options.variables = 3;
  RandomStream random(3, 0, Purpose::kSubsetColumns);
  std::set<std::pair<int, int>> pairs;
  for (const std::vector<int>& subset : choose_subsets(statistic.data(), kColumns, options, 60, random)) {
    ASSERT_EQ(subset.size(), 3u);
    EXPECT_TRUE(std::ranges::is_sorted(subset));
    EXPECT_EQ(subset.front() / 6, subset.back() / 6);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = a + 1; b < 3; ++b) pairs.insert({subset[a], subset[b]});
  }
  EXPECT_GE(pairs.size(), 28u);  // of 30
}

TEST(SubsetEstimates, RowsAreThoseThatConcernTheColumns) {
  const Written written(10, 500, InterventionEffect::kPerfect);
  SubsetOptions options;
  options.rows = 30;
  RandomStream random(3, 0, Purpose::kSubsetRows);
  const std::vector<int> columns = {1, 4, 8};
  const Dataset subset = draw_subset(written.table(), columns, options, random);
  EXPECT_LE(subset.table.rows(), 30u);
  EXPECT_GE(subset.table.rows(), 15u);
  std::size_t intervened = 0;
  for (const int regime : subset.interventions.regime_of_row)
    intervened += !subset.interventions.regimes[static_cast<std::size_t>(regime)].empty();
  EXPECT_GT(intervened, 0u);
  // Whatever was drawn stands in the table: no column was mixed up with another.
  for (std::size_t r = 0; r < subset.table.rows(); ++r) {
    bool found = false;
    for (std::int64_t row = 0; row < written.rows && !found; ++row)
      found = written.table().value(row, 1) == static_cast<float>(subset.table.values(r, 0)) &&
              written.table().value(row, 8) == static_cast<float>(subset.table.values(r, 2));
    EXPECT_TRUE(found);
  }
}

TEST(SubsetEstimates, AColumnWithoutSpreadHasNoEdges) {
  Dataset subset;
  subset.table.names = {"a", "b"};
  subset.table.values = Matrix<double>(20, 2);
  for (std::size_t r = 0; r < 20; ++r) subset.table.values(r, 0) = std::sin(static_cast<double>(r));
  subset.interventions = {{{}}, std::vector<int>(20, 0)};
  for (const Estimator estimator : {Estimator::kPc, Estimator::kGies})
    EXPECT_EQ(estimate_subset(subset, estimator).edge_count(), 0u);
}

}  // namespace
}  // namespace causcale

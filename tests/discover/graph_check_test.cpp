#include "discover/graph_check.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "causcale/error.h"

namespace causcale {
namespace {

// Linear with normal noise along the order of the nodes.
Dataset linear_table(const Digraph& dag, std::size_t rows, std::uint64_t seed) {
  Dataset dataset;
  const auto n = static_cast<std::size_t>(dag.nodes());
  for (std::size_t v = 0; v < n; ++v) dataset.table.names.push_back("v" + std::to_string(v));
  dataset.table.values = Matrix<double>(rows, n);
  RandomStream random(seed, 0, 0);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t v = 0; v < n; ++v) {
      double value = random.normal();
      for (const int parent : dag.parents(static_cast<int>(v)))
        value += 0.9 * dataset.table.values(r, parent);
      dataset.table.values(r, v) = value;
    }
  return dataset;
}

const Digraph& true_graph() {
  static const Digraph graph(8, {{0, 2}, {1, 2}, {2, 3}, {1, 4}, {4, 5}, {3, 6}, {5, 6}, {0, 7}});
  return graph;
}

TEST(GraphCheck, TheTrueGraphFits) {
  const Dataset dataset = linear_table(true_graph(), 1000, 1);
  const GraphCheck check = check_graph(dataset, true_graph(), {.seed = 3});
  EXPECT_EQ(check.verdict, CheckVerdict::kFits);
  EXPECT_EQ(check.graph.tested, 28u - 8u);
  EXPECT_LE(check.graph.violated, 3u);
  EXPECT_EQ(check.graph.edges, 8u);
  EXPECT_EQ(check.graph.unsupported, 0u);
  EXPECT_LT(check.permuted_p, 0.02);
  EXPECT_LT(check.random_p, 0.02);
  EXPECT_EQ(check.permuted.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(check.permuted));
  EXPECT_LT(check.same_class, 0.05);
}

// Correlations know no units, signs or order of the rows; names are only names.
TEST(GraphCheck, UnitsMirrorsAndOrderOfRowsDoNotMatter) {
  const Dataset dataset = linear_table(true_graph(), 500, 1);
  Dataset other = dataset;
  for (std::size_t c = 0; c < other.table.cols(); ++c) {
    other.table.names[c] = "z" + std::to_string(c);
    for (std::size_t r = 0; r < other.table.rows(); ++r)
      other.table.values(r, c) = (c % 2 ? -8.0 : 0.25) * dataset.table.values(499 - r, c) + 4.0;
  }
  const GraphCheck before = check_graph(dataset, true_graph(), {.seed = 3}),
                   after = check_graph(other, true_graph(), {.seed = 3});
  EXPECT_EQ(before.graph.tested, after.graph.tested);
  EXPECT_EQ(before.graph.violated, after.graph.violated);
  EXPECT_EQ(before.graph.unsupported, after.graph.unsupported);
  EXPECT_EQ(before.verdict, after.verdict);
}

TEST(GraphCheck, ExchangedVariablesAreRejected) {
  const Dataset dataset = linear_table(true_graph(), 1000, 1);
  // The same shape with other names.
  const int name[] = {6, 7, 0, 4, 3, 1, 5, 2};
  std::vector<Edge> edges;
  for (const Edge& edge : true_graph().edges()) edges.push_back({name[edge.source], name[edge.target]});
  const GraphCheck check = check_graph(dataset, Digraph(8, edges), {.seed = 3});
  EXPECT_EQ(check.verdict, CheckVerdict::kRejected);
  EXPECT_GT(check.graph.violated_share(), 0.3);
  EXPECT_EQ(check.violations.size(), check.graph.violated);
  EXPECT_GE(check.violations.front().strength, check.violations.back().strength);
  EXPECT_GT(check.unsupported.size(), 0u);
}

TEST(GraphCheck, NothingCanBeSaidOfIndependentColumns) {
  const Dataset dataset = linear_table(Digraph(6), 500, 2);
  const GraphCheck check = check_graph(dataset, Digraph(6, {{0, 1}, {2, 3}}), {.seed = 3});
  EXPECT_EQ(check.verdict, CheckVerdict::kUnclear);
  EXPECT_EQ(check.graph.unsupported, 2u);
  // A complete graph claims nothing.
  std::vector<Edge> all;
  for (int a = 0; a < 6; ++a)
    for (int b = a + 1; b < 6; ++b) all.push_back({a, b});
  const GraphCheck complete = check_graph(dataset, Digraph(6, all), {.permutations = 5, .random_graphs = 5});
  EXPECT_EQ(complete.verdict, CheckVerdict::kUnclear);
  EXPECT_EQ(complete.graph.tested, 0u);
  EXPECT_EQ(complete.same_class, 1.0);
}

TEST(GraphCheck, IsTheSameOnAnyNumberOfThreadsAndTestsNoMoreThanAsked) {
  const Dataset dataset = linear_table(true_graph(), 300, 4);
  GraphCheckOptions options{.permutations = 20, .random_graphs = 20, .tests = 7, .seed = 1, .threads = 1};
  const GraphCheck one = check_graph(dataset, true_graph(), options);
  options.threads = 3;
  const GraphCheck three = check_graph(dataset, true_graph(), options);
  EXPECT_EQ(one.graph.tested, 7u);
  EXPECT_EQ(one.graph.violated, three.graph.violated);
  EXPECT_EQ(one.permuted, three.permuted);
  EXPECT_EQ(one.random, three.random);
}

TEST(GraphCheck, UsesObservationalRowsWhereThereAreEnough) {
  Dataset dataset = linear_table(true_graph(), 400, 5);
  dataset.interventions.regimes = {{}, {2}};
  for (std::size_t r = 0; r < 400; ++r) dataset.interventions.regime_of_row.push_back(r < 150 ? 0 : 1);
  // Rows under the intervention would show that 2 has nothing to do with its parents.
  RandomStream random(1, 0, 0);
  for (std::size_t r = 150; r < 400; ++r) dataset.table.values(r, 2) = 5 * random.normal();
  const GraphCheckOptions options{.permutations = 0, .random_graphs = 0};
  EXPECT_EQ(check_graph(dataset, true_graph(), options).rows, 150u);
  EXPECT_EQ(check_graph(dataset, true_graph(), options).graph.unsupported, 0u);
  std::ranges::fill(dataset.interventions.regime_of_row, 1);
  EXPECT_EQ(check_graph(dataset, true_graph(), options).rows, 400u);
}

TEST(GraphCheck, TakesTheTestThatSuitsDiscreteColumns) {
  Dataset dataset = linear_table(true_graph(), 2000, 6);
  for (double& value : dataset.table.values.values()) value = value > 0 ? 1.0 : 0.0;
  dataset.table.kinds.assign(8, ColumnKind::kBinary);
  const GraphCheck check = check_graph(dataset, true_graph(), {.permutations = 40, .random_graphs = 0});
  EXPECT_EQ(check.verdict, CheckVerdict::kFits);
  EXPECT_NE(check.notes.front().find("chi-square"), std::string::npos);
}

TEST(GraphCheck, SaysWhatIsWrong) {
  const Dataset dataset = linear_table(true_graph(), 50, 7);
  EXPECT_THROW(check_graph(dataset, Digraph(7), {}), InputError);
  EXPECT_THROW(check_graph(dataset, Digraph(8, {{0, 1}, {1, 2}, {2, 0}}), {}), InputError);
  EXPECT_THROW(check_graph(dataset, true_graph(), {.test = "guess"}), UsageError);
}

}  // namespace
}  // namespace causcale

#include "methods/compare.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/peak_memory.h"
#include "causcale/error.h"
#include "report/compare_report.h"

namespace causcale {
namespace {

const Digraph& chain() {
  static const Digraph graph(3, {{0, 1}, {1, 2}});
  return graph;
}

Dataset three_columns() {
  Dataset dataset;
  dataset.table.names = {"a", "b", "c"};
  dataset.table.values = Matrix<double>(4, 3);
  return dataset;
}

Contestant says(const std::string& name, const MixedGraph& graph) {
  return {name, [graph](const Dataset&) {
            MethodResult result;
            result.graph = graph;
            result.scores = Matrix<double>(3, 3);
            const Digraph directions = possible_directions(graph);
            for (const Edge& edge : directions.edges()) result.scores(edge.source, edge.target) = 1;
            return result;
          }};
}

MixedGraph undirected_chain() {
  MixedGraph graph(3);
  graph.set(0, 1, Mark::kTail, Mark::kTail);
  graph.set(1, 2, Mark::kTail, Mark::kTail);
  return graph;
}

TEST(Compare, RanksAPerfectMethodAboveAnUndirectedOne) {
  const Comparison comparison = compare_methods(
      three_columns(), {says("right", MixedGraph(chain())), says("undirected", undirected_chain())}, &chain(),
      1);
  ASSERT_EQ(comparison.rows.size(), 2u);
  const ComparisonMetrics &right = *comparison.rows[0].metrics, &undirected = *comparison.rows[1].metrics;
  EXPECT_DOUBLE_EQ(right.average_precision, 1.0);
  EXPECT_DOUBLE_EQ(right.orientation_accuracy, 1.0);
  EXPECT_EQ(right.shd, 0u);
  EXPECT_DOUBLE_EQ(*right.parent_aid, 0.0);
  EXPECT_DOUBLE_EQ(undirected.average_precision, 0.5);
  EXPECT_DOUBLE_EQ(undirected.average_precision_skeleton, 1.0);
  EXPECT_DOUBLE_EQ(undirected.orientation_accuracy, 0.0);
  EXPECT_DOUBLE_EQ(undirected.f1_skeleton, 1.0);
  EXPECT_NEAR(undirected.f1, 2.0 / 3, 1e-12);
}

TEST(Compare, OneFailureDoesNotStopTheRest) {
  const Contestant fails{"fails",
                         [](const Dataset&) -> MethodResult { throw InputError("singular, \"x\""); }};
  const Comparison comparison =
      compare_methods(three_columns(), {fails, says("right", MixedGraph(chain()))}, nullptr, 1);
  EXPECT_EQ(comparison.rows[0].problem, "singular, \"x\"");
  EXPECT_TRUE(comparison.rows[1].problem.empty());
  EXPECT_FALSE(comparison.rows[1].metrics);
  EXPECT_NE(format_comparison(comparison, 10).find("failed: singular"), std::string::npos);
  EXPECT_EQ(comparison_json(comparison)["methods"][0]["problem"], "singular, \"x\"");
  // Every line of the CSV has the same number of cells.
  const std::string csv = format_comparison_csv(comparison);
  EXPECT_NE(csv.find("fails,\"singular, \"\"x\"\"\""), std::string::npos) << csv;
  std::vector<std::size_t> commas(1, 0);
  bool quoted = false;
  for (const char c : csv) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) ++commas.back();
    if (c == '\n') commas.push_back(0);
  }
  ASSERT_EQ(commas.size(), 4u);
  EXPECT_EQ(commas[1], commas[0]);
  EXPECT_EQ(commas[2], commas[0]);
}

TEST(Compare, WrongSettingsAreTheUsersToMend) {
  const Contestant wrong{"wrong", [](const Dataset&) -> MethodResult { throw UsageError("alpha"); }};
  EXPECT_THROW(compare_methods(three_columns(), {wrong}, nullptr, 1), UsageError);
}

TEST(Compare, AgreementNamesTheMethods) {
  MixedGraph other(3);
  other.set(1, 0, Mark::kTail, Mark::kArrow);
  other.set(0, 2, Mark::kArrow, Mark::kArrow);
  const Comparison comparison =
      compare_methods(three_columns(), {says("one", MixedGraph(chain())), says("two", other)}, &chain(), 1);
  ASSERT_EQ(comparison.edges.size(), 3u);
  EXPECT_EQ(comparison.edges[0].methods, 2u);  // a - b first: both found it
  EXPECT_EQ(comparison.edges[0].found, (std::vector<std::string>{"-->", "<--"}));
  EXPECT_EQ(comparison.edges[0].truth, "-->");
  EXPECT_EQ(comparison.edges[1].found, (std::vector<std::string>{"", "<->"}));
  EXPECT_EQ(comparison.edges[1].truth, "");
  EXPECT_NE(format_agreement_csv(comparison).find("a,b,2,-->,-->,<--\n"), std::string::npos);
}

TEST(Compare, TruthMustKnowTheTable) {
  const auto path =
      std::filesystem::temp_directory_path() / ("causcale_truth_" + std::to_string(getpid()) + ".csv");
  write_file_atomically(path, "source,target\nc,a\n");
  EXPECT_EQ(read_truth(path, {"a", "b", "c"}), Digraph(3, {{2, 0}}));
  EXPECT_THROW(read_truth(path, {"a", "b"}), InputError);
  std::filesystem::remove(path);
}

TEST(PeakMemory, CountsWhatIsTouchedAndFreedAgain) {
  const PeakMemory memory;
  {
    std::vector<char> block(64 << 20, 1);
    ASSERT_EQ(block[12345], 1);
  }
  const auto bytes = memory.bytes();
  if (!bytes) GTEST_SKIP() << "the system does not tell";
  EXPECT_GT(*bytes, 60 << 20);
  EXPECT_LT(*bytes, 200 << 20);
}

}  // namespace
}  // namespace causcale

#include "report/sparse_output.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "causcale/error.h"
#include "exchange/formats.h"
#include "graph/sparse_file.h"
#include "report/html.h"
#include "report/method_report.h"
#include "report/read_result.h"
#include "report/report.h"
#include "sample_results.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;
using test::TempFolder;

DiscoverResult result_with_floor(double floor) {
  DiscoverResult result = synthetic_result(12, 20, 3);
  result.min_probability = floor;
  return result;
}

TEST(SparseOutput, TheFloorIsTheResultsOwnOrTheUsualOne) {
  EXPECT_EQ(output_floor(result_with_floor(0.25)), 0.25);
  EXPECT_EQ(output_floor(result_with_floor(0)), kUsualFloor);
  EXPECT_FALSE(holds_pairs(result_with_floor(0)));
  EXPECT_TRUE(holds_pairs(result_with_floor(0.25)));
  const MethodOutcome outcome = cpdag_outcome();
  EXPECT_EQ(scores_above_floor(outcome.result), scores_at_least(outcome.result.probabilities, -1e300));
}

TEST(SparseOutput, MatricesAndGraphsAreWrittenByTheNameOfTheFile) {
  const TempFolder folder;
  const DiscoverResult result = result_with_floor(0.3);
  for (const char* const extension : {".npz", ".mtx"}) {
    const auto matrix = folder / (std::string("p") + extension),
               graph = folder / (std::string("g") + extension);
    write_matrix(matrix, result);
    write_result(graph, result, {});
    const GraphFile scores = read_graph_file(matrix), edges = read_graph_file(graph);
    EXPECT_EQ(scores.names, result.names);
    std::size_t above = 0;
    for (const StoredEdge& entry : scores.edges) {
      EXPECT_GE(entry.score, 0.3);
      EXPECT_NEAR(entry.score, result.probabilities(entry.source, entry.target), 1e-9);
    }
    for (const double p : result.probabilities.values()) above += p >= 0.3;
    EXPECT_EQ(scores.edges.size(), above);
    ASSERT_EQ(edges.edges.size(), result.graph.edge_count());
    for (const StoredEdge& entry : edges.edges)
      EXPECT_TRUE(result.graph.has_edge(entry.source, entry.target));
  }
  EXPECT_EQ(files_written(folder / "p.mtx"), (std::vector{folder / "p.mtx", folder / "p.names.txt"}));
  EXPECT_EQ(files_written("p.npz").size(), 1u);
  write_method_outcome(folder / "m.npz", cpdag_outcome(), {});
  EXPECT_EQ(read_graph_file(folder / "m.npz").edges.size(), cpdag_outcome().result.graph.edge_count());
}

TEST(SparseOutput, JsonHoldsThePairsAboveTheFloorAndIsReadBack) {
  DiscoverResult result = result_with_floor(0.6);
  result.bootstrap = 1;
  result.bootstrap_mean = result.selection_frequency = result.probabilities;
  result.bootstrap_deviation = Matrix<double>(12, 12, std::nan(""));
  result.samples = 10;
  result.ancestry = result.probabilities;
  const std::string text = format_json(result, sample_record());
  const auto json = nlohmann::json::parse(text);
  EXPECT_FALSE(json.contains("probabilities"));
  EXPECT_FALSE(json["bootstrap"].contains("bootstrap_mean"));
  const StoredResult stored = parse_result(text, "r.json");
  EXPECT_EQ(stored.result.graph, result.graph);
  EXPECT_EQ(stored.result.min_probability, 0.6);
  EXPECT_EQ(stored.result.bootstrap, 1);
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) {
      const double p = result.probabilities(i, j);
      const bool told = p >= 0.6 || result.graph.has_edge(static_cast<int>(i), static_cast<int>(j)) ||
                        result.graph.has_edge(static_cast<int>(j), static_cast<int>(i));
      EXPECT_EQ(stored.result.probabilities(i, j), told ? p : 0.0);
      EXPECT_EQ(stored.result.ancestry(i, j), p >= 0.6 ? p : 0.0);
      if (p >= 0.6) {
        EXPECT_EQ(stored.result.bootstrap_mean(i, j), p);
        EXPECT_TRUE(std::isnan(stored.result.bootstrap_deviation(i, j)));
      }
    }
  // As a graph file it ranks the pairs, and the others count as 0.
  const GraphFile file = to_graph_file(parse_graph_document(text, "r.json"), true);
  EXPECT_TRUE(file.is_sparse);
  EXPECT_EQ(file.names, result.names);
  const std::string method = format_method_json(
      [] {
        MethodOutcome outcome = pag_outcome();
        outcome.result.min_probability = 0.5;
        return outcome;
      }(),
      sample_record());
  EXPECT_FALSE(nlohmann::json::parse(method).contains("scores"));
  EXPECT_EQ(parse_result(method, "m.json").marks, pag_outcome().marks);
}

TEST(SparseOutput, DamagedPairsAreExplained) {
  const auto whole = nlohmann::ordered_json::parse(format_json(result_with_floor(0.6), sample_record()));
  const auto changed = [&](const char* key, const nlohmann::ordered_json& value) {
    auto json = whole;
    json["pairs"][key] = value;
    const std::string text = json.dump();
    EXPECT_FALSE(error_of([&] { parse_graph_document(text, "r.json"); }).empty()) << key << value;
    return error_of([&] { parse_result(text, "r.json"); });
  };
  EXPECT_TRUE(contains(changed("source", {0, 1}), "r.json: pairs"));
  EXPECT_TRUE(contains(changed("score", {0.5}), "r.json: pairs"));
  auto bad = whole["pairs"]["target"];
  bad[0] = 12;
  EXPECT_TRUE(contains(changed("target", bad), "pairs.target[0]"));
  bad[0] = whole["pairs"]["source"][0];
  EXPECT_TRUE(contains(changed("target", bad), "with itself"));
}

TEST(SparseOutput, ManyVariablesAreNeverWrittenAsWholeText) {
  EXPECT_NO_THROW(require_text_size("p.csv", kMostTextVariables, "use .npz"));
  EXPECT_TRUE(contains(error_of([] { require_text_size("p.csv", kMostTextVariables + 1, "use .npz"); }),
                       "p.csv: the scores of 5001 x 5001 pairs are too many for text; use .npz"));
  EXPECT_THROW(check_matrix_size("p.csv", 20000), UsageError);
  EXPECT_NO_THROW(check_matrix_size("p.npz", 20000));
  EXPECT_NO_THROW(check_matrix_size("p.npy", 20000));
  DiscoverResult result = result_with_floor(0.5);
  const std::string pairs = format_pairs_csv(result);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(pairs, '\n')),
            1 + static_cast<std::size_t>(
                    std::ranges::count_if(result.probabilities.values(), [](double p) { return p >= 0.5; })));
}

TEST(SparseOutput, ThePageOfManyVariablesBeginsWithASearch) {
  const DiscoverResult result = synthetic_result(40, 60, 2);
  const HtmlLimits limits{.most_drawn_variables = 30, .searched_edges = 25};
  const auto data = nlohmann::json::parse(format_html_data(result, {}, limits));
  EXPECT_EQ(data["search_first"], true);
  EXPECT_EQ(data["edges"]["source"].size(), 25u);
  EXPECT_EQ(data["edges"]["graph_is_whole"], false);
  EXPECT_EQ(data["graph_edges"], 60);
  // The surest of all.
  const std::vector<ScoredEdge> ranked = ranked_edges(result.probabilities);
  for (std::size_t k = 0; k < 25; ++k) EXPECT_EQ(data["edges"]["source"][k], ranked[k].edge.source);
  EXPECT_FALSE(nlohmann::json::parse(format_html_data(result, {})).contains("search_first"));
}

}  // namespace
}  // namespace causcale

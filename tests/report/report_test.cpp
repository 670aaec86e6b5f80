#include "report/report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/npy.h"
#include "causcale/error.h"
#include "exchange/escape.h"
#include "graph/graph_file.h"
#include "report/png.h"

namespace causcale {
namespace {

// b -> a (0.9) and a -> "c, d" (0.6) are in the graph, a -> b (0.05) is not.
DiscoverResult small_result() {
  DiscoverResult result;
  result.names = {"a", "b", "c, \"d\" & <e>"};
  result.probabilities = Matrix<double>(3, 3);
  result.probabilities(1, 0) = 0.9;
  result.probabilities(0, 1) = 0.05;
  result.probabilities(0, 2) = 0.6;
  result.graph = Digraph(3, {{1, 0}, {0, 2}});
  result.removed_edges = {{{2, 1}, 0.55}};
  result.model_name = "prototype";
  result.rows = 100;
  result.passes = 2;
  result.seconds = {{"network", 1.5}};
  return result;
}

TEST(EdgesCsv, SortedByProbabilityWithTheReverse) {
  EXPECT_EQ(format_edges_csv(small_result()),
            "source,target,probability,probability_reverse\n"
            "b,a,0.900000,0.050000\n"
            "a,\"c, \"\"d\"\" & <e>\",0.600000,0.000000\n");
}

TEST(EdgesCsv, SaysWhatTellsTheDirection) {
  DiscoverResult result = small_result();
  result.directions = {{{0, 2}, 0.5, 0.1, 0.0, DirectionBasis::kNone},
                       {{1, 0}, 1e-9, 7.5, 0.0, DirectionBasis::kShape}};
  EXPECT_EQ(format_edges_csv(result),
            "source,target,probability,probability_reverse,direction_told_by\n"
            "b,a,0.900000,0.050000,shape\n"
            "a,\"c, \"\"d\"\" & <e>\",0.600000,0.000000,none\n");
  const std::string screen = format_terminal(result, 10, false);
  EXPECT_NE(screen.find("direction told by"), std::string::npos) << screen;
  EXPECT_NE(screen.find("(0.0 %)    nothing"), std::string::npos) << screen;
}

TEST(PairsCsv, ListsEveryOrderedPairAndWhichAreSelected) {
  EXPECT_EQ(format_pairs_csv(small_result()),
            "source,target,probability,probability_reverse,selected\n"
            "b,a,0.9,0.05,1\n"
            "a,\"c, \"\"d\"\" & <e>\",0.6,0,1\n"
            "a,b,0.05,0.9,0\n"
            "b,\"c, \"\"d\"\" & <e>\",0,0,0\n"
            "\"c, \"\"d\"\" & <e>\",a,0,0.6,0\n"
            "\"c, \"\"d\"\" & <e>\",b,0,0,0\n");
  const auto path = std::filesystem::temp_directory_path() / "causcale_report_pairs.csv";
  RunRecord record;
  record.all_pairs = true;
  write_result(path, small_result(), record);
  EXPECT_EQ(MappedFile(path).text(), format_pairs_csv(small_result()));
  write_result(path, small_result(), {});
  EXPECT_EQ(MappedFile(path).text(), format_edges_csv(small_result()));
  std::filesystem::remove(path);
}

TEST(Summary, SaysHowManyRowsWereSeen) {
  DiscoverResult result = small_result();
  result.rows = 2000000;
  result.rows_per_pass = 1000;
  result.passes = 32;
  result.views = 4;
  EXPECT_EQ(rows_seen(result), 8000u);
  EXPECT_NE(format_summary(result, 0).find("saw 8000 of the 2000000 rows"), std::string::npos);
  result.rows = 7990;
  EXPECT_EQ(rows_seen(result), 7990u);
  EXPECT_EQ(format_summary(result, 1).find("saw"), std::string::npos);
  EXPECT_NE(format_summary(result, 1).find("1 intervened row."), std::string::npos);
  result.bootstrap = 20;
  EXPECT_NE(format_summary(result, 1).find("over 20 repetitions"), std::string::npos);
}

TEST(MatrixCsv, RowsAreSources) {
  EXPECT_EQ(format_matrix_csv(small_result()),
            "source\\target,a,b,\"c, \"\"d\"\" & <e>\"\n"
            "a,0,0.05,0.6\n"
            "b,0.9,0,0\n"
            "\"c, \"\"d\"\" & <e>\",0,0,0\n");
}

TEST(Json, HoldsResultAndManifest) {
  const auto json =
      nlohmann::json::parse(format_json(small_result(), {.command = "causcale discover x.csv",
                                                         .data_file = "x.csv",
                                                         .data_sha256 = "abc",
                                                         .audit_json = "[]",
                                                         .options_json = "{\"threshold\":0.5}"}));
  EXPECT_EQ(json["edges"][0]["source"], "b");
  EXPECT_EQ(json["edges"][0]["target"], "a");
  EXPECT_DOUBLE_EQ(json["probabilities"][1][0], 0.9);
  EXPECT_EQ(json["removed_to_break_cycles"][0]["target"], "b");
  EXPECT_EQ(json["manifest"]["data"]["sha256"], "abc");
  EXPECT_EQ(json["manifest"]["options"]["threshold"], 0.5);
  EXPECT_EQ(json["manifest"]["seconds"]["network"], 1.5);
}

TEST(Json, SurvivesNamesThatAreNotUtf8) {
  DiscoverResult result = small_result();
  result.names[0] = "caf\xe9";
  EXPECT_NO_THROW(nlohmann::json::parse(format_json(result, {})));
}

TEST(Dot, QuotesNames) {
  const std::string dot = format_dot(small_result());
  EXPECT_NE(dot.find("\"b\" -> \"a\" [label=\"0.90\""), std::string::npos);
  EXPECT_NE(dot.find("\"a\" -> \"c, \\\"d\\\" & <e>\""), std::string::npos);
}

TEST(GraphMl, EscapesNames) {
  const std::string xml = format_graphml(small_result());
  EXPECT_NE(xml.find("c, &quot;d&quot; &amp; &lt;e&gt;"), std::string::npos);
  EXPECT_NE(xml.find("<edge source=\"n1\" target=\"n0\"><data key=\"probability\">0.9</data>"),
            std::string::npos);
}

TEST(GraphMl, NamesAreIdsWhereXmlAllowsThem) {
  DiscoverResult result = small_result();
  result.names[2] = "HLA-DRA.1";
  EXPECT_NE(format_graphml(result).find("<edge source=\"b\" target=\"a\">"), std::string::npos);
  EXPECT_NE(format_graphml(result).find("<node id=\"HLA-DRA.1\"><data key=\"label\">HLA-DRA.1</data></node>"),
            std::string::npos);
  using Names = std::vector<std::string>;
  EXPECT_EQ(graphml_ids({"\xCE\xB1", "9p:x_1"}), (Names{"\xCE\xB1", "9p:x_1"}));
  for (const char* odd : {"a b", "", "a\"", "a;b", "a<", "\xFF", "\xE2\x86\x92", "x"})
    EXPECT_EQ(graphml_ids({"x", odd}), (Names{"n0", "n1"})) << odd;
}

TEST(Gml, IsAsciiWithEntities) {
  DiscoverResult result = small_result();
  result.names[0] = "\xCE\xB1";  // Greek alpha
  const std::string gml = format_gml(result);
  EXPECT_NE(gml.find("label \"&#945;\""), std::string::npos);
  for (unsigned char c : gml) EXPECT_LT(c, 128);
}

TEST(Tetrad, NodesThenNumberedEdges) {
  DiscoverResult result = small_result();
  result.names[2] = "c";
  EXPECT_EQ(format_tetrad(result), "Graph Nodes:\na;b;c\n\nGraph Edges:\n1. b --> a\n2. a --> c\n");
}

// What Tetrad's reader does: nodes between ';' or ',', the parts of an edge between blanks.
TEST(Tetrad, NamesWithSeparatorsStayOneNodeEach) {
  DiscoverResult result = small_result();
  result.names = {"a;b", "a,b c", "a_b"};
  const std::string text = format_tetrad(result);
  EXPECT_EQ(text, "Graph Nodes:\na_b_2;a_b_c;a_b\n\nGraph Edges:\n1. a_b_c --> a_b_2\n2. a_b_2 --> a_b\n");
  using Names = std::vector<std::string>;
  EXPECT_EQ(tetrad_names({"x y", "x\ty", "x_y_2", "", "plain"}),
            (Names{"x_y", "x_y_3", "x_y_2", "_", "plain"}));
}

// The matrix and the list of edges come back from evaluate's reader with the same names and numbers.
TEST(MatrixCsv, AnyNamesComeBack) {
  const std::vector<std::vector<std::string>> sets = {{"a;b", "c;d", "e"},         {"a,b", "\"q\"", "#x"},
                                                      {"a\tb", " lead", "trail "}, {"x;1", "y;2", "z;3"},
                                                      {"two\nlines", "b", "c"},    {"1;2", "3,4", "5 6"},
                                                      {"a b", "c d", "e f"},       {"source", "to", "\"\""}};
  for (const auto& names : sets) {
    DiscoverResult result = small_result();
    result.names = names;
    const GraphFile file = parse_graph_text(format_matrix_csv(result), "p.csv");
    EXPECT_EQ(file.names, names);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(file.matrix(i, j), result.probabilities(i, j), 1e-8) << names[0];
    const GraphFile list = parse_graph_text(format_edges_csv(result), "e.csv");
    ASSERT_EQ(list.edges.size(), 2u);
    EXPECT_EQ(list.names, (std::vector<std::string>{names[1], names[0], names[2]}));
  }
}

TEST(Terminal, CountsWhatItDoesNotShow) {
  EXPECT_NE(format_terminal(small_result(), 1, false).find("... and 1 more"), std::string::npos);
  EXPECT_NE(format_terminal(small_result(), 5, false).find("b      ->  a"), std::string::npos);
  DiscoverResult empty = small_result();
  empty.graph = Digraph(3);
  EXPECT_NE(format_terminal(empty, 5, false).find("no edge"), std::string::npos);
}

TEST(RankedEdges, LeavesOutTheDiagonalAndTheImprobable) {
  const auto edges = ranked_edges(small_result().probabilities, 0.05);
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[0].edge, (Edge{1, 0}));
  EXPECT_EQ(edges[1].edge, (Edge{0, 2}));
}

TEST(WriteResult, ChoosesByExtension) {
  const auto folder = std::filesystem::temp_directory_path() / "causcale_report_extensions";
  std::vector<std::pair<std::string, std::string>> beginnings = {
      {"r.html", "<!DOCTYPE html>"}, {"r.svg", "<?xml"}, {"r.csv", "source,target"}, {"r.dot", "digraph"}};
  if (png_is_available()) beginnings.push_back({"r.png", "\x89PNG"});
  for (const auto& [name, beginning] : beginnings) {
    EXPECT_NO_THROW(check_output_name(folder / name));
    write_result(folder / name, small_result(), {});
    const MappedFile file(folder / name);
    EXPECT_EQ(file.text().substr(0, beginning.size()), beginning) << name;
  }
  std::filesystem::remove_all(folder);
}

TEST(WriteResult, RefusesUnknownExtensions) {
  EXPECT_THROW(check_output_name("x.xlsx"), UsageError);
  EXPECT_THROW(check_matrix_name("x.json"), UsageError);
  const auto path = std::filesystem::temp_directory_path() / "causcale_report_test.npy";
  write_matrix(path, small_result());
  const NpyArray array = read_npy(path);
  EXPECT_EQ(array.shape, (std::vector<std::size_t>{3, 3}));
  EXPECT_DOUBLE_EQ(array.values[3], 0.9);
  std::filesystem::remove(path);
}

DiscoverResult repeated_result() {
  DiscoverResult result = small_result();
  result.bootstrap = 20;
  result.bootstrap_mean = result.bootstrap_deviation = result.selection_frequency = Matrix<double>(3, 3);
  result.bootstrap_mean(1, 0) = 0.875;
  result.bootstrap_deviation(1, 0) = 0.0625;
  result.selection_frequency(1, 0) = 0.95;
  return result;
}

TEST(Bootstrap, StandsInEveryFormat) {
  const DiscoverResult result = repeated_result();
  EXPECT_EQ(format_edges_csv(result),
            "source,target,probability,probability_reverse,bootstrap_mean,bootstrap_deviation,"
            "selection_frequency\n"
            "b,a,0.900000,0.050000,0.875000,0.062500,0.950000\n"
            "a,\"c, \"\"d\"\" & <e>\",0.600000,0.000000,0.000000,0.000000,0.000000\n");
  const auto json = nlohmann::json::parse(format_json(result, {}));
  EXPECT_EQ(json["edges"][0]["selection_frequency"], 0.95);
  EXPECT_EQ(json["bootstrap"]["repetitions"], 20);
  EXPECT_EQ(json["bootstrap"]["bootstrap_deviation"][1][0], 0.0625);
  EXPECT_NE(format_dot(result).find("bootstrap_deviation=0.062500, selection_frequency=0.950000]"),
            std::string::npos);
  const std::string xml = format_graphml(result);
  EXPECT_NE(xml.find("<key id=\"bootstrap_mean\" for=\"edge\""), std::string::npos);
  EXPECT_NE(xml.find("<data key=\"bootstrap_mean\">0.875</data>"), std::string::npos);
  EXPECT_NE(format_gml(result).find("    selection_frequency 0.950000000\n"), std::string::npos);
  const std::string table = format_terminal(result, 10, false);
  EXPECT_NE(table.find("bootstrap mean  deviation  selected  (reverse)"), std::string::npos) << table;
  EXPECT_NE(table.find("87.5 %      6.2 %      95 %  (5.0 %)"), std::string::npos) << table;
  // The deviation is one around the bootstrap's mean, so it must not read as one of the probability.
  EXPECT_EQ(table.find("+-"), std::string::npos);
  // Heading and figures end at the same column.
  const std::size_t first = table.find('\n'), second = table.find('\n', first + 1);
  EXPECT_EQ(table.find("(reverse)"), table.find("(5.0 %)") - first - 1) << table;
  ASSERT_NE(second, std::string::npos);
}

TEST(Bootstrap, LeavesNoTraceWhenThereWasNone) {
  EXPECT_FALSE(nlohmann::json::parse(format_json(small_result(), {})).contains("bootstrap"));
  EXPECT_EQ(format_graphml(small_result()).find("bootstrap"), std::string::npos);
  EXPECT_EQ(format_terminal(small_result(), 10, false).find("selected"), std::string::npos);
}

TEST(Json, HoldsApplicabilityAndThePriceOfAcyclicity) {
  DiscoverResult result = small_result();
  result.traits = {{"columns", 3.0}};
  result.applicability = {{"columns_below_training", "the table has 3 variables", "more would help"}};
  result.acyclic_price = {1.5, 2.5, true};
  const auto json = nlohmann::json::parse(format_json(result, {}));
  EXPECT_EQ(json["applicability"]["traits"]["columns"], 3.0);
  EXPECT_EQ(json["applicability"]["findings"][0]["code"], "columns_below_training");
  EXPECT_EQ(json["acyclic_price"]["removed_log_odds"], 1.5);
  EXPECT_EQ(json["acyclic_price"]["greedy_log_odds"], 2.5);
}

}  // namespace
}  // namespace causcale

#include "report/method_report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "causcale/error.h"
#include "report/png.h"
#include "report/sample_results.h"

namespace causcale {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(MethodCsv, EveryPossibleDirectionAndEveryCommonCause) {
  EXPECT_EQ(format_method_csv(pag_outcome()),
            "source,target,score,score_reverse,edge\n"
            "v0,v2,0.95,0.475,o->\n"
            "v1,v2,0.85,0.425,o->\n"
            "v2,v3,0.75,0.375,-->\n"
            "v3,v4,0.65,0.325,<->\n"
            "v4,v5,0.55,0.275,o-o\n"
            "v6,v7,0.45,0.225,--o\n"
            "v7,v8,0.35,0.175,---\n"
            "v5,v4,0.275,0.55,o-o\n"
            "v7,v6,0.225,0.45,o--\n"
            "v8,v7,0.175,0.35,---\n");
}

TEST(MethodJson, OneEntryForEveryPair) {
  const auto json = nlohmann::json::parse(format_method_json(pag_outcome(), {}));
  EXPECT_EQ(json["graph_class"], "PAG");
  EXPECT_EQ(json["edges"].size(), 7u);
  EXPECT_EQ(json["edges"][3]["edge"], "<->");
  EXPECT_EQ(json["edges"][3]["score_reverse"], 0.325);
  EXPECT_FALSE(json["edges"][0].contains("probability"));
}

MethodOutcome repeated_outcome() {
  MethodOutcome outcome = cpdag_outcome();
  DiscoverResult& result = outcome.result;
  const std::size_t n = result.names.size();
  result.bootstrap = 20;
  result.bootstrap_mean = result.probabilities;
  result.bootstrap_deviation = Matrix<double>(n, n, 0.125);
  result.selection_frequency = Matrix<double>(n, n, 0.25);
  result.selection_frequency(0, 2) = 0.75;
  return outcome;
}

TEST(MethodBootstrapFigures, AreInEveryFormat) {
  const MethodOutcome outcome = repeated_outcome();
  const std::string csv = format_method_csv(outcome);
  EXPECT_TRUE(csv.starts_with(
      "source,target,score,score_reverse,edge,bootstrap_mean,bootstrap_deviation,selection_frequency"));
  EXPECT_NE(csv.find("-->,0.95,0.125,0.75\n"), std::string::npos) << csv;
  const auto json = nlohmann::json::parse(format_method_json(outcome, {}));
  EXPECT_EQ(json["bootstrap"]["repetitions"], 20);
  EXPECT_EQ(json["bootstrap"]["selection_frequency"][0][2], 0.75);
  EXPECT_EQ(json["edges"][0]["selection_frequency"], 0.75);
  EXPECT_EQ(json["edges"][0]["selection_frequency_reverse"], 0.25);
  EXPECT_NE(format_method_dot(outcome).find("selection_frequency=0.75"), std::string::npos);
  EXPECT_NE(format_graphml(outcome).find("<data key=\"selection_frequency\">0.75</data>"), std::string::npos);
  EXPECT_NE(format_gml(outcome).find("selection_frequency 0.750000000"), std::string::npos);
  const std::string shown = format_method_terminal(outcome, 10);
  EXPECT_NE(shown.find("75 %  (25 %)"), std::string::npos) << shown;
}

TEST(CombinedMethods, SharesAreCalledProbabilities) {
  MethodOutcome outcome = cpdag_outcome();
  outcome.result.score_kind = "probability";
  EXPECT_TRUE(format_method_csv(outcome).starts_with("source,target,probability,probability_reverse,edge"));
  EXPECT_NE(format_method_terminal(outcome, 10).find("probability"), std::string::npos);
  EXPECT_NE(format_graphml(outcome).find("key id=\"probability\""), std::string::npos);
}

TEST(MethodDot, HasTheMarksAtBothEnds) {
  const std::string dot = format_method_dot(pag_outcome());
  EXPECT_NE(dot.find("\"v0\" -> \"v2\" [dir=both, arrowtail=odot, arrowhead=normal"), std::string::npos);
  EXPECT_NE(dot.find("\"v3\" -> \"v4\" [dir=both, arrowtail=normal, arrowhead=normal"), std::string::npos);
  EXPECT_NE(dot.find("\"v7\" -> \"v8\" [dir=both, arrowtail=none, arrowhead=none"), std::string::npos);
}

TEST(MethodTetrad, IsWhatTetradWrites) {
  const std::string text = format_method_tetrad(pag_outcome());
  EXPECT_NE(text.find("4. v3 <-> v4\n5. v4 o-o v5\n"), std::string::npos);
}

TEST(MethodGraphMl, ArrowsWithTheirMarks) {
  const MethodOutcome outcome = pag_outcome();
  const std::string xml = format_graphml(outcome);
  // <-> and what is open stand there both ways.
  EXPECT_EQ(count_of(xml, "<edge "), 3u + 2u + 3u * 2u);
  EXPECT_NE(xml.find("<edge source=\"v3\" target=\"v4\"><data key=\"score\">0.65</data>"
                     "<data key=\"score_reverse\">0.325</data><data key=\"edge\">&lt;-&gt;</data></edge>"),
            std::string::npos);
  EXPECT_NE(xml.find("<edge source=\"v4\" target=\"v3\"><data key=\"score\">0.325</data>"),
            std::string::npos);
  EXPECT_NE(xml.find("<edge source=\"v7\" target=\"v6\"><data key=\"score\">0.225</data>"
                     "<data key=\"score_reverse\">0.45</data><data key=\"edge\">o--</data></edge>"),
            std::string::npos);
  EXPECT_EQ(xml.find("source=\"v2\" target=\"v0\""), std::string::npos);
  EXPECT_EQ(xml.find("probability"), std::string::npos);
}

TEST(MethodGml, ArrowsWithTheirMarks) {
  const MethodOutcome outcome = pag_outcome();
  const std::string gml = format_gml(outcome);
  EXPECT_EQ(count_of(gml, "  edge [\n"), 11u);
  EXPECT_NE(gml.find("    source 3\n    target 4\n    score 0.650000000\n    edge \"<->\"\n"),
            std::string::npos);
}

TEST(WriteMethodOutcome, KnowsEveryExtension) {
  const auto folder = std::filesystem::temp_directory_path() / "causcale_method_report_extensions";
  std::vector<std::pair<std::string, std::string>> parts = {{"r.html", "\"marks\":[\"o-\\u003e"},
                                                            {"r.svg", "<circle"},
                                                            {"r.csv", "<->"},
                                                            {"r.json", "\"<->\""},
                                                            {"r.dot", "odot"},
                                                            {"r.gv", "odot"},
                                                            {"r.graphml", "&lt;-&gt;"},
                                                            {"r.gml", "\"<->\""},
                                                            {"r.txt", "<->"}};
  if (png_is_available()) parts.push_back({"r.png", "\x89PNG"});
  for (const auto& [name, part] : parts) {
    write_method_outcome(folder / name, pag_outcome(), {});
    const std::string text(MappedFile(folder / name).text());
    EXPECT_NE(text.find(part), std::string::npos) << name;
  }
  std::filesystem::remove_all(folder);
  EXPECT_THROW(write_method_outcome(folder / "r.xlsx", pag_outcome(), {}), UsageError);
}

}  // namespace
}  // namespace causcale

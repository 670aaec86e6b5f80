// Sign and size of edges in every format, and back from the stored result.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/effect_figures.h"
#include "report/html.h"
#include "report/method_report.h"
#include "report/read_result.h"
#include "report/report.h"

namespace causcale {
namespace {

// a -> b of size -0.5, b -> c not estimable.
DiscoverResult sized_result() {
  DiscoverResult result;
  result.names = {"a", "b", "c"};
  result.probabilities = Matrix<double>(3, 3);
  result.probabilities(0, 1) = 0.9;
  result.probabilities(1, 2) = 0.6;
  result.graph = Digraph(3, {{0, 1}, {1, 2}});
  result.model_name = "prototype";
  result.device = "cpu";
  result.rows = 100;
  result.passes = 1;
  EdgeEffect sized{.edge = {0, 1}, .rows = 90, .size = -0.5, .low = -0.625, .high = -0.375};
  sized.nonlinear_p = 0.25;
  sized.shift = 1.5;
  sized.shift_low = 1.25;
  sized.shift_high = 1.75;
  EdgeEffect unknown{.edge = {1, 2}, .kind = EffectKind::kRiskDifference, .rows = 80};
  result.effects = {sized, unknown};
  return result;
}

TEST(EffectsReport, CsvHasColumnsOfTheirOwn) {
  EXPECT_EQ(format_edges_csv(sized_result()),
            "source,target,probability,probability_reverse,effect_kind,effect,effect_low,effect_high,"
            "effect_nonlinear_p,effect_shift,effect_shift_low,effect_shift_high\n"
            "a,b,0.900000,0.000000,standardized_coefficient,-0.5,-0.625,-0.375,0.25,1.5,1.25,1.75\n"
            "b,c,0.600000,0.000000,risk_difference,,,,,,,\n");
  // A pair outside the graph has none.
  EXPECT_NE(format_pairs_csv(sized_result()).find("b,a,0,0.9,,,,,,,,,0\n"), std::string::npos)
      << format_pairs_csv(sized_result());
}

TEST(EffectsReport, GraphFormatsCarryThem) {
  const DiscoverResult result = sized_result();
  const std::string dot = format_dot(result), xml = format_graphml(result);
  EXPECT_NE(dot.find("color=\"#b2182b\", effect=-0.500000"), std::string::npos) << dot;
  EXPECT_EQ(dot.find("nan"), std::string::npos);
  EXPECT_NE(xml.find("<key id=\"effect\" for=\"edge\""), std::string::npos);
  EXPECT_NE(xml.find("<data key=\"effect\">-0.5</data>"), std::string::npos);
  EXPECT_NE(xml.find("<data key=\"effect_kind\">risk_difference</data>"), std::string::npos);
  EXPECT_EQ(xml.find("nan"), std::string::npos);
  EXPECT_NE(format_gml(result).find("    effect -0.500000000\n"), std::string::npos);
}

TEST(EffectsReport, TerminalAndPage) {
  const DiscoverResult result = sized_result();
  const std::string table = format_terminal(result, 10, false);
  EXPECT_NE(table.find("-0.50 [-0.62, -0.38]  (0.0 %)"), std::string::npos) << table;
  EXPECT_NE(table.find("not estimable"), std::string::npos) << table;
  const std::size_t first = table.find('\n');
  EXPECT_EQ(table.find("(reverse)"), table.find("(0.0 %)") - first - 1) << table;
  const auto data = nlohmann::json::parse(format_html_data(result, {}));
  EXPECT_EQ(data["edges"]["effect"][0], -0.5);
  EXPECT_TRUE(data["edges"]["effect"][1].is_null());
  EXPECT_EQ(data["edges"]["effect_kind"][1], "risk_difference");
  EXPECT_EQ(data["edges"]["effect"].size(), data["edges"]["source"].size());
  EdgeEffect curved = result.effects[0];
  curved.nonlinear_p = 1e-5;
  EXPECT_EQ(effect_text(&curved), "-0.50 [-0.62, -0.38] curved");
}

TEST(EffectsReport, StoredAndReadBack) {
  DiscoverResult result = sized_result();
  result.effects[0].graph_low = -0.75;
  result.effects[0].graph_high = 0.0;
  const std::string text = format_json(result, {});
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["edges"][0]["effect"]["kind"], "standardized_coefficient");
  EXPECT_EQ(json["edges"][0]["effect"]["size"], -0.5);
  EXPECT_TRUE(json["edges"][1]["effect"]["size"].is_null());
  const StoredResult stored = parse_result(text, "memory");
  ASSERT_EQ(stored.result.effects.size(), 2u);
  EXPECT_EQ(stored.result.effects[0].edge, (Edge{0, 1}));
  EXPECT_EQ(stored.result.effects[0].graph_low, -0.75);
  EXPECT_EQ(stored.result.effects[0].shift_high, 1.75);
  EXPECT_EQ(stored.result.effects[1].kind, EffectKind::kRiskDifference);
  EXPECT_TRUE(std::isnan(stored.result.effects[1].size));
  EXPECT_EQ(format_json(stored.result, stored.record), text);
}

TEST(EffectsReport, OfMethods) {
  MethodOutcome outcome;
  outcome.result = sized_result();
  outcome.result.score_kind = "ranking";
  outcome.marks = MixedGraph(outcome.result.graph);
  outcome.graph_class = GraphClass::kDag;
  EXPECT_NE(format_method_csv(outcome).find("a,b,0.9,0,-->,standardized_coefficient,-0.5,-0.625"),
            std::string::npos)
      << format_method_csv(outcome);
  const std::string text = format_method_json(outcome, {});
  EXPECT_EQ(nlohmann::json::parse(text)["edges"][0]["effect"]["size"], -0.5);
  EXPECT_EQ(parse_result(text, "memory").result.effects.size(), 2u);
  EXPECT_NE(format_method_terminal(outcome, 5).find("-0.50 [-0.62, -0.38]"), std::string::npos);
  EXPECT_NE(format_method_dot(outcome).find("effect=-0.500000"), std::string::npos);
}

}  // namespace
}  // namespace causcale

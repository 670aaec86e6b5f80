#include "report/html.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "exchange/escape.h"
#include "report/sample_results.h"

namespace causcale {
namespace {

constexpr std::string_view kOpening = "<script type=\"application/json\" id=\"data\">";

// What a browser takes as the data: from the opening tag to the first "</script", whatever stands between.
std::string data_of(const std::string& page) {
  const std::size_t begin = page.find(kOpening);
  EXPECT_NE(begin, std::string::npos);
  const std::size_t from = begin + kOpening.size();
  return page.substr(from, page.find("</script", from) - from);
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::vector<unsigned char> decoded_base64(const std::string& text) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  unsigned word = 0, bits = 0;
  for (char c : text) {
    if (c == '=') break;
    word = word << 6 | static_cast<unsigned>(digits.find(c));
    if ((bits += 6) >= 8) bytes.push_back(word >> (bits -= 8) & 255);
  }
  return bytes;
}

std::size_t edges_in_graph(const nlohmann::json& data) {
  std::size_t count = 0;
  for (int belongs : data["edges"]["in_graph"]) count += belongs == 1;
  return count;
}

TEST(Html, DataSurviveHostileTexts) {
  const DiscoverResult result = hostile_result();
  const std::string page = format_html(result, sample_record(true));
  const auto data = nlohmann::json::parse(data_of(page));
  for (std::size_t v : {0, 1, 2, 3, 5}) EXPECT_EQ(data["names"][v], result.names[v]);
  EXPECT_EQ(data["names"][4], "caf\xEF\xBF\xBD not UTF-8");
  EXPECT_EQ(data["run"]["command"], sample_record(true).command);
  EXPECT_EQ(count_of(page, "</script"), count_of(report_page(), "</script"));
  EXPECT_EQ(count_of(page, "<img"), count_of(report_page(), "<img"));
}

TEST(Html, StruckEdgesAreNamedSoThatThePageCanLeaveThemOut) {
  DiscoverResult result = synthetic_result(6, 5, 1);
  const Edge edge{result.graph.edges()[0].target, result.graph.edges()[0].source};
  result.struck_edges = {{edge, 0.75}};
  const auto data = nlohmann::json::parse(data_of(format_html(result, sample_record())));
  EXPECT_EQ(data["struck"], nlohmann::json::array({{edge.source, edge.target, 7500}}));
}

TEST(Html, SamplesBecomeBytesOfAncestry) {
  DiscoverResult result = synthetic_result(3, 2, 1);
  EXPECT_FALSE(nlohmann::json::parse(data_of(format_html(result, sample_record()))).contains("samples"));
  result.ancestry = Matrix<double>(3, 3, std::vector<double>{0, 1, 0.5, 0, 0, 0.25, 0, 0, 0});
  result.samples = 40;
  const auto data = nlohmann::json::parse(data_of(format_html(result, sample_record())));
  EXPECT_EQ(data["samples"]["count"], 40);
  EXPECT_EQ(decoded_base64(data["samples"]["ancestry"]),
            (std::vector<unsigned char>{0, 255, 128, 0, 0, 64, 0, 0, 0}));
}

TEST(Html, TheTitleIsEscaped) {
  const std::string page = format_html(hostile_result(), sample_record(true));
  const std::size_t begin = page.find("<title>"), end = page.find("</title>");
  const std::string title = page.substr(begin + 7, end - begin - 7);
  EXPECT_EQ(title.find('<'), std::string::npos);
  EXPECT_NE(title.find("&lt;/script&gt;"), std::string::npos);
}

TEST(Html, ThePageNeedsNoNetwork) {
  const std::string_view page = report_page();
  EXPECT_EQ(page.find("src=\"http"), std::string_view::npos);
  EXPECT_EQ(page.find("<link"), std::string_view::npos);
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), std::string_view::npos);
  EXPECT_NE(page.find("Permission to use, copy, modify"), std::string_view::npos);
  EXPECT_EQ(count_of(page, "@@TITLE@@"), 1u);
  EXPECT_EQ(count_of(page, "@@DATA@@"), 1u);
}

TEST(HtmlData, HoldsTheGraphAndTheRun) {
  const DiscoverResult result = synthetic_result(12, 18, 3);
  RunRecord record = sample_record();
  record.knowledge.required = {result.graph.edges()[0]};
  record.knowledge.forbidden = {{5, 6}};
  const auto data = nlohmann::json::parse(format_html_data(result, record));
  const auto& edges = data["edges"];
  std::size_t in_graph = 0;
  for (std::size_t k = 0; k < edges["source"].size(); ++k) {
    const int source = edges["source"][k], target = edges["target"][k];
    EXPECT_NEAR(edges["probability"][k].get<double>() / 10000, result.probabilities(source, target), 5.1e-5);
    EXPECT_NEAR(edges["reverse"][k].get<double>() / 10000, result.probabilities(target, source), 5.1e-5);
    EXPECT_EQ(edges["in_graph"][k] == 1, result.graph.has_edge(source, target));
    in_graph += edges["in_graph"][k] == 1;
  }
  EXPECT_EQ(in_graph, 18u);
  EXPECT_EQ(data["graph_edges"], 18);
  EXPECT_EQ(data["knowledge"]["forbidden"][0][1], 6);
  EXPECT_EQ(data["run"]["data"]["rows"], 2000);
  EXPECT_EQ(data["audit"]["findings"][0]["code"], "few_rows");
}

TEST(HtmlData, TheHeatMapIsInCausalOrder) {
  const DiscoverResult result = synthetic_result(12, 18, 3);
  const auto data = nlohmann::json::parse(format_html_data(result, sample_record()));
  const std::vector<int> order = data["order"];
  const auto values = decoded_base64(data["heat_map"]["values"]);
  ASSERT_EQ(values.size(), 144u);
  std::vector<int> rank(12);
  for (int k = 0; k < 12; ++k) rank[order[k]] = k;
  for (const auto& [source, target] : result.graph.edges()) {
    EXPECT_LT(rank[source], rank[target]);
    EXPECT_NEAR(values[rank[source] * 12 + rank[target]] / 255.0, result.probabilities(source, target),
                0.0021);
  }
}

TEST(HtmlData, LargeResultsKeepTheGraphAndStaySmall) {
  const DiscoverResult result = synthetic_result(1000, 5000, 1);
  const std::string page = format_html(result, sample_record());
  EXPECT_LT(page.size(), 6'000'000u);
  const auto data = nlohmann::json::parse(data_of(page));
  const std::size_t stored = data["edges"]["source"].size();
  EXPECT_EQ(stored, 20'000u);
  EXPECT_EQ(edges_in_graph(data), 5000u);
  // Everything above the floor is there.
  const double floor = data["edges"]["floor"];
  EXPECT_EQ(ranked_edges(result.probabilities, floor).size(), stored);
  EXPECT_EQ(decoded_base64(data["heat_map"]["values"]).size(), 1'000'000u);
}

TEST(HtmlData, BeyondTheLimitsBlocksAreMergedAndItIsSaid) {
  const DiscoverResult result = synthetic_result(50, 120, 2);
  const HtmlLimits limits{
      .edges_per_variable = 1, .least_edges = 60, .most_edges = 100, .heat_map_cells = 20, .floor = 0.001};
  const auto data = nlohmann::json::parse(format_html_data(result, sample_record(), limits));
  EXPECT_EQ(data["heat_map"]["block"], 3);
  EXPECT_EQ(data["heat_map"]["cells"], 17);
  const auto values = decoded_base64(data["heat_map"]["values"]);
  EXPECT_EQ(values.size(), 17u * 17u);
  EXPECT_EQ(data["edges"]["source"].size(), 100u);
  EXPECT_EQ(data["edges"]["graph_is_whole"], false);
}

TEST(HtmlData, EdgesBelowTheFloorAreKeptWhenTheyAreInTheGraph) {
  DiscoverResult result = synthetic_result(4, 3, 1);
  result.graph = Digraph(4, {{0, 1}, {1, 0}});
  result.probabilities(0, 1) = 0.0001;
  result.probabilities(1, 0) = 0;
  const auto data = nlohmann::json::parse(format_html_data(result, sample_record()));
  EXPECT_EQ(edges_in_graph(data), 2u);
}

TEST(HtmlData, ScoresThatOnlyRankBecomeSharesOfTheHighest) {
  DiscoverResult result = synthetic_result(4, 3, 1);
  result.score_kind = "ranking";
  result.probabilities = Matrix<double>(4, 4);
  result.probabilities(0, 1) = 40;
  result.probabilities(1, 2) = 10;
  result.probabilities(2, 3) = -5;
  result.graph = Digraph(4, {{0, 1}, {1, 2}, {2, 3}});
  const auto data = nlohmann::json::parse(format_html_data(result, sample_record()));
  EXPECT_EQ(data["score_kind"], "ranking");
  EXPECT_EQ(data["edges"]["probability"], (std::vector<int>{10000, 2500, 0}));
}

TEST(HtmlData, MarkedEdgesAreStoredOnceWithTheirMarks) {
  const auto data = nlohmann::json::parse(format_html_data(pag_outcome(), sample_record()));
  const auto& edges = data["edges"];
  EXPECT_EQ(edges["marks"], (std::vector<std::string>{"o->", "o->", "-->", "<->", "o-o", "--o", "---"}));
  EXPECT_EQ(edges["source"], (std::vector<int>{0, 1, 2, 3, 4, 6, 7}));
  EXPECT_EQ(edges["target"], (std::vector<int>{2, 2, 3, 4, 5, 7, 8}));
  EXPECT_EQ(edges["in_graph"], std::vector<int>(7, 1));
  EXPECT_EQ(edges["score"][3], 0.65);
  EXPECT_EQ(edges["score_reverse"][3], 0.325);
  EXPECT_EQ(data["graph_edges"], 7);
  EXPECT_EQ(data["method"]["graph_class"], "PAG");
  EXPECT_EQ(data["method"]["log"][0], "12 tests");
  EXPECT_NE(data["method"]["assumptions"].get<std::string>(), "");
  EXPECT_EQ(data["legend"].size(), 6u);
  EXPECT_EQ(data["legend"][1]["edge"], "<->");
}

TEST(HtmlData, ProbabilitiesHaveNeitherMarksNorScores) {
  const auto data = nlohmann::json::parse(format_html_data(synthetic_result(12, 18, 3), sample_record()));
  EXPECT_FALSE(data.contains("legend"));
  EXPECT_FALSE(data.contains("method"));
  EXPECT_FALSE(data["edges"].contains("marks"));
  EXPECT_FALSE(data["edges"].contains("score"));
}

TEST(HtmlData, MarkedEdgesBeyondTheLimitAreLeftOutAndItIsSaid) {
  const HtmlLimits limits{.most_edges = 3};
  const auto data = nlohmann::json::parse(format_html_data(pag_outcome(), sample_record(), limits));
  EXPECT_EQ(data["edges"]["marks"].size(), 3u);
  EXPECT_EQ(data["edges"]["graph_is_whole"], false);
}

TEST(HtmlData, TinyResultsWork) {
  DiscoverResult empty;
  EXPECT_NO_THROW(nlohmann::json::parse(format_html_data(empty, {})));
  DiscoverResult pair;
  pair.names = {"a", "b"};
  pair.probabilities = Matrix<double>(2, 2);
  pair.graph = Digraph(2);
  EXPECT_NO_THROW(nlohmann::json::parse(format_html_data(pair, {})));
}

TEST(Escape, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(encode_utf8(decode_utf8("a\xC3\xA4\xF0\x9F\xA7\xAC")), "a\xC3\xA4\xF0\x9F\xA7\xAC");
  EXPECT_EQ(decode_utf8("\xC0\xAF"), U"\uFFFD\uFFFD");       // overlong
  EXPECT_EQ(decode_utf8("\xED\xA0\x80")[0], U'\uFFFD');      // a surrogate
  EXPECT_EQ(decode_utf8("x\xE6\xBC"), U"x\uFFFD\uFFFD");     // cut off
  EXPECT_EQ(decode_utf8("\xF4\x90\x80\x80")[0], U'\uFFFD');  // beyond the last code point
  EXPECT_EQ(xml_escaped("<a b='c' d=\"e\">&\x01\n"),
            "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;\xEF\xBF\xBD ");
}

}  // namespace
}  // namespace causcale

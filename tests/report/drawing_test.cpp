#include "report/drawing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stack>
#include <stdexcept>

#include "causcale/error.h"
#include "report/png.h"
#include "report/report.h"
#include "report/sample_results.h"
#include "report/svg.h"

namespace causcale {
namespace {

// A strict little reader of the XML that is written here: tags nest, attributes are quoted, entities are
// known.
::testing::AssertionResult is_well_formed_xml(const std::string& xml) {
  std::stack<std::string> open;
  std::size_t at = xml.find("?>") + 2;
  while (at < xml.size()) {
    if (xml[at] == '&') {
      const std::string entity = xml.substr(at, xml.find(';', at) - at + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;" &&
          entity != "&#39;")
        return ::testing::AssertionFailure() << "entity " << entity;
      at += entity.size();
      continue;
    }
    if (static_cast<unsigned char>(xml[at]) < 32 && xml[at] != '\n')
      return ::testing::AssertionFailure() << "control character at " << at;
    if (xml[at] != '<') {
      ++at;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return ::testing::AssertionFailure() << "open tag at the end";
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos) return ::testing::AssertionFailure() << "'<' within " << tag;
    if (std::ranges::count(tag, '"') % 2 != 0) return ::testing::AssertionFailure() << "quotes of " << tag;
    const std::string name = tag.substr(tag[0] == '/', tag.find_first_of(" /", 1) - (tag[0] == '/'));
    if (tag[0] == '/') {
      if (open.empty() || open.top() != tag.substr(1))
        return ::testing::AssertionFailure() << "closing " << tag << " without its opening";
      open.pop();
    } else if (tag.back() != '/') {
      open.push(name);
    }
    at = end + 1;
  }
  if (!open.empty()) return ::testing::AssertionFailure() << "not closed: " << open.top();
  return ::testing::AssertionSuccess();
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Svg, IsWellFormedWithHostileNames) {
  const std::string svg = format_svg(hostile_result(), {});
  EXPECT_TRUE(is_well_formed_xml(svg));
  EXPECT_NE(svg.find("&lt;/script&gt;&lt;img src=x"), std::string::npos);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
}

TEST(Svg, DrawsEveryEdgeAndVariable) {
  const DiscoverResult result = synthetic_result(30, 60, 4);
  const std::string svg = format_svg(result, {});
  EXPECT_TRUE(is_well_formed_xml(svg));
  EXPECT_EQ(occurrences(svg, " rx=\"7\""), 30u);
  EXPECT_EQ(occurrences(svg, " Z\" fill="), 60u + 3u);  // arrowheads; three in the legend
  EXPECT_EQ(svg, format_svg(result, {}));
}

TEST(Svg, MarksRequiredEdges) {
  const DiscoverResult result = synthetic_result(10, 12, 4);
  Knowledge knowledge;
  EXPECT_EQ(format_svg(result, knowledge).find("required"), std::string::npos);
  knowledge.required = {result.graph.edges()[3]};
  const std::string svg = format_svg(result, knowledge);
  EXPECT_NE(svg.find("(required)"), std::string::npos);
  EXPECT_NE(svg.find(">required</text>"), std::string::npos);
}

TEST(Svg, DrawsMarks) {
  const MethodOutcome outcome = pag_outcome();
  const std::string svg = format_svg(outcome, {});
  EXPECT_TRUE(is_well_formed_xml(svg));
  // Circles: one at v0, v1 and v7, two between v4 and v5; four in the legend. Heads: three, and two of <->;
  // four in the legend.
  EXPECT_EQ(occurrences(svg, "<circle "), 5u + 4u);
  EXPECT_EQ(occurrences(svg, " Z\" fill="), 5u + 4u);
  EXPECT_EQ(svg.find("probab"), std::string::npos);
  EXPECT_NE(svg.find("v3 &lt;-&gt; v4"), std::string::npos);
  EXPECT_EQ(format_svg(synthetic_result(10, 12, 4), {}).find("<circle"), std::string::npos);
}

TEST(Drawing, LargeGraphsAreCutAndItIsSaid) {
  const DiscoverResult result = synthetic_result(400, 1200, 6);
  const Drawing drawing = make_drawing(result, {}, 100);
  EXPECT_EQ(drawing.curves.size(), 100u + 3u);
  EXPECT_LE(drawing.boxes.size(), 200u);
  bool said = false;
  for (const DrawnText& text : drawing.texts)
    said |= text.text.find("the 100 most probable of 1200 edges") != std::string::npos;
  EXPECT_TRUE(said);
}

TEST(Drawing, VariablesWithoutEdgesAreCounted) {
  DiscoverResult result = synthetic_result(100, 10, 6);
  const Drawing drawing = make_drawing(result, {});
  EXPECT_LE(drawing.boxes.size(), 20u);
  EXPECT_NE(drawing.texts.back().text.find("of 100 variables have no edge"), std::string::npos);
  result.graph = Digraph(100);
  EXPECT_NE(make_drawing(result, {}).texts.back().text.find("No edge"), std::string::npos);
}

TEST(Drawing, EverythingIsOnThePaper) {
  const Drawing drawing = make_drawing(synthetic_result(60, 150, 8), {});
  for (const DrawnCurve& curve : drawing.curves)
    for (const LayoutPoint& point : curve.points) {
      EXPECT_GE(point.x, 0);
      EXPECT_LE(point.x, drawing.width);
      EXPECT_GE(point.y, 0);
      EXPECT_LE(point.y, drawing.height);
    }
}

TEST(Drawing, ArrowheadsPointAlongTheCurve) {
  const DrawnCurve curve{{{0, 0}, {0, 10}, {0, 20}, {0, 30}}, {0, 0, 0}, 1, Mark::kArrow, Mark::kArrow, ""};
  const auto corners = arrowhead(curve, true);
  EXPECT_EQ(corners[0], (LayoutPoint{0, 30}));
  EXPECT_LT(corners[1].y, 30);
  EXPECT_DOUBLE_EQ(corners[1].x, -corners[2].x);
  const auto backwards = arrowhead(curve, false);
  EXPECT_EQ(backwards[0], (LayoutPoint{0, 0}));
  EXPECT_GT(backwards[1].y, 0);
}

TEST(Drawing, CirclesTouchTheEndsFromWithin) {
  const DrawnCurve curve{{{0, 0}, {0, 10}, {0, 20}, {0, 30}}, {0, 0, 0}, 1, Mark::kCircle, Mark::kCircle, ""};
  const DrawnCircle start = end_circle(curve, false), end = end_circle(curve, true);
  EXPECT_DOUBLE_EQ(start.center.y, start.radius);
  EXPECT_DOUBLE_EQ(end.center.y, 30 - end.radius);
  EXPECT_DOUBLE_EQ(end.center.x, 0);
}

const DrawnCurve& curve_labelled(const Drawing& drawing, const std::string& label) {
  const auto found = std::ranges::find(drawing.curves, label, &DrawnCurve::label);
  if (found == drawing.curves.end()) throw std::runtime_error("no curve " + label);
  return *found;
}

TEST(Drawing, EveryKindOfEdgeHasItsMarks) {
  const MethodOutcome outcome = pag_outcome();
  const Drawing drawing = make_drawing(outcome, {});
  // Seven edges once each, and six kinds of them in the legend.
  EXPECT_EQ(drawing.curves.size(), 7u + 6u);
  const auto marks = [&](const std::string& label) {
    const DrawnCurve& curve = curve_labelled(drawing, label);
    return std::pair(curve.at_start, curve.at_end);
  };
  EXPECT_EQ(marks("v0 o-> v2: score 0.95"), std::pair(Mark::kCircle, Mark::kArrow));
  EXPECT_EQ(marks("v2 \u2192 v3: score 0.75"), std::pair(Mark::kTail, Mark::kArrow));
  EXPECT_EQ(marks("v3 <-> v4: score 0.65"), std::pair(Mark::kArrow, Mark::kArrow));
  EXPECT_EQ(marks("v4 o-o v5: score 0.55"), std::pair(Mark::kCircle, Mark::kCircle));
  EXPECT_EQ(marks("v6 --o v7: score 0.45"), std::pair(Mark::kTail, Mark::kCircle));
  EXPECT_EQ(marks("v7 --- v8: score 0.35"), std::pair(Mark::kTail, Mark::kTail));
  EXPECT_EQ(marks("a common cause that was not measured"), std::pair(Mark::kArrow, Mark::kArrow));
}

TEST(Drawing, MarkedEdgesReadForwardsAndBelowCausesStandEffects) {
  const MethodOutcome outcome = cpdag_outcome();
  const Drawing drawing = make_drawing(outcome, {});
  const auto& boxes = drawing.boxes;
  EXPECT_LT(boxes[0].center.y, boxes[2].center.y);
  EXPECT_LT(boxes[2].center.y, boxes[3].center.y);
  MethodOutcome turned = cpdag_outcome();
  turned.marks.set(2, 3, Mark::kArrow, Mark::kTail);
  const ShownGraph shown(turned);
  const auto edge =
      std::ranges::find_if(shown.edges, [](const MarkedEdge& e) { return e.a == 3 && e.b == 2; });
  ASSERT_NE(edge, shown.edges.end());
  EXPECT_TRUE(edge->is_arrow());
  EXPECT_EQ(mark_meanings(shown)[1].meaning, "linked, direction open");
}

TEST(ShownGraph, AGraphOfArrowsNeedsNoMarks) {
  MethodOutcome outcome = cpdag_outcome();
  outcome.graph_class = GraphClass::kDag;
  EXPECT_TRUE(ShownGraph(outcome).has_marks);  // v3 --- v4
  outcome.marks.set(3, 4, Mark::kTail, Mark::kArrow);
  outcome.result.graph = possible_directions(outcome.marks);
  const ShownGraph shown(outcome);
  EXPECT_FALSE(shown.has_marks);
  EXPECT_TRUE(mark_meanings(shown).empty());
  EXPECT_EQ(shown.edges.size(), 4u);
}

TEST(Drawing, LongNamesAreShortenedByCharacters) {
  EXPECT_EQ(shortened_text("\xCE\xB1\xCE\xB2\xCE\xB3\xCE\xB4", 3), "\xCE\xB1\xCE\xB2\xE2\x80\xA6");
  EXPECT_EQ(shortened_text("abc", 3), "abc");
  EXPECT_GT(estimated_text_width("WWW"), estimated_text_width("iii"));
}

unsigned big_endian(const std::string& bytes, std::size_t at) {
  unsigned value = 0;
  for (int k = 0; k < 4; ++k) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

TEST(Png, IsAPictureOfTheDrawing) {
  if (!png_is_available()) {
    EXPECT_THROW(format_png(synthetic_result(5, 6, 1), {}), UsageError);
    EXPECT_THROW(check_output_name("x.png"), UsageError);
    return;
  }
  const DiscoverResult result = synthetic_result(12, 18, 3);
  const Drawing drawing = make_drawing(result, {});
  const std::string png = format_png(result, {});
  ASSERT_GT(png.size(), 3000u);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(big_endian(png, 16), static_cast<unsigned>(std::ceil(2 * drawing.width)));
  EXPECT_EQ(big_endian(png, 20), static_cast<unsigned>(std::ceil(2 * drawing.height)));
  EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
  // Every chunk's length leads to the next.
  std::size_t at = 8;
  while (at < png.size()) at += 12 + big_endian(png, at);
  EXPECT_EQ(at, png.size());
}

TEST(Png, TakesHostileNames) {
  if (!png_is_available()) GTEST_SKIP() << "Cairo is not installed";
  EXPECT_GT(format_png(hostile_result(), {}).size(), 3000u);
}

// The same drawing with other marks is another picture; which pixels differ is for the eye.
TEST(Png, DrawsMarks) {
  if (!png_is_available()) GTEST_SKIP() << "Cairo is not installed";
  const MethodOutcome outcome = pag_outcome();
  const std::string png = format_png(outcome, {});
  MethodOutcome plain = outcome;
  plain.marks.set(4, 5, Mark::kTail, Mark::kTail);
  plain.marks.set(3, 4, Mark::kArrow, Mark::kArrow);
  EXPECT_GT(png.size(), 3000u);
  EXPECT_NE(png, format_png(plain, {}));
  EXPECT_EQ(png, format_png(pag_outcome(), {}));
}

}  // namespace
}  // namespace causcale

// The graph as shapes on paper: what SVG and PNG have in common. Units are CSS pixels.
#pragma once

#include <string>
#include <vector>

#include "causcale/knowledge.h"
#include "report/layout.h"
#include "report/shown_graph.h"

namespace causcale {

struct Rgb {
  unsigned char red, green, blue;
};

// A chain of cubic Bezier pieces: start, then three points a piece. Marks end at the first and the last
// point.
struct DrawnCurve {
  std::vector<LayoutPoint> points;
  Rgb color;
  double width;
  Mark at_start, at_end;
  std::string label;  // what hovering shows
};

struct DrawnBox {
  LayoutPoint center;
  double width, height;
  std::string text;   // as shown, perhaps shortened
  std::string label;  // in full
};

struct DrawnText {
  LayoutPoint start;  // left end of the base line
  std::string text;
};

struct Drawing {
  double width = 0, height = 0;
  std::vector<DrawnCurve> curves;  // the last drawn, and most probable, on top
  std::vector<DrawnBox> boxes;
  std::vector<DrawnText> texts;
};

inline constexpr double kDrawingFontSize = 12;
inline constexpr double kDrawingNoteSize = 10;

// Width of a text in a sans-serif font of size 1, generously: the font that will be used is not known here.
double estimated_text_width(std::string_view text);
std::string shortened_text(std::string_view text, std::size_t most_characters);

// The graph, at most its `most_edges` most probable edges and the variables they join; what is left
// out is said in a line beneath. Variables without edges are drawn in small graphs only.
Drawing make_drawing(const ShownGraph& graph, const Knowledge& knowledge, std::size_t most_edges = 400);

// Triangle of the arrowhead at an end of a curve: tip first.
std::vector<LayoutPoint> arrowhead(const DrawnCurve& curve, bool at_end);

// The open circle that touches an end of a curve from within.
struct DrawnCircle {
  LayoutPoint center;
  double radius;
};
DrawnCircle end_circle(const DrawnCurve& curve, bool at_end);

}  // namespace causcale

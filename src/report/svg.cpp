#include "report/svg.h"

#include <fmt/format.h>

#include "exchange/escape.h"
#include "report/drawing.h"

namespace causcale {
namespace {

std::string svg_color(Rgb color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

// The mark at an end; a plain end has none.
std::string end_element(const DrawnCurve& curve, bool at_end) {
  const Mark mark = at_end ? curve.at_end : curve.at_start;
  if (mark == Mark::kArrow) {
    const auto corner = arrowhead(curve, at_end);
    return fmt::format(
        "<path d=\"M{:.1f},{:.1f} L{:.1f},{:.1f} L{:.1f},{:.1f} Z\" fill=\"{}\" stroke=\"none\"/>",
        corner[0].x, corner[0].y, corner[1].x, corner[1].y, corner[2].x, corner[2].y, svg_color(curve.color));
  }
  if (mark == Mark::kCircle) {
    const DrawnCircle circle = end_circle(curve, at_end);
    return fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"#ffffff\" stroke=\"{}\" "
        "stroke-width=\"1.2\"/>",
        circle.center.x, circle.center.y, circle.radius, svg_color(curve.color));
  }
  return "";
}

std::string curve_element(const DrawnCurve& curve) {
  std::string path = fmt::format("M{:.1f},{:.1f}", curve.points[0].x, curve.points[0].y);
  for (std::size_t k = 1; k + 2 < curve.points.size(); k += 3)
    path += fmt::format(" C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", curve.points[k].x, curve.points[k].y,
                        curve.points[k + 1].x, curve.points[k + 1].y, curve.points[k + 2].x,
                        curve.points[k + 2].y);
  const std::string color = svg_color(curve.color);
  std::string ends;
  for (const bool at_end : {false, true}) ends += end_element(curve, at_end);
  return fmt::format("<g><title>{}</title><path d=\"{}\" stroke=\"{}\" stroke-width=\"{:.2f}\"/>{}</g>\n",
                     xml_escaped(curve.label), path, color, curve.width, ends);
}

std::string box_element(const DrawnBox& box) {
  return fmt::format(
      "<g><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"7\"/>"
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text></g>\n",
      xml_escaped(box.label), box.center.x - box.width / 2, box.center.y - box.height / 2, box.width,
      box.height, box.center.x, box.center.y + 0.35 * kDrawingFontSize, xml_escaped(box.text));
}

}  // namespace

std::string format_svg(const ShownGraph& graph, const Knowledge& knowledge) {
  const Drawing drawing = make_drawing(graph, knowledge);
  const char* description =
      is_probability(graph.result)
          ? "Causal graph: each arrow leads from a cause to its direct effect; darker and thicker means more "
            "probable."
      : graph.has_marks
          ? "Causal graph: the marks at the ends of an edge say what is known about its direction."
          : "Causal graph: each arrow leads from a cause to its direct effect.";
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "role=\"img\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
      "<desc>{2}</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      drawing.width, drawing.height, description);
  out += "<g fill=\"none\" stroke-linecap=\"round\">\n";
  for (const DrawnCurve& curve : drawing.curves) out += curve_element(curve);
  out += fmt::format("</g>\n<g fill=\"#f6f8fb\" stroke=\"#33415c\" stroke-width=\"1\" font-size=\"{}\">\n",
                     kDrawingFontSize);
  out += "<style>g > text { fill: #111827; stroke: none; }</style>\n";
  for (const DrawnBox& box : drawing.boxes) out += box_element(box);
  out += fmt::format("</g>\n<g fill=\"#4b5563\" stroke=\"none\" font-size=\"{}\">\n", kDrawingNoteSize);
  for (const DrawnText& text : drawing.texts)
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", text.start.x, text.start.y,
                       xml_escaped(text.text));
  return out + "</g>\n</svg>\n";
}

}  // namespace causcale

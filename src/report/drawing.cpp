#include "report/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "exchange/escape.h"

namespace causcale {
namespace {

constexpr double kMargin = 16;
constexpr double kBoxHeight = 24;
constexpr double kBoxPadding = 10;
constexpr double kLegendLine = 30;
constexpr std::size_t kMostCharacters = 28;
constexpr std::size_t kMostVariablesWithoutEdges = 60;
constexpr Rgb kRequired{0xB4, 0x53, 0x09};
constexpr double kRankedColor = 0.8, kRankedWidth = 0.5;  // where there is no probability to show

// From a light to a dark blue: order survives in grey and for every kind of colour vision.
Rgb certainty_color(double probability) {
  constexpr double light[] = {0xA9, 0xBC, 0xD6}, dark[] = {0x0B, 0x2A, 0x5B};
  const double share = std::clamp(probability, 0.0, 1.0);
  const auto mix = [&](int k) {
    return static_cast<unsigned char>(light[k] + share * (dark[k] - light[k]) + 0.5);
  };
  return {mix(0), mix(1), mix(2)};
}

double certainty_width(double probability) {
  return 0.8 + 1.8 * std::clamp(probability, 0.0, 1.0);
}

double relative_width(char32_t code) {
  if (code < 128) {
    if (code == ' ' ||
        std::string_view("fijlt.,:;'|!()[]I").find(static_cast<char>(code)) != std::string::npos)
      return 0.40;
    if (std::string_view("mwMWQO@%").find(static_cast<char>(code)) != std::string::npos) return 0.98;
    return code >= 'A' && code <= 'Z' ? 0.72 : 0.64;
  }
  if (code >= 0x300 && code < 0x370) return 0;  // combining marks
  return code >= 0x1100 && code != 0xFFFD ? 1.05
                                          : 0.70;  // wide scripts and symbols; accented and Greek letters
}

// The part of the result that is drawn, with its own numbers for the variables.
struct Selection {
  std::vector<int> variables;
  std::vector<Edge> edges;  // ends as numbers in `variables`
  std::vector<MarkedEdge> originals;
  std::vector<std::string> notes;
};

Selection select_for_drawing(const ShownGraph& graph, std::size_t most_edges) {
  Selection selection;
  const std::size_t all_edges = graph.edges.size(), variables = graph.result.names.size();
  selection.originals.assign(graph.edges.begin(), graph.edges.begin() + static_cast<std::ptrdiff_t>(
                                                                            std::min(most_edges, all_edges)));

  std::vector<int> number(variables, -1);
  std::vector<char> used(variables, 0);
  for (const MarkedEdge& edge : selection.originals) used[edge.a] = used[edge.b] = 1;
  const std::size_t joined = std::ranges::count(used, 1), apart = variables - joined;
  const bool is_whole = selection.originals.size() == all_edges;
  const bool draw_apart = apart <= kMostVariablesWithoutEdges && is_whole;
  for (std::size_t v = 0; v < variables; ++v) {
    if (!used[v] && !draw_apart) continue;
    number[v] = static_cast<int>(selection.variables.size());
    selection.variables.push_back(static_cast<int>(v));
  }
  for (const MarkedEdge& edge : selection.originals)
    selection.edges.push_back({number[edge.a], number[edge.b]});
  const bool probable = is_probability(graph.result);
  if (!is_whole)
    selection.notes.push_back(fmt::format(
        "Drawn: the {} {} of {} edges, and the {} of {} variables they join.", selection.originals.size(),
        probable ? "most probable" : "highest scored", all_edges, joined, variables));
  else if (!draw_apart)
    selection.notes.push_back(
        fmt::format("{} of {} variables have no edge and are not drawn.", apart, variables));
  if (all_edges == 0)
    selection.notes.push_back(probable ? "No edge is more probable than the threshold." : "No edge.");
  return selection;
}

// Where the edges touch a box: spread over the middle of its side in the order of where they come from, so
// that arrowheads do not fall on each other.
class Ports {
 public:
  Ports(const LayeredLayout& layout, std::span<const double> widths, const Digraph& graph)
      : layout_(layout), widths_(widths) {
    for (std::size_t k = 0; k < graph.edge_count(); ++k) {
      const auto [source, target] = graph.edges()[k];
      const auto& bends = layout.bends[k];
      const bool down = layout.centers[source].y < layout.centers[target].y;
      const LayoutPoint after_source = bends.empty() ? layout.centers[target] : bends.front();
      const LayoutPoint before_target = bends.empty() ? layout.centers[source] : bends.back();
      sides_[{source, down}].push_back({after_source.x, 2 * k});
      sides_[{target, !down}].push_back({before_target.x, 2 * k + 1});
    }
    for (auto& [side, ends] : sides_) std::ranges::sort(ends);
  }

  LayoutPoint at(int node, bool lower_side, std::size_t edge, bool is_target) const {
    const auto& ends = sides_.at({node, lower_side});
    const std::size_t key = 2 * edge + is_target;
    const auto found = std::ranges::find(ends, key, [](const auto& end) { return end.second; });
    const double rank =
        static_cast<double>(found - ends.begin()) - (static_cast<double>(ends.size()) - 1) / 2;
    const double step = std::min(12.0, 0.7 * widths_[node] / static_cast<double>(ends.size()));
    return {layout_.centers[node].x + rank * step,
            layout_.centers[node].y + (lower_side ? kBoxHeight / 2 : -kBoxHeight / 2)};
  }

 private:
  const LayeredLayout& layout_;
  std::span<const double> widths_;
  std::map<std::pair<int, bool>, std::vector<std::pair<double, std::size_t>>> sides_;  // (node, lower side)
};

// A smooth curve through the points, vertical at both ends. Sideways it is monotone between bends (the
// tangent is the harmonic mean of the slopes, after Fritsch and Butland), so that it never swings beyond
// them.
std::vector<LayoutPoint> smooth_curve(const std::vector<LayoutPoint>& through) {
  std::vector<LayoutPoint> curve = {through.front()};
  const std::size_t last = through.size() - 1;
  const auto tangent = [&](std::size_t k) {
    if (k == 0) return LayoutPoint{0, through[1].y - through[0].y};
    if (k == last) return LayoutPoint{0, through[last].y - through[last - 1].y};
    const double before = through[k].x - through[k - 1].x, after = through[k + 1].x - through[k].x;
    const double sideways = before * after <= 0 ? 0 : 2 * before * after / (before + after);
    return LayoutPoint{sideways, (through[k + 1].y - through[k - 1].y) / 2};
  };
  for (std::size_t k = 0; k < last; ++k) {
    const LayoutPoint a = through[k], b = through[k + 1], from = tangent(k), to = tangent(k + 1);
    const double pull = last == 1 ? 0.45 : 1.0 / 3;
    curve.push_back({a.x + pull * from.x, a.y + pull * from.y});
    curve.push_back({b.x - pull * to.x, b.y - pull * to.y});
    curve.push_back(b);
  }
  return curve;
}

// Where a curve ends, and the direction in which it arrives there.
struct CurveEnd {
  LayoutPoint tip;
  double dx, dy;
};

CurveEnd curve_end(const DrawnCurve& curve, bool at_end) {
  const auto& points = curve.points;
  const LayoutPoint tip = at_end ? points.back() : points.front();
  const LayoutPoint before = at_end ? points[points.size() - 2] : points[1];
  const double dx = tip.x - before.x, dy = tip.y - before.y, length = std::max(1e-9, std::hypot(dx, dy));
  return {tip, dx / length, dy / length};
}

std::string label_of(const ShownGraph& graph, const MarkedEdge& edge, bool is_required) {
  const DiscoverResult& result = graph.result;
  const std::string arrow = edge.is_arrow() ? "\u2192" : edge_text(edge);
  return fmt::format("{} {} {}: {}{}", result.names[edge.a], arrow, result.names[edge.b],
                     is_probability(result) ? fmt::format("{:.1f} %", 100 * edge.score)
                                            : fmt::format("score {:.4g}", edge.score),
                     is_required ? " (required)" : "");
}

void add_legend(const ShownGraph& graph, const Selection& selection, const std::vector<char>& is_required,
                double y, Drawing& drawing) {
  double x = kMargin;
  const auto entry = [&](Rgb color, double width, Mark at_start, Mark at_end, const std::string& text) {
    const double middle = y - kDrawingNoteSize * 0.35;
    drawing.curves.push_back({{{x, middle}, {x + 10, middle}, {x + 20, middle}, {x + kLegendLine, middle}},
                              color,
                              width,
                              at_start,
                              at_end,
                              text});
    x += kLegendLine + 6;
    drawing.texts.push_back({{x, y}, text});
    x += estimated_text_width(text) * kDrawingNoteSize + 16;
    drawing.width = std::max(drawing.width, x);
  };
  const auto next_line = [&] {
    y += 16;
    x = kMargin;
  };
  // Other methods' numbers rank edges; only probabilities have a colour of their own.
  if (is_probability(graph.result))
    for (double probability : {1.0, 0.75, 0.5})
      entry(certainty_color(probability), certainty_width(probability), Mark::kTail, Mark::kArrow,
            fmt::format("probability {:g}", probability));
  if (std::ranges::find(is_required, 1) != is_required.end())
    entry(kRequired, certainty_width(1), Mark::kTail, Mark::kArrow, "required");
  for (const MarkMeaning& meaning : mark_meanings(graph)) {
    if (x > kMargin) next_line();
    entry(certainty_color(kRankedColor), certainty_width(kRankedWidth), meaning.sample.at_a,
          meaning.sample.at_b, meaning.meaning);
  }
  for (const std::string& note : selection.notes) {
    next_line();
    drawing.texts.push_back({{kMargin, y}, note});
    drawing.width = std::max(drawing.width, 2 * kMargin + estimated_text_width(note) * kDrawingNoteSize);
  }
  drawing.height = y + kMargin;
}

}  // namespace

double estimated_text_width(std::string_view text) {
  double width = 0;
  for (char32_t code : decode_utf8(text)) width += relative_width(code);
  return width;
}

std::string shortened_text(std::string_view text, std::size_t most_characters) {
  std::u32string code_points = decode_utf8(text);
  if (code_points.size() > most_characters) {
    code_points.resize(most_characters - 1);
    code_points += U'\u2026';
  }
  return encode_utf8(code_points);
}

Drawing make_drawing(const ShownGraph& shown, const Knowledge& knowledge, std::size_t most_edges) {
  const Selection selection = select_for_drawing(shown, most_edges);
  const std::vector<Edge>& edges = selection.edges;
  const Digraph graph(static_cast<int>(selection.variables.size()), edges);

  std::vector<double> scores(edges.size());
  std::vector<MarkedEdge> original(edges.size());
  std::vector<char> is_required(edges.size(), 0);
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const std::size_t at = std::ranges::lower_bound(graph.edges(), edges[k]) - graph.edges().begin();
    original[at] = selection.originals[k];
    scores[at] = original[at].score;
    is_required[at] = std::ranges::find(knowledge.required, Edge{original[at].a, original[at].b}) !=
                      knowledge.required.end();
  }

  std::vector<double> widths;
  Drawing drawing;
  for (int variable : selection.variables) {
    const std::string text = shortened_text(shown.result.names[variable], kMostCharacters);
    widths.push_back(std::max(36.0, 2 * kBoxPadding + kDrawingFontSize * estimated_text_width(text)));
    drawing.boxes.push_back({{}, widths.back(), kBoxHeight, text, shown.result.names[variable]});
  }
  // Many edges need room to turn between the layers.
  const double layer_gap = 52 + std::min(70.0, 0.3 * static_cast<double>(edges.size()));
  LayeredLayout layout = layered_layout(graph, layout_scores(original), widths,
                                        {.node_height = kBoxHeight, .layer_gap = layer_gap});
  const auto shift = [](LayoutPoint& point) { point = {point.x + kMargin, point.y + kMargin}; };
  std::ranges::for_each(layout.centers, shift);
  for (auto& bends : layout.bends) std::ranges::for_each(bends, shift);
  for (std::size_t k = 0; k < drawing.boxes.size(); ++k) drawing.boxes[k].center = layout.centers[k];

  const Ports ports(layout, widths, graph);
  const bool probable = is_probability(shown.result);
  std::vector<std::size_t> faintest_first(scores.size());
  for (std::size_t k = 0; k < scores.size(); ++k) faintest_first[k] = k;
  std::ranges::stable_sort(faintest_first, {}, [&](std::size_t k) { return scores[k]; });
  for (std::size_t k : faintest_first) {
    const auto [source, target] = graph.edges()[k];
    const bool down = layout.centers[source].y < layout.centers[target].y;
    std::vector<LayoutPoint> through = {ports.at(source, down, k, false)};
    through.insert(through.end(), layout.bends[k].begin(), layout.bends[k].end());
    through.push_back(ports.at(target, !down, k, true));
    drawing.curves.push_back(
        {smooth_curve(through),
         is_required[k] ? kRequired : certainty_color(probable ? scores[k] : kRankedColor),
         certainty_width(probable ? scores[k] : kRankedWidth), original[k].at_a, original[k].at_b,
         label_of(shown, original[k], is_required[k] != 0)});
  }
  drawing.width = layout.width + 2 * kMargin;
  add_legend(shown, selection, is_required, layout.height + 2 * kMargin + 22, drawing);
  return drawing;
}

std::vector<LayoutPoint> arrowhead(const DrawnCurve& curve, bool at_end) {
  const auto [tip, dx, dy] = curve_end(curve, at_end);
  const double size = 5.5 + 1.2 * curve.width, half = 0.42 * size;
  return {tip,
          {tip.x - size * dx - half * dy, tip.y - size * dy + half * dx},
          {tip.x - size * dx + half * dy, tip.y - size * dy - half * dx}};
}

DrawnCircle end_circle(const DrawnCurve& curve, bool at_end) {
  const auto [tip, dx, dy] = curve_end(curve, at_end);
  const double radius = 2.4 + 0.6 * curve.width;
  return {{tip.x - radius * dx, tip.y - radius * dy}, radius};
}

}  // namespace causcale

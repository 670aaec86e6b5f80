// Plain tables: edge list and matrix as CSV, and the ranked list for the terminal.
#include <fmt/format.h>

#include <algorithm>

#include "report/report.h"

namespace causcale {
namespace {

constexpr int kBarCells = 20;

// Columns a terminal needs for a UTF-8 text, combining marks and wide scripts aside.
std::size_t display_width(const std::string& text) {
  return std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0) != 0x80; });
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = display_width(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

std::string bar(double share, bool unicode) {
  const int filled = static_cast<int>(share * kBarCells + 0.5);
  std::string result;
  for (int cell = 0; cell < kBarCells; ++cell)
    result += cell < filled ? (unicode ? "\u2588" : "#") : (unicode ? "\u2591" : ".");
  return result;
}

}  // namespace

std::string csv_cell(const std::string& text) {
  // What separates cells in other people's files is quoted, too, so that nobody has to guess.
  const auto is_blank = [](char c) { return c == ' '; };
  const bool like_a_comment = text.starts_with('#');
  const bool blank_ends = !text.empty() && (is_blank(text.front()) || is_blank(text.back()));
  if (text.find_first_of(",;\t\"\r\n") == std::string::npos && !like_a_comment && !blank_ends) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string format_edges_csv(const DiscoverResult& result) {
  std::string out = "source,target,probability,probability_reverse";
  for (const EdgeFigure& figure : bootstrap_figures(result)) out += fmt::format(",{}", figure.name);
  out += '\n';
  for (const ScoredEdge& scored : graph_edges(result)) {
    const auto [source, target] = scored.edge;
    out += fmt::format("{},{},{:.6f},{:.6f}", csv_cell(result.names[source]), csv_cell(result.names[target]),
                       scored.score, result.probabilities(target, source));
    for (const EdgeFigure& figure : bootstrap_figures(result))
      out += fmt::format(",{:.6f}", (*figure.values)(source, target));
    out += '\n';
  }
  return out;
}

std::string format_matrix_csv(const DiscoverResult& result) {
  std::string out = "source\\target";
  for (const std::string& name : result.names) out += ',' + csv_cell(name);
  out += '\n';
  for (std::size_t i = 0; i < result.names.size(); ++i) {
    out += csv_cell(result.names[i]);
    for (double probability : result.probabilities.row(i)) out += fmt::format(",{:.9g}", probability);
    out += '\n';
  }
  return out;
}

std::string format_terminal(const DiscoverResult& result, std::size_t most, bool unicode) {
  const auto edges = graph_edges(result);
  const std::size_t shown = std::min(most, edges.size());
  std::size_t source_width = 5, target_width = 6;
  for (std::size_t e = 0; e < shown; ++e) {
    source_width = std::max(source_width, display_width(result.names[edges[e].edge.source]));
    target_width = std::max(target_width, display_width(result.names[edges[e].edge.target]));
  }
  const bool repeated = result.bootstrap > 0;
  std::string out =
      fmt::format("  {:>4}  {}      {}  probability {:{}}  {}(reverse)\n", "", padded("cause", source_width),
                  padded("effect", target_width), "", kBarCells - 5, repeated ? "deviation  selected  " : "");
  for (std::size_t e = 0; e < shown; ++e) {
    const auto [source, target] = edges[e].edge;
    std::string spread;
    if (repeated)
      spread = fmt::format("{} {:5.1f} %  {:6.0f} %  ", unicode ? "\u00b1" : "+-",
                           100 * result.bootstrap_deviation(source, target),
                           100 * result.selection_frequency(source, target));
    out += fmt::format("  {:>4}  {}  {}  {}  {:5.1f} %  {}  {}({:.1f} %)\n", e + 1,
                       padded(result.names[source], source_width), unicode ? "\u2192 " : "->",
                       padded(result.names[target], target_width), 100 * edges[e].score,
                       bar(edges[e].score, unicode), spread, 100 * result.probabilities(target, source));
  }
  if (edges.empty()) out += "  (no edge is more probable than the threshold)\n";
  if (shown < edges.size()) out += fmt::format("  ... and {} more\n", edges.size() - shown);
  return out;
}

}  // namespace causcale

// What discover prints: the circumstances in words, and the ranked list of edges.
#include <fmt/format.h>

#include <algorithm>

#include "discover/direction.h"
#include "report/effect_figures.h"
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

std::string told_by(const DiscoverResult& result, Edge edge) {
  const DirectionEvidence* direction = find_direction(result, edge);
  if (direction == nullptr) return "";
  if (direction->basis == DirectionBasis::kNone) return "nothing";
  if (direction->basis == DirectionBasis::kReverse) return "shape: reverse!";
  return name_of(kDirectionNames, direction->basis);
}

}  // namespace

std::size_t rows_seen(const DiscoverResult& result) {
  const int parts = std::max(1, result.passes / std::max(1, result.views));
  return std::min(result.rows, result.rows_per_pass * static_cast<std::size_t>(parts));
}

std::string format_summary(const DiscoverResult& result, std::size_t intervened_rows) {
  const std::size_t seen = rows_seen(result), edges = result.graph.edge_count();
  std::string out = fmt::format("{} rows, {} variables, {} intervened {}.\n", result.rows,
                                result.names.size(), intervened_rows, intervened_rows == 1 ? "row" : "rows");
  out += fmt::format("Model {} on {}, {} {} of up to {} rows.\n", result.model_name, result.device,
                     result.passes, result.passes == 1 ? "pass" : "passes", result.rows_per_pass);
  if (seen < result.rows)
    out += fmt::format(
        "The network saw {} of the {} rows, drawn evenly; the covariances it starts from are of all rows.\n"
        "--ensemble K and --max-samples N show it more.\n",
        seen, result.rows);
  if (!result.missing_rule.empty()) out += result.missing_rule + ".\n";
  if (result.bootstrap > 0)
    out += fmt::format(
        "Probability: of this table. Bootstrap mean, deviation and share of selections: over {} {} on rows\n"
        "drawn with replacement. The deviation is one around that mean, which may differ from the "
        "probability.\n",
        result.bootstrap, result.bootstrap == 1 ? "repetition" : "repetitions");
  out += fmt::format("{} {}; each line reads: the first variable is a direct cause of the second.\n", edges,
                     edges == 1 ? "edge" : "edges");
  if (!result.effects.empty())
    out +=
        "Size: deviations of the second per deviation of the first, its other causes held fixed (of two "
        "values:\nchange of probability); curved: a straight line does not suffice.\n";
  if (!result.directions.empty())
    out +=
        "Direction told by: what in the data speaks for the arrow and not for its reverse; nothing: take it "
        "for "
        "a link.\n";
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
  std::size_t size_width = 0;
  for (std::size_t e = 0; e < shown && !result.effects.empty(); ++e)
    size_width = std::max({size_width, std::string("size, 90 % interval").size(),
                           effect_text(find_effect(result, edges[e].edge)).size()});
  const std::string gap = size_width > 0 ? "  " : "";
  std::string out = fmt::format("  {:>4}  {}      {}  probability {:{}}  {}{}{}(reverse){}\n", "",
                                padded("cause", source_width), padded("effect", target_width), "",
                                kBarCells - 3, repeated ? "bootstrap mean  deviation  selected  " : "",
                                padded(size_width > 0 ? "size, 90 % interval" : "", size_width), gap,
                                result.directions.empty() ? "" : "  direction told by");
  for (std::size_t e = 0; e < shown; ++e) {
    const auto [source, target] = edges[e].edge;
    std::string spread;
    if (repeated)
      spread = fmt::format(
          "{:>12.1f} %  {:>7.1f} %  {:>6.0f} %  ", 100 * result.bootstrap_mean(source, target),
          100 * result.bootstrap_deviation(source, target), 100 * result.selection_frequency(source, target));
    const std::string size =
        size_width > 0 ? padded(effect_text(find_effect(result, edges[e].edge)), size_width) : "";
    std::string reverse = fmt::format("({:.1f} %)", 100 * result.probabilities(target, source));
    if (!result.directions.empty()) reverse = padded(reverse, 11) + told_by(result, edges[e].edge);
    out += fmt::format("  {:>4}  {}  {}  {}  {:5.1f} %  {}  {}{}{}{}\n", e + 1,
                       padded(result.names[source], source_width), unicode ? "\u2192 " : "->",
                       padded(result.names[target], target_width), 100 * edges[e].score,
                       bar(edges[e].score, unicode), spread, size, gap, reverse);
  }
  if (edges.empty()) out += "  (no edge is more probable than the threshold)\n";
  if (shown < edges.size()) out += fmt::format("  ... and {} more\n", edges.size() - shown);
  return out;
}

}  // namespace causcale

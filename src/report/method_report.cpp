#include "report/method_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "causcale/version.h"
#include "exchange/escape.h"
#include "graph/sparse_file.h"
#include "report/effect_figures.h"
#include "report/effect_json.h"
#include "report/exchange_output.h"
#include "report/html.h"
#include "report/png.h"
#include "report/sparse_output.h"
#include "report/svg.h"

namespace causcale {
namespace {

std::string dot_name(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

const char* dot_mark(Mark mark) {
  return mark == Mark::kArrow ? "normal" : mark == Mark::kCircle ? "odot" : "none";
}

const char* score_word(const DiscoverResult& result) {
  return is_probability(result) ? "probability" : "score";
}

std::size_t shown_width(const std::string& text) {
  return std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0) != 0x80; });
}

std::string filled(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, shown_width(text)), ' ');
}

}  // namespace

std::string format_method_csv(const MethodOutcome& outcome) {
  const DiscoverResult& result = outcome.result;
  std::vector<ScoredEdge> lines = graph_edges(result);
  for (const MarkedEdge& edge : marked_edges(outcome))
    if (edge.at_a == Mark::kArrow) lines.push_back({{edge.a, edge.b}, edge.score});
  std::ranges::stable_sort(lines, std::greater<>(), &ScoredEdge::score);
  const char* word = score_word(result);
  std::string out = fmt::format("source,target,{0},{0}_reverse,edge", word);
  for (const EdgeFigure& figure : bootstrap_figures(result)) out += fmt::format(",{}", figure.name);
  if (!result.effects.empty()) out += ",effect_kind";
  for (const auto& [name, value] : effect_figures(result, {})) out += fmt::format(",{}", name);
  out += '\n';
  for (const ScoredEdge& line : lines) {
    const auto [source, target] = line.edge;
    out += fmt::format("{},{},{:.9g},{:.9g},{}", csv_cell(result.names[source]),
                       csv_cell(result.names[target]), result.probabilities(source, target),
                       result.probabilities(target, source), edge_text(outcome.marks, source, target));
    for (const EdgeFigure& figure : bootstrap_figures(result))
      out += fmt::format(",{:.6g}", (*figure.values)(source, target));
    if (!result.effects.empty()) {
      const EdgeEffect* effect = find_effect(result, line.edge);
      out += ',' + (effect ? effect_kind_name(effect->kind) : "");
    }
    for (const auto& [name, value] : effect_figures(result, line.edge))
      out += std::isnan(value) ? "," : fmt::format(",{:.6g}", value);
    out += '\n';
  }
  return out;
}

std::string format_method_json(const MethodOutcome& outcome, const RunRecord& record) {
  const DiscoverResult& result = outcome.result;
  const auto scored = [&](const ScoredEdge& edge) -> nlohmann::ordered_json {
    return {{"source", result.names[edge.edge.source]},
            {"target", result.names[edge.edge.target]},
            {"score", edge.score}};
  };
  nlohmann::ordered_json out;
  out["format"] = "causcale.discover/1";
  out["orientation"] =
      holds_pairs(result)
          ? "source -> target; pairs.score[k] is that of names[pairs.source[k]] as a cause of "
            "names[pairs.target[k]]"
          : "source -> target; scores[i][j] is that of names[i] as a cause of names[j]";
  out["method"] = result.model_name;
  out["score_kind"] = result.score_kind;
  out["graph_class"] = graph_class_name(outcome.graph_class);
  out["names"] = result.names;
  if (!record.variables_json.empty()) out["variables"] = nlohmann::ordered_json::parse(record.variables_json);
  auto edges = nlohmann::ordered_json::array();
  for (const MarkedEdge& edge : marked_edges(outcome)) {
    edges.push_back({{"source", result.names[edge.a]},
                     {"target", result.names[edge.b]},
                     {"edge", edge_text(edge)},
                     {"score", result.probabilities(edge.a, edge.b)},
                     {"score_reverse", result.probabilities(edge.b, edge.a)}});
    for (const EdgeFigure& figure : bootstrap_figures(result)) {
      edges.back()[figure.name] = (*figure.values)(edge.a, edge.b);
      edges.back()[std::string(figure.name) + "_reverse"] = (*figure.values)(edge.b, edge.a);
    }
    if (const EdgeEffect* effect = find_effect(result, {edge.a, edge.b}))
      edges.back()["effect"] = effect_json(*effect);
  }
  out["edges"] = std::move(edges);
  auto removed = nlohmann::ordered_json::array();
  for (const ScoredEdge& edge : result.removed_edges) removed.push_back(scored(edge));
  out["removed_to_break_cycles"] = std::move(removed);
  add_matrices(result, "scores", out);
  out["log"] = outcome.log;

  auto& manifest = out["manifest"];
  manifest["version"] = CAUSCALE_VERSION;
  manifest["command"] = record.command;
  manifest["data"] = {{"file", record.data_file},
                      {"sha256", record.data_sha256},
                      {"rows", result.rows},
                      {"columns", result.names.size()}};
  if (!record.options_json.empty()) manifest["options"] = nlohmann::ordered_json::parse(record.options_json);
  if (!record.audit_json.empty()) manifest["audit"] = nlohmann::ordered_json::parse(record.audit_json);
  for (const auto& [stage, seconds] : result.seconds) manifest["seconds"][stage] = seconds;
  return out.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string format_method_dot(const MethodOutcome& outcome) {
  const DiscoverResult& result = outcome.result;
  std::string out =
      fmt::format("digraph causcale {{\n  // {} by {}; label: {}\n", graph_class_name(outcome.graph_class),
                  result.model_name, is_probability(result) ? "share of methods" : "score (a ranking)");
  for (const std::string& name : result.names) out += fmt::format("  {};\n", dot_name(name));
  for (const MarkedEdge& edge : marked_edges(outcome)) {
    std::string figures;
    for (const EdgeFigure& figure : bootstrap_figures(result))
      figures += fmt::format(", {}={:.6g}", figure.name, (*figure.values)(edge.a, edge.b));
    for (const auto& [name, value] : effect_figures(result, {edge.a, edge.b}))
      if (!std::isnan(value)) figures += fmt::format(", {}={:.6f}", name, value);
    out += fmt::format("  {} -> {} [dir=both, arrowtail={}, arrowhead={}, label=\"{:.3g}\"{}];\n",
                       dot_name(result.names[edge.a]), dot_name(result.names[edge.b]), dot_mark(edge.at_a),
                       dot_mark(edge.at_b), edge.score, figures);
  }
  return out + "}\n";
}

std::string format_method_tetrad(const MethodOutcome& outcome) {
  const std::vector<std::string> names = tetrad_names(outcome.result.names);
  std::string out = "Graph Nodes:\n";
  for (std::size_t i = 0; i < names.size(); ++i) out += (i ? ";" : "") + names[i];
  out += "\n\nGraph Edges:\n";
  std::size_t number = 0;
  for (const MarkedEdge& edge : marked_edges(outcome))
    out += fmt::format("{}. {} {} {}\n", ++number, names[edge.a], edge_text(edge), names[edge.b]);
  return out;
}

std::string format_method_terminal(const MethodOutcome& outcome, std::size_t most) {
  const std::vector<MarkedEdge> edges = marked_edges(outcome);
  const std::vector<std::string>& names = outcome.result.names;
  const std::size_t shown = std::min(most, edges.size());
  std::size_t width_a = 5, width_b = 6;
  for (std::size_t e = 0; e < shown; ++e) {
    width_a = std::max(width_a, shown_width(names[edges[e].a]));
    width_b = std::max(width_b, shown_width(names[edges[e].b]));
  }
  const DiscoverResult& result = outcome.result;
  const std::size_t score_width = std::max<std::size_t>(10, std::string(score_word(result)).size());
  std::string out = fmt::format("  {:>4}  {}       {}  {:>{}}  (reverse){}{}\n", "", filled("cause", width_a),
                                filled("effect", width_b), score_word(result), score_width,
                                result.bootstrap > 0 ? "   selected  (reverse)" : "",
                                outcome.result.effects.empty() ? "" : "   size, 90 % interval");
  const Matrix<double>& scores = outcome.result.probabilities;
  for (std::size_t e = 0; e < shown; ++e) {
    const MarkedEdge& edge = edges[e];
    std::string selected;
    if (result.bootstrap > 0)
      selected = fmt::format("{:>6.0f} %  {:<12}", 100 * result.selection_frequency(edge.a, edge.b),
                             fmt::format("({:.0f} %)", 100 * result.selection_frequency(edge.b, edge.a)));
    std::string line =
        fmt::format("  {:>4}  {}  {}  {}  {:>{}.4g}  {:<12}{}{}", e + 1, filled(names[edge.a], width_a),
                    edge_text(edge), filled(names[edge.b], width_b), scores(edge.a, edge.b), score_width,
                    fmt::format("({:.4g})", scores(edge.b, edge.a)), selected,
                    effect_text(find_effect(outcome.result, {edge.a, edge.b})));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  if (edges.empty()) out += "  (no edge)\n";
  if (shown < edges.size()) out += fmt::format("  ... and {} more\n", edges.size() - shown);
  return out;
}

void write_method_outcome(const std::filesystem::path& path, const MethodOutcome& outcome,
                          const RunRecord& record) {
  check_output_name(path);
  const std::string extension = path.extension().string();
  if (is_standard_output(path))
    write_to_standard_output(format_method_csv(outcome));
  else if (const auto format = exchange_format(path))
    write_file_atomically(path, format_graph(document_of(outcome), *format));
  else if (is_sparse_name(path))
    write_sparse(path, graph_scores(outcome.result), outcome.result.names);
  else if (extension == ".csv")
    write_file_atomically(path, format_method_csv(outcome));
  else if (extension == ".json")
    write_file_atomically(path, format_method_json(outcome, record));
  else if (extension == ".dot" || extension == ".gv")
    write_file_atomically(path, format_method_dot(outcome));
  else if (extension == ".txt")
    write_file_atomically(path, format_method_tetrad(outcome));
  else if (extension == ".html")
    write_file_atomically(path, format_html(outcome, record));
  else if (extension == ".svg")
    write_file_atomically(path, format_svg(outcome, record.knowledge));
  else if (extension == ".png")
    write_file_atomically(path, format_png(outcome, record.knowledge));
  else if (extension == ".graphml")
    write_file_atomically(path, format_graphml(outcome));
  else if (extension == ".gml")
    write_file_atomically(path, format_gml(outcome));
}

}  // namespace causcale

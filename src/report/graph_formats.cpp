// Graph files that other programs read: DOT, GraphML, GML, Tetrad's text form.
#include <fmt/format.h>

#include <cmath>

#include "exchange/escape.h"
#include "exchange/format_files.h"
#include "report/effect_figures.h"
#include "report/report.h"

namespace causcale {
namespace {

std::string dot_quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    out += c;
  }
  return out + '"';
}

// What the number on an edge is.
const char* score_word(const DiscoverResult& result) {
  return is_probability(result) ? "probability" : "score";
}

// An arrow of a format that has nothing else; `marks` is empty where arrows are all there is.
struct FileArrow {
  Edge edge;
  double score;
  std::string marks;  // read from source to target
};

std::vector<FileArrow> arrows_of(const ShownGraph& graph) {
  std::vector<FileArrow> arrows;
  const Matrix<double>& scores = graph.result.probabilities;
  for (const MarkedEdge& edge : graph.edges) {
    arrows.push_back({{edge.a, edge.b}, scores(edge.a, edge.b), graph.has_marks ? edge_text(edge) : ""});
    // An arrowhead at b alone is the one thing that rules b -> a out.
    const bool both_ways = edge.at_b != Mark::kArrow || edge.at_a == Mark::kArrow;
    if (both_ways)
      arrows.push_back({{edge.b, edge.a},
                        scores(edge.b, edge.a),
                        edge_text(MarkedEdge{edge.b, edge.a, edge.at_b, edge.at_a, edge.score})});
  }
  return arrows;
}

// Every figure of an edge with its name and value put into `pattern`.
std::string figures_of(const DiscoverResult& result, const Edge& edge, const char* pattern) {
  std::string out;
  for (const EdgeFigure& figure : edge_figures(result))
    out += fmt::format(fmt::runtime(pattern), figure.name, (*figure.values)(edge.source, edge.target));
  for (const auto& [name, value] : effect_figures(result, edge))
    if (!std::isnan(value)) out += fmt::format(fmt::runtime(pattern), name, value);
  return out;
}

std::string kind_of(const DiscoverResult& result, const Edge& edge) {
  const EdgeEffect* effect = find_effect(result, edge);
  return effect ? fmt::format("<data key=\"effect_kind\">{}</data>", effect_kind_name(effect->kind)) : "";
}

// Red where an effect is surely negative, blue where it is surely positive, as an attribute of its own.
std::string dot_color(const DiscoverResult& result, const Edge& edge) {
  const EdgeEffect* effect = find_effect(result, edge);
  if (!effect || !(effect->low > 0 || effect->high < 0)) return "";
  return effect->low > 0 ? ", color=\"#2166ac\"" : ", color=\"#b2182b\"";
}

}  // namespace

std::string format_dot(const DiscoverResult& result) {
  std::string out = "digraph causcale {\n  // source -> target; label and penwidth: probability\n";
  for (const std::string& name : result.names) out += fmt::format("  {};\n", dot_quoted(name));
  for (const ScoredEdge& scored : graph_edges(result))
    out += fmt::format("  {} -> {} [label=\"{:.2f}\", weight={:.6f}, penwidth={:.2f}{}{}];\n",
                       dot_quoted(result.names[scored.edge.source]),
                       dot_quoted(result.names[scored.edge.target]), scored.score, scored.score,
                       0.5 + 2.5 * scored.score, dot_color(result, scored.edge),
                       figures_of(result, scored.edge, ", {}={:.6f}"));
  return out + "}\n";
}

std::string format_graphml(const ShownGraph& graph) {
  const DiscoverResult& result = graph.result;
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
      "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n";
  const std::string word = score_word(result);
  for (const std::string& key : {word, word + "_reverse"})
    out += fmt::format("  <key id=\"{0}\" for=\"edge\" attr.name=\"{0}\" attr.type=\"double\"/>\n", key);
  for (const EdgeFigure& figure : edge_figures(result))
    out +=
        fmt::format("  <key id=\"{0}\" for=\"edge\" attr.name=\"{0}\" attr.type=\"double\"/>\n", figure.name);
  if (!result.effects.empty())
    out += "  <key id=\"effect_kind\" for=\"edge\" attr.name=\"effect_kind\" attr.type=\"string\"/>\n";
  for (const auto& [name, value] : effect_figures(result, {}))
    out += fmt::format("  <key id=\"{0}\" for=\"edge\" attr.name=\"{0}\" attr.type=\"double\"/>\n", name);
  if (graph.has_marks) out += "  <key id=\"edge\" for=\"edge\" attr.name=\"edge\" attr.type=\"string\"/>\n";
  out += "  <graph id=\"causcale\" edgedefault=\"directed\">\n";
  const std::vector<std::string> ids = graphml_ids(result.names);
  for (std::size_t i = 0; i < result.names.size(); ++i)
    out += fmt::format("    <node id=\"{}\"><data key=\"label\">{}</data></node>\n", ids[i],
                       xml_escaped(result.names[i]));
  for (const FileArrow& arrow : arrows_of(graph)) {
    const auto [source, target] = arrow.edge;
    out += fmt::format(
        "    <edge source=\"{}\" target=\"{}\"><data key=\"{}\">{:.9g}</data>"
        "<data key=\"{}_reverse\">{:.9g}</data>{}{}{}</edge>\n",
        ids[source], ids[target], word, arrow.score, word, result.probabilities(target, source),
        figures_of(result, arrow.edge, "<data key=\"{}\">{:.9g}</data>"), kind_of(result, arrow.edge),
        graph.has_marks ? fmt::format("<data key=\"edge\">{}</data>", xml_escaped(arrow.marks)) : "");
  }
  return out + "  </graph>\n</graphml>\n";
}

std::string format_gml(const ShownGraph& graph) {
  const DiscoverResult& result = graph.result;
  std::string out = "graph [\n  directed 1\n";
  for (std::size_t i = 0; i < result.names.size(); ++i)
    out += fmt::format("  node [\n    id {}\n    label \"{}\"\n  ]\n", i, gml_escaped(result.names[i]));
  for (const FileArrow& arrow : arrows_of(graph))
    out += fmt::format("  edge [\n    source {}\n    target {}\n    {} {:.9f}\n{}{}  ]\n", arrow.edge.source,
                       arrow.edge.target, score_word(result), arrow.score,
                       figures_of(result, arrow.edge, "    {} {:.9f}\n"),
                       graph.has_marks ? fmt::format("    edge \"{}\"\n", gml_escaped(arrow.marks)) : "");
  return out + "]\n";
}

std::string format_tetrad(const DiscoverResult& result) {
  const std::vector<std::string> names = tetrad_names(result.names);
  std::string out = "Graph Nodes:\n";
  for (std::size_t i = 0; i < names.size(); ++i) out += (i ? ";" : "") + names[i];
  out += "\n\nGraph Edges:\n";
  std::size_t number = 0;
  for (const ScoredEdge& scored : graph_edges(result))
    out += fmt::format("{}. {} --> {}\n", ++number, names[scored.edge.source], names[scored.edge.target]);
  return out;
}

}  // namespace causcale

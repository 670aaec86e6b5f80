// The text of Tetrad and causal-learn: "Graph Nodes:", a line of names separated by semicolons, "Graph
// Edges:", and lines "1. X1 --> X2". Lines of edges alone are read as well.
#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "causcale/error.h"
#include "exchange/escape.h"
#include "exchange/format_files.h"

namespace causcale {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string_view next_word(std::string_view& rest) {
  rest = trimmed(rest);
  const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

}  // namespace

GraphDocument parse_tetrad(std::string_view text, const std::string& path) {
  enum class Section { kNone, kNodes, kEdges, kOther } section = Section::kNone;
  text = without_byte_order_mark(text);
  DocumentBuilder builder(path);
  bool has_nodes = false;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string where = fmt::format("{}, line {}", path, number);
    if (line.empty()) continue;
    if (line.starts_with("Graph Nodes:") || line.starts_with("Graph Edges:")) {
      section = line.starts_with("Graph Nodes:") ? Section::kNodes : Section::kEdges;
      line = trimmed(line.substr(std::string_view("Graph Nodes:").size()));
      if (line.empty()) continue;
    } else if (line.starts_with("Graph ") && line.ends_with(":")) {
      section = Section::kOther;  // attributes and the like
      continue;
    }
    if (section == Section::kOther) continue;
    if (section == Section::kNodes) {
      has_nodes = true;
      for (std::string_view rest = line; !rest.empty();) {
        const std::size_t cut = std::min(rest.find_first_of(";,"), rest.size());
        const std::string name(trimmed(rest.substr(0, cut)));
        rest.remove_prefix(std::min(cut + 1, rest.size()));
        if (name.empty()) throw InputError(fmt::format("{}: the name of a variable is empty", where));
        if (builder.knows(name))
          throw InputError(fmt::format("{}: variable '{}' is named twice", where, name));
        builder.node(name);
      }
      continue;
    }
    std::string_view rest = line;
    const std::string_view count = next_word(rest);
    const bool numbered =
        count.size() > 1 && count.ends_with('.') &&
        std::all_of(count.begin(), count.end() - 1, [](char c) { return c >= '0' && c <= '9'; });
    const std::string a(numbered ? next_word(rest) : count);
    const std::string_view marks = next_word(rest);
    const std::string b(next_word(rest));  // what follows (dd, nl, probabilities) is left alone
    DocumentEdge edge{};
    if (b.empty() || !parse_edge_text(marks, edge.at_a, edge.at_b))
      throw InputError(
          fmt::format("{}: '{}' is no edge such as 1. A --> B (--> --- <-> o-> o-o <-- are known)", where,
                      line.substr(0, 60)));
    for (const std::string& name : {a, b})
      if (has_nodes && !builder.knows(name))
        throw InputError(fmt::format("{}: '{}' is none of the variables under Graph Nodes", where, name));
    edge.a = builder.node(a);
    edge.b = builder.node(b);
    builder.edge(edge, where);
  }
  if (builder.document().names.empty() && !has_nodes)
    throw InputError(fmt::format("{}: there are neither variables nor edges", path));
  builder.document().all_nodes = has_nodes;
  return builder.finish();
}

std::string format_tetrad(const GraphDocument& document) {
  const std::vector<std::string> names = tetrad_names(document.names);
  std::string out = "Graph Nodes:\n";
  for (std::size_t i = 0; i < names.size(); ++i) out += (i ? ";" : "") + names[i];
  out += "\n\nGraph Edges:\n";
  std::size_t number = 0;
  for (const DocumentEdge& edge : document.edges)
    out += fmt::format("{}. {} {} {}\n", ++number, names[static_cast<std::size_t>(edge.a)], edge_text(edge),
                       names[static_cast<std::size_t>(edge.b)]);
  return out;
}

}  // namespace causcale

#include "stored_graph.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "base/file.h"
#include "causcale/error.h"
#include "exchange/formats.h"
#include "graph/order.h"

namespace causcale::cli {
namespace {

GraphClass class_of(const GraphDocument& document, const Digraph& arrows) {
  bool circles = document.ancestral, undirected = false;
  for (const DocumentEdge& edge : document.edges) {
    circles |= edge.at_a == Mark::kCircle || edge.at_b == Mark::kCircle || edge.is_bidirected();
    undirected |= edge.is_undirected();
  }
  if (circles) return GraphClass::kPag;
  if (undirected) return GraphClass::kCpdag;
  return is_acyclic(arrows) ? GraphClass::kDag : GraphClass::kDirected;
}

// Any JSON but a graph of networkx: whatever else is wrong with it, the reader of results says.
bool looks_like_result(const std::string& path) {
  const MappedFile file(path);
  const std::string_view text = file.text();
  if (text.find("\"causcale.discover") != text.npos) return true;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{' && text.find("\"nodes\"") == text.npos;
}

}  // namespace

StoredGraph read_result_or_graph(const std::string& path, const std::string& format) {
  ReadGraphOptions options;
  if (!format.empty()) options.format = format_named(format, "--from");
  if (!options.format) options.format = format_of_name(path);
  const bool is_result = options.format ? *options.format == GraphFormat::kCauscale : looks_like_result(path);
  if (is_result) return {read_result(path), std::nullopt};

  const GraphDocument document = read_graph_document(path, options);
  StoredGraph stored;
  stored.by_method = true;
  stored.method = "file";
  stored.result.names = document.names;
  stored.result.score_kind = "ranking";
  const std::size_t n = document.names.size();
  stored.result.probabilities = Matrix<double>(n, n);
  const Digraph arrows = arrows_of(document);
  stored.graph_class = class_of(document, arrows);
  stored.marks = MixedGraph(static_cast<int>(n));
  for (const DocumentEdge& edge : document.edges) {
    if (document.ancestral && stored.marks.adjacent(edge.a, edge.b))
      throw InputError(fmt::format("{}: '{}' and '{}' are joined twice, which no MAG or PAG does", path,
                                   document.names[static_cast<std::size_t>(edge.a)],
                                   document.names[static_cast<std::size_t>(edge.b)]));
    stored.marks.set(edge.a, edge.b, edge.at_a, edge.at_b);
  }
  const bool plain = stored.graph_class == GraphClass::kDag || stored.graph_class == GraphClass::kDirected;
  stored.result.graph = plain ? arrows : possible_directions(stored.marks);
  for (const Edge& edge : stored.result.graph.edges())
    stored.result.probabilities(static_cast<std::size_t>(edge.source),
                                static_cast<std::size_t>(edge.target)) = 1.0;
  for (const DocumentEdge& edge : document.edges)
    if (edge.is_arrow() && std::isfinite(edge.score))
      stored.result.probabilities(static_cast<std::size_t>(edge.a), static_cast<std::size_t>(edge.b)) =
          edge.score;
  stored.document = document;
  return stored;
}

bool StoredGraph::has_hidden_causes() const {
  if (!document || document->ancestral) return false;
  bool bidirected = false;
  for (const DocumentEdge& edge : document->edges) {
    if (!edge.is_arrow() && !edge.is_bidirected()) return false;
    bidirected |= edge.is_bidirected();
  }
  return bidirected || !document->hidden.empty();
}

GraphOfColumns graph_of_columns(const StoredGraph& stored, const std::vector<std::string>& columns,
                                const std::vector<std::string>& not_measured) {
  GraphOfColumns result{.graph = {}, .names = columns};
  result.names.insert(result.names.end(), not_measured.begin(), not_measured.end());
  std::unordered_map<std::string, int> number;
  for (const std::string& name : result.names) number.emplace(name, static_cast<int>(number.size()));
  const auto node = [&](int k) { return number.at(stored.result.names[static_cast<std::size_t>(k)]); };
  std::vector<Edge> edges;
  for (const DocumentEdge& edge : stored.document->edges) {
    if (edge.is_arrow()) edges.push_back({node(edge.a), node(edge.b)});
    if (!edge.is_bidirected()) continue;
    const auto common = static_cast<int>(result.names.size());
    result.names.push_back(fmt::format("{} <-> {}", stored.result.names[static_cast<std::size_t>(edge.a)],
                                       stored.result.names[static_cast<std::size_t>(edge.b)]));
    edges.push_back({common, node(edge.a)});
    edges.push_back({common, node(edge.b)});
  }
  result.graph = Digraph(static_cast<int>(result.names.size()), std::move(edges));
  return result;
}

}  // namespace causcale::cli

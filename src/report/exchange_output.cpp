#include "report/exchange_output.h"

#include <algorithm>
#include <string_view>

namespace causcale {

std::optional<GraphFormat> exchange_format(const std::filesystem::path& path) {
  // A page called a.gml.html is a page, and a list called a.edges.csv the one with all its columns; .gml has
  // a writer of its own, which knows more about the edges.
  static constexpr std::string_view own[] = {".html", ".svg", ".png", ".dot", ".gv", ".graphml", ".gml"};
  if (std::ranges::find(own, path.extension().string()) != std::end(own)) return std::nullopt;
  const auto format = format_of_name(path);
  if (format == GraphFormat::kCauscale || format == GraphFormat::kEdges || format == GraphFormat::kMatrix)
    return std::nullopt;
  return format;
}

GraphDocument document_of(const ShownGraph& graph) {
  GraphDocument document;
  document.path = "the result";
  document.names = graph.result.names;
  for (const MarkedEdge& edge : graph.edges)
    document.edges.push_back({edge.a, edge.b, edge.at_a, edge.at_b, edge.score});
  const Matrix<double>& scores = graph.result.probabilities;
  if (!is_probability(graph.result)) return document;
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t j = 0; j < scores.cols(); ++j)
      if (i != j) document.pair_scores.push_back({static_cast<int>(i), static_cast<int>(j), scores(i, j)});
  return document;
}

}  // namespace causcale

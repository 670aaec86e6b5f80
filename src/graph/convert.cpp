#include "graph/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "causcale/error.h"

namespace causcale {

namespace {

void require_square(const Matrix<double>& scores) {
  if (scores.rows() != scores.cols())
    throw InputError(fmt::format("a matrix of edge scores must be square, this one is {} x {}", scores.rows(),
                                 scores.cols()));
}

}  // namespace

Digraph graph_above(const Matrix<double>& scores, double threshold) {
  require_square(scores);
  const int n = static_cast<int>(scores.rows());
  std::vector<Edge> edges;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j && scores(i, j) > threshold) edges.push_back({i, j});
  return Digraph(n, std::move(edges));
}

Matrix<double> score_matrix(const Digraph& graph) {
  Matrix<double> result(graph.nodes(), graph.nodes());
  for (const Edge& edge : graph.edges()) result(edge.source, edge.target) = 1.0;
  return result;
}

std::vector<NamedEdge> named_edges(const Matrix<double>& scores, std::span<const std::string> names,
                                   double threshold) {
  require_square(scores);
  if (names.size() != scores.rows())
    throw InputError(fmt::format("{} names given for {} variables", names.size(), scores.rows()));
  struct Entry {
    double score;
    std::size_t source, target;
  };
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t j = 0; j < scores.cols(); ++j)
      if (i != j && scores(i, j) > threshold) entries.push_back({scores(i, j), i, j});
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.score > b.score; });
  std::vector<NamedEdge> result;
  result.reserve(entries.size());
  for (const Entry& entry : entries)
    result.push_back({names[entry.source], names[entry.target], entry.score});
  return result;
}

Matrix<double> score_matrix(std::span<const NamedEdge> edges, std::span<const std::string> names) {
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!index.emplace(names[i], i).second) throw InputError(fmt::format("name '{}' occurs twice", names[i]));
  const auto find = [&](const std::string& name) {
    const auto found = index.find(name);
    if (found == index.end()) throw InputError(fmt::format("edge with unknown variable '{}'", name));
    return found->second;
  };
  Matrix<double> result(names.size(), names.size());
  Matrix<std::uint8_t> given(names.size(), names.size());
  for (const NamedEdge& edge : edges) {
    const std::size_t source = find(edge.source), target = find(edge.target);
    if (source == target) throw InputError(fmt::format("variable '{}' has an edge to itself", edge.source));
    if (given(source, target)++)
      throw InputError(fmt::format("edge {} -> {} is given twice", edge.source, edge.target));
    result(source, target) = edge.score;
  }
  return result;
}

std::vector<std::string> default_names(std::size_t count) {
  std::vector<std::string> names(count);
  for (std::size_t i = 0; i < count; ++i) names[i] = fmt::format("X{}", i);
  return names;
}

}  // namespace causcale

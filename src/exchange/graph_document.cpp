#include "exchange/graph_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/byte_size.h"
#include "causcale/error.h"

namespace causcale {
namespace {

// A few lines of text can ask for the product of two long lists of variables.
constexpr std::size_t kMostEdges = 10'000'000;

// Beyond it a graph is a sparse matrix, as a whole one would take gigabytes.
constexpr std::size_t kMostWholeVariables = 2'000;

DocumentEdge reversed(const DocumentEdge& edge) {
  return {edge.b, edge.a, edge.at_b, edge.at_a, edge.score};
}

bool reads_backwards(const DocumentEdge& edge) {
  return (edge.at_a == Mark::kArrow && edge.at_b != Mark::kArrow) ||
         (edge.at_a == Mark::kCircle && edge.at_b == Mark::kTail);
}

bool may_stand_beside_others(const DocumentEdge& edge) {
  return edge.is_arrow() || edge.is_bidirected();
}

}  // namespace

int DocumentBuilder::node(const std::string& name) {
  const auto [entry, added] = index_.emplace(name, static_cast<int>(document_.names.size()));
  if (added) document_.names.push_back(name);
  return entry->second;
}

void DocumentBuilder::edge(const DocumentEdge& given, const std::string& where, bool repeats) {
  const DocumentEdge edge = reads_backwards(given) ? reversed(given) : given;
  const std::string& a = document_.names[static_cast<std::size_t>(edge.a)];
  const std::string& b = document_.names[static_cast<std::size_t>(edge.b)];
  if (edge.a == edge.b) throw InputError(fmt::format("{}: edge from '{}' to itself", where, a));
  const auto key = [](const DocumentEdge& e) {
    return e.a < e.b ? std::tuple(e.a, e.b, e.at_a, e.at_b) : std::tuple(e.b, e.a, e.at_b, e.at_a);
  };
  const int low = std::min(edge.a, edge.b), high = std::max(edge.a, edge.b);
  const bool known = seen_.contains(key(edge));
  if (known && repeats) return;
  if (known)
    throw InputError(fmt::format("{}: edge {} {} {} was given before", where, a, edge_text(edge), b));
  for (auto other = seen_.lower_bound({low, high, Mark::kNone, Mark::kNone});
       other != seen_.end() && std::get<0>(*other) == low && std::get<1>(*other) == high; ++other) {
    DocumentEdge there{low, high, std::get<2>(*other), std::get<3>(*other)};
    if (reads_backwards(there)) there = reversed(there);
    if (!may_stand_beside_others(there) || !may_stand_beside_others(edge))
      throw InputError(fmt::format("{}: {} {} {} contradicts {} {} {}, which was given before", where, a,
                                   edge_text(edge), b, document_.names[static_cast<std::size_t>(there.a)],
                                   edge_text(there), document_.names[static_cast<std::size_t>(there.b)]));
  }
  if (document_.edges.size() >= kMostEdges)
    throw InputError(fmt::format("{}: more than {} edges", where, kMostEdges));
  seen_.insert(key(edge));
  document_.edges.push_back(edge);
}

std::string edge_text(const DocumentEdge& edge) {
  const auto symbol = [](Mark mark, char arrow) {
    return mark == Mark::kArrow ? arrow : mark == Mark::kCircle ? 'o' : '-';
  };
  return {symbol(edge.at_a, '<'), '-', symbol(edge.at_b, '>')};
}

bool parse_edge_text(std::string_view text, Mark& at_left, Mark& at_right) {
  if (text.size() != 3 || text[1] != '-') return false;
  const auto mark = [](char c, char arrow) {
    return c == arrow ? Mark::kArrow : c == 'o' ? Mark::kCircle : c == '-' ? Mark::kTail : Mark::kNone;
  };
  at_left = mark(text[0], '<');
  at_right = mark(text[2], '>');
  return at_left != Mark::kNone && at_right != Mark::kNone;
}

Digraph arrows_of(const GraphDocument& document) {
  std::vector<Edge> edges;
  for (const DocumentEdge& edge : document.edges)
    if (edge.is_arrow()) edges.push_back({edge.a, edge.b});
  return Digraph(static_cast<int>(document.names.size()), std::move(edges));
}

GraphFile to_graph_file(const GraphDocument& document, bool ranking) {
  GraphFile file;
  file.path = document.path;
  file.names = document.names;
  const std::size_t n = document.names.size();
  if (ranking && !document.pair_scores.empty()) {
    file.edges = document.pair_scores;
    file.has_scores = true;
  } else {
    std::set<std::pair<int, int>> joined;  // an arrow may stand beside a common cause
    for (const DocumentEdge& edge : document.edges) {
      const double score = ranking && !std::isnan(edge.score) ? edge.score : 1.0;
      file.has_scores |= ranking && !std::isnan(edge.score);
      if (edge.at_a != Mark::kArrow && joined.insert({edge.a, edge.b}).second)
        file.edges.push_back({edge.a, edge.b, score});
      if (edge.at_b != Mark::kArrow && joined.insert({edge.b, edge.a}).second)
        file.edges.push_back({edge.b, edge.a, score});
    }
  }
  // A matrix says which variables there are; a list which pairs have a score.
  const bool whole = !file.has_scores || document.others_score_zero || file.edges.size() == n * (n - (n > 0));
  file.is_edge_list = !document.all_nodes || !whole;
  file.named = has_names(file.is_edge_list, document.names);
  if (file.is_edge_list) return file;
  file.is_sparse = document.others_score_zero || n > kMostWholeVariables;
  if (file.is_sparse) return file;
  require_memory(fmt::format("{} has {} variables, whose matrix", file.path, n),
                 std::uint64_t{1} * n * n * sizeof(double), reading_limit(0));
  file.matrix = Matrix<double>(n, n);
  for (const StoredEdge& edge : file.edges)
    file.matrix(static_cast<std::size_t>(edge.source), static_cast<std::size_t>(edge.target)) = edge.score;
  file.edges.clear();
  return file;
}

}  // namespace causcale

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "base/byte_size.h"
#include "causcale/error.h"
#include "graph/graph_file.h"

namespace causcale {

namespace {

using Index = std::unordered_map<std::string, int>;

Index index_of(const std::vector<std::string>& names) {
  Index index;
  for (std::size_t i = 0; i < names.size(); ++i) index.emplace(names[i], static_cast<int>(i));
  return index;
}

std::string shortened(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  const std::size_t shown = std::min(kShown, names.size());
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

void require_known(const GraphFile& asking, const std::vector<std::string>& asked, const GraphFile& knowing,
                   const std::vector<std::string>& knows) {
  const Index known = index_of(knows);
  std::vector<std::string> missing;
  for (const std::string& name : asked)
    if (!known.count(name)) missing.push_back(name);
  if (missing.empty()) return;
  std::string message =
      fmt::format("{} has {} variable{} that {} does not have: {}", asking.path, missing.size(),
                  missing.size() == 1 ? "" : "s", knowing.path, shortened(missing));
  if (!knowing.named && asking.named)
    message += fmt::format(" ({} has no names; its variables are the numbers 0 to {})", knowing.path,
                           static_cast<long>(knowing.names.size()) - 1);
  throw InputError(message);
}

// Names of a file on their way to those of both.
struct Side {
  const GraphFile* file;
  std::vector<std::string> names;

  const std::string& path() const { return file->path; }
};

// Gives a file without names the names that its numbers have in the other one.
void rename(Side& side, const std::vector<std::string>& names, const std::string& names_from) {
  for (std::string& name : side.names) {
    const std::size_t number = std::stoul(name);
    if (number >= names.size())
      throw InputError(fmt::format("{} has a variable number {}, but {} has {} variables only (0 to {})",
                                   side.path(), number, names_from, names.size(),
                                   static_cast<long>(names.size()) - 1));
    name = names[number];
  }
}

// Without names of its own; but an edge list of numbers that the other file has as names means those.
bool is_numbered(const GraphFile& file, const Side& other) {
  if (file.named || !file.is_edge_list) return !file.named;
  const Index known = index_of(other.names);
  return !std::ranges::all_of(file.names, [&](const std::string& name) { return known.contains(name); });
}

// Throws where so many variables would take too much memory.
using RequireRoom = std::function<void(std::size_t variables)>;

std::vector<std::string> union_of_lists(const GraphFile& a, const GraphFile& b, int nodes,
                                        const RequireRoom& require_room) {
  std::vector<std::string> names;
  if (!a.named && !b.named) {
    std::size_t count = std::max(nodes, 0);
    for (const GraphFile* file : {&a, &b})
      for (const std::string& name : file->names) count = std::max(count, std::stoul(name) + 1);
    require_room(count);
    for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  } else {
    if (nodes > 0) require_room(static_cast<std::size_t>(nodes));
    Index seen;
    for (const GraphFile* file : {&a, &b})
      for (const std::string& name : file->names)
        if (seen.emplace(name, 0).second) names.push_back(name);
    for (std::size_t extra = 1; static_cast<int>(names.size()) < nodes; ++extra)
      names.push_back(fmt::format("(variable without edges {})", extra));
  }
  if (nodes > 0 && names.size() > static_cast<std::size_t>(nodes))
    throw InputError(fmt::format("{} and {} name {} variables, more than the {} announced by --nodes", a.path,
                                 b.path, names.size(), nodes));
  return names;
}

// The variables of both files, and where those of each stand among them.
struct Matched {
  std::vector<std::string> names;
  std::vector<int> prediction, truth;
};

std::vector<int> places(const std::vector<std::string>& of, const Index& index) {
  std::vector<int> place;
  place.reserve(of.size());
  for (const std::string& name : of) place.push_back(index.at(name));
  return place;
}

Matched match_names(const GraphFile& prediction, const GraphFile& truth, int nodes,
                    const RequireRoom& require_room) {
  Side p{&prediction, prediction.names}, t{&truth, truth.names};
  const bool p_list = prediction.is_edge_list, t_list = truth.is_edge_list;
  if (!p_list && !t_list && p.names.size() != t.names.size() && !(prediction.named && truth.named))
    throw InputError(
        fmt::format("{} has {} variables, {} has {}", p.path(), p.names.size(), t.path(), t.names.size()));
  if (!p_list && prediction.named && is_numbered(truth, p)) rename(t, p.names, p.path());
  if (!t_list && truth.named && is_numbered(prediction, t)) rename(p, t.names, t.path());

  Matched result;
  if (p_list && t_list) {
    result.names = union_of_lists(prediction, truth, nodes, require_room);
  } else {
    if (!t_list) require_known(prediction, p.names, truth, t.names);
    if (!p_list) require_known(truth, t.names, prediction, p.names);
    result.names = p_list ? t.names : p.names;
    if (nodes > 0 && result.names.size() != static_cast<std::size_t>(nodes))
      throw InputError(
          fmt::format("the matrix has {} variables, --nodes says {}", result.names.size(), nodes));
  }
  require_room(result.names.size());
  const Index index = index_of(result.names);
  result.prediction = places(p.names, index);
  result.truth = places(t.names, index);
  return result;
}

bool stores_entries(const GraphFile& file) {
  return file.is_edge_list || file.is_sparse;
}

// The file's scores over n variables, its own standing at `place`.
Matrix<double> scores_over(const GraphFile& file, const std::vector<int>& place, std::size_t n) {
  Matrix<double> result(n, n);
  if (stores_entries(file)) {
    for (const StoredEdge& edge : file.edges) result(place[edge.source], place[edge.target]) = edge.score;
  } else {
    for (std::size_t i = 0; i < place.size(); ++i)
      for (std::size_t j = 0; j < place.size(); ++j) result(place[i], place[j]) = file.matrix(i, j);
  }
  return result;
}

// What an edge list says about ordered pairs. A direction that has a line of its own is not told by the
// reverse score of another line.
SparseScores listed_scores(const GraphFile& list, const std::vector<int>& place, std::size_t n) {
  std::vector<ScoredEdge> entries;
  std::vector<Edge> own;
  for (const StoredEdge& edge : list.edges) {
    own.push_back({place[edge.source], place[edge.target]});
    entries.push_back({own.back(), edge.score});
  }
  std::ranges::sort(own);
  // Of several reverse scores of a pair there is one at most, as every edge is listed once.
  for (std::size_t k = 0; k < list.reverse_scores.size(); ++k) {
    const Edge reverse{place[list.edges[k].target], place[list.edges[k].source]};
    if (!std::ranges::binary_search(own, reverse)) entries.push_back({reverse, list.reverse_scores[k]});
  }
  return sparse_scores(static_cast<int>(n), std::move(entries));
}

bool lists_every_pair(const SparseScores& listed, std::size_t n) {
  return listed.entries.size() == n * (n - (n > 0));
}

Digraph true_graph(const GraphFile& file, const std::vector<int>& place,
                   const std::vector<std::string>& names) {
  std::vector<Edge> edges;
  const auto add = [&](std::size_t i, std::size_t j, double score) {
    if (score == 0.0) return;
    if (i == j)
      throw InputError(fmt::format("{}: variable '{}' has an edge to itself", file.path,
                                   names[static_cast<std::size_t>(place[i])]));
    edges.push_back({place[i], place[j]});
  };
  if (stores_entries(file)) {
    for (const StoredEdge& edge : file.edges)
      add(static_cast<std::size_t>(edge.source), static_cast<std::size_t>(edge.target), edge.score);
  } else {
    for (std::size_t i = 0; i < place.size(); ++i)
      for (std::size_t j = 0; j < place.size(); ++j) add(i, j, file.matrix(i, j));
  }
  return Digraph(static_cast<int>(names.size()), std::move(edges));
}

// Of so many matrices over all variables.
RequireRoom room_for(std::uint64_t matrices, const GraphFile& prediction, const GraphFile& truth,
                     std::size_t max_bytes) {
  return [=, &prediction, &truth](std::size_t variables) {
    require_memory(fmt::format("{} and {} have {} variables, whose {}", prediction.path, truth.path,
                               variables, matrices == 1 ? "matrix" : "matrices"),
                   matrices * variables * variables * sizeof(double), reading_limit(max_bytes));
  };
}

}  // namespace

GraphPair match_graphs(const GraphFile& prediction, const GraphFile& truth, int nodes,
                       std::size_t max_bytes) {
  Matched matched = match_names(prediction, truth, nodes, room_for(2, prediction, truth, max_bytes));
  const std::size_t n = matched.names.size();
  GraphPair result;
  result.names = std::move(matched.names);
  result.prediction = scores_over(prediction, matched.prediction, n);
  result.truth = scores_over(truth, matched.truth, n);
  if (!prediction.is_edge_list || !prediction.has_scores) return result;
  const SparseScores listed = listed_scores(prediction, matched.prediction, n);
  if (lists_every_pair(listed, n)) {
    result.prediction = dense_scores(listed);
    return result;
  }
  result.partial = PartialScores{dense_scores(listed), Matrix<std::uint8_t>(n, n)};
  for (const auto& [edge, score] : listed.entries) result.partial->is_known(edge.source, edge.target) = 1;
  return result;
}

MatrixPair match_matrix(GraphFile prediction, const GraphFile& truth, int nodes, std::size_t max_bytes) {
  Matched matched = match_names(prediction, truth, nodes, room_for(1, prediction, truth, max_bytes));
  const std::size_t n = matched.names.size();
  MatrixPair result;
  result.truth = true_graph(truth, matched.truth, matched.names);
  const bool in_order =
      std::is_sorted(matched.prediction.begin(), matched.prediction.end()) && matched.prediction.size() == n;
  result.prediction = in_order && !stores_entries(prediction)
                          ? std::move(prediction.matrix)
                          : scores_over(prediction, matched.prediction, n);
  result.names = std::move(matched.names);
  return result;
}

SparsePair match_sparse_graphs(const GraphFile& prediction, const GraphFile& truth, int nodes,
                               std::size_t max_bytes) {
  const RequireRoom require_room = [&](std::size_t variables) {
    require_memory(
        fmt::format("{} and {} have {} variables, whose names", prediction.path, truth.path, variables),
        std::uint64_t{4} * variables * sizeof(std::string), reading_limit(max_bytes));
  };
  Matched matched = match_names(prediction, truth, nodes, require_room);
  const std::size_t n = matched.names.size();
  SparsePair result;
  result.truth = true_graph(truth, matched.truth, matched.names);
  std::vector<ScoredEdge> entries;
  for (const StoredEdge& edge : prediction.edges)
    if (edge.source != edge.target)
      entries.push_back({{matched.prediction[edge.source], matched.prediction[edge.target]}, edge.score});
  result.prediction = sparse_scores(static_cast<int>(n), std::move(entries));
  result.names = std::move(matched.names);
  if (!prediction.is_edge_list || !prediction.has_scores) return result;
  SparseScores listed = listed_scores(prediction, matched.prediction, n);
  if (lists_every_pair(listed, n))
    result.prediction = std::move(listed);
  else
    result.partial = std::move(listed);
  return result;
}

}  // namespace causcale

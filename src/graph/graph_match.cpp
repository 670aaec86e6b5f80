#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

void require_known(const GraphFile& asking, const GraphFile& knowing) {
  const Index known = index_of(knowing.names);
  std::vector<std::string> missing;
  for (const std::string& name : asking.names)
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

// The file's scores over `names`, every one of its own names being among them.
Matrix<double> scores_over(const GraphFile& file, const std::vector<std::string>& names) {
  const Index index = index_of(names);
  std::vector<int> place(file.names.size());
  for (std::size_t i = 0; i < place.size(); ++i) place[i] = index.at(file.names[i]);
  Matrix<double> result(names.size(), names.size());
  if (file.is_edge_list) {
    for (const StoredEdge& edge : file.edges) result(place[edge.source], place[edge.target]) = edge.score;
  } else {
    for (std::size_t i = 0; i < place.size(); ++i)
      for (std::size_t j = 0; j < place.size(); ++j) result(place[i], place[j]) = file.matrix(i, j);
  }
  return result;
}

// What an edge list says about ordered pairs. A direction that has a line of its own is not told by the
// reverse score of another line.
PartialScores listed_scores(const GraphFile& list, const std::vector<std::string>& names) {
  const Index index = index_of(names);
  const std::size_t n = names.size();
  PartialScores listed{Matrix<double>(n, n), Matrix<std::uint8_t>(n, n)};
  const auto note = [&](int source, int target, double score) {
    const int i = index.at(list.names[source]), j = index.at(list.names[target]);
    listed.scores(i, j) = score;
    listed.is_known(i, j) = 1;
  };
  for (std::size_t k = 0; k < list.reverse_scores.size(); ++k)
    note(list.edges[k].target, list.edges[k].source, list.reverse_scores[k]);
  for (const StoredEdge& edge : list.edges) note(edge.source, edge.target, edge.score);
  return listed;
}

// Gives a file without names the names that its numbers have in the other one.
GraphFile renamed(GraphFile file, const std::vector<std::string>& names, const std::string& names_from) {
  for (std::string& name : file.names) {
    const std::size_t number = std::stoul(name);
    if (number >= names.size())
      throw InputError(fmt::format("{} has a variable number {}, but {} has {} variables only (0 to {})",
                                   file.path, number, names_from, names.size(),
                                   static_cast<long>(names.size()) - 1));
    name = names[number];
  }
  return file;
}

// Without names of its own; but an edge list of numbers that the other file has as names means those.
bool is_numbered(const GraphFile& file, const GraphFile& other) {
  if (file.named || !file.is_edge_list) return !file.named;
  const Index known = index_of(other.names);
  return !std::ranges::all_of(file.names, [&](const std::string& name) { return known.contains(name); });
}

void require_room(std::size_t variables, const GraphFile& a, const GraphFile& b, std::size_t max_bytes) {
  require_memory(fmt::format("{} and {} have {} variables, whose matrices", a.path, b.path, variables),
                 std::uint64_t{2} * variables * variables * sizeof(double), reading_limit(max_bytes));
}

std::vector<std::string> union_of_lists(const GraphFile& a, const GraphFile& b, int nodes,
                                        std::size_t max_bytes) {
  std::vector<std::string> names;
  if (!a.named && !b.named) {
    std::size_t count = std::max(nodes, 0);
    for (const GraphFile* file : {&a, &b})
      for (const std::string& name : file->names) count = std::max(count, std::stoul(name) + 1);
    require_room(count, a, b, max_bytes);
    for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  } else {
    if (nodes > 0) require_room(static_cast<std::size_t>(nodes), a, b, max_bytes);
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

}  // namespace

GraphPair match_graphs(const GraphFile& prediction, const GraphFile& truth, int nodes,
                       std::size_t max_bytes) {
  GraphFile p = prediction, t = truth;
  if (!p.is_edge_list && !t.is_edge_list && p.names.size() != t.names.size() && !(p.named && t.named))
    throw InputError(
        fmt::format("{} has {} variables, {} has {}", p.path, p.names.size(), t.path, t.names.size()));
  if (!p.is_edge_list && p.named && is_numbered(t, p)) t = renamed(std::move(t), p.names, p.path);
  if (!t.is_edge_list && t.named && is_numbered(p, t)) p = renamed(std::move(p), t.names, t.path);

  GraphPair result;
  if (p.is_edge_list && t.is_edge_list) {
    result.names = union_of_lists(p, t, nodes, max_bytes);
  } else {
    if (!t.is_edge_list) require_known(p, t);
    if (!p.is_edge_list) require_known(t, p);
    result.names = p.is_edge_list ? t.names : p.names;
    if (nodes > 0 && result.names.size() != static_cast<std::size_t>(nodes))
      throw InputError(
          fmt::format("the matrix has {} variables, --nodes says {}", result.names.size(), nodes));
  }
  require_room(result.names.size(), p, t, max_bytes);
  result.prediction = scores_over(p, result.names);
  result.truth = scores_over(t, result.names);
  if (p.is_edge_list && p.has_scores) {
    PartialScores listed = listed_scores(p, result.names);
    const std::size_t n = result.names.size();
    const auto known = std::ranges::count(listed.is_known.values(), 1);
    if (static_cast<std::size_t>(known) == n * (n - (n > 0)))
      result.prediction = std::move(listed.scores);
    else
      result.partial = std::move(listed);
  }
  return result;
}

}  // namespace causcale

// The JSON that discover writes, read as a graph: its edges, and the scores of all pairs beside them.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_text.h"
#include "causcale/error.h"
#include "exchange/format_files.h"

namespace causcale {
namespace {

using Json = nlohmann::ordered_json;

double number(const Json& value, const std::string& where) {
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    throw InputError(fmt::format("{} is {}, not a finite number", where, shortened(value)));
  return value.get<double>();
}

}  // namespace

GraphDocument parse_causcale_result(std::string_view text, const std::string& path) {
  const Json json = parse_json(text, path);
  const auto list = [&](const char* key) -> const Json& {
    if (!json.is_object() || !json.contains(key) || !json[key].is_array())
      throw InputError(fmt::format("{}: the result has no list \"{}\"", path, key));
    return json[key];
  };
  if (!json.is_object() || !json.contains("format") || json["format"] != "causcale.discover/1")
    throw InputError(fmt::format("{}: it is no result of discover: format is not causcale.discover/1", path));
  DocumentBuilder builder(path);
  for (const Json& name : list("names")) {
    if (!name.is_string() || !is_variable_name(name.get<std::string>()) ||
        builder.knows(name.get<std::string>()))
      throw InputError(fmt::format("{}: \"names\" holds {}, which is no name or stands there twice", path,
                                   shortened(name)));
    builder.node(name.get<std::string>());
  }
  const Json& edges = list("edges");
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const std::string where = fmt::format("{}: edges[{}]", path, k);
    int ends[2];
    for (const int end : {0, 1}) {
      const char* const side = end == 0 ? "source" : "target";
      if (!edges[k].is_object() || !edges[k].contains(side) || !edges[k][side].is_string() ||
          !builder.knows(edges[k][side].get<std::string>()))
        throw InputError(fmt::format("{} has no \"{}\" that is one of the names", where, side));
      ends[end] = builder.node(edges[k][side].get<std::string>());
    }
    DocumentEdge edge{ends[0], ends[1], Mark::kTail, Mark::kArrow};
    if (edges[k].contains("edge") &&
        (!edges[k]["edge"].is_string() ||
         !parse_edge_text(edges[k]["edge"].get<std::string>(), edge.at_a, edge.at_b)))
      throw InputError(
          fmt::format("{}: edge is {}, not marks such as --> or o->", where, shortened(edges[k]["edge"])));
    for (const char* const name : {"probability", "score"})
      if (edges[k].contains(name)) edge.score = number(edges[k][name], fmt::format("{}.{}", where, name));
    builder.edge(edge, where);
  }
  GraphDocument document = builder.finish();
  const std::size_t n = document.names.size();
  for (const char* const key : {"probabilities", "scores"}) {
    if (!json.contains(key)) continue;
    const Json& rows = list(key);
    bool square = rows.size() == n;
    for (const Json& row : rows) square = square && row.is_array() && row.size() == n;
    if (!square)
      throw InputError(fmt::format("{}: \"{}\" is no matrix of {} rows and columns", path, key, n));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (i != j)
          document.pair_scores.push_back(
              {static_cast<int>(i), static_cast<int>(j),
               number(rows[i][j], fmt::format("{}: {}[{}][{}]", path, key, i, j))});
    break;
  }
  if (json.contains("pairs")) {
    const Json& pairs = json["pairs"];
    const auto column = [&](const char* key) -> const Json& {
      if (!pairs.is_object() || !pairs.contains(key) || !pairs[key].is_array() ||
          pairs[key].size() != pairs["source"].size())
        throw InputError(fmt::format("{}: \"pairs\" has no list \"{}\" as long as the others", path, key));
      return pairs[key];
    };
    const Json &source = column("source"), &target = column("target"), &score = column("score");
    std::set<std::pair<int, int>> seen;
    for (std::size_t k = 0; k < source.size(); ++k) {
      const std::string where = fmt::format("{}: pairs, entry {}", path, k);
      int ends[2];
      for (const int end : {0, 1}) {
        const double value = number(end == 0 ? source[k] : target[k], where);
        if (value < 0 || value >= static_cast<double>(n) || value != std::floor(value))
          throw InputError(fmt::format("{} is {}, which is no number of a variable", where, value));
        ends[end] = static_cast<int>(value);
      }
      if (ends[0] == ends[1] || !seen.insert({ends[0], ends[1]}).second)
        throw InputError(fmt::format("{}: a pair that was there before, or a variable with itself", where));
      document.pair_scores.push_back({ends[0], ends[1], number(score[k], where)});
    }
    document.others_score_zero = true;
  }
  return document;
}

}  // namespace causcale

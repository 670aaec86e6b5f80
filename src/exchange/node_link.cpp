// networkx's node-link JSON. Marks other than arrows are the attribute `edge` of a link, read from source to
// target; such a link stands there once.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_text.h"
#include "causcale/error.h"
#include "exchange/format_files.h"

namespace causcale {
namespace {

using Json = nlohmann::ordered_json;

// Ids are texts or numbers; 1 and "1" are different ids but the same name, which is refused as a repetition.
std::string id_text(const Json& id, const std::string& where) {
  if (id.is_string()) return id.get<std::string>();
  if (id.is_number_integer()) return id.dump();
  throw InputError(fmt::format("{}: {} is neither a text nor a whole number", where, shortened(id)));
}

const Json& member(const Json& object, const char* key, const std::string& where) {
  if (!object.is_object() || !object.contains(key))
    throw InputError(fmt::format("{} has no \"{}\"", where, key));
  return object.at(key);
}

}  // namespace

GraphDocument parse_node_link(std::string_view text, const std::string& path) {
  const Json json = parse_json(text, path);
  const Json& nodes = member(json, "nodes", path);
  const char* const key = json.contains("edges") ? "edges" : "links";
  const Json& links = member(json, key, path);
  if (!nodes.is_array() || !links.is_array())
    throw InputError(fmt::format("{}: \"nodes\" and \"{}\" have to be lists", path, key));
  const bool directed = json.value("directed", false);
  DocumentBuilder builder(path);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const std::string where = fmt::format("{}: nodes[{}]", path, k);
    const std::string name = id_text(member(nodes[k], "id", where), where + ".id");
    if (name.empty()) throw InputError(fmt::format("{}: the id is empty", where));
    if (builder.knows(name)) throw InputError(fmt::format("{}: a second node is called '{}'", where, name));
    builder.node(name);
  }
  for (std::size_t k = 0; k < links.size(); ++k) {
    const std::string where = fmt::format("{}: {}[{}]", path, key, k);
    int ends[2];
    for (const int end : {0, 1}) {
      const char* const side = end == 0 ? "source" : "target";
      const std::string name = id_text(member(links[k], side, where), fmt::format("{}.{}", where, side));
      if (!builder.knows(name)) throw InputError(fmt::format("{}: '{}' is none of the nodes", where, name));
      ends[end] = builder.node(name);
    }
    DocumentEdge edge{ends[0], ends[1], Mark::kTail, directed ? Mark::kArrow : Mark::kTail};
    const bool has_marks = links[k].contains("edge");
    if (has_marks && (!links[k]["edge"].is_string() ||
                      !parse_edge_text(links[k]["edge"].get<std::string>(), edge.at_a, edge.at_b)))
      throw InputError(
          fmt::format("{}: edge is {}, not marks such as --> or o->", where, shortened(links[k]["edge"])));
    for (const char* const name : {"probability", "score"})
      if (links[k].contains(name) && links[k][name].is_number()) edge.score = links[k][name].get<double>();
    builder.edge(edge, where, has_marks);
  }
  return builder.finish();
}

std::string format_node_link(const GraphDocument& document) {
  Json nodes = Json::array(), links = Json::array();
  for (const std::string& name : document.names) nodes.push_back({{"id", name}});
  std::set<std::pair<int, int>> written;
  for (const DocumentEdge& edge : document.edges) {
    if (!written.insert({edge.a, edge.b}).second)
      refuse_edge(document, edge, "node-link JSON", "one edge per direction");
    Json link = {{"source", document.names[static_cast<std::size_t>(edge.a)]},
                 {"target", document.names[static_cast<std::size_t>(edge.b)]}};
    if (!std::isnan(edge.score)) link["score"] = edge.score;
    if (!edge.is_arrow()) link["edge"] = edge_text(edge);
    links.push_back(std::move(link));
  }
  // networkx reads "links" by default up to 3.5 and "edges" from 3.6 on.
  const Json out = {{"directed", true}, {"multigraph", false}, {"graph", Json::object()},
                    {"nodes", nodes},   {"links", links},      {"edges", links}};
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace causcale

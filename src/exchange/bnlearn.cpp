// bnlearn: tables of strengths (from,to,strength,direction), in which strength is the probability that two
// variables are joined and direction that of from -> to given that they are; and model strings [A][B|A].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/csv_cell.h"
#include "causcale/error.h"
#include "exchange/edge_table.h"
#include "exchange/format_files.h"
#include "exchange/text_cursor.h"
#include "graph/order.h"

namespace causcale {

GraphDocument parse_bnlearn_strength(std::string_view text, const std::string& path,
                                     std::optional<double> threshold) {
  const EdgeTable table(text, path);
  const std::size_t from = table.required_column({"from"}), to = table.required_column({"to"});
  const std::size_t strength = table.required_column({"strength"});
  const std::size_t direction = table.required_column({"direction"});
  DocumentBuilder builder(path);
  struct Pair {
    double strength, direction;
    std::string where;
  };
  std::map<std::pair<int, int>, Pair> pairs;
  std::vector<std::pair<int, int>> order;
  for (const DelimitedLine& line : table.lines()) {
    const int a = builder.node(table.name(line, from)), b = builder.node(table.name(line, to));
    if (a == b)
      throw InputError(fmt::format("{}: edge from '{}' to itself", table.where(line), line.cells[from]));
    const Pair pair{table.number(line, strength), table.number(line, direction), table.where(line)};
    for (const auto& [value, column] :
         {std::pair(pair.strength, strength), std::pair(pair.direction, direction)})
      if (!(value >= 0.0 && value <= 1.0))
        throw InputError(fmt::format("{}, column {}: {} is no probability", table.where(line), column + 1,
                                     line.cells[column]));
    if (!pairs.emplace(std::pair(a, b), pair).second)
      throw InputError(fmt::format("{}: the pair {}, {} was given before", table.where(line),
                                   line.cells[from], line.cells[to]));
    order.emplace_back(a, b);
    builder.document().pair_scores.push_back({a, b, pair.strength * pair.direction});
  }
  // As bnlearn's averaged.network: strong enough, and not the less probable direction; both at one half are
  // an undirected edge.
  for (const auto& key : order) {
    const Pair& pair = pairs.at(key);
    if (!(pair.strength > threshold.value_or(0.5)) || pair.direction < 0.5) continue;
    const auto other = pairs.find({key.second, key.first});
    const bool open = other != pairs.end() && other->second.strength > threshold.value_or(0.5) &&
                      other->second.direction >= 0.5;
    if (open && key.second < key.first) continue;  // is written once
    builder.edge({key.first, key.second, Mark::kTail, open ? Mark::kTail : Mark::kArrow,
                  open ? pair.strength : pair.strength * pair.direction},
                 pair.where);
  }
  return builder.finish();
}

std::string format_bnlearn_strength(const GraphDocument& document) {
  std::map<std::pair<int, int>, double> score;
  for (const StoredEdge& pair : document.pair_scores) {
    if (!(pair.score >= 0.0 && pair.score <= 1.0))
      throw InputError(fmt::format("{}: scores outside 0 to 1 are no strengths of bnlearn", document.path));
    score[{pair.source, pair.target}] = pair.score;
  }
  if (score.empty()) {
    require_one_edge_per_pair(document, "bnlearn's table of strengths");
    for (const DocumentEdge& edge : document.edges) {
      if (!edge.is_arrow() && !edge.is_undirected())
        refuse_edge(document, edge, "bnlearn's table of strengths", "--> and ---");
      const double strength = std::isnan(edge.score) ? 1.0 : edge.score;
      if (!(strength >= 0.0 && strength <= 1.0))
        throw InputError(fmt::format("{}: scores outside 0 to 1 are no strengths of bnlearn", document.path));
      score[{edge.a, edge.b}] = edge.is_arrow() ? strength : strength / 2;
      score[{edge.b, edge.a}] = edge.is_arrow() ? 0.0 : strength / 2;
    }
  }
  std::string out = "from,to,strength,direction\n";
  for (const auto& [pair, forth] : score) {
    const auto other = score.find({pair.second, pair.first});
    const double back = other == score.end() ? 0.0 : other->second;
    // The two directions exclude each other; a model that is sure of both leaves the direction open.
    const double strength = std::min(1.0, forth + back);
    out +=
        fmt::format("{},{},{:.9g},{:.9g}\n", csv_cell(document.names[static_cast<std::size_t>(pair.first)]),
                    csv_cell(document.names[static_cast<std::size_t>(pair.second)]), strength,
                    forth + back > 0 ? forth / (forth + back) : 0.0);
  }
  return out;
}

GraphDocument parse_bnlearn_model(std::string_view text, const std::string& path) {
  TextCursor at(text, path);
  DocumentBuilder builder(path);
  struct Parent {
    std::string name;
    int child;
    std::string where;
  };
  std::vector<Parent> parents;
  const auto name = [&] {
    std::string result;
    while (!at.at_end() && std::string_view("[]|:\n").find(at.peek()) == std::string_view::npos)
      result += at.take();
    const auto first = result.find_first_not_of(" \t\r");
    if (first == result.npos)
      at.fail(fmt::format("{} where the name of a variable should stand", at.found()));
    return result.substr(first, result.find_last_not_of(" \t\r") - first + 1);
  };
  const auto skip = [&] {
    while (!at.at_end() && std::isspace(static_cast<unsigned char>(at.peek()))) at.take();
  };
  for (skip(); !at.at_end(); skip()) {
    if (at.peek() != '[') at.fail(fmt::format("{} where [ should begin a variable", at.found()));
    at.take();
    const std::string child = name();
    if (builder.knows(child)) at.fail(fmt::format("variable '{}' is given twice", child));
    const int number = builder.node(child);
    if (at.peek() == '|') {
      do {
        at.take();
        parents.push_back({name(), number, at.where()});
      } while (at.peek() == ':');
    }
    if (at.peek() != ']') at.fail(fmt::format("{} where ] should end variable '{}'", at.found(), child));
    at.take();
  }
  if (builder.document().names.empty()) at.fail("there is no variable");
  for (const Parent& parent : parents) {
    if (!builder.knows(parent.name))
      throw InputError(
          fmt::format("{}: '{}' is a parent but has no [ ] of its own", parent.where, parent.name));
    builder.edge({builder.node(parent.name), parent.child, Mark::kTail, Mark::kArrow}, parent.where);
  }
  if (!is_acyclic(arrows_of(builder.document())))
    throw InputError(fmt::format("{}: the model has a directed cycle", path));
  return builder.finish();
}

std::string format_bnlearn_model(const GraphDocument& document) {
  for (const DocumentEdge& edge : document.edges)
    if (!edge.is_arrow()) refuse_edge(document, edge, "a model string of bnlearn", "-->");
  for (const std::string& name : document.names)
    if (name.empty() || name.find_first_of("[]|:\n\r") != std::string::npos || name.front() == ' ' ||
        name.back() == ' ')
      throw InputError(
          fmt::format("{}: a model string of bnlearn cannot hold the name '{}'", document.path, name));
  const Digraph graph = arrows_of(document);
  const auto order = topological_order(graph);
  if (!order)
    throw InputError(fmt::format(
        "{}: the graph has a directed cycle, which a model string of bnlearn cannot hold", document.path));
  std::string out;
  for (const int node : *order) {
    out += '[' + document.names[static_cast<std::size_t>(node)];
    char separator = '|';
    for (const int parent : graph.parents(node)) {
      out += separator + document.names[static_cast<std::size_t>(parent)];
      separator = ':';
    }
    out += ']';
  }
  return out + '\n';
}

}  // namespace causcale

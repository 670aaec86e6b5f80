#include "report/html_edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discover/direction.h"
#include "report/effect_figures.h"

namespace causcale {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kUnitsOfProbability = 10'000;

// Marks belong to the edges of the graph; what a lower threshold would add has none and is left out.
StoredEdges choose_marked_edges(const ShownGraph& graph, const DiscoverResult& result,
                                const HtmlLimits& limits) {
  StoredEdges stored;
  for (const MarkedEdge& edge : graph.edges) {
    if (stored.edges.size() == limits.most_edges) {
      stored.graph_is_whole = false;
      break;
    }
    stored.edges.push_back(
        {{edge.a, edge.b},
         std::max(result.probabilities(edge.a, edge.b), result.probabilities(edge.b, edge.a))});
    stored.marks.push_back(edge_text(edge));
  }
  return stored;
}

// A probability that at least `wanted` edges exceed (or `least`, if that is higher), found by counting:
// sorting all pairs of some thousand variables would take gigabytes.
double cut_off(const Matrix<double>& probabilities, std::size_t wanted, double least) {
  constexpr int bins = 10'000;
  std::vector<std::size_t> count(bins + 1, 0);
  for (double probability : probabilities.values())
    ++count[static_cast<int>(bins * std::clamp(probability, 0.0, 1.0))];
  int bin = bins;
  // The diagonal is among the zeros and never counts here.
  for (std::size_t above = count[bin]; bin > 0 && above < wanted; above += count[--bin]) continue;
  return std::max(least, static_cast<double>(bin - 1) / bins);
}

StoredEdges choose_edges(const DiscoverResult& result, const HtmlLimits& limits) {
  const auto in_graph = [&](const ScoredEdge& scored) {
    return result.graph.has_edge(scored.edge.source, scored.edge.target);
  };
  const std::size_t wanted = std::min(
      limits.most_edges, std::max(limits.least_edges, limits.edges_per_variable * result.names.size()));
  const double floor = cut_off(result.probabilities, wanted, limits.floor);
  StoredEdges stored{.edges = {}, .marks = {}, .floor = floor};
  std::size_t others = 0;
  for (const ScoredEdge& scored : ranked_edges(result.probabilities, floor)) {
    const bool belongs = in_graph(scored);
    if (belongs ? stored.edges.size() < limits.most_edges : others + result.graph.edge_count() < wanted) {
      others += !belongs;
      stored.edges.push_back(scored);
    } else {
      stored.floor = std::max(stored.floor, scored.score);
      stored.graph_is_whole &= !belongs;
    }
  }
  // A threshold of 0 or a large --top lets edges into the graph that are hardly probable at all.
  for (const ScoredEdge& scored : graph_edges(result)) {
    if (scored.score > floor) continue;
    if (stored.edges.size() < limits.most_edges)
      stored.edges.push_back(scored);
    else
      stored.graph_is_whole = false;
  }
  return stored;
}

// Four digits: what a reader compares.
double rounded_score(double score) {
  return std::stod(fmt::format("{:.4g}", score));
}

Json columns_of(const ShownGraph& graph, const DiscoverResult& result, const StoredEdges& stored) {
  std::vector<int> source, target, probability, reverse, in_graph;
  std::vector<double> score, score_reverse;
  for (const ScoredEdge& scored : stored.edges) {
    const auto [from, to] = scored.edge;
    source.push_back(from);
    target.push_back(to);
    probability.push_back(stored_probability(scored.score));
    reverse.push_back(stored_probability(result.probabilities(to, from)));
    in_graph.push_back(stored.in_graph(result, scored.edge));
    score.push_back(rounded_score(graph.result.probabilities(from, to)));
    score_reverse.push_back(rounded_score(graph.result.probabilities(to, from)));
  }
  Json edges = {{"source", source},
                {"target", target},
                {"probability", probability},
                {"reverse", reverse},
                {"in_graph", in_graph},
                {"floor", stored.floor},
                {"graph_is_whole", stored.graph_is_whole}};
  if (!is_probability(graph.result)) {
    edges["score"] = score;
    edges["score_reverse"] = score_reverse;
  }
  if (graph.has_marks) edges["marks"] = stored.marks;
  return edges;
}

// What the bootstrap found, if there was one.
void add_repetitions(const DiscoverResult& result, const StoredEdges& stored, Json& edges) {
  const auto add = [&](const char* name, const Matrix<double>& values) {
    if (values.empty()) return;
    std::vector<int> column;
    for (const ScoredEdge& scored : stored.edges)
      column.push_back(stored_probability(values(scored.edge.source, scored.edge.target)));
    edges[name] = std::move(column);
  };
  add("frequency", result.selection_frequency);
  add("mean", result.bootstrap_mean);
  add("deviation", result.bootstrap_deviation);
}

// Sign and size of the stored edges: columns under the names of effect_figures, null where nothing is known.
void add_effects(const DiscoverResult& result, const StoredEdges& stored, Json& edges) {
  if (result.effects.empty()) return;
  edges["effect_kind"] = Json::array();
  for (const ScoredEdge& scored : stored.edges) {
    const EdgeEffect* effect = find_effect(result, scored.edge);
    edges["effect_kind"].push_back(effect ? Json(effect_kind_name(effect->kind)) : Json());
    for (const auto& [name, value] : effect_figures(result, scored.edge))
      edges[name].push_back(std::isfinite(value) ? Json(rounded_score(value)) : Json());
  }
}

// What in the data tells the direction of every edge; null for pairs that are not in the graph.
void add_directions(const DiscoverResult& result, const StoredEdges& stored, Json& edges) {
  if (result.directions.empty()) return;
  edges["told_by"] = Json::array();
  for (const ScoredEdge& scored : stored.edges) {
    const DirectionEvidence* direction = find_direction(result, scored.edge);
    edges["told_by"].push_back(direction ? Json(name_of(kDirectionNames, direction->basis)) : Json());
  }
}

// That both ends act on each other, and that a hidden variable causes both.
void add_pair_figures(const DiscoverResult& result, const StoredEdges& stored, Json& edges) {
  for (const auto& [name, values] :
       {std::pair("feedback", &result.feedback), std::pair("confounded", &result.confounded)}) {
    if (values->empty()) continue;
    edges[name] = Json::array();
    for (const ScoredEdge& scored : stored.edges)
      edges[name].push_back(rounded_score((*values)(scored.edge.source, scored.edge.target)));
  }
}

}  // namespace

int stored_probability(double probability) {
  return static_cast<int>(std::lround(kUnitsOfProbability * std::clamp(probability, 0.0, 1.0)));
}

StoredEdges choose_stored_edges(const ShownGraph& graph, const DiscoverResult& result,
                                const HtmlLimits& limits) {
  return graph.has_marks ? choose_marked_edges(graph, result, limits) : choose_edges(result, limits);
}

Json edges_json(const ShownGraph& graph, const DiscoverResult& result, const StoredEdges& stored) {
  Json edges = columns_of(graph, result, stored);
  add_repetitions(result, stored, edges);
  add_effects(result, stored, edges);
  add_directions(result, stored, edges);
  add_pair_figures(result, stored, edges);
  return edges;
}

}  // namespace causcale

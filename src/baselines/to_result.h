// From what a method found to what discover reports: knowledge enforced, edges chosen, cycles broken.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "baselines/method.h"
#include "causcale/discover.h"

namespace causcale {

// Without a threshold and without a number of edges the graph is the method's own.
struct EdgeSelection {
  std::optional<double> threshold;  // edges with a greater score
  std::size_t top = 0;              // the K edges of highest score
  bool acyclic = false;
};

// A DiscoverResult whose "probabilities" are the method's scores (score_kind says so) and whose graph holds
// every direction that an edge may have: both of an undirected one, none of a bidirected one.
struct MethodOutcome {
  DiscoverResult result;
  MixedGraph marks;  // the edges with their marks
  GraphClass graph_class = GraphClass::kDirected;
  std::vector<std::string> log;
};

MethodOutcome to_outcome(const std::string& method, const Dataset& dataset, MethodResult found,
                         const Knowledge& knowledge, const EdgeSelection& selection);

// The directions that the marks leave possible: a -> b unless there is an arrowhead at a.
Digraph possible_directions(const MixedGraph& graph);
// Opposite edges become one undirected edge.
MixedGraph with_opposites_joined(const Digraph& graph);

// A DAG with the same adjacencies, the same directed edges and no new collider (Dor and Tarsi 1992); nothing
// when there is none.
std::optional<Digraph> consistent_extension(const MixedGraph& graph);

std::string graph_class_name(GraphClass graph_class);  // "DAG", "CPDAG", ...
// "-->", "---", "o->", "<->", ...: the edge between a and b, read from a to b.
std::string edge_text(const MixedGraph& graph, int a, int b);

}  // namespace causcale

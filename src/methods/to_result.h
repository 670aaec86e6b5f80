// From what a method found to what discover reports: knowledge enforced, edges chosen, cycles broken.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "causcale/discover.h"
#include "methods/method.h"

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

}  // namespace causcale

// From what a method found to what discover reports: knowledge enforced, edges chosen, cycles broken.
#pragma once

#include <cstddef>
#include <cstdint>
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
  // What breaking cycles keeps: the best edge of each cycle, or the largest possible sum of scores. A graph
  // that has a consistent extension (a CPDAG, say) loses no edge by either.
  AcyclicRule acyclic_rule = AcyclicRule::kGreedy;
  std::uint64_t seed = 0;  // of the search for the best graph, where exact search takes too long
  int threads = 0;
};

// A DiscoverResult whose "probabilities" are the method's scores (score_kind says so; of combined methods
// they are shares of methods and called probabilities) and whose graph holds every direction that an edge may
// have: both of an undirected one, none of a bidirected one.
struct MethodOutcome {
  DiscoverResult result;
  MixedGraph marks;  // the edges with their marks
  GraphClass graph_class = GraphClass::kDirected;
  std::vector<std::string> log;
  // Where cycles were broken: the sum of the scores given up (of two opposite arrows only what the kept one
  // is weaker by), what the greedy rule gives up, and whether no acyclic graph of the same edges gives up
  // less.
  struct Price {
    double removed = 0.0, greedy = 0.0;
    bool exact = false;
  };
  std::optional<Price> price;
};

// The same without effects.
MethodOutcome select_outcome(const std::string& method, const Dataset& dataset, MethodResult found,
                             const Knowledge& knowledge, const EdgeSelection& selection);
MethodOutcome to_outcome(const std::string& method, const Dataset& dataset, MethodResult found,
                         const Knowledge& knowledge, const EdgeSelection& selection);

}  // namespace causcale

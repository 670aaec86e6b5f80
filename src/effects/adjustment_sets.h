// What a DAG says about the total effect of one variable on another: sets to adjust for, mediators,
// instruments. Only the graph is looked at, no data.
//
// Some of its nodes may not have been measured: those numbered `measured` and higher. Cause and outcome are
// measured, and so is whatever the functions here give back.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "causcale/effects.h"
#include "causcale/graph.h"

namespace causcale {

// The subgraph of the ancestors of cause and outcome (same node numbers, other nodes without edges). Nothing
// else matters for the effect of one on the other.
Digraph ancestral_graph(const Digraph& graph, int cause, int outcome);

// The nodes of some directed cycle, in its order, the first not repeated; empty without one.
std::vector<int> find_cycle(const Digraph& graph);

// Nodes on directed paths from cause to outcome, outcome included, cause not; ascending. Empty: no effect.
std::vector<int> causal_nodes(const Digraph& dag, int cause, int outcome);

// Parents of the causal nodes that neither are nor descend from such: of all valid sets the one that gives
// the smallest variance of a linear estimate (Henckel, Perkovic and Maathuis 2022).
std::vector<int> optimal_set(const Digraph& dag, int cause, int outcome);

// A set to adjust for that is measured: the optimal one where it is; else, of all measured ancestors of cause
// and outcome, those that tell something about the outcome given the others and the cause, for what tells
// nothing only adds variance. Nothing where no measured set is valid (if any is, that of all ancestors is:
// van der Zander, Liskiewicz and Textor 2014).
std::optional<std::vector<int>> measured_set(const Digraph& dag, int measured, int cause, int outcome);

// A valid set without what tells nothing about the outcome given the rest and the cause, as long as what is
// left is valid.
std::vector<int> pruned_set(const Digraph& dag, int cause, int outcome, std::vector<int> set,
                            const std::function<bool(const std::vector<int>&)>& is_valid);

struct MinimalSets {
  std::vector<std::vector<int>> sets;  // smallest first
  int searched_size = 0;               // all up to this size are listed, unless there are more than asked for
};
// The sets among the candidates (ascending) that are valid and have no valid subset.
MinimalSets minimal_sets(const std::vector<int>& candidates,
                         const std::function<bool(const std::vector<int>&)>& is_valid, std::size_t most = 20);
// Valid adjustment sets without a valid subset.
MinimalSets minimal_sets(const Digraph& dag, int measured, int cause, int outcome, std::size_t most = 20);

// Mediators that intercept every directed path and are confounded neither with the cause nor, given the
// cause, with the outcome: the front door. The causal nodes that are children of the cause, if those will do,
// else those that are parents of the outcome, else a single one; empty if none will. They identify the effect
// also where cause and outcome have a common cause that was not measured.
std::vector<int> front_door_set(const Digraph& dag, int measured, int cause, int outcome);

// Ancestors of the cause that act on the outcome through it only, given nothing or given their own measured
// parents; at most so many, parents of the cause first.
std::vector<Instrument> instruments(const Digraph& dag, int measured, int cause, int outcome,
                                    std::size_t most = 10);

}  // namespace causcale

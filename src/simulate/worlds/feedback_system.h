// Systems at equilibrium: every variable is a weighted sum of responses of others plus its own input, and the
// graph may have cycles.
#pragma once

#include <span>
#include <vector>

#include "simulate/worlds/system.h"

namespace causcale {

struct FeedbackSystem {
  Digraph graph;
  std::vector<std::vector<double>> weights;  // of every node's parents, in the order of graph.parents()
  bool saturating = false;                   // responses x / (1 + |x|) instead of x
};

FeedbackSystem draw_feedback_system(const Digraph& graph, bool saturating, RandomStream& random);

// An upper bound of the spectral radius of the matrix of the weights' sizes. Below 1 every equilibrium
// exists, is unique and stable, whatever nodes are held.
double radius_bound(const FeedbackSystem& system);
void limit_radius(FeedbackSystem& system, double radius);

// x = sum of weight * response(x of the parent) + input, in every row. `share` (as `input`: [node][row]): the
// sum counts times this, 0 for a node that is held at its input.
Columns solve_feedback(const FeedbackSystem& system, const Columns& input, const Columns& share);

inline double feedback_response(bool saturating, double x) {
  return saturating ? x / (1 + (x < 0 ? -x : x)) : x;
}

}  // namespace causcale

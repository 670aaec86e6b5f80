// What knowledge does to the probabilities of edges.
//
// Each pair of variables has three possibilities: forward, reverse, no edge. Knowledge excludes some of them,
// and those that are left share the whole probability in the proportions they had (conditioning):
//
//   forward forbidden    p(reverse) / (1 - p(forward)); the same with the directions exchanged
//   both forbidden       no edge: both become 0
//   forward required     forward becomes 1, reverse 0
//
// Where a fourth is told, that both are there (feedback), each of p(forward) and p(reverse) contains it, and
// it goes with the direction that is forbidden: (p(reverse) - p(both)) / (1 - p(forward)).
#pragma once

#include "causcale/knowledge.h"
#include "causcale/matrix.h"

namespace causcale {

// p / (1 - excluded), within [0, 1] even where rounding lets the two add up to more than 1. Where the
// excluded possibility had all the probability and nothing speaks for the other one, the answer is 0.
double given_excluded(double p, double excluded);

// Entry (i, j) is the probability of i -> j. Pairs that knowledge does not mention keep their numbers bit by
// bit. Of a pair both required and forbidden (see Knowledge::check) the required edge wins.
// `feedback`, symmetric, may be null or empty; it becomes 0 where either direction is known.
void apply_knowledge(const Knowledge& knowledge, Matrix<double>& probabilities,
                     Matrix<double>* feedback = nullptr);

}  // namespace causcale

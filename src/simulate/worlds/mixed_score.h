// Numbers that depend on causes of both kinds: numbers and states.
#pragma once

#include <vector>

#include "simulate/worlds/system.h"

namespace causcale {

enum class ScoreKind {
  kAdditive,     // slopes of numbers and an offset per state
  kConditional,  // slopes and offset of their own for every state of one of the causes
  kTree,         // questions: is the number above, is the state one of these
};

// In all rows, of the node's parents, standardised; 0 where there are no parents.
std::vector<double> draw_mixed_score(ScoreKind kind, const System& system, int node, const Columns& seen,
                                     std::size_t rows, RandomStream& random);

// The leaf of every row in a random tree that asks about each of up to six parents; leaves: 2^questions.
struct MixedLeaves {
  std::vector<int> leaf;
  int leaves = 1;
};
MixedLeaves draw_mixed_leaves(const System& system, int node, const Columns& seen, std::size_t rows,
                              RandomStream& random);

}  // namespace causcale

// States and their probabilities.
#pragma once

#include <span>
#include <vector>

#include "base/random.h"

namespace causcale {

// Probabilities of a symmetric Dirichlet distribution: a small concentration gives rows with one dominant
// state, a large one even rows. They sum to 1.
std::vector<double> draw_dirichlet(int states, double concentration, RandomStream& random);

// Turns weights that are not all 0 into running sums that end at 1.
void accumulate_weights(std::span<double> weights);
// The state at `u` in (0, 1) of running sums.
int state_at(std::span<const double> running_sums, double u);

}  // namespace causcale

// Structural intervention distance (Peters and Buehlmann 2015).
#pragma once

#include <cstddef>

#include "causcale/graph.h"

namespace causcale {

// Between DAGs it is the count of the parent AID.
std::size_t structural_intervention_distance(const Digraph& truth, const Digraph& guess, int threads = 1);

}  // namespace causcale

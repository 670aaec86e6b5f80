#include "metrics/sid.h"

#include "metrics/aid.h"

namespace causcale {

std::size_t structural_intervention_distance(const Digraph& truth, const Digraph& guess, int threads) {
  return parent_aid(truth, guess, threads).count;
}

}  // namespace causcale

// Which rows are made under which intervention.
#pragma once

#include <span>
#include <vector>

#include "base/random.h"
#include "causcale/table.h"

namespace causcale {

enum class InterventionEffect {
  kNone,     // every row is observational
  kPerfect,  // the target is cut off from its parents: U(-1, 1), or as value_spread and value_shift say
  kSoft,     // the target's mechanism is damped and shifted, its parents still act
  kMechanismChange,  // the target's mechanism is drawn anew, with the same parents
  kBlocked,          // what the target does is damped and shifted, as by an inhibitor; it is measured as ever
};

struct InterventionDesign {
  InterventionEffect effect = InterventionEffect::kPerfect;
  double coverage = 1.0;  // share of the nodes that are intervened on in some regime
  int targets_per_regime = 1;
  // Perfect interventions: values are uniform over c +- value_spread, with c ~ N(0, value_shift^2) for every
  // target. Far from what the system does by itself, edges may show that nothing else reveals.
  double value_spread = 1.0;
  double value_shift = 0.0;
};

struct RegimePlan {
  Interventions interventions;  // targets are node numbers
  std::vector<int> first_row;   // of every regime, and the number of rows at the end
};

// One block of rows per regime, covered nodes in random order, observational rows last. With R regimes of
// targets every block has rows / (R + 1) rows and the first ones share the remainder; with fewer rows than
// regimes the first targets get one row each.
RegimePlan plan_regimes(const InterventionDesign& design, std::span<const int> candidates, int rows,
                        RandomStream& random);

}  // namespace causcale

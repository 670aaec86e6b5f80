// What must be zero if an estimate of an effect is right: the cause on variables that it does not move, and
// on the outcome variables that do not act on it (Lipsitch, Tchetgen Tchetgen and Cohen 2010). A common cause
// that was not measured, or a wrong graph, usually shows there as well.
#pragma once

#include <vector>

#include "causcale/effects.h"
#include "effects/variables.h"

namespace causcale {

// For the effect that is estimated by adjustment for `set`. The graph is acyclic, with all its variables;
// those beyond the table's columns were not measured. Those controls are taken that have most to do with the
// outcome (as controls of the outcome) or with the cause, at most so many of either kind.
std::vector<NegativeControl> negative_controls(const EffectTable& table, const Digraph& dag, int cause,
                                               int outcome, const std::vector<int>& set,
                                               std::size_t most = 10);

}  // namespace causcale

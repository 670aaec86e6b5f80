// Sign and size of edges, under the names that every format uses.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "causcale/discover.h"

namespace causcale {

// Null where nothing is known about the edge.
const EdgeEffect* find_effect(const DiscoverResult& result, const Edge& edge);

// effect, effect_low, effect_high, with a bootstrap effect_graph_low and effect_graph_high, then
// effect_nonlinear_p, effect_shift, effect_shift_low, effect_shift_high; NaN where a value is missing. Empty
// when the result has no effects at all.
using EffectFigures = std::vector<std::pair<const char*, double>>;
EffectFigures effect_figures(const DiscoverResult& result, const Edge& edge);

// "+0.41 [0.35, 0.47]", with "curved" behind it where a straight line does not suffice; "not estimable" or
// empty where there is nothing to say.
std::string effect_text(const EdgeEffect* effect);

}  // namespace causcale

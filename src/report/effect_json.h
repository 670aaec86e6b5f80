// An effect as part of a stored result.
#pragma once

#include <nlohmann/json.hpp>

#include "causcale/effects.h"

namespace causcale {

// {"kind": "standardized_coefficient", "size": 0.41, "low": ..., "high": ..., "rows": 900, "nonlinear_p":
// ..., "shift": null, "shift_low": null, "shift_high": null}, with a bootstrap "graph_low" and "graph_high";
// null where a value is missing.
nlohmann::ordered_json effect_json(const EdgeEffect& effect);

}  // namespace causcale

// The answer to "what happens to Y if X is changed", as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "causcale/effects.h"

namespace causcale {

std::string format_total_effect(const TotalEffect& effect, const std::vector<std::string>& names);
// Variables by name; null where a number is missing.
std::string format_total_effect_json(const TotalEffect& effect, const std::vector<std::string>& names);

}  // namespace causcale

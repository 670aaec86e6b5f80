// The tables and files that show a comparison of methods.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "methods/compare.h"

namespace causcale {

std::string format_comparison(const Comparison& comparison, std::size_t most_edges);
std::string format_comparison_csv(const Comparison& comparison);  // a line a method
std::string format_agreement_csv(const Comparison& comparison);   // a line an adjacency
nlohmann::ordered_json comparison_json(const Comparison& comparison);

}  // namespace causcale

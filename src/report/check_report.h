// What check_graph found, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "discover/graph_check.h"

namespace causcale {

struct CheckFiles {
  std::string result, data;  // as they were named; may be empty
};

std::string format_check(const GraphCheck& check, double alpha, const std::vector<std::string>& names);
std::string format_check_json(const GraphCheck& check, double alpha, const std::vector<std::string>& names,
                              const CheckFiles& files);

}  // namespace causcale

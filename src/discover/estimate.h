// From tables to edge probabilities: prior, passes through the network, mean, temperature, knowledge.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "causcale/discover.h"
#include "discover/settings.h"

namespace causcale {

// Tables of one size, rows grouped by regime; they go through the network together. `passed(k)` is called
// when k passes are done. Results [n, n] in the order of the tables.
std::vector<Matrix<double>> estimate(const Settings& settings, const DiscoverOptions& options,
                                     std::span<const Dataset> tables, const std::function<void(int)>& passed);

}  // namespace causcale

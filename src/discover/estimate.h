// From tables to edge probabilities: prior, passes through the network, mean, temperature, knowledge.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "causcale/discover.h"
#include "discover/settings.h"
#include "prior/precision.h"

namespace causcale {

// The priors of tables of one size: [B, n, n], on either device. A GPU that is at hand makes large ones.
at::Tensor prior_input(std::span<const Dataset> tables, const PriorOptions& options,
                       at::Device device = at::kCPU);

// What the network says, averaged over the settings' passes: [B, n, n] on the CPU, in double precision.
// Tables as for estimate(); the seed deals their rows.
at::Tensor mean_probabilities(const Settings& settings, std::span<const Dataset> tables,
                              const at::Tensor& priors, std::uint64_t seed,
                              const std::function<void(int)>& passed);

// What is told of table `index`: its means at the model's temperature and offset.
Matrix<double> told_probabilities(const Settings& settings, const at::Tensor& means, std::size_t index);

// Tables of one size, rows grouped by regime; they go through the network together. `passed(k)` is called
// when k passes are done. Results [n, n] in the order of the tables.
std::vector<Matrix<double>> estimate(const Settings& settings, const DiscoverOptions& options,
                                     std::span<const Dataset> tables, const std::function<void(int)>& passed);

}  // namespace causcale

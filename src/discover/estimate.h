// From tables to edge probabilities: prior, passes through the network, mean, temperature, the model's second
// stage, knowledge.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "causcale/discover.h"
#include "core/network.h"
#include "discover/settings.h"
#include "discover/stacking/companion.h"
#include "prior/precision.h"

namespace causcale {

// Called with the number of passes done, fractions included, and from there up to Settings::steps() by the
// second stage; may throw, which ends the work.
using PassProgress = std::function<void(double passes)>;

// The priors of tables of one size, [B, n, n]; a device that is at hand makes large ones.
std::vector<float> make_priors(const Settings& settings, std::span<const Dataset> tables,
                               const PriorOptions& options);

// What the network says in each of the settings' passes: answered(view, answers), an answer per table.
// Tables as for estimate(); the seed deals their rows.
using PassAnswer = std::function<void(int view, std::span<const core::PairProbabilities> answers)>;
void ask_network(const Settings& settings, std::span<const Dataset> tables, const std::vector<float>& priors,
                 std::uint64_t seed, const PassProgress& progress, const PassAnswer& answered);

// The mean over the passes, and that at the model's temperatures and offsets.
std::vector<core::PairProbabilities> mean_answers(const Settings& settings, std::span<const Dataset> tables,
                                                  const std::vector<float>& priors, std::uint64_t seed,
                                                  const PassProgress& progress = {});
std::vector<core::PairProbabilities> scaled_answers(const Settings& settings, std::span<const Dataset> tables,
                                                    const std::vector<float>& priors, std::uint64_t seed,
                                                    const PassProgress& progress = {});

// The same joined with what the companion says, where there is one: what a second stage begins with.
std::vector<JoinedAnswer> joined_answers(const Settings& settings, std::span<const Dataset> tables,
                                         const std::vector<float>& priors, std::uint64_t seed,
                                         const PassProgress& progress = {});

// Of edges alone.
std::vector<Matrix<double>> mean_probabilities(const Settings& settings, std::span<const Dataset> tables,
                                               const std::vector<float>& priors, std::uint64_t seed,
                                               const PassProgress& progress = {});
std::vector<Matrix<double>> scaled_probabilities(const Settings& settings, std::span<const Dataset> tables,
                                                 const std::vector<float>& priors, std::uint64_t seed,
                                                 const PassProgress& progress = {});

// What is said of a table.
struct Estimate {
  Matrix<double> probabilities;         // [n, n]
  Matrix<double> feedback, confounded;  // [n, n], where the model tells, else empty
};

// The scaled mean, joined with the statistics of every pair where the settings say so; then feedback and
// hidden causes are the second stage's.
std::vector<Estimate> joined_estimates(const Settings& settings, std::span<const Dataset> tables,
                                       const std::vector<float>& priors, std::uint64_t seed,
                                       const PassProgress& progress = {});

// Tables of one size, rows in canonical order; they go through the network together. What the model says,
// with knowledge put into effect, in the order of the tables.
std::vector<Estimate> estimate(const Settings& settings, const DiscoverOptions& options,
                               std::span<const Dataset> tables, const PassProgress& progress);

}  // namespace causcale

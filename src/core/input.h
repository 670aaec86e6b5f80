// From rows to the numbers that the network takes: the only place where that is done, for discover,
// bootstrap, benchmark, calibration and training alike.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "causcale/table.h"
#include "core/channels.h"
#include "core/network.h"
#include "prior/precision.h"

namespace causcale {

// [m, n, 2 + channels]: standardised value (a constant column and missing cells: zeros), intervention flag
// and the model's channels of the given rows, in their order. The columns are standardised over the cells of
// these rows. Without `flags` nobody is told what was intervened on.
void write_data(const Matrix<double>& values, const Interventions& interventions,
                std::span<const std::size_t> rows, bool flags, const InputChannels& channels, float* out);

// [n, n, channels] of a table that write_data() wrote.
void write_pairs(const float* data, std::size_t rows, std::size_t columns, const InputChannels& channels,
                 const Matrix<float>& knowledge, float* out);

// [n, n]; a missing cell counts as its column's mean.
void write_prior(const Matrix<double>& values, const PriorOptions& options, float* out);

// log(1 + x) of every value; see discover/transform.h for when.
void take_logarithms(Matrix<double>& values);

// [B, n, n] of tables of one size.
std::vector<float> prior_input(std::span<const Dataset> tables, const PriorOptions& options);

// The given rows of tables of one size, in the given views (core/views.h), for a network that takes these
// channels.
core::NetworkInput network_input(std::span<const Dataset> tables, const std::vector<float>& priors,
                                 std::span<const std::size_t> rows, std::span<const int> views,
                                 const InputChannels& channels = {}, const Knowledge& knowledge = {});

}  // namespace causcale

// Is this table like anything the model was trained on? Measures a few traits of a table and compares them
// with the ranges that the training data had, which stand in the weight file's metadata (trained_columns =
// "10 100", ...; written by causcale calibrate).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "causcale/discover.h"
#include "core/training_ranges.h"

namespace causcale {

// In this order:
//   columns, rows
//   non_linearity     share of the explained variance between related columns that a straight line misses
//   tails             excess kurtosis that one column in ten exceeds
//   integer_columns   share of the columns whose values are all whole numbers
//   discrete_columns  share of the columns with at most 20 different values
//   zeros             share of the cells that are exactly zero
//   interventions     1 when any row is intervened on
//   partial_coverage  1 when some variables are intervened on and more than a tenth of them are not
//   targets           most variables intervened on at once
using Traits = std::vector<std::pair<std::string, double>>;
Traits table_traits(const Dataset& dataset);

// Remarks on the traits that lie far from their range.
std::vector<Remark> compare_traits(const Traits& traits, const TrainingRanges& ranges);

// Fills the result's traits and applicability.
void judge_applicability(const Dataset& dataset, const TrainingRanges& ranges, DiscoverResult& result);

}  // namespace causcale

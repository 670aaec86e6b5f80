// Tables on which the network is known to answer wrong with confidence, with the method that suits them; and
// columns that can have no edge at all.
#pragma once

#include <vector>

#include "causcale/discover.h"
#include "core/training_ranges.h"

namespace causcale {

// Rows in the order in which they were given. Codes:
//   constant_columns                one value only
//   duplicate_column, sum_of_columns, constant_sum, one_hot_group, collinear_columns   as in the audit
//   row_number_column               counts the rows, in order or not
//   autocorrelated_rows             rows resemble the ones before, as in the audit
//   binary_table, discrete_table, mixed_table   unless the model was trained on counts alone, or knows_kinds:
//                                   statistics that suit the kinds of the columns are part of its answer
//   very_few_rows                   fewer than 30
std::vector<Remark> table_warnings(const Dataset& dataset, const TrainingRanges& ranges,
                                   bool knows_kinds = false);

// No edge leads to or from a constant column: probabilities and figures of the bootstrap become exactly zero,
// except those of required edges.
void clear_constants(const Table& table, const Knowledge& knowledge, DiscoverResult& result);

// uniform_column: names the evenly distributed columns of which an arrow was struck out. Such a column looks
// to the network like one set by experiment, and so like a cause. Simulated causes are evenly distributed as
// well, and then the data bear their arrows out: they are not named.
void warn_of_uniform_columns(const Dataset& dataset, DiscoverResult& result);

// Whether the values look like draws from a uniform distribution; false below 50 values.
bool looks_uniform(std::vector<double> values);

}  // namespace causcale

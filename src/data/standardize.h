// From a table as read to rows and numbers as the network takes them: standardised columns, and an order of
// the rows that does not depend on the order in which they came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "causcale/matrix.h"
#include "causcale/table.h"

namespace causcale {

struct ColumnMoments {
  std::vector<double> mean;
  std::vector<double> deviation;  // divisor m; 1 where the column is constant
};
ColumnMoments column_moments(const Matrix<double>& values);
ColumnMoments column_moments(const Matrix<double>& values,
                             std::span<const std::size_t> rows);  // of these rows

// (value - mean) / deviation, column by column; a constant column becomes exact zeros.
Matrix<double> standardize(const Matrix<double>& values);

// An order of the rows that shuffling rows, reordering or renaming columns, or multiplying a column by a
// positive number does not change: grouped by regime, observational rows first, and within a regime by a hash
// of the content. A hash and not the values themselves, so that neighbouring rows, which the network
// averages, are no more alike than in a random order. Rows that tie are identical.
std::vector<std::size_t> canonical_row_order(const Dataset& dataset, int threads = 1);

// The given rows in the given order, with their interventions.
Dataset take_rows(const Dataset& dataset, std::span<const std::size_t> rows);

// All rows in their canonical order; 0 threads: all cores.
Dataset in_canonical_order(const Dataset& dataset, int threads);

}  // namespace causcale

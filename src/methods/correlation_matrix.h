// Correlations of a table as the classical methods need them: unit-free and finite for any finite table.
#pragma once

#include <string>
#include <vector>

#include "causcale/matrix.h"

namespace causcale {

struct StandardColumns {
  Matrix<double> values;              // mean 0, sum of squares m; a constant column is zero
  std::vector<double> deviation;      // in the units of the table, divisor m
  std::vector<std::size_t> constant;  // columns without any variation
};
StandardColumns standard_columns(const Matrix<double>& values);

// X^T X / m with a diagonal of ones and entries within [-1, 1]; zero beside the diagonal of constant columns.
Matrix<double> correlation_matrix(const StandardColumns& columns);

// What to tell about constant columns; empty when there are none.
std::string constant_columns_note(const StandardColumns& columns, const std::vector<std::string>& names);

}  // namespace causcale

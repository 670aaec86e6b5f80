// A table of mixed columns as a wider one of numbers: a continuous column as it is, a discrete one as
// indicators of all its values but the last.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "causcale/matrix.h"
#include "causcale/table.h"

namespace causcale {

struct ColumnBlock {
  int begin = 0;
  int width = 0;  // 0: a column without two different values
};

struct WidenedColumns {
  std::vector<ColumnBlock> blocks;  // one per column of the table
  Matrix<double> values;            // [m, sum of widths]; mean 0, variance 1 over what is there; NaN: missing
  bool missing = false;

  int width() const { return static_cast<int>(values.cols()); }
};

// `discrete` says which columns become indicators.
WidenedColumns widened_columns(const Table& table, std::span<const char> discrete);

// Correlations of the widened columns, over all rows or, with missing values, over the rows that both columns
// have; then made positive semidefinite by dropping negative eigenvalues. Unit diagonal.
Matrix<double> widened_correlations(const WidenedColumns& columns);

// The largest size of a correlation between the widened columns of a and those of b.
double strongest_correlation(const WidenedColumns& columns, const Matrix<double>& correlations, int a, int b);

// Covariances of some widened columns over the rows that miss none of them; `rows` says how many those are.
Matrix<double> complete_covariances(const WidenedColumns& columns, std::span<const int> members,
                                    std::size_t& rows);

}  // namespace causcale

// Columns that are (nearly) linear combinations of others.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "causcale/matrix.h"

namespace causcale {

struct LinearDependence {
  std::size_t column;
  std::vector<std::size_t> explained_by;  // strongest first
  std::vector<double> coefficients;       // of those, in the columns' own units
  double unexplained;                     // share of its variance that is left, 0 to 1
};

// Looks at the given columns, in their order: each is compared with those before it. Finds columns with less
// than `tolerance` of their variance unexplained. There must be more rows than columns.
std::vector<LinearDependence> linear_dependences(const Matrix<double>& values,
                                                 std::span<const std::size_t> columns, double tolerance);

}  // namespace causcale

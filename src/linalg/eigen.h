// Eigenvalues and eigenvectors of symmetric matrices: Householder's reduction to three diagonals, then the
// implicit QL method. The number of threads does not change a bit of the result.
#pragma once

#include "causcale/matrix.h"
#include "linalg/product.h"

namespace causcale::linalg {

struct Eigenpairs {
  std::vector<double> values;  // ascending
  Matrix<double> vectors;      // row k is the eigenvector of values[k]
};

// Throws Error where the method does not converge: entries that are not finite.
Eigenpairs symmetric_eigenpairs(const Context& context, const Matrix<double>& symmetric);

}  // namespace causcale::linalg

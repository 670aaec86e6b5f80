// The few dense operations on symmetric matrices that the prior needs. The number of threads does not change
// a bit of the results; small matrices stay on the calling thread, so that many threads can prepare training
// data at once.
#pragma once

#include <vector>

#include "causcale/matrix.h"

namespace causcale {

// X^T X for X [m, n], both triangles filled.
Matrix<double> gram(const Matrix<double>& x);

struct SymmetricEigen {
  std::vector<double> values;  // ascending
  Matrix<double> vectors;      // row k is the eigenvector of values[k]
};
SymmetricEigen symmetric_eigen(const Matrix<double>& symmetric);

// Replaces a symmetric matrix by its inverse through Cholesky. False, the matrix then being spoilt, when it
// is not positive definite or its reciprocal condition number (in the 1-norm) is below `least_condition`.
bool invert_positive_definite(Matrix<double>& symmetric, double least_condition);

}  // namespace causcale

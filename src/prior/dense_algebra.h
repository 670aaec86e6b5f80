// The few dense operations on symmetric matrices that the prior needs.
//
// Small matrices go through Eigen on the calling thread, so that many threads can prepare training data at
// once; large ones through LAPACK (OpenBLAS) where the build has it. The thread count of OpenBLAS is left
// alone: it is shared with libtorch, and changing it would change the last bits of results elsewhere.
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
// is not positive definite or its reciprocal condition number is below `least_condition`.
bool invert_positive_definite(Matrix<double>& symmetric, double least_condition);

}  // namespace causcale

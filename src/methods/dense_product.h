// Dense products and inverses of general square matrices.
#pragma once

#include "causcale/matrix.h"

namespace causcale {

Matrix<double> dense_product(const Matrix<double>& a, const Matrix<double>& b);

// Replaces the matrix by its inverse and gives log |det|. False, the matrix then being spoilt, when it is
// singular.
bool invert_with_log_determinant(Matrix<double>& square, double& log_determinant);

}  // namespace causcale

// Sparse linear regression on some of the variables of a correlation matrix: the adaptive lasso, its penalty
// chosen by BIC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "causcale/matrix.h"

namespace causcale {

enum class Regressor : std::uint8_t { kExcluded, kPenalised, kAlways };

// Regresses variable `target` on the variables before it: variable k < target takes part as roles[k] says.
// `weights` are first estimates of the coefficients' sizes (Zou 2006): the penalty on coefficient k is
// divided by weights[k]; zero excludes. Returns `target` coefficients of unit-free variables.
std::vector<double> adaptive_lasso(const Matrix<double>& correlations, int target,
                                   std::span<const Regressor> roles, std::span<const double> weights,
                                   std::size_t rows);

// Least-squares coefficients of every variable on all before it, row by row (lower triangle), from one
// Cholesky decomposition. Variables that the ones before them determine get coefficient 0 everywhere.
Matrix<double> successive_regressions(const Matrix<double>& correlations);

}  // namespace causcale

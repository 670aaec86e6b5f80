// The prior of the graph stream: a precision matrix (inverse covariance) of the data, finite for any table of
// at least two rows, whatever its rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "causcale/matrix.h"
#include "prior/covariance.h"

namespace causcale {

enum class PriorMethod {
  kAuto,           // pseudo-inverse below 100 variables, Ledoit-Wolf from there on
  kPseudoInverse,  // of the covariance with divisor m - 1
  kLedoitWolf,     // inverse of the shrunk covariance
};

inline constexpr std::size_t kLedoitWolfFrom = 100;   // variables
inline constexpr double kSmallestEigenvalue = 1e-10;  // relative to the largest; smaller ones are dropped
inline constexpr double kLeastCondition = 1e-12;      // below it, Cholesky's inverse is rounding error

struct PriorOptions {
  PriorScale scale = PriorScale::kRaw;
  std::optional<std::size_t> rows;  // so many rows drawn without replacement; all rows when absent
  std::uint64_t seed = 0;           // of that draw
  PriorMethod method = PriorMethod::kAuto;
};

// values [m, n], m >= 2 -> [n, n], symmetric. NaN counts as 0 and values are clipped to +-1e6 first.
Matrix<double> precision_prior(const Matrix<double>& values, const PriorOptions& options = {});

// Inverse of a symmetric matrix from which eigenvalues of at most 1e-10 times the largest are dropped.
Matrix<double> pseudo_inverse(const Matrix<double>& symmetric);

// Inverse by Cholesky; a matrix too close to singular for that gets its pseudo-inverse.
Matrix<double> positive_definite_inverse(const Matrix<double>& symmetric);

}  // namespace causcale

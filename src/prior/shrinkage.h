// The Ledoit-Wolf (2004) shrinkage of a covariance matrix towards a multiple of the identity.
#pragma once

#include "causcale/matrix.h"
#include "prior/covariance.h"

namespace causcale {

struct ShrunkCovariance {
  Matrix<double> covariance;   // (1 - shrinkage) S + shrinkage * mean_variance * I, S with divisor m
  double shrinkage = 0.0;      // in [0, 1]
  double mean_variance = 0.0;  // trace(S) / n
};

// The weight of the target: of S [n, n] from m rows the trace and the sum of squares of its entries, and the
// mean of |x|^4 over the rows.
double ledoit_wolf_weight(double trace, double squares, double mean_fourth, std::size_t m, std::size_t n);

// `centred` [m, n] has columns of mean zero.
ShrunkCovariance ledoit_wolf(const Matrix<double>& centred);
ShrunkCovariance ledoit_wolf(const CentredMoments& moments);

}  // namespace causcale

#include "prior/shrinkage.h"

#include <algorithm>

namespace causcale {

// With the norm |A|^2 = trace(A A^T) / n of the paper: d^2 = |S - mu I|^2 is the dispersion of the sample
// covariance S about its target mu I, b^2 = min(d^2, mean over rows x of |x x^T - S|^2 / m) the part of it
// that is sampling error, and the best weight of the target is b^2 / d^2.
double ledoit_wolf_weight(double trace, double squares, double mean_fourth, std::size_t m, std::size_t n) {
  // trace((x x^T)^2) = (x^T x)^2, and the mean of x x^T over the rows is S.
  const double sampling_error = (mean_fourth - squares) / static_cast<double>(m);
  const double dispersion = squares - trace / static_cast<double>(std::max<std::size_t>(1, n)) * trace;
  return dispersion > 0.0 ? std::clamp(sampling_error / dispersion, 0.0, 1.0) : 0.0;
}

ShrunkCovariance ledoit_wolf(const CentredMoments& moments) {
  const std::size_t m = moments.rows, n = moments.products.cols();
  ShrunkCovariance result;
  result.covariance = covariance(moments, static_cast<double>(m));
  Matrix<double>& s = result.covariance;

  double trace = 0.0, squares_of_s = 0.0;
  for (std::size_t i = 0; i < n; ++i) trace += s(i, i);
  for (double value : s.values()) squares_of_s += value * value;
  result.mean_variance = n > 0 ? trace / static_cast<double>(n) : 0.0;
  const double mu = result.mean_variance;

  result.shrinkage = ledoit_wolf_weight(trace, squares_of_s, moments.mean_fourth, m, n);

  for (double& value : s.values()) value *= 1.0 - result.shrinkage;
  for (std::size_t i = 0; i < n; ++i) s(i, i) += result.shrinkage * mu;
  return result;
}

ShrunkCovariance ledoit_wolf(const Matrix<double>& centred) {
  return ledoit_wolf(centred_moments(centred));
}

}  // namespace causcale

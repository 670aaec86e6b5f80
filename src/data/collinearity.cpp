#include "data/collinearity.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace causcale {
namespace {

// Keeps the factorisation going past exactly dependent columns; far below any tolerance worth asking for.
constexpr double kRidge = 1e-11;

// Columns with mean 0 and length 1. A column without any spread stays at zero.
Eigen::MatrixXd unit_columns(const Matrix<double>& values, std::span<const std::size_t> columns,
                             std::size_t step, Eigen::VectorXd& lengths) {
  const auto rows = static_cast<Eigen::Index>((values.rows() + step - 1) / step);
  Eigen::MatrixXd unit(rows, std::ssize(columns));
  lengths.resize(unit.cols());
  for (Eigen::Index r = 0; r < rows; ++r) {
    const auto row = values.row(static_cast<std::size_t>(r) * step);
    for (Eigen::Index c = 0; c < unit.cols(); ++c) unit(r, c) = row[columns[static_cast<std::size_t>(c)]];
  }
  for (Eigen::Index c = 0; c < unit.cols(); ++c) {
    unit.col(c).array() -= unit.col(c).mean();
    const double length = unit.col(c).stableNorm();
    lengths(c) = length;
    if (length > 0.0 && std::isfinite(length))
      unit.col(c) /= length;
    else
      unit.col(c).setZero();
  }
  return unit;
}

}  // namespace

std::vector<LinearDependence> linear_dependences(const Matrix<double>& values,
                                                 std::span<const std::size_t> columns, double tolerance) {
  const auto n = std::ssize(columns);
  // A dependence that holds in all rows holds in evenly spaced ones; a few times n rows settle the matter.
  const std::size_t enough = std::max<std::size_t>(4 * columns.size(), 4000);
  const std::size_t step = std::max<std::size_t>(1, values.rows() / enough);
  Eigen::VectorXd lengths;
  const Eigen::MatrixXd unit = unit_columns(values, columns, step, lengths);
  Eigen::MatrixXd correlation = Eigen::MatrixXd::Zero(n, n);
  correlation.selfadjointView<Eigen::Lower>().rankUpdate(unit.transpose());
  for (Eigen::Index c = 0; c < n; ++c) {
    if (correlation(c, c) == 0.0) correlation(c, c) = 1.0;  // no spread in the rows looked at: nothing to say
    correlation(c, c) += kRidge;
  }
  const Eigen::LLT<Eigen::MatrixXd, Eigen::Lower> factor(correlation);
  std::vector<LinearDependence> found;
  if (factor.info() != Eigen::Success) return found;
  const Eigen::MatrixXd& lower = factor.matrixLLT();
  for (Eigen::Index c = 1; c < n; ++c) {
    // The squared pivot is what the columns before leave unexplained.
    const double unexplained = std::max(0.0, lower(c, c) * lower(c, c) - kRidge);
    if (unexplained >= tolerance) continue;
    const Eigen::VectorXd weights = lower.topLeftCorner(c, c).triangularView<Eigen::Lower>().adjoint().solve(
        lower.row(c).head(c).transpose());
    std::vector<std::size_t> order(static_cast<std::size_t>(c));
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto weight = [&](std::size_t k) { return std::abs(weights(static_cast<Eigen::Index>(k))); };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
    LinearDependence dependence{columns[static_cast<std::size_t>(c)], {}, {}, unexplained};
    for (const std::size_t k : order) {
      if (weight(k) <= 1e-3) break;
      const auto at = static_cast<Eigen::Index>(k);
      dependence.explained_by.push_back(columns[k]);
      dependence.coefficients.push_back(weights(at) * lengths(c) / lengths(at));
    }
    found.push_back(std::move(dependence));
  }
  return found;
}

}  // namespace causcale

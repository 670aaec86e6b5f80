#include "effects/regression.h"

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/distributions.h"

namespace causcale {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmallestEigenvalue = 1e-9;  // of a correlation matrix, whose eigenvalues are 1 on average
constexpr double kLeastFreedom = 1e-9;        // of a row: 1 - its leverage

using Vector = Eigen::VectorXd;
using MapMatrix = Eigen::Map<const Eigen::MatrixXd>;
using MapVector = Eigen::Map<const Vector>;

Eigen::Index index(std::size_t value) {
  return static_cast<Eigen::Index>(value);
}

}  // namespace

double critical_value(double degrees) {
  if (!(degrees > 0.0)) return kNone;
  double low = 0.0, high = 1e4;
  for (int step = 0; step < 80; ++step) {
    const double middle = 0.5 * (low + high);
    (student_two_sided(middle, degrees) > 1.0 - kEffectLevel ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

Interval interval_of(double estimate, std::span<const double> influence, double degrees) {
  double squares = 0.0;
  for (const double value : influence) squares += value * value;
  const double reach = critical_value(degrees) * std::sqrt(squares) / static_cast<double>(influence.size());
  return {estimate - reach, estimate + reach};
}

double mean_of(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double deviation_of(std::span<const double> x) {
  const double mean = mean_of(x);
  double squares = 0.0, size = 0.0;
  for (const double value : x) {
    squares += (value - mean) * (value - mean);
    size = std::max(size, std::abs(value));
  }
  const double deviation = std::sqrt(squares / static_cast<double>(x.size()));
  return deviation > 1e-12 * size ? deviation : 0.0;  // less is rounding
}

LeastSquares::LeastSquares(const std::vector<Column>& columns, std::size_t rows)
    : rows_(rows),
      columns_(columns.size()),
      standard_(rows * columns.size()),
      scale_(columns.size()),
      inverse_(columns.size() * columns.size()),
      leverage_(rows, 1.0 / static_cast<double>(rows)),
      estimable_(columns.size(), 0) {
  if (columns_ == 0) return;
  for (std::size_t j = 0; j < columns_; ++j) {
    const double mean = mean_of(columns[j]);
    scale_[j] = deviation_of(columns[j]);
    if (scale_[j] == 0.0) continue;
    for (std::size_t r = 0; r < rows_; ++r) standard_[j * rows_ + r] = (columns[j][r] - mean) / scale_[j];
  }
  if (columns_ + 2 > rows_) {
    rank_ = rows_;
    return;
  }
  const MapMatrix x(standard_.data(), index(rows_), index(columns_));
  Eigen::MatrixXd correlations = Eigen::MatrixXd::Zero(index(columns_), index(columns_));
  correlations.selfadjointView<Eigen::Lower>().rankUpdate(x.transpose(), 1.0 / static_cast<double>(rows_));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(correlations);
  const Vector& values = solver.eigenvalues();
  const Eigen::MatrixXd& vectors = solver.eigenvectors();
  Vector reciprocal(index(columns_));
  Vector lost = Vector::Zero(index(columns_));  // of every column: its share in directions without variance
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    const bool kept = values[k] > kSmallestEigenvalue;
    reciprocal[k] = kept ? 1.0 / values[k] : 0.0;
    rank_ += kept;
    if (!kept) lost += vectors.col(k).cwiseAbs2();
  }
  Eigen::Map<Eigen::MatrixXd> inverse(inverse_.data(), index(columns_), index(columns_));
  inverse = vectors * reciprocal.asDiagonal() * vectors.transpose();
  for (std::size_t j = 0; j < columns_; ++j) estimable_[j] = scale_[j] > 0.0 && lost[index(j)] < 1e-8;
  const Eigen::MatrixXd weights = x * inverse;
  const Vector shares = weights.cwiseProduct(x).rowwise().sum() / static_cast<double>(rows_);
  for (std::size_t r = 0; r < rows_; ++r) leverage_[r] += shares[index(r)];
}

std::vector<double> LeastSquares::coefficients(std::span<const double> y) const {
  if (columns_ == 0) return {};
  const MapMatrix x(standard_.data(), index(rows_), index(columns_));
  const MapMatrix inverse(inverse_.data(), index(columns_), index(columns_));
  const MapVector target(y.data(), index(rows_));
  const Vector standard = inverse * (x.transpose() * target) / static_cast<double>(rows_);
  std::vector<double> result(columns_);
  for (std::size_t j = 0; j < columns_; ++j)
    result[j] = scale_[j] > 0.0 ? standard[index(j)] / scale_[j] : 0.0;
  return result;
}

Column LeastSquares::residuals(std::span<const double> y) const {
  const double mean = mean_of(y);
  Column result(y.begin(), y.end());
  for (double& value : result) value -= mean;
  if (columns_ == 0) return result;
  const MapMatrix x(standard_.data(), index(rows_), index(columns_));
  const MapMatrix inverse(inverse_.data(), index(columns_), index(columns_));
  Eigen::Map<Vector> left(result.data(), index(rows_));
  const Vector standard = inverse * (x.transpose() * left) / static_cast<double>(rows_);
  left -= x * standard;
  return result;
}

Column LeastSquares::influence(std::size_t column, std::span<const double> residuals) const {
  const MapMatrix x(standard_.data(), index(rows_), index(columns_));
  const MapMatrix inverse(inverse_.data(), index(columns_), index(columns_));
  const Vector weights = x * inverse.col(index(column)) / scale_[column];
  Column result(rows_);
  for (std::size_t r = 0; r < rows_; ++r) {
    const double freedom = 1.0 - leverage_[r], weight = weights[index(r)];
    if (freedom > kLeastFreedom)
      result[r] = weight * residuals[r] / freedom;
    else
      result[r] = std::abs(weight * scale_[column]) > 1e-6 ? kNone : 0.0;
  }
  return result;
}

}  // namespace causcale

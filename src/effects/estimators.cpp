#include "effects/estimators.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "causcale/effects.h"

namespace causcale {
namespace {

constexpr SizeEstimate kNotEstimable{kNoNumber, kNoNumber, kNoNumber};
constexpr double kLeastProbability = 0.01;
constexpr int kMostNewtonSteps = 50;

SizeEstimate with_interval(double size, std::span<const double> influence, double degrees) {
  const Interval interval = interval_of(size, influence, degrees);
  return {size, interval.low, interval.high};
}

Eigen::Index index(std::size_t value) {
  return static_cast<Eigen::Index>(value);
}

// An intercept and standardised covariates.
Eigen::MatrixXd design_of(const std::vector<Column>& covariates, std::size_t rows) {
  Eigen::MatrixXd design(index(rows), index(covariates.size() + 1));
  design.col(0).setOnes();
  for (std::size_t j = 0; j < covariates.size(); ++j) {
    const double mean = mean_of(covariates[j]), deviation = deviation_of(covariates[j]);
    for (std::size_t r = 0; r < rows; ++r)
      design(index(r), index(j + 1)) = deviation > 0 ? (covariates[j][r] - mean) / deviation : 0.0;
  }
  return design;
}

// Newton's method with a ridge so small that it matters only where groups are separable or columns collinear.
Eigen::VectorXd logistic_probabilities(const Eigen::MatrixXd& design, const Eigen::VectorXd& labels) {
  const double ridge = 1e-3;
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(design.cols()), probabilities;
  for (int step = 0; step < kMostNewtonSteps; ++step) {
    probabilities = (1.0 + (-(design * weights).array()).exp()).inverse();
    const Eigen::VectorXd spread = (probabilities.array() * (1.0 - probabilities.array())).max(1e-10);
    const Eigen::VectorXd slope = design.transpose() * (labels - probabilities) - ridge * weights;
    Eigen::MatrixXd curvature = design.transpose() * spread.asDiagonal() * design;
    curvature.diagonal().array() += ridge;
    const Eigen::VectorXd change = curvature.ldlt().solve(slope);
    // A step that is too long oscillates; a bound on it does no harm near the end.
    weights += change / std::max(1.0, change.norm() / 2.0);
    if (change.norm() < 1e-8) break;
  }
  return (1.0 + (-(design * weights).array()).exp()).inverse();
}

// Predictions for all rows of a linear regression in those with cause == group.
Eigen::VectorXd group_predictions(const Eigen::MatrixXd& design, const EffectSample& sample, double group) {
  std::vector<Eigen::Index> members;
  for (std::size_t r = 0; r < sample.rows(); ++r)
    if (sample.cause[r] == group) members.push_back(index(r));
  const Eigen::MatrixXd own = design(members, Eigen::all);
  Eigen::VectorXd outcome(index(members.size()));
  for (std::size_t k = 0; k < members.size(); ++k)
    outcome[index(k)] = sample.outcome[static_cast<std::size_t>(members[k])];
  return design * own.completeOrthogonalDecomposition().solve(outcome);
}

}  // namespace

SizeEstimate linear_estimate(const EffectSample& sample) {
  std::vector<Column> design{sample.cause};
  design.insert(design.end(), sample.covariates.begin(), sample.covariates.end());
  const LeastSquares fit(design, sample.rows());
  if (!(fit.degrees() > 0) || !fit.estimable(0)) return kNotEstimable;
  const double size = fit.coefficients(sample.outcome).front();
  return with_interval(size, fit.influence(0, fit.residuals(sample.outcome)), fit.degrees());
}

SizeEstimate doubly_robust_estimate(const EffectSample& sample) {
  const std::size_t m = sample.rows();
  const auto treated = static_cast<std::size_t>(std::ranges::count(sample.cause, 1.0));
  const std::size_t needed = sample.covariates.size() + 3;
  if (!sample.two_valued_cause || treated < needed || m - treated < needed) return kNotEstimable;
  const Eigen::MatrixXd design = design_of(sample.covariates, m);
  const Eigen::Map<const Eigen::VectorXd> cause(sample.cause.data(), index(m)),
      outcome(sample.outcome.data(), index(m));
  const Eigen::VectorXd probability =
      logistic_probabilities(design, cause).cwiseMax(kLeastProbability).cwiseMin(1.0 - kLeastProbability);
  const Eigen::VectorXd with = group_predictions(design, sample, 1.0),
                        without = group_predictions(design, sample, 0.0);
  Column influence(m);
  for (std::size_t r = 0; r < m; ++r) {
    const Eigen::Index k = index(r);
    influence[r] = with[k] - without[k] + cause[k] / probability[k] * (outcome[k] - with[k]) -
                   (1.0 - cause[k]) / (1.0 - probability[k]) * (outcome[k] - without[k]);
  }
  const double size = mean_of(influence);
  for (double& value : influence) value -= size;
  // One degree of freedom for every coefficient of the two outcome models.
  const double degrees = static_cast<double>(m) - 2.0 * static_cast<double>(sample.covariates.size() + 1);
  const double enlarged = std::sqrt(static_cast<double>(m) / degrees);
  for (double& value : influence) value *= enlarged;
  return with_interval(size, influence, degrees);
}

SizeEstimate front_door_estimate(const EffectSample& sample, const std::vector<Column>& mediators) {
  std::vector<Column> design = mediators;
  design.push_back(sample.cause);
  const LeastSquares second(design, sample.rows()), first({sample.cause}, sample.rows());
  if (!(second.degrees() > 0) || !first.estimable(0)) return kNotEstimable;
  const std::vector<double> onto = second.coefficients(sample.outcome);
  const Column left = second.residuals(sample.outcome);
  Column influence(sample.rows(), 0.0);
  double size = 0.0;
  for (std::size_t k = 0; k < mediators.size(); ++k) {
    if (!second.estimable(k)) return kNotEstimable;
    const double into = first.coefficients(mediators[k]).front();
    size += into * onto[k];
    const Column of_into = first.influence(0, first.residuals(mediators[k])),
                 of_onto = second.influence(k, left);
    for (std::size_t r = 0; r < influence.size(); ++r)
      influence[r] += of_into[r] * onto[k] + into * of_onto[r];
  }
  return with_interval(size, influence, second.degrees());
}

InstrumentEstimate instrument_estimate(const EffectSample& sample, const Column& instrument) {
  std::vector<Column> design{instrument};
  design.insert(design.end(), sample.covariates.begin(), sample.covariates.end());
  const LeastSquares fit(design, sample.rows());
  if (!(fit.degrees() > 0) || !fit.estimable(0)) return {kNotEstimable, kNoNumber};
  const double into_cause = fit.coefficients(sample.cause).front(),
               into_outcome = fit.coefficients(sample.outcome).front(), size = into_outcome / into_cause;
  if (!std::isfinite(size)) return {kNotEstimable, 0.0};
  double squares = 0.0;
  for (const double part : fit.influence(0, fit.residuals(sample.cause))) squares += part * part;
  const double t = into_cause * static_cast<double>(sample.rows()) / std::sqrt(squares), strength = t * t;
  // What the cause does not explain, effect taken out: its slope on the instrument is zero but for noise.
  Column left(sample.rows());
  for (std::size_t r = 0; r < left.size(); ++r) left[r] = sample.outcome[r] - size * sample.cause[r];
  Column influence = fit.influence(0, fit.residuals(left));
  for (double& part : influence) part /= into_cause;
  return {with_interval(size, influence, fit.degrees()), strength};
}

SizeEstimate experiment_estimate(std::span<const double> cause_there, std::span<const double> outcome_there,
                                 std::span<const double> cause_here, std::span<const double> outcome_here) {
  const std::size_t m1 = cause_there.size(), m0 = cause_here.size();
  if (m1 < 3 || m0 < 3) return kNotEstimable;
  const double x1 = mean_of(cause_there), x0 = mean_of(cause_here), y1 = mean_of(outcome_there),
               y0 = mean_of(outcome_here);
  const double moved = x1 - x0;
  const double error = std::sqrt(std::pow(deviation_of(cause_there), 2) / static_cast<double>(m1 - 1) +
                                 std::pow(deviation_of(cause_here), 2) / static_cast<double>(m0 - 1));
  if (!(std::abs(moved) > 3.0 * error)) return kNotEstimable;
  const double size = (y1 - y0) / moved;
  double variance = 0.0;
  const auto add = [&](std::span<const double> x, std::span<const double> y, double mean_x, double mean_y) {
    const auto m = static_cast<double>(x.size());
    for (std::size_t r = 0; r < x.size(); ++r)
      variance += std::pow((y[r] - mean_y - size * (x[r] - mean_x)) / moved, 2) / (m * (m - 1));
  };
  add(cause_there, outcome_there, x1, y1);
  add(cause_here, outcome_here, x0, y0);
  const double reach = critical_value(static_cast<double>(std::min(m1, m0) - 1)) * std::sqrt(variance);
  return {size, size - reach, size + reach};
}

}  // namespace causcale

// A regression that bends, and what it says about the average effect.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "base/shuffle.h"
#include "causcale/effects.h"
#include "effects/estimators.h"

namespace causcale {
namespace {

constexpr int kFolds = 5;
constexpr std::size_t kMostFeatures = 100;
constexpr std::size_t kFewestRows = 40;
constexpr double kRidges[] = {1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0};

Eigen::Index index(std::size_t value) {
  return static_cast<Eigen::Index>(value);
}

// Intercept, cause, covariates, square of the cause (unless two-valued), products of cause and covariates,
// cosines of random projections; and how the average over the rows changes with the cause.
struct Features {
  Eigen::MatrixXd values;   // [rows, features]
  Eigen::MatrixXd changes;  // derivative by the cause, or contrast between its two values
  Eigen::Index plain = 0;   // the first so many are not shrunk
};

Features make_features(const EffectSample& sample, std::uint64_t seed) {
  const std::size_t m = sample.rows(), d = sample.covariates.size() + 1;
  Eigen::MatrixXd u(index(m), index(d));  // standardised; the cause first
  const auto standardize = [&](const Column& column, std::size_t j) {
    const double mean = mean_of(column), deviation = deviation_of(column);
    for (std::size_t r = 0; r < m; ++r)
      u(index(r), index(j)) = deviation > 0 ? (column[r] - mean) / deviation : 0.0;
  };
  standardize(sample.cause, 0);
  for (std::size_t j = 1; j < d; ++j) standardize(sample.covariates[j - 1], j);
  const double deviation = deviation_of(sample.cause), mean = mean_of(sample.cause);
  const double low = (0.0 - mean) / deviation, high = (1.0 - mean) / deviation;  // of two values

  const std::size_t products = sample.two_valued_cause ? d - 1 : d;
  const std::size_t cosines = std::min(kMostFeatures, m / 10);
  const std::size_t count = 1 + d + products + cosines;
  Features features{Eigen::MatrixXd::Zero(index(m), index(count)),
                    Eigen::MatrixXd::Zero(index(m), index(count)), index(1 + d)};
  Eigen::MatrixXd &b = features.values, &db = features.changes;
  const double step = sample.two_valued_cause ? 1.0 : 1.0 / deviation;  // in units of the cause
  const double contrast = sample.two_valued_cause ? high - low : 1.0;
  b.col(0).setOnes();
  b.middleCols(1, index(d)) = u;
  db.col(1).setConstant(contrast * step);
  Eigen::Index at = index(1 + d);
  if (!sample.two_valued_cause) {
    b.col(at) = u.col(0).cwiseAbs2();
    db.col(at++) = 2.0 * step * u.col(0);
  }
  for (std::size_t j = 1; j < d; ++j, ++at) {
    b.col(at) = u.col(0).cwiseProduct(u.col(index(j)));
    db.col(at) = contrast * step * u.col(index(j));
  }
  for (std::size_t k = 0; k < cosines; ++k, ++at) {
    RandomStream random(seed, 0, Purpose::kEffectFeatures, static_cast<std::uint32_t>(k));
    Eigen::VectorXd direction(index(d));
    for (Eigen::Index j = 0; j < direction.size(); ++j) direction[j] = random.normal();
    direction[0] *= random.uniform(0.5, 1.5);
    for (Eigen::Index j = 1; j < direction.size(); ++j) direction[j] /= std::sqrt(static_cast<double>(d - 1));
    const double phase = random.uniform(0.0, 6.283185307179586);
    const Eigen::ArrayXd angle = (u * direction).array() + phase;
    b.col(at) = angle.cos();
    if (sample.two_valued_cause) {
      const Eigen::ArrayXd rest = angle - direction[0] * u.col(0).array();
      db.col(at) = (rest + direction[0] * high).cos() - (rest + direction[0] * low).cos();
    } else {
      db.col(at) = -step * direction[0] * angle.sin();
    }
  }
  return features;
}

// Ridge solutions for every penalty at once: the plain features are projected out of the others first, so
// that only these are shrunk.
class RidgePath {
 public:
  RidgePath(const Eigen::MatrixXd& moments, Eigen::Index plain)
      : plain_(plain), rest_(moments.rows() - plain) {
    const Eigen::MatrixXd head =
        moments.topLeftCorner(plain_, plain_) + 1e-8 * Eigen::MatrixXd::Identity(plain_, plain_);
    head_.compute(head);
    cross_ = head_.solve(moments.topRightCorner(plain_, rest_));
    const Eigen::MatrixXd left =
        moments.bottomRightCorner(rest_, rest_) - moments.bottomLeftCorner(rest_, plain_) * cross_;
    tail_.compute(left);
  }
  Eigen::VectorXd solve(const Eigen::VectorXd& right, double ridge) const {
    const Eigen::VectorXd head = head_.solve(right.head(plain_));
    const Eigen::VectorXd left = right.tail(rest_) - cross_.transpose() * right.head(plain_);
    const Eigen::ArrayXd shrunk =
        (tail_.eigenvectors().transpose() * left).array() / (tail_.eigenvalues().array().max(0.0) + ridge);
    Eigen::VectorXd result(plain_ + rest_);
    result.tail(rest_) = tail_.eigenvectors() * shrunk.matrix();
    result.head(plain_) = head - cross_ * result.tail(rest_);
    return result;
  }

 private:
  Eigen::Index plain_, rest_;
  Eigen::LDLT<Eigen::MatrixXd> head_;
  Eigen::MatrixXd cross_;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> tail_;
};

}  // namespace

SizeEstimate flexible_estimate(const EffectSample& sample, std::uint64_t seed) {
  const std::size_t m = sample.rows();
  const double deviation = deviation_of(sample.outcome), mean = mean_of(sample.outcome);
  if (m < std::max(kFewestRows, 10 * (sample.covariates.size() + 2)) || deviation_of(sample.cause) == 0.0 ||
      deviation == 0.0)
    return {kNoNumber, kNoNumber, kNoNumber};
  Features features = make_features(sample, seed);
  // Of a row in the average: how many rows stand for it.
  Eigen::VectorXd share = Eigen::VectorXd::Ones(index(m));
  if (!sample.averaged.empty()) {
    const auto count = static_cast<double>(std::ranges::count(sample.averaged, 1));
    for (std::size_t r = 0; r < m; ++r)
      share[index(r)] = sample.averaged[r] ? static_cast<double>(m) / count : 0.0;
    features.changes = share.asDiagonal() * features.changes;
  }
  Eigen::VectorXd y(index(m));
  for (std::size_t r = 0; r < m; ++r) y[index(r)] = (sample.outcome[r] - mean) / deviation;

  // Every row in one fold, at random.
  std::vector<Eigen::Index> order(m);
  std::iota(order.begin(), order.end(), 0);
  RandomStream random(seed, 0, Purpose::kEffectFolds);
  shuffle(order, random);

  constexpr std::size_t kRidgeCount = std::size(kRidges);
  Eigen::MatrixXd fitted(index(m), kRidgeCount), change(index(m), kRidgeCount), weight(index(m), kRidgeCount),
      weight_change(index(m), kRidgeCount);
  for (int fold = 0; fold < kFolds; ++fold) {
    std::vector<Eigen::Index> own, others;
    for (std::size_t k = 0; k < m; ++k)
      (static_cast<int>(k % kFolds) == fold ? own : others).push_back(order[k]);
    const Eigen::MatrixXd train = features.values(others, Eigen::all);
    const auto size = static_cast<double>(others.size());
    const RidgePath path(train.transpose() * train / size, features.plain);
    const Eigen::VectorXd with_outcome = train.transpose() * y(others) / size;
    const Eigen::VectorXd with_change = features.changes(others, Eigen::all).colwise().mean().transpose();
    const Eigen::MatrixXd values = features.values(own, Eigen::all),
                          changes = features.changes(own, Eigen::all);
    for (std::size_t k = 0; k < kRidgeCount; ++k) {
      const Eigen::VectorXd outcome = path.solve(with_outcome, kRidges[k]),
                            riesz = path.solve(with_change, kRidges[k]);
      fitted(own, index(k)) = values * outcome;
      change(own, index(k)) = changes * outcome;
      weight(own, index(k)) = values * riesz;
      weight_change(own, index(k)) = changes * riesz;
    }
  }
  // Either part has its own best penalty, by its loss in the folds that it has not seen.
  Eigen::Index best_outcome = 0, best_riesz = 0;
  (fitted.colwise() - y).colwise().squaredNorm().minCoeff(&best_outcome);
  (weight.cwiseAbs2() - 2.0 * weight_change).colwise().mean().minCoeff(&best_riesz);
  Column influence(m);
  for (std::size_t r = 0; r < m; ++r) {
    const Eigen::Index k = index(r);
    influence[r] =
        deviation * (change(k, best_outcome) + weight(k, best_riesz) * (y[k] - fitted(k, best_outcome)));
  }
  const double size = mean_of(influence);
  for (std::size_t r = 0; r < m; ++r) influence[r] -= size * share[index(r)];
  const Interval interval = interval_of(size, influence, static_cast<double>(m - 1));
  return {size, interval.low, interval.high};
}

}  // namespace causcale

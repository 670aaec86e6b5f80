#include "methods/constraint/random_feature_test.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/distributions.h"
#include "base/random.h"
#include "methods/constraint/fisher_z.h"

namespace causcale {
namespace {

constexpr int kPairFeatures = 5, kConditionFeatures = 100;
constexpr std::size_t kRowsForScale = 150;
constexpr std::uint32_t kWeights = 9101, kPhases = 9102, kConditionWeights = 9103, kConditionPhases = 9104;

std::vector<int> members_of(const WidenedColumns& columns, std::span<const int> variables) {
  std::vector<int> members;
  for (const int v : variables)
    for (int k = 0; k < columns.blocks[v].width; ++k) members.push_back(columns.blocks[v].begin + k);
  return members;
}

// The median distance between rows, from a share of them spread evenly.
double median_distance(const Eigen::MatrixXd& values) {
  const std::size_t rows = static_cast<std::size_t>(values.rows()), count = std::min(rows, kRowsForScale);
  std::vector<double> squares;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const auto row_a = static_cast<Eigen::Index>(a * rows / count);
      const auto row_b = static_cast<Eigen::Index>(b * rows / count);
      const double square = (values.row(row_a) - values.row(row_b)).squaredNorm();
      if (square > 0.0) squares.push_back(square);
    }
  if (squares.empty()) return 1.0;
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  return std::sqrt(*middle);
}

// Standardised cosines of random projections; [rows, count].
Eigen::MatrixXd features(const Eigen::MatrixXd& values, std::span<const int> members, int count,
                         std::uint64_t seed, std::uint32_t weight_purpose, std::uint32_t phase_purpose,
                         std::uint32_t item) {
  Eigen::MatrixXd weights(values.cols(), count);
  for (Eigen::Index k = 0; k < values.cols(); ++k) {
    RandomStream random(seed, 0, weight_purpose, static_cast<std::uint32_t>(members[k]));
    for (int f = 0; f < count; ++f) weights(k, f) = random.normal();
  }
  weights /= median_distance(values);
  Eigen::MatrixXd result = values * weights;
  RandomStream random(seed, 0, phase_purpose, item);
  for (int f = 0; f < count; ++f) result.col(f).array() += random.uniform(0.0, 2.0 * M_PI);
  // Single precision is plenty for a random function, and several times as fast.
  result = result.cast<float>().array().cos().cast<double>();
  for (int f = 0; f < count; ++f) {
    result.col(f).array() -= result.col(f).mean();
    const double deviation = std::sqrt(result.col(f).squaredNorm() / static_cast<double>(result.rows()));
    if (deviation > 1e-6) result.col(f) /= deviation;
  }
  return result;
}

}  // namespace

RandomFeatureTest::RandomFeatureTest(WidenedColumns columns, double alpha, std::uint64_t seed)
    : columns_(std::move(columns)),
      critical_(two_sided_normal_quantile(alpha)),
      seed_(seed),
      correlations_(widened_correlations(columns_)) {}

double RandomFeatureTest::log_p(int x, int y, std::span<const int> given) const {
  const std::vector<int> of_x = members_of(columns_, {&x, 1}), of_y = members_of(columns_, {&y, 1}),
                         of_set = members_of(columns_, given);
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < columns_.values.rows(); ++r) {
    bool whole = true;
    if (columns_.missing)
      for (const auto* list : {&of_x, &of_y, &of_set})
        for (const int member : *list) whole &= !std::isnan(columns_.values(r, member));
    if (whole) rows.push_back(r);
  }
  const auto m = static_cast<Eigen::Index>(rows.size());
  constexpr Eigen::Index kLeastRows = 10;
  if (m < kLeastRows) return 0.0;
  const auto values_of = [&](const std::vector<int>& members) {
    Eigen::MatrixXd values(m, static_cast<Eigen::Index>(members.size()));
    for (Eigen::Index r = 0; r < m; ++r)
      for (std::size_t k = 0; k < members.size(); ++k)
        values(r, static_cast<Eigen::Index>(k)) =
            columns_.values(rows[static_cast<std::size_t>(r)], members[k]);
    return values;
  };
  Eigen::MatrixXd rest_x =
      features(values_of(of_x), of_x, kPairFeatures, seed_, kWeights, kPhases, static_cast<std::uint32_t>(x));
  Eigen::MatrixXd rest_y =
      features(values_of(of_y), of_y, kPairFeatures, seed_, kWeights, kPhases, static_cast<std::uint32_t>(y));
  if (!of_set.empty()) {
    // A feature for ten rows at most: more would explain the noise.
    const int count = static_cast<int>(std::clamp<Eigen::Index>(m / 10, 2, kConditionFeatures));
    const Eigen::MatrixXd set =
        features(values_of(of_set), of_set, count, seed_, kConditionWeights, kConditionPhases, 0);
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(count, count);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(set.transpose());
    gram.diagonal().array() += 1e-8 * static_cast<double>(m);
    const Eigen::LLT<Eigen::MatrixXd> solver(gram.selfadjointView<Eigen::Lower>());
    rest_x -= set * solver.solve(set.transpose() * rest_x);
    rest_y -= set * solver.solve(set.transpose() * rest_y);
  }
  const double n = static_cast<double>(m);
  const double statistic = (rest_x.transpose() * rest_y).squaredNorm() / n;
  // Under independence a sum of chi-squares, weighted by the eigenvalues of this matrix.
  Eigen::MatrixXd products(m, kPairFeatures * kPairFeatures);
  for (int a = 0; a < kPairFeatures; ++a)
    for (int b = 0; b < kPairFeatures; ++b)
      products.col(a * kPairFeatures + b) = rest_x.col(a).cwiseProduct(rest_y.col(b));
  const Eigen::MatrixXd weights = products.transpose() * products / n;
  const Eigen::MatrixXd square = weights * weights;
  const double first = weights.trace(), second = 2.0 * square.trace(),
               third = 8.0 * (square.cwiseProduct(weights)).sum();
  if (!(second > 0.0) || !(third > 0.0)) return 0.0;
  const double degrees = 8.0 * second * second * second / (third * third);
  const double scaled = (statistic - first) * std::sqrt(2.0 * degrees / second) + degrees;
  return log_chi_square_tail(std::max(0.0, scaled), degrees);
}

double RandomFeatureTest::strength(int x, int y, std::span<const int> given) const {
  const auto [low, high] = std::minmax(x, y);
  if (columns_.blocks[low].width == 0 || columns_.blocks[high].width == 0) return 0.0;
  std::vector<int> sorted(given.begin(), given.end());
  std::ranges::sort(sorted);
  return normal_of_log_p(log_p(low, high, sorted)) / critical_;
}

double RandomFeatureTest::relevance(int x, int y, int candidate) const {
  return strongest_correlation(columns_, correlations_, x, candidate) *
         strongest_correlation(columns_, correlations_, y, candidate);
}

}  // namespace causcale

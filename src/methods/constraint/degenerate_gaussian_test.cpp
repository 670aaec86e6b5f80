#include "methods/constraint/degenerate_gaussian_test.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/distributions.h"
#include "methods/constraint/fisher_z.h"

namespace causcale {
namespace {

constexpr double kUndecided = std::numeric_limits<double>::infinity();

struct BlockDependence {
  int given = 0, of_x = 0, of_y = 0;  // ranks
  double log_ratio = 0.0;             // log det of x and y together, less those of each
  double correlation = 0.0;           // where both are one column
};

// Columns of `rest` come in the order given, x, y. Takes the given columns out one by one, then x out of y;
// columns that those before them determine are passed over.
BlockDependence dependence_of(Matrix<double>& rest, int given, int x, int y) {
  const int count = given + x + y;
  std::vector<double> whole(count);
  for (int k = 0; k < count; ++k) whole[k] = rest(k, k);
  const auto determined = [&](int k) {
    return !(rest(k, k) > kDeterminedVariance * std::max(whole[k], 1e-300));
  };
  // The lower triangle is not brought up to date.
  const auto take_out = [&](int k) {
    const double scale = 1.0 / rest(k, k);
    for (int a = k + 1; a < count; ++a) {
      const double part = rest(k, a) * scale;
      for (int b = a; b < count; ++b) rest(a, b) -= part * rest(k, b);
    }
  };
  BlockDependence result;
  for (int k = 0; k < given; ++k)
    if (!determined(k)) {
      take_out(k);
      ++result.given;
    }
  if (x == 1 && y == 1) {
    result.of_x = !determined(given);
    result.of_y = !determined(given + 1);
    if (result.of_x && result.of_y)
      result.correlation = std::min(
          1.0, std::abs(rest(given, given + 1)) / std::sqrt(rest(given, given) * rest(given + 1, given + 1)));
    return result;
  }
  Matrix<double> alone = rest;
  double of_y = 0.0;
  for (int k = given + x; k < count; ++k) {
    if (!(alone(k, k) > kDeterminedVariance * whole[k])) continue;
    of_y += std::log(alone(k, k));
    ++result.of_y;
    for (int a = k + 1; a < count; ++a) {
      const double part = alone(k, a) / alone(k, k);
      for (int b = a; b < count; ++b) alone(a, b) -= part * alone(k, b);
    }
  }
  // The same columns of y count in both determinants.
  for (int k = given; k < given + x; ++k)
    if (!determined(k)) {
      ++result.of_x;
      take_out(k);
    }
  double within = 0.0;
  for (int k = given + x; k < count; ++k) {
    if (!(alone(k, k) > kDeterminedVariance * whole[k])) continue;
    const double pivot = std::max(rest(k, k), kDeterminedVariance * whole[k]);
    within += std::log(pivot);
    for (int a = k + 1; a < count; ++a) {
      const double part = rest(k, a) / pivot;
      for (int b = a; b < count; ++b) rest(a, b) -= part * rest(k, b);
    }
  }
  result.log_ratio = std::min(0.0, within - of_y);
  return result;
}

}  // namespace

DegenerateGaussianTest::DegenerateGaussianTest(WidenedColumns columns, double alpha)
    : columns_(std::move(columns)),
      critical_(two_sided_normal_quantile(alpha)),
      rows_(columns_.values.rows()),
      correlations_(widened_correlations(columns_)) {
  if (!columns_.missing) columns_.values = {};
}

int DegenerateGaussianTest::largest_set() const {
  return variables();
}

double DegenerateGaussianTest::relevance(int x, int y, int candidate) const {
  return strongest_correlation(columns_, correlations_, x, candidate) *
         strongest_correlation(columns_, correlations_, y, candidate);
}

double DegenerateGaussianTest::strength(int x, int y, std::span<const int> given) const {
  const auto [low, high] = std::minmax(x, y);
  const ColumnBlock &of_x = columns_.blocks[low], &of_y = columns_.blocks[high];
  if (of_x.width == 0 || of_y.width == 0) return 0.0;
  std::vector<int> members;
  const auto add = [&](const ColumnBlock& block) {
    for (int k = 0; k < block.width; ++k) members.push_back(block.begin + k);
  };
  for (const int member : given) add(columns_.blocks[member]);
  const int conditions = static_cast<int>(members.size());
  add(of_x);
  add(of_y);
  std::size_t rows = rows_;
  Matrix<double> rest;
  if (columns_.missing) {
    rest = complete_covariances(columns_, members, rows);
  } else {
    rest = Matrix<double>(members.size(), members.size());
    for (std::size_t a = 0; a < members.size(); ++a)
      for (std::size_t b = a; b < members.size(); ++b) rest(a, b) = correlations_(members[a], members[b]);
  }
  const BlockDependence found = dependence_of(rest, conditions, of_x.width, of_y.width);
  const double free = static_cast<double>(rows) - found.given;
  if (of_x.width == 1 && of_y.width == 1) {
    if (free < 4.0) return 0.0;
    if (found.of_x == 0 || found.of_y == 0 || !(found.correlation < 1.0)) return kUndecided;
    return std::atanh(found.correlation) * std::sqrt(free - 3.0) / critical_;
  }
  const double factor = free - 1.0 - 0.5 * (found.of_x + found.of_y + 1);
  if (!(factor > 0.0)) return 0.0;
  if (found.of_x == 0 || found.of_y == 0) return kUndecided;
  const double degrees = static_cast<double>(found.of_x) * found.of_y;
  return normal_of_log_p(log_chi_square_tail(-factor * found.log_ratio, degrees)) / critical_;
}

}  // namespace causcale

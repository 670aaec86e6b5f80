#include "learn/baselines/additive_pruning.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "methods/correlation_matrix.h"

namespace causcale {
namespace {

// The continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto away = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), fraction = d;
  for (int k = 1; k < 500; ++k) {
    const double even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < 1e-13) break;
  }
  return fraction;
}

// log of the regularised incomplete beta function
double log_incomplete_beta(double a, double b, double x) {
  if (x <= 0) return -std::numeric_limits<double>::infinity();
  if (x >= 1) return 0;
  const double front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  if (x < (a + 1) / (a + b + 2)) return front - std::log(a) + std::log(beta_fraction(a, b, x));
  const double other = std::exp(front - std::log(b)) * beta_fraction(b, a, 1 - x);
  return std::log1p(-std::min(other, 1.0 - 1e-16));
}

// What the regressions of all targets share.
struct Columns {
  Eigen::MatrixXd values;  // [row, column]
  Eigen::MatrixXd sorted;  // every column by itself
  Matrix<double> correlations;
};

Columns read_columns(const Matrix<double>& data) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(data.rows()), count = static_cast<Eigen::Index>(data.cols());
  Columns columns;
  columns.values = Eigen::Map<const RowMajor>(data.data(), rows, count);
  columns.sorted = columns.values;
  for (Eigen::Index c = 0; c < count; ++c) std::ranges::sort(columns.sorted.col(c));
  columns.correlations = correlation_matrix(standard_columns(data));
  return columns;
}

// Natural cubic spline functions of a column, centred: the column itself, then one a knot beyond two.
Eigen::MatrixXd spline_terms(const Columns& columns, int column, int functions) {
  const auto x = columns.values.col(column), sorted = columns.sorted.col(column);
  const Eigen::Index m = x.size();
  std::vector<double> knots;
  for (int k = 0; k <= functions; ++k) {
    const double share = 0.05 + 0.9 * k / functions;
    const double knot = sorted(static_cast<Eigen::Index>(share * static_cast<double>(m - 1)));
    if (knots.empty() || knot > knots.back()) knots.push_back(knot);  // ties: a column of few values
  }
  const int count = std::max<int>(1, static_cast<int>(knots.size()) - 1);
  Eigen::MatrixXd terms(m, count);
  terms.col(0) = x;
  if (count > 1) {
    const double last = knots.back(), scale = last - knots.front();
    const auto cube = [&](double value) { return value > 0 ? std::pow(value / scale, 3) : 0.0; };
    const auto piece = [&](double value, double knot) {
      return (cube(value - knot) - cube(value - last)) / ((last - knot) / scale);
    };
    const double inner = knots[knots.size() - 2];
    for (int k = 0; k + 1 < count; ++k)
      for (Eigen::Index r = 0; r < m; ++r) terms(r, k + 1) = piece(x(r), knots[k]) - piece(x(r), inner);
  }
  for (int k = 0; k < count; ++k) {
    terms.col(k).array() -= terms.col(k).mean();
    const double norm = terms.col(k).norm();
    if (norm > 0) terms.col(k) /= norm;
  }
  return terms;
}

void test_terms(const Columns& columns, int target, std::vector<int> candidates, int basis,
                Matrix<double>& evidence) {
  const auto m = static_cast<int>(columns.values.rows());
  const auto most = static_cast<std::size_t>(std::max(1, m / 3));
  if (candidates.size() > most) {
    std::ranges::stable_sort(candidates, std::greater<>(), [&](int candidate) {
      return std::abs(columns.correlations(candidate, target));
    });
    candidates.resize(most);
    std::ranges::sort(candidates);
  }
  if (candidates.empty()) return;
  const int functions = std::clamp(m / (3 * static_cast<int>(candidates.size())), 1, basis);

  std::vector<Eigen::MatrixXd> terms;
  std::vector<int> begin;
  int width = 0;
  for (const int candidate : candidates) {
    terms.push_back(spline_terms(columns, candidate, functions));
    begin.push_back(width);
    width += static_cast<int>(terms.back().cols());
  }
  Eigen::MatrixXd design(m, width);
  for (std::size_t k = 0; k < terms.size(); ++k) design.middleCols(begin[k], terms[k].cols()) = terms[k];
  Eigen::VectorXd y = columns.values.col(target);
  y.array() -= y.mean();
  const double freedom = m - 1 - width;
  if (freedom < 1 || y.squaredNorm() == 0) return;

  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(width, width);  // its lower half
  gram.selfadjointView<Eigen::Lower>().rankUpdate(design.transpose());
  gram.diagonal().array() +=
      1e-8;  // collinear columns share what they explain instead of breaking the solver
  const Eigen::LLT<Eigen::MatrixXd> factor(gram);
  if (factor.info() != Eigen::Success) return;
  const Eigen::VectorXd coefficients = factor.solve(design.transpose() * y);
  const Eigen::MatrixXd root = factor.matrixL().solve(Eigen::MatrixXd::Identity(width, width));
  const double residual =
      std::max((y - design * coefficients).squaredNorm(), 1e-12 * y.squaredNorm()) / freedom;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const Eigen::Index functions_used = terms[k].cols();
    const Eigen::VectorXd own = coefficients.segment(begin[k], functions_used);
    const auto own_root = root.middleCols(begin[k], functions_used);
    const Eigen::MatrixXd block = own_root.transpose() * own_root;  // of the inverse
    const double gain = own.dot(block.llt().solve(own)) / static_cast<double>(functions_used);
    const double value = -log10_f_tail(gain / residual, static_cast<double>(functions_used), freedom);
    evidence(candidates[k], target) = std::isfinite(value) ? std::max(value, 0.0) : 0.0;
  }
}

}  // namespace

double log10_f_tail(double value, double numerator, double denominator) {
  if (!(value > 0)) return 0;
  const double x = denominator / (denominator + numerator * value);
  return log_incomplete_beta(denominator / 2, numerator / 2, x) / std::log(10.0);
}

Matrix<double> additive_evidence(const Matrix<double>& data, std::span<const int> order,
                                 const Matrix<std::uint8_t>& allowed, int basis, int threads,
                                 const std::function<void()>& step) {
  const std::size_t n = order.size();
  Matrix<double> evidence(n, n);
  const Columns columns = read_columns(data);
  parallel_for(n, threads, [&](std::size_t place) {
    const int target = order[place];
    std::vector<int> candidates;
    for (std::size_t before = 0; before < place; ++before)
      if (allowed(order[before], target)) candidates.push_back(order[before]);
    std::ranges::sort(candidates);
    test_terms(columns, target, std::move(candidates), basis, evidence);
    if (step) step();
  });
  return evidence;
}

}  // namespace causcale

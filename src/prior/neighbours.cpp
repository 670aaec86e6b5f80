#include "prior/neighbours.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "causcale/error.h"
#include "linalg/product.h"
#include "linalg/triangular.h"
#include "prior/covariance.h"
#include "prior/shrinkage.h"

namespace causcale {
namespace {

constexpr std::size_t kPanel = 192;  // columns whose correlations with all others exist at a time
constexpr double kLeastShrinkage = 1e-6;

std::int64_t whole(std::size_t size) {
  return static_cast<std::int64_t>(size);
}

// C [rows, n] = A_p^T B for the columns p from `begin` on of A [m, n].
void multiply_panel(const linalg::Context& context, const Matrix<double>& a, const Matrix<double>& b,
                    std::size_t begin, std::size_t rows, Matrix<double>& c) {
  linalg::multiply(context, whole(rows), whole(b.cols()), whole(b.rows()), 1.0,
                   {a.data() + begin, 1, whole(a.cols())}, {b.data(), whole(b.cols()), 1}, c.data(),
                   whole(c.cols()), false);
}

// NaN as the mean of what is there, of a column without any value as 0.
Matrix<double> without_gaps(Matrix<double> values) {
  for (std::size_t c = 0; c < values.cols(); ++c) {
    double sum = 0.0, count = 0.0;
    for (std::size_t r = 0; r < values.rows(); ++r)
      if (const double value = values(r, c); !std::isnan(value)) {
        sum += value;
        count += 1.0;
      }
    if (count == static_cast<double>(values.rows())) continue;
    for (std::size_t r = 0; r < values.rows(); ++r)
      if (double& value = values(r, c); std::isnan(value)) value = count > 0.0 ? sum / count : 0.0;
  }
  return values;
}

// Standardised, of long tables some rows.
Matrix<double> standard_values(const Matrix<double>& values, std::uint64_t seed) {
  const std::size_t rows = std::min(values.rows(), kMostNeighbourRows);
  const bool gaps = std::ranges::any_of(values.values(), [](double value) { return std::isnan(value); });
  return centred_values(gaps ? without_gaps(values) : values, rows, seed, PriorScale::kStandardized);
}

// Distances from the mean, standardised like the values.
Matrix<double> distances(const Matrix<double>& standard) {
  Matrix<double> result = standard;
  for (double& value : result.values()) value = std::abs(value);
  return centred_values(result, {}, 0, PriorScale::kStandardized);
}

// With X [m, n] standardised and the shrunk covariance a S + b I its inverse is (I - W^T W) / b, where W^T W
// is X^T (m b / a I + X X^T)^-1 X: m x m is all that has to be inverted.
class PartialCorrelations {
 public:
  PartialCorrelations(const linalg::Context& context, const Matrix<double>& standard)
      : rows_(standard.rows(), standard.cols()), left_(standard.cols()) {
    const std::size_t m = standard.rows(), n = standard.cols();
    Matrix<double> system(m, m);
    linalg::multiply(context, whole(m), whole(m), whole(n), 1.0, {standard.data(), whole(n), 1},
                     {standard.data(), 1, whole(n)}, system.data(), whole(m), false);
    const double weight = std::clamp(shrinkage_of(system, n), kLeastShrinkage, 1.0 - kLeastShrinkage);
    double trace = 0.0;
    for (std::size_t r = 0; r < m; ++r) trace += system(r, r);
    const double mean_variance = std::max(trace / static_cast<double>(m * n), 1e-300);
    for (std::size_t r = 0; r < m; ++r)
      system(r, r) += static_cast<double>(m) * weight * mean_variance / (1.0 - weight);
    if (!linalg::cholesky(context, whole(m), system.data(), whole(m)))
      throw Error("the shrunk covariance of a table is not positive definite");  // a mistake in the code
    linalg::invert_upper(context, whole(m), system.data(), whole(m));
    for (std::size_t r = 1; r < m; ++r) std::fill_n(system.row(r).begin(), r, 0.0);
    linalg::multiply(context, whole(m), whole(n), whole(m), 1.0, {system.data(), 1, whole(m)},
                     {standard.data(), whole(n), 1}, rows_.data(), whole(n), false);
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t c = 0; c < n; ++c) left_[c] += rows_(r, c) * rows_(r, c);
    for (double& value : left_) value = std::sqrt(std::max(1.0 - value, 1e-12));
  }

  const Matrix<double>& rows() const { return rows_; }  // W
  double of(double product, std::size_t i, std::size_t j) const {
    return std::abs(product) / (left_[i] * left_[j]);
  }

 private:
  // Ledoit and Wolf's, from X X^T: its squares add up to those of X^T X.
  static double shrinkage_of(const Matrix<double>& products, std::size_t n) {
    const double m = static_cast<double>(products.rows());
    double trace = 0.0, fourth = 0.0, squares = 0.0;
    for (std::size_t r = 0; r < products.rows(); ++r) {
      trace += products(r, r) / m;
      fourth += products(r, r) * products(r, r) / m;
    }
    for (const double value : products.values()) squares += value * value / (m * m);
    return ledoit_wolf_weight(trace, squares, fourth, products.rows(), n);
  }

  Matrix<double> rows_;
  std::vector<double> left_;  // root of what the other columns leave of each, but for a factor
};

// The first `count` by falling score, ties by number; `own` is left out.
void take_best(const std::vector<double>& scores, std::size_t own, std::size_t count,
               std::vector<std::int32_t>& order) {
  order.clear();
  for (std::size_t c = 0; c < scores.size(); ++c)
    if (c != own) order.push_back(static_cast<std::int32_t>(c));
  const auto before = [&](std::int32_t a, std::int32_t b) {
    const double first = scores[static_cast<std::size_t>(a)], second = scores[static_cast<std::size_t>(b)];
    return first != second ? first > second : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), before);
  order.resize(count);
}

// The first of both, the second of both, ..., each once.
void take_in_turn(const std::vector<std::int32_t>& one, const std::vector<std::int32_t>& other,
                  std::span<std::int32_t> out) {
  std::size_t filled = 0;
  const auto add = [&](std::int32_t column) {
    const auto end = out.begin() + static_cast<std::ptrdiff_t>(filled);
    if (filled < out.size() && std::find(out.begin(), end, column) == end) out[filled++] = column;
  };
  for (std::size_t k = 0; k < one.size() && filled < out.size(); ++k) {
    add(one[k]);
    add(other[k]);
  }
}

}  // namespace

Neighbours likely_neighbours(const Matrix<double>& values, std::size_t each, std::uint64_t seed, int threads,
                             const std::function<void(double share)>& progress) {
  const std::size_t n = values.cols();
  Neighbours result;
  result.columns = n;
  result.each = n == 0 ? 0 : std::min(each, n - 1);
  result.list.resize(n * result.each);
  if (result.each == 0) return result;
  if (progress) progress(0.0);
  const linalg::Context context{.threads = threads};
  const Matrix<double> standard = standard_values(values, seed);
  const Matrix<double> away = distances(standard);
  const PartialCorrelations partial(context, standard);

  Matrix<double> lines(kPanel, n), up(kPanel, n), down(kPanel, n), both(kPanel, n), given(kPanel, n);
  for (std::size_t begin = 0; begin < n; begin += kPanel) {
    if (progress) progress(static_cast<double>(begin) / static_cast<double>(n));
    const std::size_t rows = std::min(kPanel, n - begin);
    multiply_panel(context, standard, standard, begin, rows, lines);
    multiply_panel(context, standard, away, begin, rows, up);
    multiply_panel(context, away, standard, begin, rows, down);
    multiply_panel(context, away, away, begin, rows, both);
    multiply_panel(context, partial.rows(), partial.rows(), begin, rows, given);
    parallel_for(rows, threads, [&](std::size_t r) {
      const std::size_t column = begin + r;
      std::vector<double> scores(n);
      std::vector<std::int32_t> by_partial, by_correlation;
      for (std::size_t c = 0; c < n; ++c) scores[c] = partial.of(given(r, c), column, c);
      take_best(scores, column, result.each, by_partial);
      for (std::size_t c = 0; c < n; ++c)
        scores[c] =
            std::max({std::abs(lines(r, c)), std::abs(up(r, c)), std::abs(down(r, c)), std::abs(both(r, c))});
      take_best(scores, column, result.each, by_correlation);
      take_in_turn(by_partial, by_correlation, {result.list.data() + column * result.each, result.each});
    });
  }
  return result;
}

}  // namespace causcale

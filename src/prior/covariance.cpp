#include "prior/covariance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "causcale/error.h"
#include "prior/dense_algebra.h"

namespace causcale {

namespace {

double cleaned(double value, PriorScale scale) {
  if (std::isnan(value)) return 0.0;
  const bool as_it_is = scale == PriorScale::kStandardized && std::isfinite(value);
  return as_it_is ? value : std::clamp(value, -kLargestValue, kLargestValue);
}

}  // namespace

std::vector<std::size_t> draw_rows(std::size_t total, std::size_t rows, std::uint64_t seed) {
  std::vector<std::size_t> chosen(total);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (rows >= total) return chosen;
  RandomStream random(seed, 0, Purpose::kPriorRows);
  for (std::size_t k = 0; k < rows; ++k)
    std::swap(chosen[k], chosen[k + random.below(static_cast<std::uint32_t>(total - k))]);
  chosen.resize(rows);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Matrix<double> centred_values(const Matrix<double>& values, std::optional<std::size_t> rows,
                              std::uint64_t seed, PriorScale scale) {
  const std::size_t n = values.cols();
  const auto chosen = draw_rows(values.rows(), rows.value_or(values.rows()), seed);
  const std::size_t m = chosen.size();
  if (m < 2) throw InputError(fmt::format("a covariance needs at least 2 rows, there are {}", m));
  Matrix<double> result(m, n);
  std::vector<double> mean(n, 0.0);
  for (std::size_t r = 0; r < m; ++r) {
    const auto from = values.row(chosen[r]);
    const auto to = result.row(r);
    for (std::size_t c = 0; c < n; ++c) mean[c] += to[c] = cleaned(from[c], scale);
  }
  for (double& value : mean) value /= static_cast<double>(m);
  // What rounding left of the mean is taken out in a second pass; a constant column becomes exactly zero.
  std::vector<double> rest(n, 0.0);
  std::vector<char> varies(n, 0);
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t c = 0; c < n; ++c) {
      varies[c] |= cleaned(values(chosen[r], c), scale) != cleaned(values(chosen[0], c), scale);
      rest[c] += result(r, c) -= mean[c];
    }
  std::vector<double> squares(n, 0.0);
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t c = 0; c < n; ++c) {
      double& value = result(r, c);
      value = varies[c] ? value - rest[c] / static_cast<double>(m) : 0.0;
      squares[c] += value * value;
    }
  if (scale == PriorScale::kRaw) return result;
  std::vector<double> deviation(n, 1.0);
  for (std::size_t c = 0; c < n; ++c)
    if (squares[c] > 0.0) deviation[c] = std::sqrt(squares[c] / static_cast<double>(m));
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t c = 0; c < n; ++c) result(r, c) /= deviation[c];
  return result;
}

Matrix<double> covariance(const Matrix<double>& centred, double divisor) {
  Matrix<double> result = gram(centred);
  for (double& value : result.values()) value /= divisor;
  return result;
}

}  // namespace causcale

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

CentredRows::CentredRows(const Matrix<double>& values, std::optional<std::size_t> rows, std::uint64_t seed,
                         PriorScale scale)
    : values_(values), scale_(scale), chosen_(draw_rows(values.rows(), rows.value_or(values.rows()), seed)) {
  const std::size_t n = values.cols(), m = chosen_.size();
  if (m < 2) throw InputError(fmt::format("a covariance needs at least 2 rows, there are {}", m));
  mean_.assign(n, 0.0);
  rest_.assign(n, 0.0);
  varies_.assign(n, 0);
  deviation_.assign(n, 1.0);
  for (const std::size_t r : chosen_) {
    const auto row = values.row(r);
    for (std::size_t c = 0; c < n; ++c) mean_[c] += cleaned(row[c], scale);
  }
  for (double& value : mean_) value /= static_cast<double>(m);
  // What rounding left of the mean is taken out, too; a constant column becomes exactly zero.
  const auto first = values.row(chosen_[0]);
  for (const std::size_t r : chosen_) {
    const auto row = values.row(r);
    for (std::size_t c = 0; c < n; ++c) {
      const double value = cleaned(row[c], scale);
      varies_[c] |= value != cleaned(first[c], scale);
      rest_[c] += value - mean_[c];
    }
  }
  for (double& value : rest_) value /= static_cast<double>(m);
  if (scale == PriorScale::kRaw) return;
  std::vector<double> squares(n, 0.0);
  for (const std::size_t r : chosen_) {
    const auto row = values.row(r);
    for (std::size_t c = 0; c < n; ++c) {
      const double value = centred(row[c], c);
      squares[c] += value * value;
    }
  }
  for (std::size_t c = 0; c < n; ++c)
    if (squares[c] > 0.0) deviation_[c] = std::sqrt(squares[c] / static_cast<double>(m));
}

double CentredRows::centred(double value, std::size_t column) const {
  return varies_[column] ? cleaned(value, scale_) - mean_[column] - rest_[column] : 0.0;
}

Matrix<double> CentredRows::block(std::size_t begin, std::size_t end) const {
  const std::size_t n = values_.cols();
  Matrix<double> result(end - begin, n);
  for (std::size_t r = begin; r < end; ++r) {
    const auto from = values_.row(chosen_[r]);
    const auto to = result.row(r - begin);
    for (std::size_t c = 0; c < n; ++c) to[c] = centred(from[c], c) / deviation_[c];
  }
  return result;
}

Matrix<double> centred_values(const Matrix<double>& values, std::optional<std::size_t> rows,
                              std::uint64_t seed, PriorScale scale) {
  const CentredRows centred(values, rows, seed, scale);
  return centred.block(0, centred.rows());
}

CentredMoments centred_moments(const Matrix<double>& centred) {
  CentredMoments moments{gram(centred), 0.0, centred.rows()};
  for (std::size_t r = 0; r < centred.rows(); ++r) {
    double square = 0.0;
    for (double value : centred.row(r)) square += value * value;
    moments.mean_fourth += square * square / static_cast<double>(centred.rows());
  }
  return moments;
}

CentredMoments centred_moments(const CentredRows& centred, std::size_t block_rows) {
  if (centred.rows() <= block_rows) return centred_moments(centred.block(0, centred.rows()));
  CentredMoments moments;
  for (std::size_t begin = 0; begin < centred.rows(); begin += block_rows) {
    const std::size_t end = std::min(centred.rows(), begin + block_rows);
    const CentredMoments part = centred_moments(centred.block(begin, end));
    if (begin == 0)
      moments.products = part.products;
    else
      for (std::size_t k = 0; k < part.products.size(); ++k)
        moments.products.data()[k] += part.products.data()[k];
    moments.mean_fourth +=
        part.mean_fourth * static_cast<double>(end - begin) / static_cast<double>(centred.rows());
  }
  moments.rows = centred.rows();
  return moments;
}

Matrix<double> covariance(const CentredMoments& moments, double divisor) {
  Matrix<double> result = moments.products;
  for (double& value : result.values()) value /= divisor;
  return result;
}

Matrix<double> covariance(const Matrix<double>& centred, double divisor) {
  Matrix<double> result = gram(centred);
  for (double& value : result.values()) value /= divisor;
  return result;
}

}  // namespace causcale

// Centred data and covariance: the common ground of every precision estimate.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "causcale/matrix.h"

namespace causcale {

enum class PriorScale { kRaw, kStandardized };

// Infinite values count as this, and in raw units larger ones, too.
inline constexpr double kLargestValue = 1e6;

// `rows` distinct row numbers of [0, total) in ascending order, drawn without replacement; all of them when
// `rows` is not below `total`.
std::vector<std::size_t> draw_rows(std::size_t total, std::size_t rows, std::uint64_t seed);

// The chosen rows of a table, centred: never more than a block of them is made. `values` have to outlive it.
class CentredRows {
 public:
  CentredRows(const Matrix<double>& values, std::optional<std::size_t> rows, std::uint64_t seed,
              PriorScale scale);
  std::size_t rows() const { return chosen_.size(); }
  Matrix<double> block(std::size_t begin, std::size_t end) const;  // of the chosen rows

 private:
  double centred(double value, std::size_t column) const;

  const Matrix<double>& values_;
  PriorScale scale_;
  std::vector<std::size_t> chosen_;
  std::vector<double> mean_, rest_, deviation_;
  std::vector<char> varies_;
};

// The chosen rows with NaN replaced by 0 and columns centred. Raw values are clipped to kLargestValue;
// standardised columns are not, as their unit must not matter, and are divided by their deviation (divisor
// m). A constant column stays zero.
Matrix<double> centred_values(const Matrix<double>& values, std::optional<std::size_t> rows,
                              std::uint64_t seed, PriorScale scale);

// What covariance and shrinkage need of centred values X [m, n].
struct CentredMoments {
  Matrix<double> products;   // X^T X
  double mean_fourth = 0.0;  // mean of |x|^4 over the rows
  std::size_t rows = 0;
};
inline constexpr std::size_t kBlockRows = 65'536;
CentredMoments centred_moments(const Matrix<double>& centred);
// In passes over blocks of rows, so that a long table is not copied.
CentredMoments centred_moments(const CentredRows& centred, std::size_t block_rows = kBlockRows);

// X^T X / divisor of centred values X [m, n].
Matrix<double> covariance(const Matrix<double>& centred, double divisor);
Matrix<double> covariance(const CentredMoments& moments, double divisor);

}  // namespace causcale

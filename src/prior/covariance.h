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

// The chosen rows with NaN replaced by 0 and columns centred. Raw values are clipped to kLargestValue;
// standardised columns are not, as their unit must not matter, and are divided by their deviation (divisor
// m). A constant column stays zero.
Matrix<double> centred_values(const Matrix<double>& values, std::optional<std::size_t> rows,
                              std::uint64_t seed, PriorScale scale);

// X^T X / divisor of centred values X [m, n].
Matrix<double> covariance(const Matrix<double>& centred, double divisor);

}  // namespace causcale

// Centred data and covariance: the common ground of every precision estimate.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "causcale/matrix.h"

namespace causcale {

enum class PriorScale { kRaw, kStandardized };

// Larger values, and infinite ones, count as this.
inline constexpr double kLargestValue = 1e6;

// `rows` distinct row numbers of [0, total) in ascending order, drawn without replacement; all of them when
// `rows` is not below `total`.
std::vector<std::size_t> draw_rows(std::size_t total, std::size_t rows, std::uint64_t seed);

// The chosen rows with NaN replaced by 0, values clipped to kLargestValue and columns centred. Standardised
// columns are divided by their deviation (divisor m); a constant column stays zero.
Matrix<double> centred_values(const Matrix<double>& values, std::optional<std::size_t> rows,
                              std::uint64_t seed, PriorScale scale);

// X^T X / divisor of centred values X [m, n].
Matrix<double> covariance(const Matrix<double>& centred, double divisor);

}  // namespace causcale

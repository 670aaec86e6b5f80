#include "methods/correlation_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "prior/dense_algebra.h"

namespace causcale {

StandardColumns standard_columns(const Matrix<double>& values) {
  const std::size_t m = values.rows(), n = values.cols();
  StandardColumns result{Matrix<double>(m, n), std::vector<double>(n, 0.0), {}};
  std::vector<double> low(values.row(0).begin(), values.row(0).end()), high = low;
  for (std::size_t r = 1; r < m; ++r) {
    const auto row = values.row(r);
    for (std::size_t c = 0; c < n; ++c) {
      low[c] = std::min(low[c], row[c]);
      high[c] = std::max(high[c], row[c]);
    }
  }
  // Scaled to [-1, 1] first, so that neither sums nor squares leave the range of double.
  std::vector<double> middle(n), scale(n);
  for (std::size_t c = 0; c < n; ++c) {
    if (low[c] == high[c]) result.constant.push_back(c);
    middle[c] = 0.5 * low[c] + 0.5 * high[c];
    scale[c] = low[c] == high[c] ? 0.0 : 1.0 / (0.5 * high[c] - 0.5 * low[c]);
  }
  const auto take_out_mean = [&] {
    std::vector<double> mean(n, 0.0);
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t c = 0; c < n; ++c) mean[c] += result.values(r, c);
    for (double& value : mean) value /= static_cast<double>(m);
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t c = 0; c < n; ++c) result.values(r, c) -= mean[c];
  };
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t c = 0; c < n; ++c) result.values(r, c) = (values(r, c) - middle[c]) * scale[c];
  take_out_mean();
  take_out_mean();  // what rounding left of it
  std::vector<double> factor(n, 0.0);
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t c = 0; c < n; ++c) factor[c] += result.values(r, c) * result.values(r, c);
  for (std::size_t c = 0; c < n; ++c) {
    if (scale[c] == 0.0) continue;
    const double deviation = std::sqrt(factor[c] / static_cast<double>(m));
    result.deviation[c] = deviation / scale[c];
    factor[c] = 1.0 / deviation;
  }
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t c = 0; c < n; ++c) result.values(r, c) *= factor[c];
  return result;
}

Matrix<double> correlation_matrix(const StandardColumns& columns) {
  Matrix<double> result = gram(columns.values);
  const double m = static_cast<double>(columns.values.rows());
  for (double& value : result.values()) value = std::clamp(value / m, -1.0, 1.0);
  for (std::size_t c = 0; c < result.rows(); ++c) result(c, c) = 1.0;
  return result;
}

std::string constant_columns_note(const StandardColumns& columns, const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 5;
  if (columns.constant.empty()) return {};
  std::string list;
  for (std::size_t k = 0; k < std::min(kNamed, columns.constant.size()); ++k)
    list += (k ? ", " : "") + names[columns.constant[k]];
  if (columns.constant.size() > kNamed) list += ", ...";
  return fmt::format("{} constant column(s) get no edge: {}", columns.constant.size(), list);
}

}  // namespace causcale

#include "methods/widened_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "methods/column_codes.h"
#include "prior/dense_algebra.h"

namespace causcale {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Mean 0 and variance 1 over the values that are there; false when they do not vary.
bool standardise(std::vector<double>& values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::size_t count = 0;
  for (const double value : values)
    if (!std::isnan(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
      ++count;
    }
  if (!(low < high)) return false;
  // Scaled to [-1, 1] first, so that neither sums nor squares leave the range of double.
  const double middle = 0.5 * low + 0.5 * high, scale = 0.5 * high - 0.5 * low;
  for (double& value : values) value = (value - middle) / scale;
  for (int round = 0; round < 2; ++round) {  // the second takes out what rounding left
    double mean = 0.0;
    for (const double value : values)
      if (!std::isnan(value)) mean += value / static_cast<double>(count);
    for (double& value : values) value -= mean;
  }
  double squares = 0.0;
  for (const double value : values)
    if (!std::isnan(value)) squares += value * value;
  const double factor = 1.0 / std::sqrt(squares / static_cast<double>(count));
  for (double& value : values) value *= factor;
  return true;
}

// Correlation over the rows that have both.
double pair_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double n = 0, sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
  for (std::size_t r = 0; r < a.size(); ++r) {
    if (std::isnan(a[r]) || std::isnan(b[r])) continue;
    n += 1;
    sa += a[r];
    sb += b[r];
    saa += a[r] * a[r];
    sbb += b[r] * b[r];
    sab += a[r] * b[r];
  }
  if (n < 2) return 0.0;
  const double va = saa - sa * sa / n, vb = sbb - sb * sb / n;
  if (!(va > 1e-12 * n) || !(vb > 1e-12 * n)) return 0.0;
  return std::clamp((sab - sa * sb / n) / std::sqrt(va * vb), -1.0, 1.0);
}

void drop_negative_eigenvalues(Matrix<double>& correlations) {
  const SymmetricEigen eigen = symmetric_eigen(correlations);
  if (eigen.values.front() >= -1e-10) return;
  const std::size_t n = correlations.rows();
  Matrix<double> result(n, n);
  for (std::size_t k = 0; k < n; ++k) {
    if (eigen.values[k] <= 0.0) continue;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        result(a, b) += eigen.values[k] * eigen.vectors(k, a) * eigen.vectors(k, b);
  }
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      correlations(a, b) = a == b ? 1.0 : result(a, b) / std::sqrt(result(a, a) * result(b, b));
}

}  // namespace

WidenedColumns widened_columns(const Table& table, std::span<const char> discrete) {
  WidenedColumns result;
  std::vector<std::vector<double>> columns;
  std::vector<double> column(table.rows());
  for (std::size_t c = 0; c < table.cols(); ++c) {
    ColumnBlock block{static_cast<int>(columns.size()), 0};
    if (discrete[c]) {
      const CodedColumn coded = coded_column(table, c, "a degenerate Gaussian");
      result.missing |= coded.missing;
      for (int level = 0; level + 1 < coded.levels; ++level) {
        for (std::size_t r = 0; r < table.rows(); ++r)
          column[r] = coded.codes[r] == coded.levels ? kMissing : coded.codes[r] == level ? 1.0 : 0.0;
        if (standardise(column)) columns.push_back(column);
      }
    } else {
      for (std::size_t r = 0; r < table.rows(); ++r) {
        column[r] = table.values(r, c);
        result.missing |= std::isnan(column[r]);
      }
      if (standardise(column)) columns.push_back(column);
    }
    block.width = static_cast<int>(columns.size()) - block.begin;
    result.blocks.push_back(block);
  }
  result.values = Matrix<double>(table.rows(), columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k)
    for (std::size_t r = 0; r < table.rows(); ++r) result.values(r, k) = columns[k][r];
  return result;
}

Matrix<double> widened_correlations(const WidenedColumns& columns) {
  const std::size_t width = columns.values.cols(), rows = columns.values.rows();
  Matrix<double> result;
  if (!columns.missing) {
    result = gram(columns.values);
    for (double& value : result.values()) value = std::clamp(value / static_cast<double>(rows), -1.0, 1.0);
    for (std::size_t k = 0; k < width; ++k) result(k, k) = 1.0;
    return result;
  }
  std::vector<std::vector<double>> by_column(width, std::vector<double>(rows));
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < width; ++k) by_column[k][r] = columns.values(r, k);
  result = Matrix<double>(width, width);
  for (std::size_t a = 0; a < width; ++a) {
    result(a, a) = 1.0;
    for (std::size_t b = 0; b < a; ++b)
      result(a, b) = result(b, a) = pair_correlation(by_column[a], by_column[b]);
  }
  drop_negative_eigenvalues(result);
  return result;
}

Matrix<double> complete_covariances(const WidenedColumns& columns, std::span<const int> members,
                                    std::size_t& rows) {
  const std::size_t count = members.size();
  Matrix<double> products(count, count);
  std::vector<double> sums(count, 0.0), line(count);
  rows = 0;
  for (std::size_t r = 0; r < columns.values.rows(); ++r) {
    const auto row = columns.values.row(r);
    bool whole = true;
    for (std::size_t k = 0; k < count && whole; ++k) {
      line[k] = row[members[k]];
      whole = !std::isnan(line[k]);
    }
    if (!whole) continue;
    ++rows;
    for (std::size_t a = 0; a < count; ++a) {
      sums[a] += line[a];
      for (std::size_t b = 0; b <= a; ++b) products(a, b) += line[a] * line[b];
    }
  }
  const double n = static_cast<double>(std::max<std::size_t>(1, rows));
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b <= a; ++b)
      products(a, b) = products(b, a) = products(a, b) / n - sums[a] / n * (sums[b] / n);
  return products;
}

double strongest_correlation(const WidenedColumns& columns, const Matrix<double>& correlations, int a,
                             int b) {
  const ColumnBlock &of_a = columns.blocks[a], &of_b = columns.blocks[b];
  double result = 0.0;
  for (int i = 0; i < of_a.width; ++i)
    for (int j = 0; j < of_b.width; ++j)
      result = std::max(result, std::abs(correlations(of_a.begin + i, of_b.begin + j)));
  return result;
}

}  // namespace causcale

#include "discover/residual_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace causcale {
namespace {

constexpr double kQuantiles[] = {0.5, 0.1, 0.9, 0.3, 0.7};  // in the order in which rows pay for them
constexpr std::size_t kRowsPerFeature = 20;
constexpr double kRidge = 1e-3;      // of standardised columns; keeps collinear features apart
constexpr double kWideShare = 0.02;  // of a Cauchy curve as wide as all values
constexpr double kCellsPerWidth = 8.0;
constexpr std::size_t kMostCells = 8192;
constexpr double kReach = 4.0;  // widths, after which the kernel counts as zero

double quantile(std::vector<double> values, double share) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

Eigen::Map<const Eigen::VectorXd> vector_of(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

std::vector<double> residuals(std::span<const double> target, std::span<const std::vector<double>> predictors,
                              std::size_t bends) {
  const auto rows = static_cast<Eigen::Index>(target.size());
  const auto features = static_cast<Eigen::Index>(1 + predictors.size() * (1 + bends));
  Eigen::MatrixXd x(rows, features);
  x.col(0).setOnes();
  Eigen::Index at = 1;
  for (const std::vector<double>& predictor : predictors) {
    const auto values = vector_of(predictor);
    x.col(at++) = values;
    for (std::size_t k = 0; k < bends; ++k)
      x.col(at++) = (values.array() - quantile(predictor, kQuantiles[k])).max(0.0);
  }
  const double scale = 1.0 / static_cast<double>(rows);
  Eigen::MatrixXd moments = x.transpose() * x * scale;
  moments.diagonal().tail(features - 1).array() += kRidge;
  const Eigen::VectorXd right = x.transpose() * vector_of(target) * scale;
  const Eigen::VectorXd left = vector_of(target) - x * moments.ldlt().solve(right);
  return {left.begin(), left.end()};
}

}  // namespace

std::vector<double> standard_scores(std::vector<double> values) {
  const auto m = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / m;
  double squares = 0.0;
  for (double& value : values) {
    value -= mean;
    squares += value * value;
  }
  if (!(squares > 1e-24 * m * (1.0 + mean * mean))) return {};
  for (double& value : values) value *= std::sqrt(m / squares);
  return values;
}

std::vector<double> log_density(std::span<const double> values) {
  const auto m = static_cast<double>(values.size());
  const std::vector<double> copy(values.begin(), values.end());
  const double mean = std::accumulate(copy.begin(), copy.end(), 0.0) / m;
  double spread = 0.0;
  for (const double value : copy) spread += (value - mean) * (value - mean);
  spread = std::sqrt(spread / m);
  // The rule of Silverman (1986), by the quartiles where tails are heavy.
  const double middle = (quantile(copy, 0.75) - quantile(copy, 0.25)) / 1.349;
  double width = 0.9 * (middle > 0.0 ? std::min(spread, middle) : spread) * std::pow(m, -0.2);
  const auto [low, high] = std::ranges::minmax(copy);
  const double range = high - low;
  const double cells_wanted = kCellsPerWidth * range / width + 1.0;
  const auto cells = static_cast<std::size_t>(std::clamp(cells_wanted, 2.0, double{kMostCells}));
  const double step = range / static_cast<double>(cells - 1);
  width = std::max(width, 2.0 * step);

  std::vector<double> weight(cells, 0.0);
  const auto place = [&, low = low](double value) {
    const double exact = std::min((value - low) / step, static_cast<double>(cells - 1));
    const auto cell = std::min(static_cast<std::size_t>(exact), cells - 2);
    return std::pair(cell, exact - static_cast<double>(cell));
  };
  for (const double value : copy) {
    const auto [cell, share] = place(value);
    weight[cell] += 1.0 - share;
    weight[cell + 1] += share;
  }
  const auto reach = static_cast<std::size_t>(kReach * width / step);
  std::vector<double> kernel(reach + 1);
  for (std::size_t k = 0; k <= reach; ++k) {
    const double u = static_cast<double>(k) * step / width;
    kernel[k] = std::exp(-0.5 * u * u) / (width * std::sqrt(2.0 * std::numbers::pi));
  }
  std::vector<double> smooth(cells, 0.0);
  for (std::size_t from = 0; from < cells; ++from) {
    if (weight[from] == 0.0) continue;
    const std::size_t first = from > reach ? from - reach : 0, last = std::min(cells - 1, from + reach);
    for (std::size_t to = first; to <= last; ++to)
      smooth[to] += weight[from] * kernel[from > to ? from - to : to - from];
  }
  std::vector<double> result;
  result.reserve(copy.size());
  for (const double value : copy) {
    const auto [cell, share] = place(value);
    const double all = (1.0 - share) * smooth[cell] + share * smooth[cell + 1];
    const double others = std::max(0.0, all - kernel[0]) / (m - 1.0);
    const double u = (value - mean) / spread;
    const double wide = 1.0 / (std::numbers::pi * spread * (1.0 + u * u));
    result.push_back(std::log((1.0 - kWideShare) * others + kWideShare * wide));
  }
  return result;
}

std::vector<double> bent_residuals(std::span<const double> target,
                                   std::span<const std::vector<double>> predictors) {
  const std::size_t paid = target.size() / kRowsPerFeature;
  if (paid < 1 + predictors.size()) return {};
  const std::size_t bends =
      predictors.empty() ? 0 : std::min(std::size(kQuantiles), (paid - 1) / predictors.size() - 1);
  return residuals(target, predictors, bends);
}

std::vector<double> straight_residuals(std::span<const double> target,
                                       std::span<const std::vector<double>> predictors) {
  if (target.size() / kRowsPerFeature < 1 + predictors.size()) return {};
  return residuals(target, predictors, 0);
}

}  // namespace causcale

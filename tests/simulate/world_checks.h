// What the tests of worlds share: samples by name, plain statistics, average precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "metrics/average_precision.h"
#include "simulate/worlds/world.h"

namespace causcale::test {

using Settings = std::map<std::string, std::string>;

inline WorldSample sample_of(const std::string& world, int nodes, int rows, const Settings& settings,
                             std::uint32_t index, std::uint64_t seed = 1) {
  return draw_world(world_named(world), {nodes, rows, settings}, seed, index);
}

inline std::vector<double> column_of(const WorldSample& sample, std::size_t column) {
  std::vector<double> values;
  for (std::size_t r = 0; r < sample.dataset.table.rows(); ++r)
    values.push_back(sample.dataset.table.values(r, column));
  return values;
}

inline double mean_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

inline double covariance_of(const std::vector<double>& x, const std::vector<double>& y) {
  const double mx = mean_of(x), my = mean_of(y);
  double sum = 0;
  for (std::size_t r = 0; r < x.size(); ++r) sum += (x[r] - mx) * (y[r] - my);
  return sum / static_cast<double>(x.size());
}

inline double correlation_of(const std::vector<double>& x, const std::vector<double>& y) {
  const double scale = std::sqrt(covariance_of(x, x) * covariance_of(y, y));
  return scale > 0 ? covariance_of(x, y) / scale : 0.0;
}

// Few distinct values stay as they are; others are cut into five parts of equal size.
inline std::vector<int> bins_of(const std::vector<double>& x) {
  std::vector<double> levels = x;
  std::sort(levels.begin(), levels.end());
  std::vector<double> distinct = levels;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() > 20) {
    distinct.clear();
    for (int k = 0; k < 5; ++k) distinct.push_back(levels[k * levels.size() / 5]);
  }
  std::vector<int> bins;
  for (const double value : x)
    bins.push_back(
        static_cast<int>(std::upper_bound(distinct.begin(), distinct.end(), value) - distinct.begin()));
  return bins;
}

// How far chi-square of the table of counts lies above what independence gives, in its deviations.
inline double dependence_of(const std::vector<int>& x, const std::vector<int>& y) {
  const int a = 1 + *std::max_element(x.begin(), x.end()), b = 1 + *std::max_element(y.begin(), y.end());
  std::vector<double> both(a * b), first(a), second(b);
  for (std::size_t r = 0; r < x.size(); ++r) {
    both[x[r] * b + y[r]] += 1;
    first[x[r]] += 1;
    second[y[r]] += 1;
  }
  double chi_square = 0;
  int rows = 0, cols = 0;
  for (const double count : first) rows += count > 0;
  for (const double count : second) cols += count > 0;
  for (int i = 0; i < a; ++i)
    for (int j = 0; j < b; ++j) {
      const double expected = first[i] * second[j] / static_cast<double>(x.size());
      if (expected > 0) chi_square += (both[i * b + j] - expected) * (both[i * b + j] - expected) / expected;
    }
  const double degrees = std::max(1, (rows - 1) * (cols - 1));
  return (chi_square - degrees) / std::sqrt(2 * degrees);
}

inline Matrix<double> dependences(const WorldSample& sample) {
  const std::size_t n = sample.dataset.table.cols();
  std::vector<std::vector<int>> bins;
  for (std::size_t c = 0; c < n; ++c) bins.push_back(bins_of(column_of(sample, c)));
  Matrix<double> scores(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j) scores(i, j) = dependence_of(bins[i], bins[j]);
  return scores;
}

inline double edge_share(const Matrix<std::uint8_t>& adjacency) {
  double edges = 0;
  for (const std::uint8_t edge : adjacency.values()) edges += edge;
  return edges / static_cast<double>(adjacency.rows() * (adjacency.rows() - 1));
}

// Means of average precision and of chance (the share of true pairs) over data sets.
struct MeanPrecision {
  double precision = 0, chance = 0;
  int sets = 0;
  void add(double value, double share) {
    if (std::isnan(value)) return;  // no edge
    precision = (precision * sets + value) / (sets + 1);
    chance = (chance * sets + share) / (sets + 1);
    ++sets;
  }
};

}  // namespace causcale::test

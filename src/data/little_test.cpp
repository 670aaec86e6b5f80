#include "data/little_test.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "base/distributions.h"
#include "data/normal_scores.h"

namespace causcale {
namespace {

constexpr std::size_t kMostColumns = 12, kMostRows = 2000, kFewestRows = 30;
constexpr int kMostSteps = 200;
constexpr double kSettled = 1e-6;  // largest change of a mean or covariance, in deviations
constexpr double kRidge = 1e-9;    // keeps columns that follow from others from dividing by zero

// The rows that have the same cells.
struct Pattern {
  std::vector<Eigen::Index> seen, gone;
  std::vector<std::size_t> rows;
};

// The cells of evenly spaced rows.
Table spaced(const Table& table) {
  const std::size_t step = std::max<std::size_t>(1, (table.rows() + kMostRows - 1) / kMostRows);
  Table result;
  result.names = table.names;
  result.values = Matrix<double>((table.rows() + step - 1) / step, table.cols());
  for (std::size_t r = 0; r < result.rows(); ++r)
    for (std::size_t c = 0; c < table.cols(); ++c) result.values(r, c) = table.values(r * step, c);
  return result;
}

std::vector<std::size_t> chosen_columns(const Table& table, const std::vector<ColumnKind>& kinds) {
  std::vector<std::pair<std::size_t, std::size_t>> ranked;  // cells that are there, column
  for (std::size_t c = 0; c < table.cols(); ++c) {
    if (kinds[c] == ColumnKind::kUnordered) continue;
    std::size_t count = 0;
    bool varies = false;
    double first = 0.0;
    for (std::size_t r = 0; r < table.rows(); ++r) {
      const double value = table.values(r, c);
      if (!std::isfinite(value)) continue;
      if (count++ == 0) first = value;
      varies |= value != first;
    }
    if (varies) ranked.emplace_back(count, c);
  }
  std::ranges::sort(ranked);
  if (ranked.size() > kMostColumns) ranked.resize(kMostColumns);
  std::vector<std::size_t> columns;
  for (const auto& [count, column] : ranked) columns.push_back(column);
  return columns;
}

// The normal scores of the columns' ranks, in deviations: gaps at random stay so, and a few values far out do
// not decide the means.
Eigen::MatrixXd scores_of(const Table& table, const std::vector<std::size_t>& columns) {
  const Table scores = with_normal_scores(table);
  Eigen::MatrixXd cells(static_cast<Eigen::Index>(table.rows()), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    double count = 0.0, sum = 0.0, squares = 0.0;
    for (std::size_t r = 0; r < table.rows(); ++r) {
      const double score = scores.values(r, columns[k]);
      cells(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(k)) = score;
      if (std::isnan(score)) continue;
      ++count;
      sum += score;
      squares += score * score;
    }
    const double mean = sum / count, deviation = std::sqrt(std::max(1e-12, squares / count - mean * mean));
    auto column = cells.col(static_cast<Eigen::Index>(k)).array();
    column = (column - mean) / deviation;
  }
  return cells;
}

std::vector<Pattern> patterns_of(const Eigen::MatrixXd& cells) {
  std::map<std::uint32_t, Pattern> found;
  for (Eigen::Index r = 0; r < cells.rows(); ++r) {
    std::uint32_t key = 0;
    for (Eigen::Index c = 0; c < cells.cols(); ++c) key |= std::uint32_t{std::isfinite(cells(r, c))} << c;
    if (key == 0) continue;
    Pattern& pattern = found[key];
    if (pattern.rows.empty())
      for (Eigen::Index c = 0; c < cells.cols(); ++c)
        (key >> c & 1u ? pattern.seen : pattern.gone).push_back(c);
    pattern.rows.push_back(static_cast<std::size_t>(r));
  }
  std::vector<Pattern> patterns;
  for (auto& [key, pattern] : found) patterns.push_back(std::move(pattern));
  return patterns;
}

struct Normal {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

// One step of the EM algorithm: gaps are filled in by regression, their variance is kept.
Normal em_step(const Eigen::MatrixXd& cells, const std::vector<Pattern>& patterns, const Normal& before) {
  const Eigen::Index n = cells.cols();
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(n);
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(n, n);
  double rows = 0.0;
  for (const Pattern& pattern : patterns) {
    const auto& seen = pattern.seen;
    const auto& gone = pattern.gone;
    Eigen::MatrixXd own = before.covariance(seen, seen);
    own.diagonal().array() += kRidge;
    const Eigen::MatrixXd slopes = own.ldlt().solve(before.covariance(seen, gone));
    const Eigen::MatrixXd left = before.covariance(gone, gone) - before.covariance(gone, seen) * slopes;
    Eigen::VectorXd filled(n);
    for (const std::size_t r : pattern.rows) {
      const Eigen::VectorXd there = cells.row(static_cast<Eigen::Index>(r))(seen).transpose();
      filled(seen) = there;
      filled(gone) = before.mean(gone) + slopes.transpose() * (there - before.mean(seen));
      sum += filled;
      products += filled * filled.transpose();
    }
    products(gone, gone) += static_cast<double>(pattern.rows.size()) * left;
    rows += static_cast<double>(pattern.rows.size());
  }
  Normal after{sum / rows, products / rows};
  after.covariance -= after.mean * after.mean.transpose();
  return after;
}

}  // namespace

std::optional<LittleTest> little_test(const Table& whole, const std::vector<ColumnKind>& kinds) {
  const Table table = spaced(whole);
  const std::vector<std::size_t> columns = chosen_columns(table, kinds);
  if (columns.size() < 2) return std::nullopt;
  const Eigen::MatrixXd cells = scores_of(table, columns);
  const std::vector<Pattern> patterns = patterns_of(cells);
  const Eigen::Index n = cells.cols();
  LittleTest test;
  test.columns = columns.size();
  test.patterns = patterns.size();
  for (const Pattern& pattern : patterns) test.rows += pattern.rows.size();
  if (test.rows < kFewestRows || patterns.size() < 2) return std::nullopt;

  Normal normal{Eigen::VectorXd::Zero(n), Eigen::MatrixXd::Identity(n, n)};
  for (int step = 0; step < kMostSteps; ++step) {
    Normal next = em_step(cells, patterns, normal);
    const double change = std::max((next.mean - normal.mean).cwiseAbs().maxCoeff(),
                                   (next.covariance - normal.covariance).cwiseAbs().maxCoeff());
    normal = std::move(next);
    if (change < kSettled) break;
  }
  const auto rows = static_cast<double>(test.rows);
  normal.covariance *= rows / (rows - 1.0);
  for (const Pattern& pattern : patterns) {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(pattern.seen.size()));
    for (const std::size_t r : pattern.rows)
      mean += cells.row(static_cast<Eigen::Index>(r))(pattern.seen).transpose();
    const auto count = static_cast<double>(pattern.rows.size());
    const Eigen::VectorXd off = mean / count - normal.mean(pattern.seen);
    Eigen::MatrixXd own = normal.covariance(pattern.seen, pattern.seen);
    own.diagonal().array() += kRidge;
    test.statistic += count * off.dot(own.ldlt().solve(off));
    test.degrees += static_cast<double>(pattern.seen.size());
  }
  test.degrees -= static_cast<double>(n);
  if (!(test.degrees > 0.0) || !std::isfinite(test.statistic)) return std::nullopt;
  test.p = chi_square_tail(test.statistic, test.degrees);
  return test;
}

}  // namespace causcale

#include "methods/score/mixed_scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/method.h"
#include "methods/score/gaussian_score.h"
#include "methods/score/intervened_rows.h"
#include "prior/dense_algebra.h"

namespace causcale {
namespace {

double gaussian_parameters(double variables) {
  return variables + 0.5 * variables * (variables + 1.0);
}

// Minus twice the log-likelihood of a cell's rows under the Gaussian of all rows, but for the constant.
double under_whole(const CellMoments& cell, const CellMoments& whole) {
  const std::size_t count = cell.sums.size();
  // Sum of squares of the whitened rows by forward substitution on moments around the whole mean.
  std::vector<std::vector<double>> scatter(count, std::vector<double>(count)), covariance = scatter;
  std::size_t k = 0;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b <= a; ++b, ++k) {
      const double mean_a = whole.sums[a] / whole.rows, mean_b = whole.sums[b] / whole.rows;
      covariance[a][b] = whole.products[k] / whole.rows - mean_a * mean_b;
      scatter[a][b] = scatter[b][a] =
          cell.products[k] - cell.sums[a] * mean_b - cell.sums[b] * mean_a + cell.rows * mean_a * mean_b;
    }
  double result = cell.rows * log_determinant(whole, kLeastResidual);
  // Cholesky of the covariance; the same row operations on the scatter from both sides.
  for (std::size_t a = 0; a < count; ++a) {
    const double pivot = covariance[a][a];
    if (!(pivot > kLeastResidual)) continue;
    result += scatter[a][a] / pivot;
    for (std::size_t b = a + 1; b < count; ++b) {
      const double part = covariance[b][a] / pivot;
      for (std::size_t c = a + 1; c <= b; ++c) covariance[b][c] -= part * covariance[c][a];
    }
    for (std::size_t b = a + 1; b < count; ++b) {
      // Rows b and columns b of the scatter lose their share of a.
      const double part = covariance[b][a] / pivot;
      for (std::size_t c = 0; c < count; ++c) scatter[b][c] -= part * scatter[a][c];
    }
    for (std::size_t b = a + 1; b < count; ++b) {
      const double part = covariance[b][a] / pivot;
      for (std::size_t c = a + 1; c < count; ++c) scatter[c][b] -= part * scatter[c][a];
    }
  }
  return result;
}

}  // namespace

ConditionalGaussianScore::ConditionalGaussianScore(MixedColumns columns, const Interventions& interventions,
                                                   double penalty)
    : columns_(std::move(columns)),
      set_(intervened_rows(interventions, columns_.discrete.size())),
      penalty_(0.5 * penalty * std::log(static_cast<double>(columns_.rows))) {}

ConditionalGaussianScore::SetScore ConditionalGaussianScore::set_score(const std::vector<CellMoments>& cells,
                                                                       const MixedMembers& members,
                                                                       double combinations) const {
  SetScore result;
  const double variables = static_cast<double>(members.continuous.size());
  const double least = 2.0 * (variables + 1.0);
  std::vector<int> all(members.continuous.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<CellMoments> whole = coarser_cells(cells, {}, all);
  double rows = 0.0;
  bool pooled = false;
  for (const CellMoments& cell : cells) {
    rows += cell.rows;
    result.likelihood += cell.rows * std::log(cell.rows);
    if (members.continuous.empty()) continue;
    if (cell.rows < least) {
      result.likelihood -= 0.5 * under_whole(cell, whole.front());
      pooled = true;
    } else {
      result.likelihood -= 0.5 * cell.rows * (log_determinant(cell, kLeastResidual) + variables);
      result.parameters += gaussian_parameters(variables);
    }
  }
  if (pooled) result.parameters += gaussian_parameters(variables);
  if (rows > 0.0) result.likelihood -= rows * std::log(rows);
  result.parameters += combinations - 1.0;
  return result;
}

double ConditionalGaussianScore::compute(int target, const std::vector<int>& parents) const {
  std::vector<int> family = parents;
  family.push_back(target);
  const MixedMembers members = split_members(columns_, family), above = split_members(columns_, parents);
  const std::vector<CellMoments> cells = cell_moments(columns_, members, set_[target]);
  std::vector<int> discrete, continuous;
  for (std::size_t k = 0; k < members.discrete.size(); ++k)
    if (members.discrete[k] != target) discrete.push_back(static_cast<int>(k));
  for (std::size_t k = 0; k < members.continuous.size(); ++k)
    if (members.continuous[k] != target) continuous.push_back(static_cast<int>(k));
  double combinations = 1.0;
  for (const int member : above.discrete) combinations *= columns_.codes[member].levels;
  const double with_target = combinations * (columns_.discrete[target] ? columns_.codes[target].levels : 1.0);
  const SetScore all = set_score(cells, members, with_target),
                 given = set_score(coarser_cells(cells, discrete, continuous), above, combinations);
  double used = 0.0;
  for (const CellMoments& cell : cells) used += cell.rows;
  double rows = static_cast<double>(columns_.rows);
  if (!set_[target].empty()) rows -= static_cast<double>(std::ranges::count(set_[target], 1));
  const double likelihood = all.likelihood - given.likelihood;
  return (used > 0.0 ? likelihood * rows / used : 0.0) - penalty_ * (all.parameters - given.parameters);
}

DegenerateGaussianScore::DegenerateGaussianScore(WidenedColumns columns, const Interventions& interventions,
                                                 double penalty)
    : blocks_(columns.blocks),
      covariances_(widened_correlations(columns)),
      own_(columns.blocks.size()),
      rows_(columns.blocks.size(), static_cast<double>(columns.values.rows())),
      penalty_(0.5 * penalty * std::log(static_cast<double>(columns.values.rows()))) {
  const std::vector<std::vector<char>> set = intervened_rows(interventions, blocks_.size());
  const std::size_t width = columns.values.cols();
  for (std::size_t v = 0; v < blocks_.size(); ++v) {
    if (set[v].empty()) continue;
    if (columns.missing)
      throw NeedsCompleteCells(
          "score degenerate-gaussian-bic cannot use missing values and interventions together; "
          "conditional-gaussian-bic can");
    std::vector<double> kept;
    for (std::size_t r = 0; r < columns.values.rows(); ++r)
      if (!set[v][r]) kept.insert(kept.end(), columns.values.row(r).begin(), columns.values.row(r).end());
    const std::size_t rows = kept.size() / std::max<std::size_t>(1, width);
    rows_[v] = static_cast<double>(rows);
    Matrix<double> values(rows, width, std::move(kept));
    std::vector<double> mean(width, 0.0);
    for (std::size_t r = 0; r < values.rows(); ++r)
      for (std::size_t c = 0; c < width; ++c) mean[c] += values(r, c) / rows_[v];
    for (std::size_t r = 0; r < values.rows(); ++r)
      for (std::size_t c = 0; c < width; ++c) values(r, c) -= mean[c];
    own_[v] = gram(values);
    for (double& value : own_[v].values()) value /= std::max(1.0, rows_[v]);
  }
}

double DegenerateGaussianScore::most_parents(int target) const {
  return std::max(0.0, rows_[target] - 3.0 - blocks_[target].width);
}

double DegenerateGaussianScore::compute(int target, const std::vector<int>& parents) const {
  const Matrix<double>& from = own_[target].empty() ? covariances_ : own_[target];
  std::vector<int> members;
  for (const int parent : parents)
    for (int k = 0; k < blocks_[parent].width; ++k) members.push_back(blocks_[parent].begin + k);
  const std::size_t above = members.size();
  for (int k = 0; k < blocks_[target].width; ++k) members.push_back(blocks_[target].begin + k);
  const std::size_t count = members.size();
  Matrix<double> rest(count, count);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a; b < count; ++b) rest(a, b) = from(members[a], members[b]);
  double log_determinant = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    const double floor = kLeastResidual * std::max(from(members[k], members[k]), 1e-300);
    if (k >= above) log_determinant += std::log(std::max(rest(k, k), floor));
    if (!(rest(k, k) > floor)) continue;
    for (std::size_t a = k + 1; a < count; ++a) {
      const double part = rest(k, a) / rest(k, k);
      for (std::size_t b = a; b < count; ++b) rest(a, b) -= part * rest(k, b);
    }
  }
  const double own = static_cast<double>(count - above);
  return -0.5 * rows_[target] * log_determinant - penalty_ * own * static_cast<double>(above);
}

}  // namespace causcale

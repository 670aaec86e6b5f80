#include "methods/score/gaussian_score.h"

#include <algorithm>
#include <cmath>

#include "causcale/error.h"
#include "prior/dense_algebra.h"

namespace causcale {

GaussianScore::GaussianScore(const Matrix<double>& covariance, double rows, double penalty)
    : total_(covariance),
      left_out_(covariance.rows()),
      target_rows_(covariance.rows(), rows),
      constant_(covariance.rows(), 0),
      penalty_(0.5 * penalty * std::log(rows)) {
  for (double& value : total_.values()) value *= rows;
  for (std::size_t v = 0; v < total_.rows(); ++v) constant_[v] = !(total_(v, v) > 0.0);
}

GaussianScore::GaussianScore(const Table& table, const Interventions& interventions, double penalty)
    : values_(table.values), left_out_(table.cols()), target_rows_(table.cols()), constant_(table.cols(), 0) {
  const std::size_t rows = table.rows(), cols = table.cols();
  if (rows < 3) throw InputError("a Gaussian score needs at least 3 rows");
  penalty_ = 0.5 * penalty * std::log(static_cast<double>(rows));
  for (std::size_t c = 0; c < cols; ++c) {
    double mean = 0.0, squares = 0.0, largest = 0.0;
    for (std::size_t r = 0; r < rows; ++r) mean += values_(r, c) / static_cast<double>(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      largest = std::max(largest, std::abs(values_(r, c)));
      values_(r, c) -= mean;
      squares += values_(r, c) * values_(r, c);
    }
    const double deviation = std::sqrt(squares / static_cast<double>(rows));
    if (!std::isfinite(deviation))
      throw InputError("column '" + table.names[c] + "' has values too large to be squared");
    constant_[c] = deviation <= 1e-12 * largest;
    for (std::size_t r = 0; r < rows; ++r) values_(r, c) = constant_[c] ? 0.0 : values_(r, c) / deviation;
  }
  total_ = gram(values_);
  std::ranges::fill(target_rows_, static_cast<double>(rows));
  if (interventions.observational()) {
    values_ = {};
    return;
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (int target : interventions.regimes[interventions.regime_of_row[r]])
      left_out_[target].rows.push_back(static_cast<int>(r));
  for (std::size_t v = 0; v < cols; ++v) {
    LeftOut& left_out = left_out_[v];
    if (left_out.rows.empty()) continue;
    target_rows_[v] -= static_cast<double>(left_out.rows.size());
    left_out.mean.assign(cols, 0.0);
    for (int r : left_out.rows)
      for (std::size_t c = 0; c < cols; ++c) left_out.mean[c] -= values_(r, c);
    for (double& mean : left_out.mean) mean /= std::max(1.0, target_rows_[v]);
  }
}

void GaussianScore::covariance_row(int target, int a, std::span<double> row) const {
  const LeftOut& left_out = left_out_[target];
  const double rows = target_rows_[target];
  if (rows < 1.0) {
    std::ranges::fill(row, 0.0);
    return;
  }
  std::ranges::copy(total_.row(a), row.begin());
  for (int r : left_out.rows) {
    const double factor = values_(r, a);
    const double* values = values_.row(r).data();
    for (std::size_t c = 0; c < row.size(); ++c) row[c] -= factor * values[c];
  }
  if (!left_out.rows.empty()) {
    const double factor = rows * left_out.mean[a];
    for (std::size_t c = 0; c < row.size(); ++c) row[c] -= factor * left_out.mean[c];
  }
  for (double& value : row) value /= rows;
}

double GaussianScore::covariance(int target, int a, int b) const {
  const LeftOut& left_out = left_out_[target];
  const double rows = target_rows_[target];
  if (rows < 1.0) return 0.0;
  double sum = total_(a, b);
  for (int r : left_out.rows) sum -= values_(r, a) * values_(r, b);
  if (!left_out.rows.empty()) sum -= rows * left_out.mean[a] * left_out.mean[b];
  return sum / rows;
}

void GaussianScore::variances(int target, std::span<double> diagonal) const {
  const LeftOut& left_out = left_out_[target];
  const double rows = std::max(1.0, target_rows_[target]);
  for (std::size_t c = 0; c < diagonal.size(); ++c) {
    double sum = total_(c, c);
    for (int r : left_out.rows) sum -= values_(r, c) * values_(r, c);
    if (!left_out.rows.empty()) sum -= rows * left_out.mean[c] * left_out.mean[c];
    diagonal[c] = std::max(0.0, sum / rows);
  }
}

double GaussianScore::local(int target, std::span<const int> parents) const {
  const std::size_t k = parents.size();
  // Cholesky of the parents' covariance with the target as last line; dependent parents are passed over.
  Matrix<double> factor(k + 1, k + 1);
  double residual = 0.0, variance = 0.0;
  for (std::size_t i = 0; i <= k; ++i) {
    const int node = i < k ? parents[i] : target;
    const double whole = covariance(target, node, node);
    for (std::size_t j = 0; j < i; ++j) {
      double sum = covariance(target, node, parents[j]);
      for (std::size_t l = 0; l < j; ++l) sum -= factor(i, l) * factor(j, l);
      factor(i, j) = factor(j, j) > 0.0 ? sum / factor(j, j) : 0.0;
    }
    double rest = whole;
    for (std::size_t l = 0; l < i; ++l) rest -= factor(i, l) * factor(i, l);
    if (i < k)
      factor(i, i) = rest > kLeastResidual * whole ? std::sqrt(rest) : 0.0;
    else
      residual = rest, variance = whole;
  }
  const double cost = penalty_ * static_cast<double>(k);
  if (!(variance > 0.0)) return -cost;
  return -0.5 * target_rows_[target] * std::log(std::max(residual, kLeastResidual * variance)) - cost;
}

std::unique_ptr<ParentGains> GaussianScore::gains(int target) const {
  return std::make_unique<Conditioning>(*this, target);
}

Conditioning::Conditioning(const GaussianScore& score, int target)
    : score_(score), target_(target), width_(score.nodes()), variance_(width_), with_target_(width_) {
  score.variances(target, variance_);
  score.covariance_row(target, target, with_target_);
  whole_ = variance_;
}

void Conditioning::push(int parent) {
  saved_.push_back({variance_, with_target_});
  std::vector<double> line(width_);
  score_.covariance_row(target_, parent, line);
  for (const std::vector<double>& earlier : lines_) {
    const double factor = earlier[parent];
    for (std::size_t i = 0; i < width_; ++i) line[i] -= factor * earlier[i];
  }
  // A parent that the earlier ones determine adds nothing.
  const double rest = line[parent];
  const double scale = rest > kLeastResidual * whole_[parent] ? 1.0 / std::sqrt(rest) : 0.0;
  for (double& value : line) value *= scale;
  const double factor = line[target_];
  for (std::size_t i = 0; i < width_; ++i) {
    variance_[i] -= line[i] * line[i];
    with_target_[i] -= factor * line[i];
  }
  lines_.push_back(std::move(line));
}

void Conditioning::pop() {
  lines_.pop_back();
  variance_ = std::move(saved_.back().first);
  with_target_ = std::move(saved_.back().second);
  saved_.pop_back();
}

double Conditioning::likelihood_gain(int node) const {
  const double floor = kLeastResidual * whole_[target_];
  const double before = std::max(variance_[target_], floor);
  if (!(variance_[node] > kLeastResidual * whole_[node]) || !(whole_[target_] > 0.0)) return 0.0;
  const double after =
      std::max(variance_[target_] - with_target_[node] * with_target_[node] / variance_[node], floor);
  return 0.5 * score_.rows(target_) * std::log(before / after);
}

}  // namespace causcale

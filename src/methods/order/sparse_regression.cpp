#include "methods/order/sparse_regression.h"

#include <algorithm>
#include <cmath>

#include "methods/constraint/fisher_z.h"

namespace causcale {
namespace {

class LassoPath {
 public:
  LassoPath(const Matrix<double>& correlations, int target, std::span<const Regressor> roles,
            std::span<const double> weights)
      : correlations_(correlations),
        target_(target),
        roles_(roles),
        weights_(weights),
        coefficients_(target, 0.0),
        gradient_(target, 0.0) {
    for (int k = 0; k < target; ++k)
      if (roles[k] == Regressor::kAlways) active_.push_back(k);
  }

  // The least penalty at which no penalised coefficient enters.
  double highest_penalty() {
    converge(0.0);
    update_gradient();
    double highest = 0.0;
    for (int k = 0; k < target_; ++k)
      if (roles_[k] == Regressor::kPenalised)
        highest = std::max(highest, weights_[k] * std::abs(gradient_[k]));
    return highest;
  }

  void solve(double penalty) {
    constexpr int kMostRounds = 50;
    for (int round = 0; round < kMostRounds; ++round) {
      converge(penalty);
      update_gradient();
      bool entered = false;
      for (int k = 0; k < target_; ++k) {
        if (roles_[k] != Regressor::kPenalised || coefficients_[k] != 0.0) continue;
        if (weights_[k] * std::abs(gradient_[k]) <= penalty * (1.0 + 1e-9) || is_active(k)) continue;
        active_.push_back(k);
        entered = true;
      }
      if (!entered) return;
    }
  }

  double residual_variance() const {
    // At any coefficients b: 1 - 2 b'c + b'Cb = 1 - b'c - b'(c - Cb).
    double rest = 1.0;
    for (const int k : active_) rest -= coefficients_[k] * (correlations_(target_, k) + gradient_[k]);
    return std::max(rest, kDeterminedVariance);
  }
  int degrees_of_freedom() const {
    return static_cast<int>(std::ranges::count_if(coefficients_, [](double b) { return b != 0.0; }));
  }
  const std::vector<double>& coefficients() const { return coefficients_; }

 private:
  bool is_active(int k) const { return std::ranges::find(active_, k) != active_.end(); }

  // Coordinate descent among the active variables.
  void converge(double penalty) {
    constexpr int kMostSweeps = 1000;
    constexpr double kStillMoving = 1e-7;
    double largest_move = 1.0;
    for (int sweep = 0; sweep < kMostSweeps && largest_move > kStillMoving; ++sweep) {
      largest_move = 0.0;
      for (const int k : active_) {
        double pull = correlations_(target_, k);
        for (const int other : active_)
          if (other != k) pull -= correlations_(k, other) * coefficients_[other];
        const double shrink = roles_[k] == Regressor::kAlways ? 0.0 : penalty / weights_[k];
        const double next = std::copysign(std::max(std::abs(pull) - shrink, 0.0), pull);
        largest_move = std::max(largest_move, std::abs(next - coefficients_[k]));
        coefficients_[k] = next;
      }
    }
  }

  void update_gradient() {
    const auto with_target = correlations_.row(target_);
    std::copy_n(with_target.begin(), target_, gradient_.begin());
    for (const int k : active_) {
      const double coefficient = coefficients_[k];
      if (coefficient == 0.0) continue;
      const double* const row = correlations_.row(k).data();
      for (int v = 0; v < target_; ++v) gradient_[v] -= coefficient * row[v];
    }
  }

  const Matrix<double>& correlations_;
  int target_;
  std::span<const Regressor> roles_;
  std::span<const double> weights_;
  std::vector<double> coefficients_, gradient_;
  std::vector<int> active_;
};

}  // namespace

std::vector<double> adaptive_lasso(const Matrix<double>& correlations, int target,
                                   std::span<const Regressor> roles, std::span<const double> weights,
                                   std::size_t rows) {
  constexpr int kPenalties = 80;
  constexpr double kSmallestShare = 1e-5;  // of the highest penalty
  constexpr int kPatience = 12;            // penalties in a row that do not improve
  LassoPath path(correlations, target, roles, weights);
  const double highest = path.highest_penalty();
  const double m = static_cast<double>(rows);
  const auto criterion = [&] {
    return m * std::log(path.residual_variance()) + std::log(m) * path.degrees_of_freedom();
  };
  std::vector<double> best = path.coefficients();
  double least = criterion();
  if (highest <= 0.0) return best;
  const int most_variables = static_cast<int>(std::min<std::size_t>(rows - 1, target));
  for (int step = 1, idle = 0; step <= kPenalties && idle < kPatience; ++step, ++idle) {
    path.solve(highest * std::pow(kSmallestShare, static_cast<double>(step) / kPenalties));
    if (path.degrees_of_freedom() > most_variables) break;
    const double value = criterion();
    if (value >= least) continue;
    least = value;
    best = path.coefficients();
    idle = 0;
  }
  return best;
}

Matrix<double> successive_regressions(const Matrix<double>& correlations) {
  const std::size_t n = correlations.rows();
  Matrix<double> factor(n, n), coefficients(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    double rest = correlations(j, j);
    for (std::size_t k = 0; k < j; ++k) {
      if (factor(k, k) == 0.0) continue;
      double value = correlations(j, k);
      const double* const of_j = factor.row(j).data();
      const double* const of_k = factor.row(k).data();
      for (std::size_t i = 0; i < k; ++i) value -= of_j[i] * of_k[i];
      factor(j, k) = value / factor(k, k);
      rest -= factor(j, k) * factor(j, k);
    }
    // Back substitution: the transpose of the factor times the coefficients is the row just made.
    std::vector<double> right(factor.row(j).begin(), factor.row(j).begin() + static_cast<std::ptrdiff_t>(j));
    for (std::size_t k = j; k-- > 0;) {
      if (factor(k, k) == 0.0) continue;
      const double value = coefficients(j, k) = right[k] / factor(k, k);
      for (std::size_t i = 0; i < k; ++i) right[i] -= factor(k, i) * value;
    }
    factor(j, j) = rest > kDeterminedVariance ? std::sqrt(rest) : 0.0;
  }
  return coefficients;
}

}  // namespace causcale

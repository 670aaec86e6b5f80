#include "methods/continuous/owl_qn.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "methods/continuous/owl_qn_search.h"

namespace causcale {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double penalty_of(std::span<const double> x, std::span<const double> penalty) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += penalty[i] * std::abs(x[i]);
  return sum;
}

// The steepest slope that the penalty leaves: zero where the kink at zero holds the variable.
void pseudo_gradient(std::span<const double> x, std::span<const double> gradient,
                     std::span<const double> penalty, std::span<double> pseudo) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] > 0.0)
      pseudo[i] = gradient[i] + penalty[i];
    else if (x[i] < 0.0)
      pseudo[i] = gradient[i] - penalty[i];
    else if (gradient[i] + penalty[i] < 0.0)
      pseudo[i] = gradient[i] + penalty[i];
    else if (gradient[i] - penalty[i] > 0.0)
      pseudo[i] = gradient[i] - penalty[i];
    else
      pseudo[i] = 0.0;
  }
}

struct Correction {
  std::vector<double> step;
  std::vector<double> change;  // of the gradient
};

class CorrectionMemory {
 public:
  explicit CorrectionMemory(const OwlQnOptions& options)
      : capacity_(static_cast<std::size_t>(options.memory)), precondition_(options.precondition) {}
  void clear() { corrections_.clear(); }
  bool empty() const { return corrections_.empty(); }
  void add(std::vector<double> step, std::vector<double> change) {
    if (corrections_.size() == capacity_) corrections_.pop_front();
    corrections_.push_back({std::move(step), std::move(change)});
  }
  // Two-loop recursion: the approximate inverse Hessian of the free variables applied in place. Corrections
  // are cut down to the free variables, so that the held ones do not disturb the step of the others.
  void apply(std::span<const std::size_t> free, std::span<double> direction) const {
    const auto free_dot = [&](std::span<const double> a, std::span<const double> b) {
      double sum = 0.0;
      for (std::size_t i : free) sum += a[i] * b[i];
      return sum;
    };
    std::vector<double> factors(corrections_.size()), inverse_curvature(corrections_.size(), 0.0);
    double scale = 0.0;
    for (std::size_t k = corrections_.size(); k-- > 0;) {
      const auto& [step, change] = corrections_[k];
      const double curvature = free_dot(step, change), squared_change = free_dot(change, change);
      if (!(curvature > 1e-12 * std::sqrt(free_dot(step, step) * squared_change))) continue;
      inverse_curvature[k] = 1.0 / curvature;
      if (scale == 0.0) scale = curvature / squared_change;
      factors[k] = free_dot(step, direction) / curvature;
      for (std::size_t i : free) direction[i] -= factors[k] * change[i];
    }
    if (precondition_)
      precondition_(free, direction);
    else if (scale > 0.0)
      for (std::size_t i : free) direction[i] *= scale;
    for (std::size_t k = 0; k < corrections_.size(); ++k) {
      if (inverse_curvature[k] == 0.0) continue;
      const auto& [step, change] = corrections_[k];
      const double factor = factors[k] - inverse_curvature[k] * free_dot(change, direction);
      for (std::size_t i : free) direction[i] += factor * step[i];
    }
  }

 private:
  std::size_t capacity_;
  const decltype(OwlQnOptions::precondition)& precondition_;
  std::deque<Correction> corrections_;
};

class VectorVariables {
 public:
  VectorVariables(std::span<double> x, std::span<const double> penalty, const SmoothFunction& smooth,
                  const OwlQnOptions& options)
      : x_(x),
        penalty_(penalty),
        smooth_(smooth),
        preconditioned_(options.precondition != nullptr),
        memory_(options),
        gradient_(x.size()),
        pseudo_(x.size()),
        direction_(x.size()),
        trial_(x.size()),
        trial_gradient_(x.size()) {}

  double start() { return smooth_(x_, gradient_) + penalty_of(x_, penalty_); }

  double largest_slope() {
    pseudo_gradient(x_, gradient_, penalty_, pseudo_);
    double largest = 0.0;
    for (double slope : pseudo_) largest = std::max(largest, std::abs(slope));
    return largest;
  }

  bool guided() const { return !memory_.empty() || preconditioned_; }

  bool turn_downhill() {
    free_.clear();
    for (std::size_t i = 0; i < x_.size(); ++i)
      if (x_[i] != 0.0 || pseudo_[i] != 0.0) free_.push_back(i);
    std::ranges::fill(direction_, 0.0);
    for (std::size_t i : free_) direction_[i] = -pseudo_[i];
    memory_.apply(free_, direction_);
    // A variable leaves zero only downhill.
    for (std::size_t i : free_)
      if (x_[i] == 0.0 && direction_[i] * pseudo_[i] >= 0.0) direction_[i] = 0.0;
    return dot(direction_, pseudo_) < 0.0;
  }

  void turn_steepest() {
    for (std::size_t i = 0; i < x_.size(); ++i) direction_[i] = -pseudo_[i];
  }

  double slope_length() const { return std::sqrt(dot(pseudo_, pseudo_)); }

  OwlQnTrial try_step(double step) {
    double slope = 0.0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double orthant = x_[i] != 0.0 ? x_[i] : -pseudo_[i];
      const double moved = x_[i] + step * direction_[i];
      trial_[i] = moved * orthant > 0.0 ? moved : 0.0;
      slope += pseudo_[i] * (trial_[i] - x_[i]);
    }
    return {smooth_(trial_, trial_gradient_) + penalty_of(trial_, penalty_), slope};
  }

  void accept() {
    std::vector<double> moved(x_.size()), change(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      moved[i] = trial_[i] - x_[i];
      change[i] = trial_gradient_[i] - gradient_[i];
    }
    memory_.add(std::move(moved), std::move(change));
    std::ranges::copy(trial_, x_.begin());
    gradient_.swap(trial_gradient_);
  }

  bool forget() {
    const bool remembered = !memory_.empty();
    memory_.clear();
    return remembered;
  }

 private:
  std::span<double> x_;
  std::span<const double> penalty_;
  const SmoothFunction& smooth_;
  bool preconditioned_;
  CorrectionMemory memory_;
  std::vector<double> gradient_, pseudo_, direction_, trial_, trial_gradient_;
  std::vector<std::size_t> free_;
};

}  // namespace

OwlQnResult minimize_with_l1(std::span<double> x, std::span<const double> penalty,
                             const SmoothFunction& smooth, const OwlQnOptions& options) {
  VectorVariables variables(x, penalty, smooth, options);
  return search_downhill(variables, options);
}

}  // namespace causcale

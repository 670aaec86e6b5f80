#include "baselines/owl_qn.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

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

}  // namespace

OwlQnResult minimize_with_l1(std::span<double> x, std::span<const double> penalty,
                             const SmoothFunction& smooth, const OwlQnOptions& options) {
  const std::size_t size = x.size();
  std::vector<double> gradient(size), pseudo(size), direction(size), trial(size), trial_gradient(size);
  OwlQnResult result;
  result.value = smooth(x, gradient) + penalty_of(x, penalty);
  result.evaluations = 1;
  CorrectionMemory memory(options);
  std::vector<std::size_t> free;
  constexpr double kArmijo = 1e-4;
  constexpr int kMaxHalvings = 40;

  while (result.iterations < options.max_iterations) {
    pseudo_gradient(x, gradient, penalty, pseudo);
    double largest = 0.0;
    for (double slope : pseudo) largest = std::max(largest, std::abs(slope));
    if (largest <= options.gradient_tolerance) break;

    free.clear();
    for (std::size_t i = 0; i < size; ++i)
      if (x[i] != 0.0 || pseudo[i] != 0.0) free.push_back(i);
    std::ranges::fill(direction, 0.0);
    for (std::size_t i : free) direction[i] = -pseudo[i];
    memory.apply(free, direction);
    // A variable leaves zero only downhill.
    for (std::size_t i : free)
      if (x[i] == 0.0 && direction[i] * pseudo[i] >= 0.0) direction[i] = 0.0;
    bool steepest = memory.empty() && !options.precondition;
    if (!(dot(direction, pseudo) < 0.0)) {
      memory.clear();
      steepest = true;
      for (std::size_t i = 0; i < size; ++i) direction[i] = -pseudo[i];
    }
    double step = steepest ? std::min(1.0, 1.0 / std::sqrt(dot(pseudo, pseudo))) : 1.0;

    double value = 0.0;
    bool accepted = false;
    for (int halving = 0; halving < kMaxHalvings && !accepted; ++halving) {
      double slope = 0.0;
      for (std::size_t i = 0; i < size; ++i) {
        const double orthant = x[i] != 0.0 ? x[i] : -pseudo[i];
        const double moved = x[i] + step * direction[i];
        trial[i] = moved * orthant > 0.0 ? moved : 0.0;
        slope += pseudo[i] * (trial[i] - x[i]);
      }
      value = smooth(trial, trial_gradient) + penalty_of(trial, penalty);
      ++result.evaluations;
      accepted = std::isfinite(value) && value <= result.value + kArmijo * slope;
      step *= halving < 2 ? 0.5 : 0.2;
    }
    if (!accepted) {
      if (memory.empty()) break;
      memory.clear();  // a poor model of the curvature; the plain gradient may still find a way down
      continue;
    }
    std::vector<double> moved(size), change(size);
    for (std::size_t i = 0; i < size; ++i) {
      moved[i] = trial[i] - x[i];
      change[i] = trial_gradient[i] - gradient[i];
    }
    memory.add(std::move(moved), std::move(change));
    std::ranges::copy(trial, x.begin());
    gradient.swap(trial_gradient);
    const double decrease = result.value - value;
    result.value = value;
    ++result.iterations;
    if (decrease <= options.value_tolerance * std::max({1.0, std::abs(value)})) break;
  }
  return result;
}

}  // namespace causcale

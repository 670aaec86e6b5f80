#include "neural_baselines/tensor_owl_qn.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <deque>

namespace causcale {
namespace {

double product_sum(const at::Tensor& a, const at::Tensor& b) {
  return at::dot(a, b).item<double>();
}

// The steepest slope that the penalty leaves: zero where the kink at zero holds the variable.
at::Tensor pseudo_gradient(const at::Tensor& x, const at::Tensor& gradient, const at::Tensor& penalty) {
  const at::Tensor at_zero = gradient.sign() * (gradient.abs() - penalty).clamp_min(0.0);
  return at::where(x.eq(0), at_zero, gradient + x.sign() * penalty);
}

struct Correction {
  at::Tensor step, change;  // `change`: of the gradient
};

// Two-loop recursion over the free variables; `direction` is zero at the others.
void apply(const std::deque<Correction>& memory, const at::Tensor& free, at::Tensor& direction) {
  std::vector<double> factors(memory.size()), inverse_curvature(memory.size(), 0.0);
  double scale = 0.0;
  for (std::size_t k = memory.size(); k-- > 0;) {
    const auto& [step, change] = memory[k];
    const at::Tensor free_change = change * free;
    const double curvature = product_sum(step, free_change),
                 squared_change = product_sum(free_change, free_change);
    if (!(curvature > 1e-12 * std::sqrt(product_sum(step * free, step) * squared_change))) continue;
    inverse_curvature[k] = 1.0 / curvature;
    if (scale == 0.0) scale = curvature / squared_change;
    factors[k] = product_sum(step, direction) / curvature;
    direction.add_(free_change, -factors[k]);
  }
  if (scale > 0.0) direction.mul_(scale);
  for (std::size_t k = 0; k < memory.size(); ++k) {
    if (inverse_curvature[k] == 0.0) continue;
    const auto& [step, change] = memory[k];
    direction.addcmul_(step, free, factors[k] - inverse_curvature[k] * product_sum(change, direction));
  }
}

}  // namespace

OwlQnResult minimize_with_l1(at::Tensor& x, const at::Tensor& penalty, const TensorFunction& smooth,
                             const OwlQnOptions& options) {
  const c10::NoGradGuard no_grad;
  const auto penalised = [&](const at::Tensor& point, at::Tensor& gradient) {
    return smooth(point, gradient) + product_sum(penalty, point.abs());
  };
  at::Tensor gradient;
  OwlQnResult result;
  result.value = penalised(x, gradient);
  result.evaluations = 1;
  std::deque<Correction> memory;
  constexpr double kArmijo = 1e-4;
  constexpr int kMaxHalvings = 40;

  while (result.iterations < options.max_iterations) {
    const at::Tensor pseudo = pseudo_gradient(x, gradient, penalty);
    if (pseudo.abs().max().item<double>() <= options.gradient_tolerance) break;

    const at::Tensor free = x.ne(0).logical_or(pseudo.ne(0)).to(x.scalar_type());
    at::Tensor direction = -pseudo;
    apply(memory, free, direction);
    // A variable leaves zero only downhill.
    direction.masked_fill_(x.eq(0).logical_and((direction * pseudo).ge(0)), 0.0);
    bool steepest = memory.empty();
    if (!(product_sum(direction, pseudo) < 0.0)) {
      memory.clear();
      steepest = true;
      direction = -pseudo;
    }
    double step = steepest ? std::min(1.0, 1.0 / std::sqrt(product_sum(pseudo, pseudo))) : 1.0;

    const at::Tensor orthant = at::where(x.eq(0), -pseudo, x);
    at::Tensor trial, trial_gradient;
    double value = 0.0;
    bool accepted = false;
    for (int halving = 0; halving < kMaxHalvings && !accepted; ++halving) {
      trial = x + step * direction;
      trial.masked_fill_((trial * orthant).le(0), 0.0);
      const double slope = product_sum(pseudo, trial - x);
      value = penalised(trial, trial_gradient);
      ++result.evaluations;
      accepted = std::isfinite(value) && value <= result.value + kArmijo * slope;
      step *= halving < 2 ? 0.5 : 0.2;
    }
    if (!accepted) {
      if (memory.empty()) break;
      memory.clear();  // a poor model of the curvature; the plain gradient may still find a way down
      continue;
    }
    if (memory.size() == static_cast<std::size_t>(options.memory)) memory.pop_front();
    memory.push_back({trial - x, trial_gradient - gradient});
    x = trial;
    gradient = trial_gradient;
    const double decrease = result.value - value;
    result.value = value;
    ++result.iterations;
    if (decrease <= options.value_tolerance * std::max({1.0, std::abs(value)})) break;
  }
  return result;
}

}  // namespace causcale

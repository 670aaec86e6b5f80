#include "learn/baselines/tensor_owl_qn.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <deque>
#include <vector>

#include "methods/continuous/owl_qn_search.h"

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

class TensorVariables {
 public:
  TensorVariables(at::Tensor& x, const at::Tensor& penalty, const TensorFunction& smooth, int memory)
      : x_(x), penalty_(penalty), smooth_(smooth), capacity_(static_cast<std::size_t>(memory)) {}

  double start() { return penalised(x_, gradient_); }

  double largest_slope() {
    pseudo_ = pseudo_gradient(x_, gradient_, penalty_);
    return pseudo_.abs().max().item<double>();
  }

  bool guided() const { return !memory_.empty(); }

  bool turn_downhill() {
    const at::Tensor free = x_.ne(0).logical_or(pseudo_.ne(0)).to(x_.scalar_type());
    direction_ = -pseudo_;
    apply(memory_, free, direction_);
    // A variable leaves zero only downhill.
    direction_.masked_fill_(x_.eq(0).logical_and((direction_ * pseudo_).ge(0)), 0.0);
    orthant_ = at::where(x_.eq(0), -pseudo_, x_);
    return product_sum(direction_, pseudo_) < 0.0;
  }

  void turn_steepest() { direction_ = -pseudo_; }

  double slope_length() const { return std::sqrt(product_sum(pseudo_, pseudo_)); }

  OwlQnTrial try_step(double step) {
    trial_ = x_ + step * direction_;
    trial_.masked_fill_((trial_ * orthant_).le(0), 0.0);
    const double slope = product_sum(pseudo_, trial_ - x_);
    return {penalised(trial_, trial_gradient_), slope};
  }

  void accept() {
    if (memory_.size() == capacity_) memory_.pop_front();
    memory_.push_back({trial_ - x_, trial_gradient_ - gradient_});
    x_ = trial_;
    gradient_ = trial_gradient_;
  }

  bool forget() {
    const bool remembered = !memory_.empty();
    memory_.clear();
    return remembered;
  }

 private:
  double penalised(const at::Tensor& point, at::Tensor& gradient) const {
    return smooth_(point, gradient) + product_sum(penalty_, point.abs());
  }

  at::Tensor& x_;
  const at::Tensor& penalty_;
  const TensorFunction& smooth_;
  std::size_t capacity_;
  std::deque<Correction> memory_;
  at::Tensor gradient_, pseudo_, direction_, orthant_, trial_, trial_gradient_;
};

}  // namespace

OwlQnResult minimize_with_l1(at::Tensor& x, const at::Tensor& penalty, const TensorFunction& smooth,
                             const OwlQnOptions& options) {
  const c10::NoGradGuard no_grad;
  TensorVariables variables(x, penalty, smooth, options.memory);
  return search_downhill(variables, options);
}

}  // namespace causcale

#include "learn/optimise/acyclicity.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "learn/networks/head.h"
#include "learn/networks/spectral_radius.h"

namespace causcale {

Acyclicity::Acyclicity(const AcyclicityOptions& options, at::Device device)
    : options_(options), state_(at::zeros({2}, at::TensorOptions(device).dtype(at::kDouble))) {}

at::Tensor Acyclicity::constraint(const at::Tensor& logits) const {
  const at::Tensor probabilities = mask_edges(ordered_probabilities(logits), {});
  return spectral_radius(probabilities, options_.power_iterations).mean();
}

at::Tensor Acyclicity::cost(const at::Tensor& constraint) const {
  const at::Tensor multiplier = state_.detach().select(0, 0).to(constraint.scalar_type());
  return multiplier * constraint + 0.5 * options_.penalty * constraint.square();
}

void Acyclicity::update(const at::Tensor& constraint, const at::Tensor& accepted, std::int64_t step) {
  const c10::NoGradGuard no_grad;
  at::Tensor multiplier = state_.select(0, 0), average = state_.select(0, 1);
  const double rate = std::max(options_.average_rate, 1.0 / (1.0 + static_cast<double>(step)));
  // The constraint of a refused step may be no number.
  const at::Tensor seen = at::where(accepted > 0, constraint.to(at::kDouble), average);
  average.add_((seen - average) * rate);
  if ((step + 1) % options_.every_steps == 0) multiplier.add_(average, options_.dual_rate);
}

}  // namespace causcale

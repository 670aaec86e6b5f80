#include "learn/optimise/step_guard.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <limits>
#include <utility>

namespace causcale {

namespace {

// Places in the state vector; what comes before kRefused starts anew with every report.
enum : std::int64_t {
  kSteps,
  kAccepted,
  kLossSum,
  kNormSum,
  kLargestNorm,
  kLargestAt,
  kLargestPart,
  kShortened,
  kRefused,
  kRow,
  kUsualNorm,
  kSeen,
  kSize  // the sums of the loss's parts follow
};

// The moving average needs some steps before "far above" means anything.
constexpr double kSettling = 50.0;
constexpr double kSmoothing = 0.02;

}  // namespace

StepGuard::StepGuard(StepGuardOptions options, at::Device device, std::vector<WeightSlice> slices,
                     std::int64_t parts)
    : options_(options),
      slices_(std::move(slices)),
      state_(at::zeros({kSize + parts}, at::TensorOptions().dtype(at::kDouble).device(device))) {}

at::Tensor StepGuard::judge(const at::Tensor& loss, at::Tensor& gradient, const at::Tensor& parts) {
  c10::NoGradGuard no_grad;
  const at::Tensor loss64 = loss.detach().to(at::kDouble).reshape({});
  const at::Tensor norm = gradient.norm().to(at::kDouble);
  at::Tensor usual = state_.select(0, kUsualNorm), seen = state_.select(0, kSeen);
  at::Tensor good = at::isfinite(loss64).logical_and(at::isfinite(norm));
  const at::Tensor settling = seen < kSettling;
  const at::Tensor size = at::nan_to_num(norm, 0.0, 0.0, 0.0);
  // Up to `factor` times the usual; anything as long as the usual is not known.
  const auto at_most = [&](double factor) {
    return factor > 0.0 ? at::where(settling, size, at::minimum(size, usual * factor)) : size;
  };
  if (options_.spike_factor > 0.0)
    good = good.logical_and(settling.logical_or(norm <= usual * options_.spike_factor));
  const at::Tensor kept = at_most(options_.limit_factor);
  const at::Tensor shortening = kept / size.clamp_min(std::numeric_limits<double>::min());
  // What the usual size learns from this step. A spike counts little, so that the next one is seen for what
  // it is, but after a first refusal more, so that a lasting change of level is taken over in a few steps.
  const at::Tensor again = good.logical_not().logical_and(state_.select(0, kRow) > 0.0);
  const at::Tensor bounded = at::where(again, at_most(options_.spike_factor), kept);
  const at::Tensor accepted = good.to(at::kDouble);
  const at::Tensor refused = 1.0 - accepted;
  seen.add_(1.0);
  // A plain mean at first, then exponential.
  usual.add_((bounded - usual) * at::reciprocal(seen).clamp_min(kSmoothing));
  const at::Tensor zero = at::zeros_like(loss64);
  state_.select(0, kSteps).add_(1.0);
  state_.select(0, kAccepted).add_(accepted);
  state_.select(0, kLossSum).add_(at::where(good, loss64, zero));
  if (parts.defined()) {
    const at::Tensor parts64 = parts.detach().to(at::kDouble);
    state_.narrow(0, kSize, parts64.size(0)).add_(at::where(good, parts64, at::zeros_like(parts64)));
  }
  state_.select(0, kNormSum).add_(at::where(good, norm, zero));
  remember_largest(good, norm, gradient);
  state_.select(0, kShortened).add_((kept < size).logical_and(good));
  state_.select(0, kRefused).add_(refused);
  state_.select(0, kRow).add_(1.0).mul_(refused);
  gradient.mul_(shortening).masked_fill_(good.logical_not(), 0.0);
  return accepted.to(gradient.scalar_type());
}

void StepGuard::remember_largest(const at::Tensor& good, const at::Tensor& norm, const at::Tensor& gradient) {
  at::Tensor largest_norm = state_.select(0, kLargestNorm), step = state_.select(0, kLargestAt);
  if (!slices_.empty() && !largest_.defined()) {
    largest_ = at::zeros_like(gradient);
    largest_norm.zero_();  // it may come from a checkpoint, which has no gradient to it
  }
  const at::Tensor larger = good.logical_and(norm > largest_norm);
  largest_norm.copy_(at::where(larger, norm, largest_norm));
  step.copy_(at::where(larger, state_.select(0, kSteps) - 1.0, step));
  if (!slices_.empty()) largest_.copy_(at::where(larger, gradient, largest_));
}

at::Tensor StepGuard::snapshot() {
  c10::NoGradGuard no_grad;
  state_.select(0, kLargestPart).fill_(-1.0);
  if (largest_.defined()) {
    std::vector<at::Tensor> norms;
    for (const WeightSlice& slice : slices_)
      norms.push_back(largest_.narrow(0, slice.offset, slice.count).norm());
    state_.select(0, kLargestPart).copy_(at::stack(norms).argmax());
  }
  const at::Tensor copy = state_.clone();
  state_.narrow(0, kSteps, kRefused).zero_();
  state_.narrow(0, kSize, state_.size(0) - kSize).zero_();
  return copy;
}

StepReport StepGuard::read(const at::Tensor& snapshot_on_host) {
  const double* value = snapshot_on_host.data_ptr<double>();
  StepReport report;
  report.steps = static_cast<std::int64_t>(value[kSteps]);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  report.mean_loss = value[kAccepted] > 0 ? value[kLossSum] / value[kAccepted] : nan;
  report.mean_gradient_norm = value[kAccepted] > 0 ? value[kNormSum] / value[kAccepted] : nan;
  report.largest_gradient_norm = value[kAccepted] > 0 ? value[kLargestNorm] : nan;
  report.largest_at = static_cast<std::int64_t>(value[kLargestAt]);
  // Without an accepted step the gradient that is kept belongs to an earlier report.
  if (value[kAccepted] > 0) report.largest_part = static_cast<std::int64_t>(value[kLargestPart]);
  report.shortened = static_cast<std::int64_t>(value[kShortened]);
  report.refused = static_cast<std::int64_t>(value[kRefused]);
  report.refused_in_a_row = static_cast<std::int64_t>(value[kRow]);
  for (std::int64_t part = kSize; part < snapshot_on_host.size(0); ++part)
    report.mean_parts.push_back(value[kAccepted] > 0 ? value[part] / value[kAccepted] : nan);
  return report;
}

void StepGuard::forget_refusals_in_a_row() {
  state_.select(0, kRow).zero_();
}

}  // namespace causcale

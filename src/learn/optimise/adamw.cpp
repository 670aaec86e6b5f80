#include "learn/optimise/adamw.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace causcale {

AdamW::AdamW(std::int64_t begin, std::int64_t decay_end, std::int64_t end, AdamWOptions options,
             const at::Tensor& masters)
    : begin_(begin),
      decay_end_(decay_end),
      end_(end),
      options_(options),
      first_(at::zeros({end - begin}, masters.options())),
      second_(at::zeros({end - begin}, masters.options())),
      steps_(at::zeros({}, masters.options().dtype(at::kDouble))) {}

void AdamW::clip(at::Tensor& gradient, double limit) const {
  if (limit <= 0.0) return;
  c10::NoGradGuard no_grad;
  at::Tensor mine = gradient.narrow(0, begin_, end_ - begin_);
  mine.mul_((limit / (mine.norm() + 1e-6)).clamp_max(1.0));
}

void AdamW::step(at::Tensor& masters, const at::Tensor& gradient, double learning_rate,
                 const at::Tensor& accepted) {
  c10::NoGradGuard no_grad;
  const at::Tensor mine = gradient.narrow(0, begin_, end_ - begin_);
  at::Tensor weights = masters.narrow(0, begin_, end_ - begin_);
  const at::ScalarType type = masters.scalar_type();
  steps_.add_(accepted);
  // max(1): before the first accepted step the corrections would be 0 / 0, and nothing is to be corrected.
  const at::Tensor steps = steps_.clamp_min(1.0);
  const at::Tensor correction1 = 1.0 - at::pow(options_.beta1, steps);
  const at::Tensor correction2 = 1.0 - at::pow(options_.beta2, steps);

  if (options_.weight_decay > 0.0)
    masters.narrow(0, begin_, decay_end_ - begin_)
        .mul_(1.0 - accepted * (learning_rate * options_.weight_decay));
  first_.mul_(1.0 - accepted * (1.0 - options_.beta1)).add_(mine, 1.0 - options_.beta1);
  second_.mul_(1.0 - accepted * (1.0 - options_.beta2)).addcmul_(mine, mine, 1.0 - options_.beta2);
  const at::Tensor denominator = (second_.sqrt() / correction2.sqrt().to(type)).add_(options_.epsilon);
  const at::Tensor rate = (accepted * -learning_rate / correction1).to(type);
  weights.add_(first_ / denominator * rate);
}

}  // namespace causcale

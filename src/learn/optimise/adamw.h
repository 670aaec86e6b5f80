// AdamW on one contiguous part of the flat weights. Nothing here waits for the device.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace causcale {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-8;
  double weight_decay = 0.0;  // decoupled, on matrices only
};

class AdamW {
 public:
  // Steers [begin, end) of the flat weights; weight decay acts on [begin, decay_end).
  AdamW(std::int64_t begin, std::int64_t decay_end, std::int64_t end, AdamWOptions options,
        const at::Tensor& masters);

  // Scales this part of `gradient` in place to a norm of at most `limit`; 0 means no limit.
  void clip(at::Tensor& gradient, double limit) const;
  // `accepted` is a device scalar, 1 or 0: with 0 (and a zero gradient) nothing changes.
  void step(at::Tensor& masters, const at::Tensor& gradient, double learning_rate,
            const at::Tensor& accepted);

  at::Tensor& first_moment() { return first_; }
  at::Tensor& second_moment() { return second_; }
  at::Tensor& accepted_steps() { return steps_; }

 private:
  std::int64_t begin_, decay_end_, end_;
  AdamWOptions options_;
  at::Tensor first_, second_;
  at::Tensor steps_;  // on the device, as refused steps do not count
};

}  // namespace causcale

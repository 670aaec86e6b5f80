// The network of DiffAN, which learns to see the noise in noisy rows, and the derivatives of its output by
// its input. The output times the noise level is the noise to be expected, so that the output itself is the
// negative score, the gradient of the log density, at that level.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "base/random.h"

namespace causcale {

class ScoreNetwork {
 public:
  ScoreNetwork(std::int64_t variables, std::int64_t narrow, std::int64_t wide, RandomStream& random,
               at::Device device);

  // The same network in another precision.
  ScoreNetwork to(at::ScalarType type) const;

  at::Tensor forward(const at::Tensor& x, const at::Tensor& level) const;  // x [B, n], level [B, 1]

  at::Tensor own_slopes(const at::Tensor& x, double level) const;  // [b, l]: ds_l / dx_l

  // With s the output and b the row, j the input:
  struct Derivatives {
    at::Tensor value;  // [b, l]: s_l
    at::Tensor first;  // [b, l, j]: ds_l / dx_j
    at::Tensor pure;   // [b, l, j]: d2 s_l / dx_j dx_j
    at::Tensor mixed;  // [b, l, j]: d2 s_l / dx_l dx_j
  };
  // Without building any Hessian: `first` and `pure` by carrying two derivatives forward in every direction,
  // `mixed` by going back from one.
  Derivatives derivatives(const at::Tensor& x, double level) const;

  const std::vector<at::Tensor>& leaves() const { return leaves_; }

 private:
  // A value with its first and second derivative along a direction; undefined ones are zero.
  struct Jet {
    at::Tensor value, first, second;
  };
  Jet linear(const Jet& x, int weight, int bias) const;  // leaf numbers; bias -1: none
  Jet normalize(const Jet& x, int weight, int bias) const;
  static Jet bend(const Jet& x);
  Jet after_first_layer(const Jet& x) const;

  std::int64_t variables_;
  std::vector<at::Tensor> leaves_;
};

}  // namespace causcale

// One small network a variable, all in a few tensors: from the other variables' values to the mean and the
// variance of each. The norms of the first layer's weights say who listens to whom.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "causcale/matrix.h"

namespace causcale {

class GroupedMlp {
 public:
  // allowed(i, j) = 1: variable j may listen to i. Where few pairs are allowed, only their weights exist: the
  // inputs of every network are gathered, padded to the largest number of them.
  GroupedMlp(const Matrix<std::uint8_t>& allowed, int hidden, RandomStream& random, at::Device device);

  struct Output {
    at::Tensor mean, variance;  // [B, n]
  };
  Output forward(const at::Tensor& x) const;  // [B, n]

  at::Tensor pair_norms() const;                       // per pair, in the layout of the weights
  at::Tensor dense(const at::Tensor& pairs) const;     // [n, n], row -> column
  at::Tensor per_pair(const at::Tensor& dense) const;  // the reverse
  const at::Tensor& first_weights() const { return leaves_[0]; }
  const std::vector<at::Tensor>& leaves() const { return leaves_; }
  std::vector<at::Tensor> snapshot() const;
  void restore(const std::vector<at::Tensor>& snapshot);

 private:
  std::int64_t nodes_, hidden_;
  bool gathered_;
  at::Tensor mask_;     // dense: [n, n, 1], source first; gathered: [n, K, 1], target first
  at::Tensor sources_;  // gathered only: [n * K], who stands in each place
  // First weights [n, n, h] or [n, K, h], first bias [n, 1, h], outputs [n, h, 2], their bias [n, 1, 2].
  std::vector<at::Tensor> leaves_;
};

}  // namespace causcale

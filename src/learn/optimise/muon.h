// Muon: momentum whose direction is replaced by the nearest orthogonal matrix, for the matrices inside
// blocks.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "learn/optimise/weights.h"

namespace causcale {

struct MuonOptions {
  double momentum = 0.95;
  int newton_schulz_steps = 5;
  double weight_decay = 0.0;  // decoupled
};

// Pushes every singular value of each [rows, cols] matrix of the batch towards 1 by the quintic iteration
// x <- a x + (b s + c s^2) x with s = x x^T, in the type of `batch`. Values end roughly in [0.7, 1.2].
at::Tensor orthogonalise(const at::Tensor& batch, int steps);

class Muon {
 public:
  // `iteration_type` is the type of the Newton-Schulz iteration: bf16 on GPUs, where it runs on tensor cores.
  Muon(const WeightLayout& layout, MuonOptions options, const at::Tensor& masters,
       at::ScalarType iteration_type);

  // `accepted` is a device scalar, 1 or 0: with 0 (and a zero gradient) neither weights nor momentum change.
  void step(at::Tensor& masters, const at::Tensor& gradient, double learning_rate,
            const at::Tensor& accepted);

  at::Tensor& momentum() { return momentum_; }

 private:
  std::vector<MatrixGroup> groups_;
  std::int64_t end_;
  MuonOptions options_;
  at::ScalarType iteration_type_;
  at::Tensor momentum_;
};

}  // namespace causcale

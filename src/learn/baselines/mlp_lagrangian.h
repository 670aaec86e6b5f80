// What NOTEARS-MLP minimises: the squared error of one small network a variable, a squared penalty and the
// augmented Lagrangian of the acyclicity constraint, with the gradient written out by hand.
//
// The networks are evaluated in single precision, block of rows by block, sums over rows and everything else
// in double precision.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "causcale/graph.h"
#include "causcale/matrix.h"
#include "learn/baselines/mlp_layout.h"

namespace causcale {

class MlpLagrangian {
 public:
  // data [m, n], float, on the CPU; allowed(i, j) = 1: variable j may listen to i.
  MlpLagrangian(at::Tensor data, const Matrix<std::uint8_t>& allowed, int hidden, double l2, int threads);

  double multiplier = 0, weight = 1;  // of the constraint and of half its square

  const MlpLayout& layout() const { return layout_; }  // of the weights x

  // Norms of the input weights of every pair, row -> column.
  Matrix<double> norms(std::span<const double> x) const;
  double constraint(std::span<const double> x) const;  // tr exp(squared norms) - n
  // Infinity where the exponential overflows. Gradients of weights that are not allowed are zero.
  double operator()(std::span<const double> x, std::span<double> gradient);

 private:
  // The squared error over 2 m, and its gradient.
  double fit(std::span<const double> x, std::span<double> gradient);
  double cycles(std::span<const double> x, std::vector<double>& by_square) const;  // by pair of pairs_

  at::Tensor data_;
  MlpLayout layout_;
  double l2_;
  int threads_;
  std::vector<Edge> pairs_;  // allowed ones, by source and target
  at::Tensor weights_, slopes_, units_;
};

}  // namespace causcale

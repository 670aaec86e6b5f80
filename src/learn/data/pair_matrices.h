// Tensors of pairs as the matrices that everybody else works with.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/channels.h"
#include "core/network.h"

namespace causcale {

// [n, n] on any device.
Matrix<double> as_matrix(const at::Tensor& square);

// Of one table as pair_probabilities() gives it: [1 + K, n, n], on any device.
core::PairProbabilities as_matrices(const at::Tensor& said, const PairOutputs& outputs);

}  // namespace causcale

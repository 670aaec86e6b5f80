// How far edge probabilities are from a graph without cycles: the largest eigenvalue of their matrix, which
// is 0 exactly where no cycle has a positive probability.
#pragma once

#include <ATen/core/Tensor.h>

namespace causcale {

// Matrices [B, n, n] of numbers >= 0 -> [B]. By power iteration from both sides, beginning with ones, so
// that the same matrix has the same answer and the order of its variables does not matter; the vectors are
// taken as given when derivatives are formed, which is right at convergence (Lee et al., Scaling structural
// learning with NO-BEARS, 2019).
at::Tensor spectral_radius(const at::Tensor& matrices, int iterations);

}  // namespace causcale

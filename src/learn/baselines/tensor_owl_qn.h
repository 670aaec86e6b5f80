// The minimisation of baselines/owl_qn.h for functions of a tensor: the variables and all that belongs to
// them stay on their device.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "methods/continuous/owl_qn.h"

namespace causcale {

// Gives the value at x and sets the gradient, a tensor like x; infinity where the function is not defined.
using TensorFunction = std::function<double(const at::Tensor& x, at::Tensor& gradient)>;

// x and penalty: double, one dimension. The options' precondition is not used. Leaves the minimiser in x.
OwlQnResult minimize_with_l1(at::Tensor& x, const at::Tensor& penalty, const TensorFunction& smooth,
                             const OwlQnOptions& options);

}  // namespace causcale

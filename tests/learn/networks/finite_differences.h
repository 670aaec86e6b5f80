// Derivatives of a network against central differences, in double precision.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "learn/networks/parameters.h"

namespace causcale {

// `loss` of weights in double precision; of every tensor `entries` numbers, evenly apart, are moved. Returns
// how many there were.
inline int expect_derivatives(const ModelParams& params,
                              const std::function<at::Tensor(const ModelParams&)>& loss, int entries) {
  constexpr double kStep = 1e-6;
  ModelParams moved = params;
  std::vector<std::string> names;
  std::vector<at::Tensor> leaves;
  moved.visit([&](const std::string& name, at::Tensor& tensor) {
    tensor = tensor.detach().clone().requires_grad_();
    names.push_back(name);
    leaves.push_back(tensor);
  });
  const auto slopes = torch::autograd::grad({loss(moved)}, leaves);
  int count = 0;
  const at::NoGradGuard no_grad;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    double* values = leaves[k].data_ptr<double>();
    const at::Tensor slope = slopes[k].contiguous();
    const std::int64_t stride = std::max<std::int64_t>(1, leaves[k].numel() / entries);
    for (std::int64_t i = 0; i < leaves[k].numel(); i += stride) {
      const double before = values[i];
      values[i] = before + kStep;
      const double above = loss(moved).item<double>();
      values[i] = before - kStep;
      const double below = loss(moved).item<double>();
      values[i] = before;
      const double expected = (above - below) / (2 * kStep), found = slope.data_ptr<double>()[i];
      EXPECT_NEAR(found, expected, 1e-8 + 1e-5 * std::abs(expected)) << names[k] << " [" << i << "]";
      ++count;
    }
  }
  return count;
}

}  // namespace causcale

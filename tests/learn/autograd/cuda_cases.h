// What the tests of the fused CUDA operations share: random tensors, and the distance between results.
#pragma once

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace causcale::autograd {

inline at::Tensor random_values(std::vector<std::int64_t> sizes, at::ScalarType type, double scale,
                                double offset = 0.0) {
  const at::Tensor values = at::randn(sizes, at::TensorOptions(at::kFloat).device(at::kCUDA));
  return (values * scale + offset).to(type);
}

inline std::string name_of(at::ScalarType type) {
  return type == at::kFloat ? "Float" : "Bf16";
}

// The same cases in both types.
template <class Case>
std::vector<Case> in_both_types(std::vector<Case> cases) {
  const std::size_t count = cases.size();
  for (std::size_t i = 0; i < count; ++i) {
    cases.push_back(cases[i]);
    cases.back().type = at::kFloat;
  }
  return cases;
}

// ||value - reference|| / ||reference||; NaN if any value is NaN.
inline double relative_error(const at::Tensor& value, const at::Tensor& reference) {
  const at::Tensor difference = value.to(at::kDouble) - reference.to(at::kDouble);
  return (difference.norm() / reference.to(at::kDouble).norm()).item<double>();
}

// Operands and results of the type: a few roundings of 2^-9 each in bf16; in fp32 the long sums count as
// well. Where a result is itself a difference of large terms (the gradient of the keys' bias is exactly
// zero), the plain composition in that type is no better, so it sets the measure.
inline double tolerance_of(at::ScalarType type) {
  return type == at::kBFloat16 ? 1e-2 : 2e-5;
}

inline void expect_close(const at::Tensor& value, const at::Tensor& plain, const at::Tensor& exact,
                         at::ScalarType type, const std::string& what) {
  ASSERT_TRUE(value.defined()) << what;
  ASSERT_EQ(value.sizes(), exact.sizes()) << what;
  const double error = relative_error(value, exact), plain_error = relative_error(plain, exact);
  ::testing::Test::RecordProperty(what, fmt::format("{:.3g} plain {:.3g}", error, plain_error));
  EXPECT_LT(error, std::max(tolerance_of(type), 2 * plain_error)) << what;  // NaN fails as well
}

// Leaves of a graph of derivatives: the given values for the fused and for the plain operation, and the
// same in double precision.
struct Leaves {
  std::vector<at::Tensor> fused, plain, exact;
  explicit Leaves(const std::vector<at::Tensor>& values) {
    for (const at::Tensor& value : values) {
      fused.push_back(value.detach().clone().requires_grad_(true));
      plain.push_back(value.detach().clone().requires_grad_(true));
      exact.push_back(value.detach().to(at::kDouble).requires_grad_(true));
    }
  }
};

// Results and gradients of the three. The residual is taken off: it would hide errors of the branch beside
// it.
inline void expect_same_function(const Leaves& leaves, const at::Tensor& fused, const at::Tensor& plain,
                                 const at::Tensor& exact, const std::vector<std::string>& names) {
  const auto branch = [](const at::Tensor& y, const at::Tensor& x) {
    return y.detach().to(at::kDouble) - x.detach().to(at::kDouble);
  };
  const at::ScalarType type = fused.scalar_type();
  expect_close(branch(fused, leaves.fused[0]), branch(plain, leaves.plain[0]), branch(exact, leaves.exact[0]),
               type, "branch");
  const at::Tensor dy = random_values(exact.sizes().vec(), type, 1.0);
  fused.backward(dy);
  plain.backward(dy);
  exact.backward(dy.to(at::kDouble));
  for (std::size_t i = 0; i < names.size(); ++i) {
    expect_close(leaves.fused[i].grad(), leaves.plain[i].grad(), leaves.exact[i].grad(), type,
                 "gradient of " + names[i]);
  }
}

}  // namespace causcale::autograd

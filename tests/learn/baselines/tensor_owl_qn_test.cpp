#include "learn/baselines/tensor_owl_qn.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "learn/baselines/tensors.h"

namespace causcale {
namespace {

// 1/2 |A x - b|^2 / rows, badly scaled.
struct Lasso {
  at::Tensor a, b;
  explicit Lasso(std::uint64_t seed) {
    RandomStream random(seed, 0, 0);
    a = normal_tensor(random, {60, 12}).to(at::kDouble) * at::logspace(-1, 1, 12, 10.0, at::kDouble);
    b = normal_tensor(random, {60}).to(at::kDouble) + a.select(1, 3) * 2.0 - a.select(1, 7);
  }
  double operator()(const at::Tensor& x, at::Tensor& gradient) const {
    const at::Tensor rest = at::mv(a, x) - b;
    gradient = at::mv(a.t(), rest) / 60.0;
    return 0.5 * at::dot(rest, rest).item<double>() / 60.0;
  }
};

TEST(TensorOwlQn, StepsAsTheOneOnVectors) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Lasso lasso(seed);
    OwlQnOptions options;
    options.memory = 4;
    options.value_tolerance = 1e-14;
    options.gradient_tolerance = 1e-9;
    at::Tensor x = at::full({12}, 0.1, at::kDouble);
    const OwlQnResult tensors = minimize_with_l1(x, at::full({12}, 0.2, at::kDouble), lasso, options);

    std::vector<double> vector(12, 0.1);
    const std::vector<double> penalty(12, 0.2);
    const SmoothFunction smooth = [&](std::span<const double> point, std::span<double> gradient) {
      at::Tensor slope;
      const double value =
          lasso(at::tensor(at::ArrayRef<double>(point.data(), point.size()), at::kDouble), slope);
      std::copy_n(slope.data_ptr<double>(), gradient.size(), gradient.begin());
      return value;
    };
    const OwlQnResult expected = minimize_with_l1(vector, penalty, smooth, options);
    EXPECT_EQ(tensors.iterations, expected.iterations);
    EXPECT_EQ(tensors.evaluations, expected.evaluations);
    EXPECT_NEAR(tensors.value, expected.value, 1e-12);
    int zeros = 0;
    for (int k = 0; k < 12; ++k) {
      EXPECT_NEAR(x[k].item<double>(), vector[k], 1e-8) << k;
      EXPECT_EQ(x[k].item<double>() == 0.0, vector[k] == 0.0) << k;
      zeros += vector[k] == 0.0;
    }
    EXPECT_GT(zeros, 0);
    EXPECT_LT(zeros, 12);
  }
}

TEST(TensorOwlQn, StaysInTheDomain) {
  const TensorFunction smooth = [](const at::Tensor& x, at::Tensor& gradient) {
    const double value = x.item<double>();
    gradient = 1.0 - 0.1 / x;
    return value > 0.0 ? value - 0.1 * std::log(value) : std::numeric_limits<double>::infinity();
  };
  at::Tensor x = at::full({1}, 5.0, at::kDouble);
  minimize_with_l1(x, at::zeros({1}, at::kDouble), smooth, {});
  EXPECT_NEAR(x.item<double>(), 0.1, 1e-3);
}

}  // namespace
}  // namespace causcale

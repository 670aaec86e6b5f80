#include "learn/networks/spectral_radius.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <Eigen/Eigenvalues>
#include <array>

namespace causcale {
namespace {

double radius_by_eigen(const at::Tensor& matrix) {
  const at::Tensor values = matrix.contiguous();
  const auto n = values.size(0);
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> mapped(
      values.data_ptr<double>(), n, n);
  return Eigen::EigenSolver<Eigen::MatrixXd>(mapped, false).eigenvalues().cwiseAbs().maxCoeff();
}

at::Tensor random_probabilities() {
  at::manual_seed(8);
  return at::rand({4, 7, 7}, at::kDouble) * (1.0 - at::eye(7, at::kDouble));
}

TEST(SpectralRadius, IsEigensLargestEigenvalue) {
  const at::Tensor matrices = random_probabilities();
  const at::Tensor precise = spectral_radius(matrices, 200), usual = spectral_radius(matrices, 10);
  for (std::int64_t b = 0; b < 4; ++b) {
    const double expected = radius_by_eigen(matrices[b]);
    EXPECT_NEAR(precise[b].item<double>(), expected, 1e-10);
    EXPECT_NEAR(usual[b].item<double>(), expected, 1e-3 * expected);
  }
}

TEST(SpectralRadius, DerivativeIsThatOfTheEigenvalue) {
  const at::Tensor matrices = random_probabilities().requires_grad_();
  const at::Tensor slope = torch::autograd::grad({spectral_radius(matrices, 200).sum()}, {matrices})[0];
  const at::NoGradGuard no_grad;
  for (const auto& [b, i, j] : {std::array<int, 3>{0, 1, 2}, {1, 6, 0}, {2, 3, 3}, {3, 0, 5}}) {
    at::Tensor above = matrices[b].clone(), below = matrices[b].clone();
    above[i][j] += 1e-6;
    below[i][j] -= 1e-6;
    EXPECT_NEAR(slope[b][i][j].item<double>(), (radius_by_eigen(above) - radius_by_eigen(below)) / 2e-6,
                1e-7);
  }
}

TEST(SpectralRadius, IsZeroWithoutCycles) {
  const at::Tensor acyclic = at::triu(random_probabilities(), 1);
  EXPECT_EQ(spectral_radius(acyclic, 10).abs().max().item<double>(), 0.0);
  EXPECT_EQ(spectral_radius(at::zeros({1, 3, 3}, at::kDouble), 10).item<double>(), 0.0);
}

}  // namespace
}  // namespace causcale

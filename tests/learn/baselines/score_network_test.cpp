#include "learn/baselines/score_network.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include "learn/baselines/tensors.h"

namespace causcale {
namespace {

// Against differences of the output, in double precision.
TEST(ScoreNetwork, DerivativesAgreeWithDifferences) {
  const c10::NoGradGuard no_grad;
  constexpr int kVariables = 4, kRows = 5;
  RandomStream random(3, 0, 0);
  const ScoreNetwork single(kVariables, 16, 24, random, at::kCPU);
  const ScoreNetwork network = single.to(at::kDouble);
  const at::Tensor x = normal_tensor(random, {kRows, kVariables}).to(at::kDouble);
  const at::Tensor level = at::full({kRows, 1}, 0.3, at::kDouble);
  const auto at_shift = [&](const at::Tensor& shift) { return network.forward(x + shift, level); };
  const ScoreNetwork::Derivatives found = network.derivatives(x, 0.3);
  EXPECT_TRUE(at::allclose(found.value, at_shift(at::zeros({kVariables}, at::kDouble))));

  EXPECT_TRUE(at::allclose(network.own_slopes(x, 0.3), found.first.diagonal(0, 1, 2)));

  constexpr double kStep = 1e-5;
  const auto unit = [&](int j) {
    const at::Tensor shift = at::zeros({kVariables}, at::kDouble);
    shift.data_ptr<double>()[j] = kStep;
    return shift;
  };
  const at::Tensor middle = found.value;
  for (int j = 0; j < kVariables; ++j) {
    const at::Tensor up = at_shift(unit(j)), down = at_shift(-unit(j));
    EXPECT_TRUE(at::allclose(found.first.select(2, j), (up - down) / (2 * kStep), 1e-5, 1e-6)) << j;
    EXPECT_TRUE(at::allclose(found.pure.select(2, j), (up - 2 * middle + down) / (kStep * kStep), 1e-3, 1e-4))
        << j;
    for (int l = 0; l < kVariables; ++l) {
      const at::Tensor difference = (at_shift(unit(l) + unit(j)) - at_shift(unit(l) - unit(j)) -
                                     at_shift(unit(j) - unit(l)) + at_shift(-unit(l) - unit(j))) /
                                    (4 * kStep * kStep);
      EXPECT_TRUE(at::allclose(found.mixed.select(1, l).select(1, j), difference.select(1, l), 1e-3, 1e-4))
          << l << ' ' << j;
    }
  }
}

}  // namespace
}  // namespace causcale

#include "learn/baselines/grouped_mlp.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include "learn/baselines/tensors.h"

namespace causcale {
namespace {

// Few candidates among many variables: only their weights exist. Both layouts are the same function.
TEST(GroupedMlp, GatheredInputsGiveWhatMaskedOnesGive) {
  constexpr int kNodes = 12, kHidden = 3;
  Matrix<std::uint8_t> few(kNodes, kNodes, 0), many(kNodes, kNodes, 0);
  few(0, 5) = few(3, 5) = few(5, 7) = 1;
  for (int i = 0; i < kNodes; ++i)
    for (int j = 0; j < kNodes; ++j) many(i, j) = i != j;
  RandomStream random(1, 0, 0), other(2, 0, 0);
  GroupedMlp gathered(few, kHidden, random, at::kCPU), dense(many, kHidden, other, at::kCPU);
  const c10::NoGradGuard no_grad;
  ASSERT_EQ(gathered.first_weights().size(1), 2);
  ASSERT_EQ(dense.first_weights().size(1), kNodes);
  std::vector<at::Tensor> weights = gathered.snapshot();
  weights[0] = at::zeros({kNodes, kNodes, kHidden});
  weights[0].select(0, 0).select(0, 5).copy_(gathered.first_weights().select(0, 5).select(0, 0));
  weights[0].select(0, 3).select(0, 5).copy_(gathered.first_weights().select(0, 5).select(0, 1));
  weights[0].select(0, 5).select(0, 7).copy_(gathered.first_weights().select(0, 7).select(0, 0));
  dense.restore(weights);
  const at::Tensor x = normal_tensor(random, {6, kNodes});
  EXPECT_TRUE(at::allclose(gathered.forward(x).mean, dense.forward(x).mean, 1e-5, 1e-6));
  EXPECT_TRUE(at::allclose(gathered.forward(x).variance, dense.forward(x).variance, 1e-5, 1e-6));
  const at::Tensor norms = dense.dense(dense.pair_norms());
  EXPECT_TRUE(at::allclose(gathered.dense(gathered.pair_norms()), norms));
  EXPECT_TRUE(at::allclose(gathered.per_pair(norms), gathered.pair_norms()));
}

}  // namespace
}  // namespace causcale

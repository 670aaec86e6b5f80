// The steps around the axial layers on the CPU: what the plain compositions mean, against loops.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "learn/autograd/embedding/embedding.h"
#include "learn/autograd/message/message.h"
#include "learn/autograd/pairs/pairs.h"
#include "learn/autograd/pooling/pooling.h"

namespace causcale::autograd {
namespace {

TEST(Pairs, StandSideBySideInRowMajorOrder) {
  const std::int64_t n = 4, d = 8;
  const at::Tensor graph = at::arange(2 * n * n * d, at::kFloat).view({2, n, n, d});
  for (const bool reversed : {false, true}) {
    const at::Tensor joined = join_pairs(graph, reversed, /*fused=*/true);  // on the CPU the switch is idle
    ASSERT_EQ(joined.sizes(), at::IntArrayRef({2, 6, 2 * d}));
    std::int64_t pair = 0;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = i + 1; j < n; ++j, ++pair) {
        const at::Tensor there = graph[1][i][j], back = graph[1][j][i];
        EXPECT_TRUE(at::equal(joined[1][pair].narrow(0, 0, d), reversed ? back : there));
        EXPECT_TRUE(at::equal(joined[1][pair].narrow(0, d, d), reversed ? there : back));
      }
  }
  EXPECT_EQ(join_pairs(graph.narrow(1, 0, 1).narrow(2, 0, 1), false, false).size(1), 0);
}

TEST(Pooling, AnIncompleteGroupIsDropped) {
  const at::Tensor data = at::arange(7, at::kFloat).view({1, 7, 1, 1}).expand({1, 7, 2, 4}).contiguous();
  const at::Tensor pooled = mean_of_groups(data, 3, true);
  ASSERT_EQ(pooled.sizes(), at::IntArrayRef({1, 2, 2, 4}));
  EXPECT_FLOAT_EQ(pooled[0][0][1][3].item<float>(), 1.0f);
  EXPECT_FLOAT_EQ(pooled[0][1][0][0].item<float>(), 4.0f);
}

TEST(Message, IsOneMoreChannel) {
  at::manual_seed(1);
  const at::Tensor graph = at::randn({2, 3, 3, 8}, at::kDouble), message = at::randn({2, 3, 3}, at::kDouble),
                   weight = at::randn({8, 9}, at::kDouble), bias = at::randn({8}, at::kDouble);
  const at::Tensor wide = at::linear(at::cat({graph, message.unsqueeze(-1)}, -1), weight, bias);
  EXPECT_LT((merge_message(graph, message, weight, bias, true) - wide).abs().max().item<double>(), 1e-12);
}

TEST(Embedding, IsLinearThenNorm) {
  at::manual_seed(2);
  const at::Tensor values = at::randn({5, 2}, at::kDouble), weight = at::randn({8, 2}, at::kDouble),
                   bias = at::randn({8}, at::kDouble), gamma = at::randn({8}, at::kDouble),
                   beta = at::randn({8}, at::kDouble);
  const at::Tensor hidden = values.matmul(weight.t()) + bias;
  const at::Tensor centred = hidden - hidden.mean(-1, true);
  const at::Tensor expected = centred / (centred.square().mean(-1, true) + 1e-5).sqrt() * gamma + beta;
  EXPECT_LT((embed(values, {weight, bias, gamma, beta}, true) - expected).abs().max().item<double>(), 1e-12);
}

}  // namespace
}  // namespace causcale::autograd

#include "learn/autograd/feed_forward/feed_forward.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <cmath>

#include "causcale/error.h"

namespace causcale::autograd {
namespace {

struct Branch {
  at::Tensor norm_weight, norm_bias, up_weight, up_bias, down_weight, down_bias;
  Branch(std::int64_t d, std::int64_t F, at::ScalarType type) {
    at::manual_seed(4);
    norm_weight = (1.0 + at::randn({d}, at::kDouble) * 0.2).to(type);
    norm_bias = (at::randn({d}, at::kDouble) * 0.2).to(type);
    up_weight = (at::randn({F, d}, at::kDouble) / std::sqrt(double(d))).to(type);
    up_bias = (at::randn({F}, at::kDouble) * 0.3).to(type);
    down_weight = (at::randn({d, F}, at::kDouble) / std::sqrt(double(F))).to(type);
    down_bias = (at::randn({d}, at::kDouble) * 0.3).to(type);
  }
  FeedForwardWeights weights() const {
    return {norm_weight, norm_bias, up_weight, up_bias, down_weight, down_bias};
  }
};

TEST(FeedForward, ChunksOfThePlainCompositionAreExact) {
  const Branch branch(4, 4096, at::kDouble);
  const at::Tensor x =
      at::randn({1, 23, 100, 4}, at::kDouble);  // 2300 tokens of 32 KiB hidden layer: two chunks
  at::randn({1, 45, 100, 4}, at::kDouble);      // 4500 tokens of 64 KiB hidden layer: two chunks
  const at::Tensor whole = feed_forward_plain(x, branch.weights());
  const c10::NoGradGuard no_gradient;
  EXPECT_LE((feed_forward_plain(x, branch.weights()) - whole).abs().max().item<double>(), 1e-12);
}

TEST(FeedForward, DerivativesTakeThePlainComposition) {
  const Branch branch(16, 32, at::kFloat);
  const at::Tensor x = at::randn({1, 6, 5, 16}).requires_grad_(true);
  feed_forward(x, branch.weights()).sum().backward();
  EXPECT_TRUE(x.grad().defined());
}

TEST(FeedForward, RejectsUnfitShapes) {
  const Branch branch(16, 32, at::kFloat);
  EXPECT_THROW(feed_forward(at::zeros({3, 8}), branch.weights()), Error);
}

}  // namespace
}  // namespace causcale::autograd

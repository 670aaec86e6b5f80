// The fused CUDA feed-forward network against the plain composition in double precision.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "learn/autograd/cuda_cases.h"
#include "learn/autograd/feed_forward/feed_forward.h"
#include "learn/autograd/feed_forward/feed_forward_cuda.h"

namespace causcale::autograd {
namespace {

struct Case {
  std::int64_t batch, rows, cols, width;
  at::ScalarType type = at::kBFloat16;
};

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return fmt::format("{}x{}x{}x{}{}", c.batch, c.rows, c.cols, c.width, name_of(c.type));
}

const std::vector<std::string> kNames = {"x",       "norm weight", "norm bias", "up weight",
                                         "up bias", "down weight", "down bias"};

std::vector<at::Tensor> random_leaves(const Case& c) {
  return {random_values({c.batch, c.rows, c.cols, 128}, c.type, 1.0, -0.2),
          random_values({128}, c.type, 0.3, 1.0),
          random_values({128}, c.type, 0.3),
          random_values({c.width, 128}, c.type, 0.15),
          random_values({c.width}, c.type, 0.3),
          random_values({128, c.width}, c.type, 0.1),
          random_values({128}, c.type, 0.3)};
}

FeedForwardWeights weights_of(const std::vector<at::Tensor>& v) {
  return {v[1], v[2], v[3], v[4], v[5], v[6]};
}

class FeedForwardCuda : public testing::TestWithParam<Case> {};

TEST_P(FeedForwardCuda, ForwardAndGradients) {
  const Case c = GetParam();
  at::manual_seed(29);
  const Leaves leaves(random_leaves(c));
  ASSERT_TRUE(feed_forward_cuda_supports(leaves.fused[0], weights_of(leaves.fused)));
  const at::Tensor y = feed_forward_cuda(leaves.fused[0], weights_of(leaves.fused));
  expect_same_function(leaves, y, feed_forward_plain(leaves.plain[0], weights_of(leaves.plain)),
                       feed_forward_plain(leaves.exact[0], weights_of(leaves.exact)), kNames);

  const c10::InferenceMode inference;
  EXPECT_TRUE(at::equal(feed_forward_cuda(leaves.fused[0], weights_of(leaves.fused)), y));
  EXPECT_TRUE(at::equal(feed_forward(leaves.fused[0], weights_of(leaves.fused)), y)) << "another path chosen";
}

TEST_P(FeedForwardCuda, RepeatedGradientsAreIdentical) {
  const Case c = GetParam();
  at::manual_seed(30);
  const Leaves leaves(random_leaves(c));
  const at::Tensor dy = random_values(leaves.fused[0].sizes().vec(), c.type, 1.0);
  const at::Tensor y = feed_forward_cuda(leaves.fused[0], weights_of(leaves.fused));
  const auto once = torch::autograd::grad({y}, leaves.fused, {dy}, /*retain_graph=*/true);
  const auto twice = torch::autograd::grad({y}, leaves.fused, {dy});
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_TRUE(at::equal(once[i], twice[i])) << kNames[i];
}

std::vector<Case> cases() {
  return in_both_types<Case>({Case{1, 1, 2, 512}, Case{1, 37, 7, 512}, Case{1, 37, 7, 128},
                              Case{2, 39, 20, 512}, Case{2, 39, 20, 128}, Case{1, 1, 5, 512},
                              Case{3, 130, 100, 512}, Case{3, 130, 100, 128}, Case{2, 257, 133, 512},
                              Case{1, 100, 90, 256}, Case{1, 77, 13, 768}});
}

INSTANTIATE_TEST_SUITE_P(Sizes, FeedForwardCuda, testing::ValuesIn(cases()), name_of_case);

}  // namespace
}  // namespace causcale::autograd

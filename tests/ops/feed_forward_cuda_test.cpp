// The fused CUDA feed-forward network against the plain composition in double precision.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ops/cuda_cases.h"
#include "ops/feed_forward/feed_forward.h"
#include "ops/feed_forward/feed_forward_cuda.h"

namespace causcale::ops {
namespace {

struct Case {
  std::int64_t batch, rows, cols, width;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return fmt::format("{}x{}x{}x{}", c.batch, c.rows, c.cols, c.width);
}

const std::vector<std::string> kNames = {"x",       "norm weight", "norm bias", "up weight",
                                         "up bias", "down weight", "down bias"};

std::vector<at::Tensor> random_values(const Case& c) {
  return {random_bf16({c.batch, c.rows, c.cols, 128}, 1.0, -0.2),
          random_bf16({128}, 0.3, 1.0),
          random_bf16({128}, 0.3),
          random_bf16({c.width, 128}, 0.15),
          random_bf16({c.width}, 0.3),
          random_bf16({128, c.width}, 0.1),
          random_bf16({128}, 0.3)};
}

FeedForwardWeights weights_of(const std::vector<at::Tensor>& v) {
  return {v[1], v[2], v[3], v[4], v[5], v[6]};
}

class FeedForwardCuda : public testing::TestWithParam<Case> {};

TEST_P(FeedForwardCuda, ForwardAndGradients) {
  const Case c = GetParam();
  at::manual_seed(29);
  const Leaves leaves(random_values(c));
  ASSERT_TRUE(feed_forward_cuda_supports(leaves.fused[0], weights_of(leaves.fused)));
  const at::Tensor y = feed_forward_cuda(leaves.fused[0], weights_of(leaves.fused));
  expect_same_function(leaves, y, feed_forward_plain(leaves.plain[0], weights_of(leaves.plain)),
                       feed_forward_plain(leaves.exact[0], weights_of(leaves.exact)), kNames);

  const c10::InferenceMode inference;
  EXPECT_TRUE(at::equal(feed_forward_cuda(leaves.fused[0], weights_of(leaves.fused)), y));
}

INSTANTIATE_TEST_SUITE_P(Sizes, FeedForwardCuda,
                         testing::Values(Case{1, 37, 7, 512}, Case{1, 37, 7, 128}, Case{2, 39, 20, 512},
                                         Case{2, 39, 20, 128}, Case{1, 1, 5, 512}, Case{3, 130, 100, 512},
                                         Case{3, 130, 100, 128}, Case{2, 257, 133, 512},
                                         Case{1, 100, 90, 256}, Case{1, 77, 13, 768}),
                         name_of);

}  // namespace
}  // namespace causcale::ops

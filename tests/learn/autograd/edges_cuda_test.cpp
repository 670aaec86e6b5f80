// The fused CUDA kernels around the axial layers against the plain composition in double precision:
// embedding, pooling, pairs of the head, message.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "learn/autograd/cuda_cases.h"
#include "learn/autograd/embedding/embedding.h"
#include "learn/autograd/embedding/embedding_cuda.h"
#include "learn/autograd/message/message.h"
#include "learn/autograd/message/message_cuda.h"
#include "learn/autograd/pairs/pairs.h"
#include "learn/autograd/pairs/pairs_cuda.h"
#include "learn/autograd/pooling/pooling.h"
#include "learn/autograd/pooling/pooling_cuda.h"

namespace causcale::autograd {
namespace {

using Function = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

void expect_near(const at::Tensor& value, const at::Tensor& plain, const at::Tensor& exact,
                 const std::string& what) {
  ASSERT_TRUE(value.defined()) << what;
  if (value.scalar_type() == at::kBFloat16)
    return expect_close(value, plain, exact, value.scalar_type(), what);
  ASSERT_EQ(value.sizes(), exact.sizes()) << what;
  EXPECT_LT(relative_error(value, exact), std::max(5e-5, 2 * relative_error(plain, exact))) << what;
}

// Results and gradients of the values from number `first_leaf` on; fused gradients twice, bit by bit.
void expect_same(const std::vector<at::Tensor>& values, std::size_t first_leaf, const Function& fused,
                 const Function& plain, const std::vector<std::string>& names) {
  Leaves leaves(values);
  for (std::size_t i = 0; i < first_leaf; ++i) {
    leaves.fused[i].requires_grad_(false);
    leaves.plain[i].requires_grad_(false);
    leaves.exact[i].requires_grad_(false);
  }
  const at::Tensor y = fused(leaves.fused), other = plain(leaves.plain), exact = plain(leaves.exact);
  expect_near(y, other, exact, "result");
  const at::Tensor dy = random_values(exact.sizes().vec(), y.scalar_type(), 1.0);
  y.backward(dy, /*retain_graph=*/true);
  other.backward(dy);
  exact.backward(dy.to(at::kDouble));
  std::vector<at::Tensor> once;
  for (std::size_t i = first_leaf; i < values.size(); ++i) {
    expect_near(leaves.fused[i].grad(), leaves.plain[i].grad(), leaves.exact[i].grad(),
                "gradient of " + names[i]);
    once.push_back(leaves.fused[i].grad().clone());
    leaves.fused[i].mutable_grad().reset();
  }
  y.backward(dy);
  for (std::size_t i = first_leaf; i < values.size(); ++i)
    EXPECT_TRUE(at::equal(once[i - first_leaf], leaves.fused[i].grad())) << names[i];

  const c10::InferenceMode inference;
  EXPECT_TRUE(at::equal(fused(leaves.fused), y)) << "without derivatives";
}

struct Case {
  std::int64_t batch, rows, cols;
  at::ScalarType type;
};

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return fmt::format("{}x{}x{}{}", c.batch, c.rows, c.cols, name_of(c.type));
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const at::ScalarType type : {at::kBFloat16, at::kFloat})
    for (const auto& [batch, rows, cols] : {std::tuple<int, int, int>{1, 1, 2},
                                            {3, 2, 3},
                                            {1, 37, 7},
                                            {2, 39, 20},
                                            {2, 333, 50},
                                            {3, 130, 100}})
      all.push_back({batch, rows, cols, type});
  return all;
}

class EmbeddingCuda : public testing::TestWithParam<Case> {};

TEST_P(EmbeddingCuda, ForwardAndGradients) {
  const Case c = GetParam();
  at::manual_seed(31);
  const Function fused = [](const std::vector<at::Tensor>& v) {
    const EmbeddingWeights weights{v[1], v[2], v[3], v[4]};
    EXPECT_TRUE(embed_cuda_supports(v[0], weights));
    return embed_cuda(v[0], weights);
  };
  const Function plain = [](const std::vector<at::Tensor>& v) {
    return embed_plain(v[0], {v[1], v[2], v[3], v[4]});
  };
  for (const std::int64_t inputs : {1, 2}) {
    SCOPED_TRACE(inputs);
    expect_same({random_values({c.batch, c.rows, c.cols, inputs}, c.type, 1.0, 0.2),
                 random_values({128, inputs}, c.type, 0.7, 0.1), random_values({128}, c.type, 0.5, 0.3),
                 random_values({128}, c.type, 0.3, 1.0), random_values({128}, c.type, 0.3)},
                1, fused, plain, {"values", "weight", "bias", "norm weight", "norm bias"});
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, EmbeddingCuda, testing::ValuesIn(cases()), name_of_case);

class PoolingCuda : public testing::TestWithParam<Case> {};

TEST_P(PoolingCuda, ForwardAndGradients) {
  const Case c = GetParam();
  at::manual_seed(32);
  for (const std::int64_t r : {1, 2, 3}) {
    if (c.rows < r) continue;
    SCOPED_TRACE(r);
    ASSERT_TRUE(mean_of_groups_cuda_supports(random_values({c.batch, c.rows, c.cols, 128}, c.type, 1.0), r));
    expect_same(
        {random_values({c.batch, c.rows, c.cols, 128}, c.type, 1.0, 0.2)}, 0,
        [&](const std::vector<at::Tensor>& v) { return mean_of_groups_cuda(v[0], r); },
        [&](const std::vector<at::Tensor>& v) { return mean_of_groups_plain(v[0], r); }, {"data"});
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PoolingCuda, testing::ValuesIn(cases()), name_of_case);

class PairsCuda : public testing::TestWithParam<Case> {};

TEST_P(PairsCuda, AreCopiesBothWays) {
  const Case c = GetParam();
  at::manual_seed(33);
  for (const bool reversed : {false, true}) {
    SCOPED_TRACE(reversed);
    const at::Tensor graph = random_values({c.batch, c.cols, c.cols, 128}, c.type, 1.0);
    ASSERT_TRUE(join_pairs_cuda_supports(graph));
    EXPECT_TRUE(at::equal(join_pairs_cuda(graph, reversed), join_pairs_plain(graph, reversed)));
    expect_same(
        {graph}, 0, [&](const std::vector<at::Tensor>& v) { return join_pairs_cuda(v[0], reversed); },
        [&](const std::vector<at::Tensor>& v) { return join_pairs_plain(v[0], reversed); }, {"graph"});
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PairsCuda, testing::ValuesIn(cases()), name_of_case);

class MessageCuda : public testing::TestWithParam<Case> {};

TEST_P(MessageCuda, ForwardAndGradients) {
  const Case c = GetParam();
  at::manual_seed(34);
  const std::vector<std::int64_t> grid = {c.batch, c.rows, c.cols};
  const Function fused = [](const std::vector<at::Tensor>& v) {
    EXPECT_TRUE(merge_message_cuda_supports(v[0], v[1], v[2], v[3]));
    return merge_message_cuda(v[0], v[1], v[2], v[3]);
  };
  const Function plain = [](const std::vector<at::Tensor>& v) {
    return merge_message_plain(v[0], v[1], v[2], v[3]);
  };
  expect_same(
      {random_values({c.batch, c.rows, c.cols, 128}, c.type, 1.0, 0.3), random_values(grid, c.type, 2.0),
       random_values({128, 129}, c.type, 0.1), random_values({128}, c.type, 0.3)},
      0, fused, plain, {"graph", "message", "weight", "bias"});
}

INSTANTIATE_TEST_SUITE_P(Sizes, MessageCuda, testing::ValuesIn(cases()), name_of_case);

class MessageCudaPacked : public testing::TestWithParam<at::ScalarType> {};

TEST_P(MessageCudaPacked, FollowsItsWeights) {
  at::manual_seed(35);
  const at::ScalarType type = GetParam();
  const at::Tensor graph = random_values({1, 9, 9, 128}, type, 1.0),
                   message = random_values({1, 9, 9}, type, 1.0), bias = random_values({128}, type, 0.3);
  at::Tensor weight = random_values({128, 129}, type, 0.1);
  PackedWeights packed;
  const c10::InferenceMode inference;
  const at::Tensor once = merge_message_cuda(graph, message, weight, bias);
  EXPECT_TRUE(at::equal(merge_message_cuda(graph, message, weight, bias, &packed), once));
  EXPECT_TRUE(at::equal(merge_message_cuda(graph, message, weight, bias, &packed), once));
  weight.mul_(2.0);
  EXPECT_TRUE(at::equal(merge_message_cuda(graph, message, weight, bias, &packed),
                        merge_message_cuda(graph, message, weight, bias)));
}

INSTANTIATE_TEST_SUITE_P(Types, MessageCudaPacked, testing::Values(at::kBFloat16, at::kFloat),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace causcale::autograd

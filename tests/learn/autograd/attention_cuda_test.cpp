// The fused CUDA attention against the plain composition in double precision.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learn/autograd/attention/attention.h"
#include "learn/autograd/attention/attention_cuda.h"
#include "learn/autograd/cuda_cases.h"

namespace causcale::autograd {
namespace {

struct Case {
  std::int64_t batch, rows, cols;
  Axis axis;
  bool scaled;
  at::ScalarType type = at::kBFloat16;
};

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return fmt::format("{}x{}x{}{}{}{}", c.batch, c.rows, c.cols, c.axis == Axis::kRow ? "Row" : "Column",
                     c.scaled ? "Scaled" : "Unscaled", name_of(c.type));
}

const std::vector<std::string> kNames = {"x",        "norm weight", "norm bias", "qkv weight",
                                         "qkv bias", "out weight",  "out bias"};

std::vector<at::Tensor> random_leaves(std::int64_t batch, std::int64_t rows, std::int64_t cols,
                                      at::ScalarType type, double qkv_scale) {
  return {random_values({batch, rows, cols, 128}, type, 1.0, 0.3),
          random_values({128}, type, 0.3, 1.0),
          random_values({128}, type, 0.3),
          random_values({384, 128}, type, qkv_scale),
          random_values({384}, type, 0.3),
          random_values({128, 128}, type, 0.1),
          random_values({128}, type, 0.3)};
}

AttentionWeights weights_of(const std::vector<at::Tensor>& v) {
  return {v[1], v[2], v[3], v[4], v[5], v[6]};
}

class AttentionCuda : public testing::TestWithParam<Case> {};

TEST_P(AttentionCuda, ForwardAndGradients) {
  const Case c = GetParam();
  at::manual_seed(17);
  // Unscaled scores grow with the tied length; keep them where a softmax is neither flat nor a step.
  const double tied = c.axis == Axis::kRow ? double(c.rows) : double(c.cols);
  const double qkv_scale = c.scaled ? 0.1 : 0.1 / std::pow(8.0 * tied, 0.25);
  const Leaves leaves(random_leaves(c.batch, c.rows, c.cols, c.type, qkv_scale));
  const AttentionOptions options{.heads = 16, .axis = c.axis, .scaled = c.scaled, .tied = true};
  ASSERT_TRUE(attention_cuda_supports(leaves.fused[0], options, {}));
  expect_same_function(leaves, attention_cuda(leaves.fused[0], weights_of(leaves.fused), options),
                       attention_plain(leaves.plain[0], weights_of(leaves.plain), options),
                       attention_plain(leaves.exact[0], weights_of(leaves.exact), options), kNames);

  const c10::InferenceMode inference;  // the choice among the paths falls on this one
  EXPECT_TRUE(at::equal(attention(leaves.fused[0], weights_of(leaves.fused), options),
                        attention_cuda(leaves.fused[0], weights_of(leaves.fused), options)));
}

std::vector<Case> cases() {
  return in_both_types<Case>({Case{1, 1, 2, Axis::kRow, true},       Case{1, 1, 2, Axis::kColumn, true},
                              Case{1, 37, 7, Axis::kRow, true},      Case{1, 37, 7, Axis::kColumn, true},
                              Case{2, 39, 20, Axis::kRow, true},     Case{2, 39, 20, Axis::kColumn, true},
                              Case{3, 1, 5, Axis::kRow, true},       Case{3, 1, 5, Axis::kColumn, true},
                              Case{2, 130, 100, Axis::kRow, true},   Case{2, 130, 100, Axis::kColumn, true},
                              Case{1, 257, 33, Axis::kRow, true},    Case{1, 257, 33, Axis::kColumn, true},
                              Case{1, 1100, 9, Axis::kColumn, true}, Case{1, 9, 2300, Axis::kRow, true},
                              Case{1, 16, 800, Axis::kRow, true},    Case{2, 800, 16, Axis::kColumn, true},
                              Case{2, 800, 100, Axis::kRow, true},   Case{2, 72, 40, Axis::kColumn, true},
                              Case{2, 64, 64, Axis::kRow, false},    Case{2, 45, 51, Axis::kColumn, false}});
}

INSTANTIATE_TEST_SUITE_P(Sizes, AttentionCuda, testing::ValuesIn(cases()), name_of_case);

class AttentionCudaTypes : public testing::TestWithParam<at::ScalarType> {};

TEST_P(AttentionCudaTypes, ChunksGiveTheSameResult) {
  at::manual_seed(3);
  const c10::InferenceMode inference;
  const std::vector<at::Tensor> values = random_leaves(2, 300, 24, GetParam(), 0.1);
  AttentionOptions options{.heads = 16, .axis = Axis::kColumn};
  const at::Tensor whole = attention_cuda(values[0], weights_of(values), options);
  const std::int64_t map_bytes = 304 * 304 * (GetParam() == at::kFloat ? 4 : 6);
  for (const std::int64_t bytes : {5 * map_bytes, map_bytes, map_bytes / 2}) {
    options.max_score_bytes = bytes;
    EXPECT_LT(relative_error(attention_cuda(values[0], weights_of(values), options), whole),
              tolerance_of(GetParam()) / 10)
        << bytes;
  }
}

TEST_P(AttentionCudaTypes, RepeatedGradientsAreIdentical) {
  at::manual_seed(4);
  const std::vector<at::Tensor> values = random_leaves(2, 333, 50, GetParam(), 0.1);
  const at::Tensor dy = random_values({2, 333, 50, 128}, GetParam(), 1.0);
  std::vector<at::Tensor> first;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Leaves leaves(values);
    attention_cuda(leaves.fused[0], weights_of(leaves.fused), {.axis = Axis::kRow}).backward(dy);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (repeat == 0) {
        first.push_back(leaves.fused[i].grad().clone());
      } else {
        EXPECT_TRUE(at::equal(first[i], leaves.fused[i].grad())) << kNames[i];
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, AttentionCudaTypes, testing::Values(at::kBFloat16, at::kFloat),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace causcale::autograd

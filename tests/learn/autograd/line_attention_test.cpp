#include "learn/autograd/line_attention/line_attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <array>

namespace causcale::autograd {
namespace {

std::array<at::Tensor, 3> random_heads(std::int64_t lines, std::int64_t length) {
  at::manual_seed(5);
  std::array<at::Tensor, 3> all;
  for (at::Tensor& x : all) x = at::randn({lines, 3, length, 4}, at::kDouble).requires_grad_();
  return all;
}

// Limits that leave room for all, for some maps, for some queries of one map, for a single query.
constexpr std::int64_t kLimits[] = {0, 5 * 7 * 7 * 8, 3 * 7 * 8, 1};

TEST(LineAttention, AnyLimitGivesThePlainAnswer) {
  const auto [q, k, v] = random_heads(4, 7);
  const at::Tensor expected = line_attention_plain(q, k, v);
  for (const std::int64_t limit : kLimits) {
    const at::NoGradGuard no_grad;
    EXPECT_LT((line_attention(q, k, v, limit) - expected).abs().max().item<double>(), 1e-14) << limit;
  }
}

TEST(LineAttention, DerivativesAreThoseOfThePlainForm) {
  const auto [q, k, v] = random_heads(4, 7);
  const at::Tensor weight = at::randn({4, 3, 7, 4}, at::kDouble);
  const auto slopes = [&](const at::Tensor& result) {
    return torch::autograd::grad({(result * weight).sum()}, {q, k, v});
  };
  const auto expected = slopes(line_attention_plain(q, k, v));
  for (const std::int64_t limit : kLimits) {
    const auto found = slopes(line_attention(q, k, v, limit));
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_LT((found[i] - expected[i]).abs().max().item<double>(), 1e-13) << limit << " " << i;
  }
}

}  // namespace
}  // namespace causcale::autograd

#include "learn/autograd/attention/attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "causcale/error.h"

namespace causcale::autograd {
namespace {

struct Branch {
  at::Tensor norm_weight, norm_bias, qkv_weight, qkv_bias, out_weight, out_bias;
  explicit Branch(std::int64_t d) {
    at::manual_seed(9);
    const auto random = [](at::IntArrayRef shape, double scale) {
      return at::randn(shape, at::kDouble) * scale;
    };
    norm_weight = 1.0 + random({d}, 0.2);
    norm_bias = random({d}, 0.2);
    qkv_weight = random({3 * d, d}, 1.5 / std::sqrt(double(d)));
    qkv_bias = random({3 * d}, 0.3);
    out_weight = random({d, d}, 1.0 / std::sqrt(double(d)));
    out_bias = random({d}, 0.3);
  }
  void convert(at::ScalarType type) {
    for (at::Tensor* tensor : {&norm_weight, &norm_bias, &qkv_weight, &qkv_bias, &out_weight, &out_bias})
      *tensor = tensor->to(type);
  }
  AttentionWeights weights() const {
    return {norm_weight, norm_bias, qkv_weight, qkv_bias, out_weight, out_bias};
  }
};

// Sums written out, one number after the other: no shared idea with the code under test.
at::Tensor by_definition(const at::Tensor& x, const Branch& branch, const AttentionOptions& options) {
  const std::int64_t B = x.size(0), R = x.size(1), C = x.size(2), d = x.size(3), H = options.heads, e = d / H;
  const at::Tensor normed = at::layer_norm(x, {d}, branch.norm_weight, branch.norm_bias, 1e-5);
  const at::Tensor projected = at::linear(normed, branch.qkv_weight, branch.qkv_bias).contiguous();
  const auto p = projected.accessor<double, 4>();
  const bool row = options.axis == Axis::kRow;
  const std::int64_t L = row ? C : R, T = row ? R : C;
  const auto value = [&](std::int64_t b, std::int64_t l, std::int64_t t, std::int64_t channel) {
    return row ? p[b][t][l][channel] : p[b][l][t][channel];
  };
  at::Tensor mixed = at::zeros_like(x);
  auto m = mixed.accessor<double, 4>();
  for (std::int64_t b = 0; b < B; ++b)
    for (std::int64_t h = 0; h < H; ++h)
      for (std::int64_t own = 0; own < (options.tied ? 1 : T); ++own)
        for (std::int64_t i = 0; i < L; ++i) {
          std::vector<double> weight(L);
          double total = 0.0;
          for (std::int64_t j = 0; j < L; ++j) {
            double score = 0.0;
            for (std::int64_t t = options.tied ? 0 : own; t < (options.tied ? T : own + 1); ++t)
              for (std::int64_t c = h * e; c < (h + 1) * e; ++c)
                score += value(b, i, t, c) * value(b, j, t, d + c);
            if (options.scaled) score /= std::sqrt(double(e) * (options.tied ? double(T) : 1.0));
            weight[j] = std::exp(score);
            total += weight[j];
          }
          for (std::int64_t j = 0; j < L; ++j)
            for (std::int64_t t = options.tied ? 0 : own; t < (options.tied ? T : own + 1); ++t)
              for (std::int64_t c = h * e; c < (h + 1) * e; ++c)
                (row ? m[b][t][i][c] : m[b][i][t][c]) += weight[j] / total * value(b, j, t, 2 * d + c);
        }
  return x + at::linear(mixed, branch.out_weight, branch.out_bias);
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

TEST(Attention, PlainCompositionFollowsTheDefinition) {
  const Branch branch(12);
  const at::Tensor x = at::randn({2, 5, 4, 12}, at::kDouble);
  for (const Axis axis : {Axis::kRow, Axis::kColumn})
    for (const bool tied : {true, false})
      for (const bool scaled : {true, false})
        for (const std::int64_t limit : {0, 700}) {
          const AttentionOptions options{
              .heads = 3, .axis = axis, .scaled = scaled, .tied = tied, .max_score_bytes = limit};
          EXPECT_LE(
              difference(attention_plain(x, branch.weights(), options), by_definition(x, branch, options)),
              1e-11);
        }
}

TEST(Attention, DerivativesTakeThePlainComposition) {
  Branch branch(16);
  branch.convert(at::kFloat);
  const at::Tensor x = at::randn({1, 6, 5, 16}).requires_grad_(true);
  const at::Tensor y = attention(x, branch.weights(), {.heads = 4});
  EXPECT_TRUE(y.requires_grad());
  y.sum().backward();
  EXPECT_TRUE(x.grad().defined());
}

TEST(Attention, RejectsUnfitShapes) {
  const Branch branch(16);
  EXPECT_THROW(attention(at::zeros({1, 2, 3, 16}, at::kDouble), branch.weights(), {.heads = 5}), Error);
  EXPECT_THROW(attention(at::zeros({1, 2, 3, 8}, at::kDouble), branch.weights(), {.heads = 4}), Error);
  EXPECT_THROW(attention(at::zeros({2, 3, 16}, at::kDouble), branch.weights(), {.heads = 4}), Error);
}

}  // namespace
}  // namespace causcale::autograd

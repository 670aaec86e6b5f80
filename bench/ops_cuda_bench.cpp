// How fast are the fused CUDA operations, beside the plain libtorch composition in bf16 on the same tensors?
// Prints milliseconds forward (without derivatives), and forward plus backward.
#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "ops/attention/attention.h"
#include "ops/attention/attention_cuda.h"
#include "ops/embedding/embedding.h"
#include "ops/feed_forward/feed_forward.h"
#include "ops/feed_forward/feed_forward_cuda.h"
#include "ops/message/message.h"
#include "ops/pairs/pairs.h"
#include "ops/pooling/pooling.h"

namespace {

using namespace causcale::ops;
using at::Tensor;

Tensor random_bf16(std::vector<std::int64_t> sizes, double scale, double offset = 0.0) {
  const Tensor values = at::randn(sizes, at::TensorOptions(at::kBFloat16).device(at::kCUDA));
  return (values * scale + offset).requires_grad_(true);
}

void wait_for_device(const Tensor& like) {
  at::zeros({1}, like.options().dtype(at::kFloat)).item<float>();
}

double milliseconds(const std::function<void()>& work, const Tensor& like, int repeats) {
  if (repeats > 1) work();
  wait_for_device(like);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) work();
  wait_for_device(like);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / repeats;
}

struct Operation {
  std::string name;
  std::function<Tensor(const Tensor&)> fused, plain;
};

void report(const Operation& operation, const Tensor& x, int repeats, bool with_plain) {
  const auto forward = [&](const std::function<Tensor(const Tensor&)>& f) {
    return milliseconds(
        [&] {
          const c10::InferenceMode guard;
          f(x);
        },
        x, repeats);
  };
  const Tensor dy = at::randn_like(operation.fused(x).detach());
  const auto both = [&](const std::function<Tensor(const Tensor&)>& f) {
    return milliseconds(
        [&] {
          x.mutable_grad().reset();  // adding up gradients is not part of the operation
          f(x).backward(dy);
        },
        x, repeats);
  };
  const double fused_forward = forward(operation.fused), fused_both = both(operation.fused);
  if (!with_plain) return;
  const double plain_forward = forward(operation.plain), plain_both = both(operation.plain);
  fmt::print("{:<14} {:>4} x {:>5} x {:>5} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>7.2f} {:>7.2f}\n",
             operation.name, x.size(0), x.size(1), x.size(2), fused_forward, plain_forward, fused_both,
             plain_both, plain_forward / fused_forward, plain_both / fused_both);
}

// The steps around the axial layers, each on the tensors that a batch of B tables of R x C gives it.
void report_edges(std::int64_t B, std::int64_t R, std::int64_t C, int repeats, bool with_plain) {
  const Tensor norm_weight = random_bf16({128}, 0.2, 1.0), norm_bias = random_bf16({128}, 0.2);
  const Tensor two = random_bf16({128, 2}, 0.5), one = random_bf16({128, 1}, 0.5);
  const Tensor bias = random_bf16({128}, 0.5), message = random_bf16({B, C, C}, 1.0);
  const Tensor wide = random_bf16({128, 129}, 0.1);
  const auto switched = [&](const std::string& name, const auto& run, const Tensor& x) {
    report({name, [&](const Tensor& given) { return run(given, true); },
            [&](const Tensor& given) { return run(given, false); }},
           x, repeats, with_plain);
  };
  switched(
      "embed data",
      [&](const Tensor& x, bool fused) {
        return embed(x, {two, bias, norm_weight, norm_bias}, fused);
      },
      random_bf16({B, R, C, 2}, 1.0).detach());
  switched(
      "embed graph",
      [&](const Tensor& x, bool fused) {
        return embed(x, {one, bias, norm_weight, norm_bias}, fused);
      },
      random_bf16({B, C, C, 1}, 1.0).detach());
  switched(
      "pooling", [](const Tensor& x, bool fused) { return mean_of_groups(x, 2, fused); },
      random_bf16({B, R, C, 128}, 1.0));
  switched(
      "message", [&](const Tensor& x, bool fused) { return take_message(x, message, wide, bias, fused); },
      random_bf16({B, C, C, 128}, 1.0));
  switched(
      "pairs", [](const Tensor& x, bool fused) { return join_pairs(x, false, fused); },
      random_bf16({B, C, C, 128}, 1.0));
}

}  // namespace

// --once B R C: each fused operation a single time, for a profiler. --edges: only the steps around the axial
// layers.
int main(int argc, char** argv) {
  if (!at::hasCUDA()) {
    fmt::print("no CUDA device in this build\n");
    return 0;
  }
  const bool once = argc == 5 && std::strcmp(argv[1], "--once") == 0;
  const bool only_edges = argc == 2 && std::strcmp(argv[1], "--edges") == 0;
  at::manual_seed(1);
  const Tensor norm_weight = random_bf16({128}, 0.2, 1.0), norm_bias = random_bf16({128}, 0.2);
  const Tensor qkv_weight = random_bf16({384, 128}, 0.1), qkv_bias = random_bf16({384}, 0.1);
  const Tensor out_weight = random_bf16({128, 128}, 0.1), out_bias = random_bf16({128}, 0.1);
  const Tensor up_weight = random_bf16({512, 128}, 0.1), up_bias = random_bf16({512}, 0.1);
  const Tensor down_weight = random_bf16({128, 512}, 0.05), down_bias = random_bf16({128}, 0.1);
  const Tensor up_narrow = random_bf16({128, 128}, 0.1), up_narrow_bias = random_bf16({128}, 0.1);
  const Tensor down_narrow = random_bf16({128, 128}, 0.1);

  const AttentionWeights attention_weights{norm_weight, norm_bias,  qkv_weight,
                                           qkv_bias,    out_weight, out_bias};
  const FeedForwardWeights wide{norm_weight, norm_bias, up_weight, up_bias, down_weight, down_bias};
  const FeedForwardWeights narrow{norm_weight, norm_bias, up_narrow, up_narrow_bias, down_narrow, down_bias};
  const AttentionOptions row{.axis = Axis::kRow}, column{.axis = Axis::kColumn};
  const std::vector<Operation> operations = {
      {"row attention", [&](const Tensor& x) { return attention_cuda(x, attention_weights, row); },
       [&](const Tensor& x) { return attention_plain(x, attention_weights, row); }},
      {"col attention", [&](const Tensor& x) { return attention_cuda(x, attention_weights, column); },
       [&](const Tensor& x) { return attention_plain(x, attention_weights, column); }},
      {"ffn 512", [&](const Tensor& x) { return feed_forward_cuda(x, wide); },
       [&](const Tensor& x) { return feed_forward_plain(x, wide); }},
      {"ffn 128", [&](const Tensor& x) { return feed_forward_cuda(x, narrow); },
       [&](const Tensor& x) { return feed_forward_plain(x, narrow); }},
  };
  std::vector<std::vector<std::int64_t>> sizes = {
      {8, 1000, 100, 128}, {8, 250, 100, 128}, {8, 100, 100, 128}, {1, 1000, 100, 128}, {1, 1000, 500, 128}};
  if (once) sizes = {{std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4]), 128}};
  fmt::print("{:<14} {:<20} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7}\n", "operation", "B x R x C", "fwd", "plain",
             "fwd+bwd", "plain", "ratio", "ratio");
  for (const auto& size : sizes) {
    const Tensor x = random_bf16(size, 1.0);
    if (!only_edges)
      for (const Operation& operation : operations) report(operation, x, once ? 1 : 10, !once);
    report_edges(size[0], size[1], size[2], once ? 1 : 10, !once);
  }
  return 0;
}

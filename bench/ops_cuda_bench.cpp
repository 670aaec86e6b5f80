// How fast are the fused CUDA operations, beside the plain libtorch composition on the same tensors, in bf16
// and in fp32? Prints milliseconds forward (without derivatives), and forward plus backward.
#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "learn/autograd/attention/attention.h"
#include "learn/autograd/attention/attention_cuda.h"
#include "learn/autograd/embedding/embedding.h"
#include "learn/autograd/feed_forward/feed_forward.h"
#include "learn/autograd/feed_forward/feed_forward_cuda.h"
#include "learn/autograd/message/message.h"
#include "learn/autograd/pairs/pairs.h"
#include "learn/autograd/pooling/pooling.h"

namespace {

using namespace causcale::autograd;
using at::Tensor;

// Random tensors of one type.
struct Random {
  at::ScalarType type;
  Tensor operator()(std::vector<std::int64_t> sizes, double scale, double offset = 0.0) const {
    const Tensor values = at::randn(sizes, at::TensorOptions(type).device(at::kCUDA));
    return (values * scale + offset).requires_grad_(true);
  }
};

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
void report_edges(const Random& random, std::int64_t B, std::int64_t R, std::int64_t C, int repeats,
                  bool with_plain) {
  const Tensor norm_weight = random({128}, 0.2, 1.0), norm_bias = random({128}, 0.2);
  const Tensor two = random({128, 2}, 0.5), one = random({128, 1}, 0.5);
  const Tensor bias = random({128}, 0.5), message = random({B, C, C}, 1.0);
  const Tensor wide = random({128, 129}, 0.1);
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
      random({B, R, C, 2}, 1.0).detach());
  switched(
      "embed graph",
      [&](const Tensor& x, bool fused) {
        return embed(x, {one, bias, norm_weight, norm_bias}, fused);
      },
      random({B, C, C, 1}, 1.0).detach());
  switched(
      "pooling", [](const Tensor& x, bool fused) { return mean_of_groups(x, 2, fused); },
      random({B, R, C, 128}, 1.0));
  switched(
      "message", [&](const Tensor& x, bool fused) { return merge_message(x, message, wide, bias, fused); },
      random({B, C, C, 128}, 1.0));
  switched(
      "pairs", [](const Tensor& x, bool fused) { return join_pairs(x, false, fused); },
      random({B, C, C, 128}, 1.0));
}

void report_all(const Random& random, const std::vector<std::vector<std::int64_t>>& sizes, bool once,
                bool only_edges) {
  const Tensor norm_weight = random({128}, 0.2, 1.0), norm_bias = random({128}, 0.2);
  const Tensor qkv_weight = random({384, 128}, 0.1), qkv_bias = random({384}, 0.1);
  const Tensor out_weight = random({128, 128}, 0.1), out_bias = random({128}, 0.1);
  const Tensor up_weight = random({512, 128}, 0.1), up_bias = random({512}, 0.1);
  const Tensor down_weight = random({128, 512}, 0.05), down_bias = random({128}, 0.1);
  const Tensor up_narrow = random({128, 128}, 0.1), up_narrow_bias = random({128}, 0.1);
  const Tensor down_narrow = random({128, 128}, 0.1);

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
  for (const auto& size : sizes) {
    const Tensor x = random(size, 1.0);
    if (!only_edges)
      for (const Operation& operation : operations) report(operation, x, once ? 1 : 10, !once);
    report_edges(random, size[0], size[1], size[2], once ? 1 : 10, !once);
  }
}

}  // namespace

// --bf16, --fp32: one type only. --edges: only the steps around the axial layers. --once B R C (last): each
// fused operation a single time, for a profiler.
int main(int argc, char** argv) {
  if (!at::hasCUDA()) {
    fmt::print("no CUDA device in this build\n");
    return 0;
  }
  std::vector<std::vector<std::int64_t>> sizes = {
      {8, 1000, 100, 128}, {8, 250, 100, 128}, {8, 100, 100, 128}, {1, 1000, 100, 128}, {1, 1000, 500, 128}};
  std::vector<at::ScalarType> types = {at::kBFloat16, at::kFloat};
  bool once = false, only_edges = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--bf16") == 0) {
      types = {at::kBFloat16};
    } else if (std::strcmp(argv[i], "--fp32") == 0) {
      types = {at::kFloat};
    } else if (std::strcmp(argv[i], "--edges") == 0) {
      only_edges = true;
    } else if (std::strcmp(argv[i], "--once") == 0 && i + 3 < argc) {
      once = true;
      sizes = {{std::atoll(argv[i + 1]), std::atoll(argv[i + 2]), std::atoll(argv[i + 3]), 128}};
      i += 3;
    } else {
      fmt::print("unknown argument {} (accepted: --bf16, --fp32, --edges, --once B R C)\n", argv[i]);
      return 2;
    }
  }
  for (const at::ScalarType type : types) {
    at::manual_seed(1);
    fmt::print("{}\n{:<14} {:<20} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7}\n",
               type == at::kFloat ? "fp32" : "bf16", "operation", "B x R x C", "fwd", "plain", "fwd+bwd",
               "plain", "ratio", "ratio");
    report_all(Random{type}, sizes, once, only_edges);
  }
  return 0;
}

// How fast is a forward pass on the CPU, and how much memory does it take, against the same network composed
// of library calls as the reference implementation has it: separate q, k and v, einsum with its permuting
// copies, whole hidden layers? Both run in one process, so that the ratio means something on a busy machine.
//
//   model_bench [--m 1000] [--n 20 --n 100] [--repeat 3] [--threads 0] [--ours-only] [--model FILE]
//   [--max-score-mb 1024]
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "learn/autograd/torch_compat.h"
#include "learn/networks/causcale.h"
#include "learn/networks/checkpoint.h"
#include "learn/networks/head.h"
#include "learn/networks/projection.h"

namespace causcale {
namespace {

at::Tensor norm(const at::Tensor& x, const NormParams& params) {
  return at::layer_norm(x, {x.size(-1)}, params.weight, params.bias, 1e-5);
}

// x [B, R, C, d], mixing C; the other axis by transposing the grid before and after.
at::Tensor reference_attention(const at::Tensor& x, const AttentionParams& params, int heads, bool scaled) {
  const std::int64_t B = x.size(0), R = x.size(1), C = x.size(2), d = x.size(3), e = d / heads;
  const at::Tensor normed = norm(x, params.norm);
  const auto projection = [&](int part) {
    return at::linear(normed, params.qkv.weight.narrow(0, part * d, d),
                      params.qkv.bias.narrow(0, part * d, d))
        .view({B, R, C, heads, e});
  };
  const double factor = scaled ? 1.0 / std::sqrt(double(e) * double(R)) : 1.0;
  const at::Tensor q = projection(0) * factor, k = projection(1), v = projection(2);
  const at::Tensor map = at::softmax(at::einsum("brihe,brjhe->bhij", {q, k}), -1);
  const at::Tensor mixed = at::einsum("bhij,brjhe->brihe", {map, v}).reshape({B, R, C, d});
  return x + at::linear(mixed, params.out.weight, params.out.bias);
}

at::Tensor reference_axial(at::Tensor x, const AxialParams& params, int heads, ScoreScaling scaling) {
  x = reference_attention(x, params.row, heads, scaling.rows);
  x = reference_attention(x.transpose(1, 2).contiguous(), params.column, heads, scaling.columns)
          .transpose(1, 2)
          .contiguous();
  const FeedForwardParams& ffn = params.feed_forward;
  const at::Tensor hidden = at::gelu(at::linear(norm(x, ffn.norm), ffn.up.weight, ffn.up.bias));
  return x + at::linear(hidden, ffn.down.weight, ffn.down.bias);
}

at::Tensor reference_probabilities(const ModelParams& params, const ModelConfig& config,
                                   const ModelInput& input) {
  const c10::InferenceMode inference;
  at::Tensor data =
      norm(at::linear(input.data, params.embed_data.weight, params.embed_data.bias), params.embed_data_norm);
  at::Tensor graph =
      norm(at::linear(input.prior.unsqueeze(-1), params.embed_graph.weight, params.embed_graph.bias),
           params.embed_graph_norm);
  for (int b = 0; b < config.blocks; ++b) {
    const BlockParams& block = params.blocks[b];
    data = reference_axial(data, block.data, config.heads, config.scale_data);
    const at::Tensor pooled =
        reference_axial(data, block.data2graph, config.heads, config.scale_data2graph).mean(1);
    const at::Tensor message = at::bmm(project(block.u, pooled), project(block.v, pooled).transpose(1, 2));
    graph = at::linear(at::cat({graph, message.unsqueeze(-1)}, -1), block.fuse.weight, block.fuse.bias);
    graph = reference_axial(graph, block.graph, config.heads, config.scale_graph);
    if (config.pools_after(b)) {
      const std::int64_t groups = data.size(1) / config.reduction_r;
      data = data.narrow(1, 0, groups * config.reduction_r)
                 .unflatten(1, std::vector<std::int64_t>{groups, config.reduction_r})
                 .mean(2);
    }
  }
  return pairwise_probabilities(params.head, config.outputs, norm(graph, params.final_norm), true)
      .select(1, 0);
}

// The kernel's high-water mark of this process; clearing it makes the next reading that of the next piece of
// work.
void clear_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << "5";
}
double peak_memory_gib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kib = 0.0;
      status >> kib;
      return kib / (1024.0 * 1024.0);
    }
  return 0.0;
}

struct Measurement {
  double seconds = 1e300;
  double gib = 0.0;
  at::Tensor result;
};

template <class Work>
void measure(Measurement& best, const Work& work) {
  clear_peak_memory();
  const auto start = std::chrono::steady_clock::now();
  best.result = work();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  best.seconds = std::min(best.seconds, passed.count());
  // The first run counts: later ones start from what the allocator kept of the other's memory.
  if (best.gib == 0.0) best.gib = peak_memory_gib();
}

int run(int argc, char** argv) {
  CLI::App app("Forward pass on the CPU against the reference's composition");
  std::int64_t m = 1000, max_score_mb = 1024;
  std::vector<std::int64_t> sizes = {20, 100};
  int repeat = 3, threads = 0;
  bool ours_only = false;
  std::string file;
  app.add_option("--m", m, "Samples");
  app.add_option("--n", sizes, "Variables, several allowed");
  app.add_option("--repeat", repeat, "Runs of each, taken in turn; the best counts");
  app.add_option("--threads", threads, "0 = all cores");
  app.add_option("--max-score-mb", max_score_mb, "Limit of the score matrices");
  app.add_option("--model", file, "Weights; without it the paper's sizes, freshly initialised");
  app.add_flag("--ours-only", ours_only, "Leave the reference's composition out");
  CLI11_PARSE(app, argc, argv);

  at::set_num_threads(resolve_threads(threads));
  Model model;
  if (file.empty())
    model.params = initialise_parameters(model.config, 1);
  else
    model = load_model(file);
  ExecutionOptions execution;
  execution.max_score_bytes = max_score_mb << 20;
  fmt::print("{} threads, m = {}\n{:>6} {:>12} {:>10} {:>12} {:>10} {:>7} {:>12}\n", at::get_num_threads(), m,
             "n", "reference s", "peak GiB", "ours s", "peak GiB", "ratio", "difference");
  for (const std::int64_t n : sizes) {
    at::manual_seed(1);
    ModelInput input;
    input.data = at::stack({at::randn({1, m, n}), (at::rand({1, m, n}) < 0.01).to(at::kFloat)}, -1);
    input.prior = at::randn({1, n, n});
    Measurement reference, ours;
    for (int i = 0; i < repeat; ++i) {
      measure(ours, [&] { return edge_probabilities(model.params, model.config, input, true, execution); });
      if (!ours_only)
        measure(reference, [&] { return reference_probabilities(model.params, model.config, input); });
    }
    if (ours_only)
      fmt::print("{:>6} {:>12} {:>10} {:>12.3f} {:>10.2f}\n", n, "-", "-", ours.seconds, ours.gib);
    else
      fmt::print("{:>6} {:>12.3f} {:>10.2f} {:>12.3f} {:>10.2f} {:>7.2f} {:>12.1e}\n", n, reference.seconds,
                 reference.gib, ours.seconds, ours.gib, reference.seconds / ours.seconds,
                 (reference.result - ours.result).abs().max().item<double>());
  }
  return 0;
}

}  // namespace
}  // namespace causcale

int main(int argc, char** argv) {
  return causcale::run(argc, argv);
}

// How long does a forward pass take on the GPU, and with how much memory? Fused operations beside the plain
// libtorch composition in bf16, beside the times of the reference implementation on the same kind of GPU. And
// how much do weights packed once and recorded passes save where inputs are small? `small` prints only that.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <vector>

#include "core/cost.h"
#include "learn/networks/causcale.h"
#include "learn/networks/prepared_model.h"
#include "learn/networks/training_device.h"

namespace {

using namespace causcale;

struct Case {
  std::int64_t n, m;
  double reference_ms, reference_gib;  // measured with the reference implementation on an H200
  bool plain;                          // whether the plain composition fits and is worth its time
};

struct Measured {
  double milliseconds = 0, gibibytes = 0;
};

Measured measure(const std::function<void()>& pass, at::Device device, int warm_up, int runs) {
  for (int run = 0; run < warm_up; ++run) pass();  // handles, allocator, recordings
  synchronise(device);
  reset_peak_memory(device);
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    pass();
    synchronise(device);
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::sort(times);
  return {times[times.size() / 2], static_cast<double>(peak_memory(device)) / (1 << 30)};
}

Measured measure(const ModelParams& params, const ModelConfig& config, const ModelInput& input,
                 at::Device device, bool plain) {
  ExecutionOptions execution;
  execution.plain = plain;
  return measure([&] { edge_probabilities(params, config, input, true, execution); }, device, 1, 5);
}

ModelInput random_input(std::int64_t n, std::int64_t m, at::Device device) {
  at::manual_seed(1);
  const auto options = at::TensorOptions(device).dtype(at::kBFloat16);
  const at::Tensor values = at::randn({1, m, n}, options);
  return {at::stack({values, at::zeros_like(values)}, -1), at::randn({1, n, n}, options), {}, {}};
}

// Every saving on its own and then together, with the largest difference of a probability from the plain
// call.
void report_small(const ModelParams& params, const ModelConfig& config, at::Device device) {
  struct Variant {
    const char* name;
    bool pack_once, replay, fused_outer_layers, overlap;
  };
  fmt::print("small inputs, bf16, median of 20\n{:>6} {:>6} {:<26} {:>10} {:>9} {:>11} {:>11}\n", "n", "m",
             "variant", "ms", "GiB", "recordings", "difference");
  for (const auto& [n, m] :
       {std::pair<std::int64_t, std::int64_t>{20, 1000}, {50, 1000}, {100, 500}, {100, 1000}, {200, 1000}}) {
    const ModelInput input = random_input(n, m, device);
    const at::Tensor expected = pair_probabilities(params, config, input);
    for (const Variant& variant : {Variant{"eager", false, false, false, false},
                                   {"packed once", true, false, false, false},
                                   {"packed, fused edges", true, false, true, false},
                                   {"replayed", false, true, false, false},
                                   {"replayed, packed", true, true, false, false},
                                   {"replayed, packed, overlap", true, true, false, true},
                                   {"replayed, all", true, true, true, true}}) {
      PreparedModel prepared(params, config);
      ExecutionOptions execution;
      execution.pack_once = variant.pack_once;
      execution.replay = variant.replay;
      execution.fused_outer_layers = variant.fused_outer_layers;
      execution.overlap = variant.overlap;
      at::Tensor found;
      const Measured measured =
          measure([&] { found = prepared.pair_probabilities(input, true, execution); }, device, 3, 20);
      fmt::print("{:>6} {:>6} {:<26} {:>10.3f} {:>9.2f} {:>11} {:>11.1e}\n", n, m, variant.name,
                 measured.milliseconds, measured.gibibytes, prepared.recordings(),
                 (found - expected).abs().max().item<double>());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const at::Device device = training_device(Device::kAuto);
  if (!device.is_cuda()) {
    fmt::print("no CUDA device: nothing to measure\n");
    return 0;
  }
  const ModelConfig config;
  ModelParams params = initialise_parameters(config, 1);
  params.visit([&](const std::string&, at::Tensor& tensor) { tensor = tensor.to(device, at::kBFloat16); });
  report_small(params, config, device);
  if (argc > 1 && std::strcmp(argv[1], "small") == 0) return 0;
  fmt::print(
      "forward pass, bf16, median of 5\n{:>6} {:>6} {:>10} {:>9} {:>10} {:>9} {:>7} {:>12} {:>9} {:>9}\n",
      "n", "m", "ms", "GiB", "plain ms", "GiB", "ratio", "reference ms", "GiB", "TFLOP/s");
  for (const Case& size : {Case{100, 1000, 27.9, 0.59, true},
                           {1000, 1000, 532, 6.8, true},
                           {100, 20000, 1109, 54, true},
                           {200, 20000, 2065, 61, true},
                           {10000, 1000, 0, 0, false}}) {
    const ModelInput input = random_input(size.n, size.m, device);
    const Measured fused = measure(params, config, input, device, false);
    const Measured plain = size.plain ? measure(params, config, input, device, true) : Measured{};
    fmt::print("{:>6} {:>6} {:>10.2f} {:>9.2f} {:>10.2f} {:>9.2f} {:>7.2f} {:>12.1f} {:>9.2f} {:>9.0f}\n",
               size.n, size.m, fused.milliseconds, fused.gibibytes, plain.milliseconds, plain.gibibytes,
               plain.milliseconds / fused.milliseconds, size.reference_ms, size.reference_gib,
               forward_flops(config, size.m, size.n) * 1e-9 / fused.milliseconds);
  }
  return 0;
}

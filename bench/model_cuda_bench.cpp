// How long does a forward pass take on the GPU, and with how much memory? Fused operations beside the plain
// libtorch composition in bf16, beside the times of the reference implementation on the same kind of GPU.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "model/causcale.h"
#include "model/cost.h"
#include "train/device.h"

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

Measured measure(const ModelParams& params, const ModelConfig& config, const ModelInput& input,
                 at::Device device, bool plain) {
  ExecutionOptions execution;
  execution.plain = plain;
  edge_probabilities(params, config, input, true, execution);  // warm-up: handles, allocator
  synchronise(device);
  reset_peak_memory(device);
  std::vector<double> times;
  for (int run = 0; run < 5; ++run) {
    const auto start = std::chrono::steady_clock::now();
    edge_probabilities(params, config, input, true, execution);
    synchronise(device);
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::sort(times);
  return {times[times.size() / 2], static_cast<double>(peak_memory(device)) / (1 << 30)};
}

}  // namespace

int main() {
  const at::Device device = training_device("auto");
  if (!device.is_cuda()) {
    fmt::print("no CUDA device: nothing to measure\n");
    return 0;
  }
  const ModelConfig config;
  ModelParams params = initialise_parameters(config, 1);
  params.visit([&](const std::string&, at::Tensor& tensor) { tensor = tensor.to(device, at::kBFloat16); });
  fmt::print(
      "forward pass, bf16, median of 5\n{:>6} {:>6} {:>10} {:>9} {:>10} {:>9} {:>7} {:>12} {:>9} {:>9}\n",
      "n", "m", "ms", "GiB", "plain ms", "GiB", "ratio", "reference ms", "GiB", "TFLOP/s");
  for (const Case& size : {Case{100, 1000, 27.9, 0.59, true},
                           {1000, 1000, 532, 6.8, true},
                           {100, 20000, 1109, 54, true},
                           {200, 20000, 2065, 61, true},
                           {10000, 1000, 0, 0, false}}) {
    at::manual_seed(1);
    const auto options = at::TensorOptions(device).dtype(at::kBFloat16);
    const at::Tensor values = at::randn({1, size.m, size.n}, options);
    const ModelInput input{
        at::stack({values, at::zeros_like(values)}, -1), at::randn({1, size.n, size.n}, options), {}, {}};
    const Measured fused = measure(params, config, input, device, false);
    const Measured plain = size.plain ? measure(params, config, input, device, true) : Measured{};
    fmt::print("{:>6} {:>6} {:>10.2f} {:>9.2f} {:>10.2f} {:>9.2f} {:>7.2f} {:>12.1f} {:>9.2f} {:>9.0f}\n",
               size.n, size.m, fused.milliseconds, fused.gibibytes, plain.milliseconds, plain.gibibytes,
               plain.milliseconds / fused.milliseconds, size.reference_ms, size.reference_gib,
               forward_flops(config, size.m, size.n) * 1e-9 / fused.milliseconds);
  }
  return 0;
}

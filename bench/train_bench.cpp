// How many graphs a second does a full training step manage, and with how much memory? Each size once with
// the fused operations, on a GPU also with those around the axial layers ("edges"), and once with the plain
// libtorch composition; and how fast the simulators feed it.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "base/parallel.h"
#include "core/option_names.h"
#include "learn/data/batches.h"
#include "learn/networks/training_device.h"
#include "learn/run/learner.h"

namespace {

using namespace causcale;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Size {
  int nodes, rows, graphs;
};

struct Measured {
  double seconds = 0.0, gibibytes = 0.0;
};

Measured measure(const TrainConfig& config, const Batch& batch, at::Device device, bool plain,
                 bool fused_outer_layers = false) {
  ExecutionOptions execution;
  execution.plain = plain;
  execution.fused_outer_layers = fused_outer_layers;
  Learner learner(config, initialise_parameters(config.model, 1), device, at::kFloat, execution);
  const int warm_up = device.is_cuda() ? 3 : 0, steps = device.is_cuda() ? 10 : 1;
  reset_peak_memory(device);
  for (int step = 0; step < warm_up; ++step) learner.step(batch, 1.0, step);
  synchronise(device);
  const auto start = Clock::now();
  for (int step = 0; step < steps; ++step) learner.step(batch, 1.0, step);
  synchronise(device);
  return {seconds_since(start) / steps, static_cast<double>(peak_memory(device)) / (1 << 30)};
}

double simulated_per_second(const TrainConfig& config, int threads) {
  BatchQueue queue(config, 1, threads, false);
  queue.restart(0, 0, 0);
  const auto start = Clock::now();
  std::int64_t graphs = 0;
  while (seconds_since(start) < 2.0) graphs += queue.next().graphs();
  return static_cast<double>(graphs) / seconds_since(start);
}

}  // namespace

int main(int argc, char** argv) {
  const at::Device device =
      training_device(choice_named(kDeviceNames, argc > 1 ? argv[1] : "auto", "device"));
  TrainConfig config;
  config.stages.resize(1);
  config.stages[0].data.mechanisms = Weighted<std::string>();
  for (const char* mechanism : {"linear", "nn", "nn_add"})
    config.stages[0].data.mechanisms.add(mechanism, 1.0);
  if (!device.is_cuda()) config.model.blocks = 2;  // a full step would take minutes

  fmt::print("training step on {}, {} blocks\n", device.str(), config.model.blocks);
  fmt::print("{:>6} {:>6} {:>6} {:>10} {:>10} {:>10} {:>12} {:>8} {:>10} {:>12}\n", "n", "m", "batch",
             "ms/step", "graphs/s", "peak GiB", "plain gr/s", "ratio", "edges gr/s", "simulated/s");
  for (const Size& size : {Size{20, 1000, 40}, {100, 1000, 8}, {500, 1000, 1}}) {
    if (!device.is_cuda() && size.nodes > 100) continue;
    Stage& stage = config.stages[0];
    stage.data.nodes = Weighted<SizeRange>(SizeRange{size.nodes, size.nodes});
    stage.data.rows = Weighted<SizeRange>(SizeRange{size.rows, size.rows});
    stage.tokens = static_cast<std::int64_t>(size.nodes) * size.rows * size.graphs;
    stage.max_batch = size.graphs;
    const BatchPlan plan{0, 0, 0, size.nodes, size.rows, size.graphs};
    const Batch batch = make_batch(ExampleSource(stage.data), plan, 1, false).to(device);
    const Measured fused = measure(config, batch, device, false);
    const Measured plain = measure(config, batch, device, true);
    const Measured edges = device.is_cuda() ? measure(config, batch, device, false, true) : Measured{};
    const double simulated = simulated_per_second(config, 0);
    fmt::print("{:>6} {:>6} {:>6} {:>10.1f} {:>10.1f} {:>10.1f} {:>12.1f} {:>8.2f} {:>10.1f} {:>12.0f}\n",
               size.nodes, size.rows, size.graphs, fused.seconds * 1e3, size.graphs / fused.seconds,
               fused.gibibytes, size.graphs / plain.seconds, plain.seconds / fused.seconds,
               edges.seconds > 0 ? size.graphs / edges.seconds : 0.0, simulated);
  }
  return 0;
}

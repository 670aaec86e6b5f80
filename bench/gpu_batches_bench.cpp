// Does the GPU feed training faster than the host's threads? Graphs a second of both, the host's work that is
// left when the GPU samples, and the share of a training step that making its batch takes of the GPU.
//
// gpu_batches_bench [auto|cpu|cuda] [THREADS, default 0 = all] [MECHANISM, default all of them]. Without a
// GPU the columns about it stay empty.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "core/option_names.h"
#include "learn/data/gpu_batches.h"
#include "learn/networks/training_device.h"
#include "learn/run/learner.h"

namespace {

using namespace causcale;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Mean seconds a call, after one that does not count.
double time_of(const std::function<void(std::uint64_t)>& work, double budget = 0.4) {
  work(0);
  const auto start = Clock::now();
  std::uint64_t calls = 0;
  while (seconds_since(start) < budget) work(++calls);
  return seconds_since(start) / static_cast<double>(calls);
}

double queued_per_second(TrainConfig config, SimulateOn simulate_on, int threads, at::Device device) {
  config.simulate_on = simulate_on;
  BatchQueue queue(config, 1, threads, device.is_cuda(), {}, device);
  queue.restart(0, 0, 0);
  queue.next();
  const auto start = Clock::now();
  std::int64_t graphs = 0;
  while (seconds_since(start) < 1.0) graphs += queue.next().graphs();
  return static_cast<double>(graphs) / seconds_since(start);
}

double step_seconds(const TrainConfig& config, const Batch& batch, at::Device device) {
  Learner learner(config, initialise_parameters(config.model, 1), device);
  for (int step = 0; step < 3; ++step) learner.step(batch, 1.0, step);
  synchronise(device);
  const auto start = Clock::now();
  constexpr int kSteps = 10;
  for (int step = 0; step < kSteps; ++step) learner.step(batch, 1.0, step);
  synchronise(device);
  return seconds_since(start) / kSteps;
}

}  // namespace

int main(int argc, char** argv) {
  const at::Device device =
      training_device(choice_named(kDeviceNames, argc > 1 ? argv[1] : "auto", "device"));
  const int threads = argc > 2 ? std::atoi(argv[2]) : 0;
  const bool gpu = GpuBatchMaker::supports(device);
  fmt::print("host ms: one thread; device: {}\n", device.str());
  fmt::print("{:<16} {:>5} {:>5} {:>6} {:>12} {:>12} {:>10} {:>10} {:>8} {:>10} {:>8} {:>7}\n", "mechanism",
             "n", "m", "batch", "host ms", "prepare ms", "host gr/s", "GPU gr/s", "ratio", "device ms",
             "step ms", "share");
  struct Size {
    int nodes, rows, graphs;
  };
  std::vector<std::string> mechanisms{"linear", "nn", "gp", "sergio"};
  if (argc > 3) mechanisms = {argv[3]};
  for (const std::string& mechanism : mechanisms)
    for (const auto& [nodes, rows, graphs] :
         mechanism == "sergio" ? std::vector<Size>{{20, 1000, 40}, {100, 1000, 8}, {100, 5000, 2}}
                               : std::vector<Size>{{20, 1000, 40}, {100, 1000, 8}, {500, 1000, 1}}) {
      TrainConfig config;
      config.stages.resize(1);
      Stage& stage = config.stages[0];
      if (mechanism == "sergio")
        stage.data.families = Weighted<std::string>(mechanism);
      else
        stage.data.mechanisms = Weighted<std::string>(mechanism);
      stage.data.nodes = Weighted<SizeRange>(SizeRange{nodes, nodes});
      stage.data.rows = Weighted<SizeRange>(SizeRange{rows, rows});
      stage.tokens = static_cast<std::int64_t>(nodes) * rows * graphs;
      stage.max_batch = graphs;
      const ExampleSource examples(stage.data);
      BatchPlan plan;
      plan.nodes = nodes;
      plan.rows = rows;
      plan.graphs = graphs;
      const double host = time_of([&](std::uint64_t seed) { make_batch(examples, plan, seed, false); });
      const double prepare = time_of([&](std::uint64_t seed) { prepare_batch(examples, plan, seed, gpu); });
      const double host_rate = queued_per_second(config, SimulateOn::kCpu, threads, device);
      fmt::print("{:<16} {:>5} {:>5} {:>6} {:>12.2f} {:>12.2f} {:>10.0f}", mechanism, nodes, rows, graphs,
                 1e3 * host, 1e3 * prepare, host_rate);
      if (gpu) {
        GpuBatchMaker maker(device);
        const double whole = time_of([&](std::uint64_t seed) { maker.make(examples, plan, seed); });
        const double rate = queued_per_second(config, SimulateOn::kGpu, threads, device);
        const double step = step_seconds(config, make_batch(examples, plan, 1, false).to(device), device);
        fmt::print(" {:>10.0f} {:>8.2f} {:>10.2f} {:>8.1f} {:>6.1f}%", rate, rate / host_rate,
                   1e3 * (whole - prepare), 1e3 * step, 100.0 * (whole - prepare) / step);
      }
      fmt::print("\n");
      std::fflush(stdout);  // a long run that is ended early has shown its rows
    }
}

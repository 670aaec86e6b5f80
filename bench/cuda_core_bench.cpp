// How long does a pass take on the GPU from numbers of the host to probabilities of the host, beside the same
// network by libtorch in the same run where libcauscale_train is installed? And how long does the first pass
// of a process take, from opening the library on? cuda_core_bench [MODEL]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

#include "core/cost.h"
#include "core/cuda_library.h"
#include "core/installed.h"
#include "core/train_library.h"

namespace {

using namespace causcale;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

core::NetworkInput random_input(const ModelConfig& config, std::int64_t m, std::int64_t n) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  core::NetworkInput input{1, m, n, 1, {}, {}, {}, {}};
  for (std::int64_t k = 0; k < m * n; ++k) {
    input.data.push_back(normal(random));
    for (std::int64_t i = 1; i < config.channels.data_width(); ++i) input.data.push_back(0.0f);
  }
  for (std::int64_t k = 0; k < n * n; ++k) input.prior.push_back(normal(random));
  input.pairs.assign(static_cast<std::size_t>(n * n * config.channels.pair_width()), 0.0f);
  return input;
}

struct Measured {
  double median = 0.0, least = 0.0;
  Matrix<double> edges;
};

// Some calls before: kernels are loaded, the pass is recorded.
Measured measure(const core::Network& network, const core::NetworkInput& input, int runs) {
  Measured measured;
  for (int run = 0; run < 3; ++run) measured.edges = network.pair_probabilities(input, {}).front().edges;
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) {
    const auto start = Clock::now();
    network.pair_probabilities(input, {});
    times.push_back(milliseconds_since(start));
  }
  std::ranges::sort(times);
  measured.median = times[times.size() / 2];
  measured.least = times.front();
  return measured;
}

double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a.data()[k] - b.data()[k]));
  return largest;
}

}  // namespace

int main(int argc, char** argv) {
  const auto start = Clock::now();
  const CudaLibrary* library = find_cuda_library();
  if (!library) {
    fmt::print("libcauscale_cuda is not installed: nothing to measure\n");
    return 0;
  }
  const double opened = milliseconds_since(start);
  const CudaDevice device = library->device();
  if (!device.why_not.empty()) {
    fmt::print("{}: nothing to measure\n", device.why_not);
    return 0;
  }
  const double looked = milliseconds_since(start);
  const std::filesystem::path file = find_model(argc > 1 ? argv[1] : "general");
  core::WeightFile weight_file(file);
  const ModelConfig config = weight_file.config();
  const core::StoredWeights weights =
      core::read_weights(static_cast<core::WeightSource&>(weight_file), config);
  const double read = milliseconds_since(start);
  const Precision precision = device.multiplies_bf16() ? Precision::kBfloat16 : Precision::kFloat32;
  const auto network = library->network(config, weights, precision);
  const double made = milliseconds_since(start);
  const core::NetworkInput usual = random_input(config, 1000, 100);
  const auto first_start = Clock::now();
  network->pair_probabilities(usual, {});
  const double first = milliseconds_since(first_start);
  const auto second_start = Clock::now();
  network->pair_probabilities(usual, {});
  const double second = milliseconds_since(second_start);
  fmt::print(
      "{}, {}, {}\nfirst pass of the process (n = 100, m = 1000), ms: library opened {:.0f}, device {:.0f}, "
      "weights "
      "read {:.0f}, on the GPU {:.0f}, first pass {:.0f}: together {:.0f}; second pass, recorded {:.1f}\n",
      device.name, network->kernels(), precision == Precision::kBfloat16 ? "bf16" : "fp32", opened,
      looked - opened, read - looked, made - read, first, made + first, second);
  std::fflush(stdout);

  const TrainLibrary* trainer = find_train_library();
  std::vector<std::shared_ptr<const core::Network>> ours = {network};
  if (precision == Precision::kBfloat16)
    ours.push_back(library->network(config, weights, Precision::kFloat32));
  for (std::size_t kind = 0; kind < ours.size(); ++kind) {
    const bool bf16 = kind == 0 && precision == Precision::kBfloat16;
    const auto theirs =
        trainer ? trainer->network(file, Device::kCuda, bf16 ? Precision::kBfloat16 : Precision::kFloat32)
                : nullptr;
    fmt::print("\n{}\n{:>6} {:>6} {:>9} {:>9} {:>9} {:>9} {:>12} {:>7} {:>11}\n", bf16 ? "bf16" : "fp32", "n",
               "m", "ms", "least ms", "GiB", "TFLOP/s", "libtorch ms", "ratio", "difference");
    for (const auto& [n, m, runs] : {std::tuple<std::int64_t, std::int64_t, int>{10, 1000, 20},
                                     {20, 1000, 20},
                                     {50, 1000, 20},
                                     {100, 1000, 20},
                                     {200, 1000, 20},
                                     {1000, 1000, 5},
                                     {100, 20000, 3}}) {
      const core::NetworkInput input = random_input(config, m, n);
      ours[kind]->reset_peak();
      const Measured found = measure(*ours[kind], input, runs);
      const Measured other = theirs ? measure(*theirs, input, runs) : Measured{};
      fmt::print("{:>6} {:>6} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.0f} {:>12.2f} {:>7.2f} {:>11.1e}\n", n, m,
                 found.median, found.least, static_cast<double>(ours[kind]->peak_bytes()) / 1073741824.0,
                 forward_flops(config, m, n) * 1e-9 / found.median, other.median, other.median / found.median,
                 theirs ? largest_difference(found.edges, other.edges) : NAN);
      std::fflush(stdout);
    }
  }
  return 0;
}

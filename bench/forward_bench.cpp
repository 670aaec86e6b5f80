// How long does one pass of the core take, per instruction set and kind of number? Seconds of the clock and
// of the processor, taken in turn so that the ratios mean something on a busy machine, and the largest
// difference of a probability from the first row's.
//
//   forward_bench [--m 1000] [--n 100] [--repeat 3] [--threads 0] [--isa NAME ...] [--model FILE]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "base/peak_memory.h"
#include "base/random.h"
#include "core/cpu/network_cpu.h"

namespace {

namespace core = causcale::core;
using causcale::Matrix;

core::NetworkInput random_input(const causcale::ModelConfig& config, std::int64_t m, std::int64_t n) {
  core::NetworkInput input;
  input.tables = 1;
  input.rows = m;
  input.columns = n;
  causcale::RandomStream random(1, 0, 0);
  const std::size_t channels = 2 + config.channels.data.size(), pairs = config.channels.pairs.size();
  input.data.resize(static_cast<std::size_t>(m * n) * channels);
  for (std::size_t k = 0; k < input.data.size(); ++k)
    input.data[k] = k % channels == 0 ? static_cast<float>(random.normal()) : 0.0f;
  input.prior.resize(static_cast<std::size_t>(n * n));
  for (float& value : input.prior) value = static_cast<float>(random.normal());
  input.pairs.resize(static_cast<std::size_t>(n * n) * pairs);
  return input;
}

struct Contender {
  std::string name;
  std::unique_ptr<core::Network> network;
  double seconds = 1e300, processor_seconds = 1e300;
  std::int64_t bytes = 0;
  Matrix<double> result = {};
};

void measure(Contender& contender, const core::NetworkInput& input, int threads) {
  const causcale::PeakMemory memory;
  const std::clock_t processor = std::clock();
  const auto start = std::chrono::steady_clock::now();
  contender.result = contender.network->pair_probabilities(input, {.threads = threads}).front().edges;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  contender.seconds = std::min(contender.seconds, passed.count());
  contender.processor_seconds =
      std::min(contender.processor_seconds, static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC);
  contender.bytes = std::max(contender.bytes, memory.bytes().value_or(0));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("One pass of the core per instruction set");
  std::int64_t m = 1000;
  std::vector<std::int64_t> sizes = {100};
  std::vector<std::string> isas;
  int repeat = 3, threads = 0;
  std::string file = CAUSCALE_SOURCE_DIR "/models/general.safetensors";
  app.add_option("--m", m, "Rows");
  app.add_option("--n", sizes, "Variables, several allowed");
  app.add_option("--repeat", repeat, "Passes of each, taken in turn; the best counts");
  app.add_option("--threads", threads, "0 = all cores");
  app.add_option("--isa", isas, "Only these instruction sets; by default all that run here");
  app.add_option("--model", file, "Weights");
  CLI11_PARSE(app, argc, argv);

  core::WeightFile weight_file(file);
  const causcale::ModelConfig config = weight_file.config();
  const core::StoredWeights weights = core::read_weights(weight_file);
  fmt::print("{}, one view, {} threads\n", file.substr(file.rfind('/') + 1),
             causcale::resolve_threads(threads));
  fmt::print(
      "| n x m | kernels | seconds | processor seconds | MiB | times as fast | largest difference |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const std::int64_t n : sizes) {
    std::vector<Contender> contenders;
    for (const core::Isa isa : core::available_isas()) {
      const std::string name = core::isa_name(isa);
      if (!isas.empty() && std::ranges::find(isas, name) == isas.end()) continue;
      if (core::kernels_for<float>(isa).name == name)
        contenders.push_back(
            {name + ", fp32", std::make_unique<core::CpuNetwork<float>>(config, weights, isa)});
      if (core::multiplies_bf16(isa))
        contenders.push_back(
            {name + ", bf16", std::make_unique<core::CpuNetwork<core::Bf16>>(config, weights, isa)});
    }
    const core::NetworkInput input = random_input(config, m, n);
    for (int turn = 0; turn < repeat; ++turn)
      for (Contender& contender : contenders) measure(contender, input, threads);
    for (const Contender& contender : contenders) {
      double worst = 0.0;
      for (std::size_t k = 0; k < contender.result.size(); ++k)
        worst = std::max(worst, std::abs(contender.result.values()[k] - contenders[0].result.values()[k]));
      fmt::print("| {} x {} | {} | {:.2f} | {:.2f} | {} | {:.2f} | {:.1e} |\n", n, m, contender.name,
                 contender.seconds, contender.processor_seconds, contender.bytes >> 20,
                 contenders[0].processor_seconds / contender.processor_seconds, worst);
    }
  }
}

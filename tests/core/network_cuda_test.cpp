// The network on a GPU against the one on the processor.
#include "core/cuda/network_cuda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <thread>

#include "causcale/discover.h"
#include "causcale/error.h"
#include "core/cpu/network_cpu.h"
#include "core/cuda_cases.h"
#include "core/installed.h"
#include "core/views.h"
#include "support/golden.h"
#include "support/random_model.h"

namespace causcale::test {
namespace {

using core::CpuNetwork;
using core::CudaNetwork;
using core::Isa;
using core::NetworkInput;
using core::PairProbabilities;

ModelConfig small_config() {
  ModelConfig config;
  config.blocks = 3;
  config.ffn_dim = 128;
  return config;
}

NetworkInput random_input(const ModelConfig& config, std::int64_t B, std::int64_t m, std::int64_t n,
                          std::int64_t V, unsigned seed = 3) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  NetworkInput input{B, m, n, V, {}, {}, {}, {}};
  for (std::int64_t k = 0; k < B * m * n; ++k) {
    input.data.push_back(normal(random));
    for (std::int64_t i = 1; i < config.channels.data_width(); ++i)
      input.data.push_back(random() % 5 == 0 ? 1.0f : 0.0f);
  }
  for (std::int64_t k = 0; k < B * n * n; ++k) input.prior.push_back(normal(random));
  for (std::int64_t k = 0; k < B * n * n * config.channels.pair_width(); ++k)
    input.pairs.push_back(normal(random));
  if (V > 1)
    for (std::int64_t k = 0; k < V * B * n; ++k) input.signs.push_back(random() % 2 ? 1.0f : -1.0f);
  return input;
}

core::StoredWeights random_weights(const ModelConfig& config) {
  RandomWeights source;
  return core::read_weights(source, config);
}

double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return INFINITY;
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double difference = std::abs(a.data()[k] - b.data()[k]);
    if (!(difference <= largest)) largest = difference;  // not a number stays
    if (std::isnan(difference)) return INFINITY;
  }
  return largest;
}
double largest_difference(const std::vector<PairProbabilities>& a, const std::vector<PairProbabilities>& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k)
    largest = std::max({largest, largest_difference(a[k].edges, b[k].edges),
                        largest_difference(a[k].feedback, b[k].feedback),
                        largest_difference(a[k].confounded, b[k].confounded)});
  return largest;
}

// Random weights know nothing, so rounding moves their answers more than those of a trained model.
double bound(Storage storage) {
  return storage == Storage::kFloat ? 1e-4 : 5e-2;
}

// Both kinds of numbers against the processor's in single precision.
void expect_as_the_processor(const ModelConfig& config, const NetworkInput& input, bool symmetrised,
                             const std::string& what) {
  const core::StoredWeights weights = random_weights(config);
  const std::vector<PairProbabilities> wanted =
      CpuNetwork<float>(config, weights, core::available_isas().back())
          .pair_probabilities(input, {.symmetrised = symmetrised});
  for (const Storage storage : storages()) {
    const CudaNetwork network(config, weights, storage);
    const std::vector<PairProbabilities> found =
        network.pair_probabilities(input, {.symmetrised = symmetrised});
    const double difference = largest_difference(found, wanted);
    fmt::print("{} {}: {:.1e}\n", what, name_of(storage), difference);
    EXPECT_LE(difference, bound(storage)) << what << " " << name_of(storage);
    for (const PairProbabilities& pairs : found)
      for (std::size_t i = 0; i < pairs.edges.rows(); ++i) EXPECT_EQ(pairs.edges(i, i), 0.0) << what;
  }
}

// Everything here is skipped where there is no GPU.
class NeedsGpu : public testing::Environment {
  void SetUp() override {
    const CudaDevice device = cuda::find_device();
    if (!device.why_not.empty()) GTEST_SKIP() << device.why_not;
  }
};
[[maybe_unused]] testing::Environment* const kNeedsGpu = testing::AddGlobalTestEnvironment(new NeedsGpu);

TEST(NetworkCuda, OddSizes) {
  for (const auto& [m, n] :
       {std::pair<std::int64_t, std::int64_t>{37, 5}, {2, 2}, {101, 34}, {1, 3}, {130, 67}, {8, 16}})
    expect_as_the_processor(small_config(), random_input(small_config(), 1, m, n, 1), true,
                            fmt::format("{}x{}", m, n));
}

TEST(NetworkCuda, OneReadingOfEachPair) {
  expect_as_the_processor(small_config(), random_input(small_config(), 1, 40, 9, 1), false, "one reading");
}

TEST(NetworkCuda, SeveralTablesInMirroredViews) {
  expect_as_the_processor(small_config(), random_input(small_config(), 3, 41, 7, 2), true,
                          "3 tables, 2 views");
  expect_as_the_processor(small_config(), random_input(small_config(), 1, 33, 6, 4), true, "4 views");
  expect_as_the_processor(small_config(), random_input(small_config(), 5, 20, 3, 1), true, "5 tables");
}

TEST(NetworkCuda, ChannelsAndFurtherOutputs) {
  for (const int count : {1, 2}) {
    ModelConfig config = small_config();
    config.channels.data = {DataChannel::kMissing};
    config.channels.pairs = {PairChannel::kKnowledge};
    config.outputs = {PairOutput::kConfounded};
    if (count == 2) {
      config.channels.data.push_back(DataChannel::kDiscrete);
      config.channels.pairs.push_back(PairChannel::kShift);
      config.outputs.push_back(PairOutput::kFeedback);
    }
    for (const bool symmetrised : {true, false})
      expect_as_the_processor(config, random_input(config, 2, 30, 7, 2), symmetrised,
                              fmt::format("{} channels, {} outputs", count, count));
  }
}

TEST(NetworkCuda, VariantsOfTheConfiguration) {
  for (const Pooling pooling : {Pooling::kMax, Pooling::kStrided, Pooling::kNone}) {
    ModelConfig config = small_config();
    config.pooling = pooling;
    config.reduction_r = 3;
    expect_as_the_processor(config, random_input(config, 2, 20, 5, 1), true,
                            fmt::format("pooling {}", int(pooling)));
  }
  ModelConfig config = small_config();
  config.use_prior = false;
  expect_as_the_processor(config, random_input(config, 1, 20, 5, 2), true, "no prior");
  config = small_config();
  config.use_graph_stream = false;
  expect_as_the_processor(config, random_input(config, 1, 20, 5, 1), true, "no graph stream");
  config = small_config();
  config.scale_graph = {false, true};
  config.scale_data2graph = {true, false};
  expect_as_the_processor(config, random_input(config, 1, 20, 5, 1), true, "unscaled");
}

TEST(NetworkCuda, OtherSizesAreRefused) {
  ModelConfig config = small_config();
  config.embed_dim = 64;
  EXPECT_FALSE(core::runs_on_cuda(config));
  EXPECT_THROW(CudaNetwork(config, {}, Storage::kFloat), InputError);
}

TEST(NetworkCuda, ReplayedPassesGiveTheSameBits) {
  const ModelConfig config = small_config();
  for (const Storage storage : storages()) {
    const CudaNetwork network(config, random_weights(config), storage);
    const NetworkInput first = random_input(config, 1, 50, 9, 2),
                       other = random_input(config, 1, 50, 9, 2, 4);
    const std::vector<PairProbabilities> one = network.pair_probabilities(first, {});
    EXPECT_EQ(network.recordings(), 0u);
    for (int run = 0; run < 3; ++run) EXPECT_EQ(network.pair_probabilities(first, {}), one) << run;
    EXPECT_EQ(network.recordings(), 1u);
    // What is replayed looks at its input.
    const CudaNetwork fresh(config, random_weights(config), storage);
    EXPECT_EQ(network.pair_probabilities(other, {}), fresh.pair_probabilities(other, {}));
    EXPECT_EQ(network.recordings(), 1u);
    // Another reading and no signs are other recordings.
    for (int run = 0; run < 2; ++run) network.pair_probabilities(first, {.symmetrised = false});
    EXPECT_EQ(network.recordings(), 2u);
    // More memory moves it: recordings of before are of no use.
    const NetworkInput large = random_input(config, 1, 300, 40, 1);
    network.pair_probabilities(large, {});
    EXPECT_EQ(network.recordings(), 0u);
    for (int run = 0; run < 3; ++run) EXPECT_EQ(network.pair_probabilities(first, {}), one) << run;
  }
}

TEST(NetworkCuda, PassesThatOverlapGiveWhatOthersGive) {
  ModelConfig config = small_config();
  config.blocks = 7;
  for (const Storage storage : storages()) {
    const CudaNetwork network(config, random_weights(config), storage);
    const NetworkInput input = random_input(config, 1, 111, 30, 1);
    const std::vector<PairProbabilities> together = network.pair_probabilities(input, {});
    // A limit that is none, but for the second queue.
    const std::vector<PairProbabilities> apart =
        network.pair_probabilities(input, {.max_bytes = std::int64_t{8} << 30});
    EXPECT_LE(largest_difference(together, apart), storage == Storage::kFloat ? 1e-6 : 1e-3);
  }
}

TEST(NetworkCuda, LimitsAreKeptAndDoNotChangeTheAnswer) {
  const ModelConfig config = small_config();
  for (const Storage storage : storages()) {
    const CudaNetwork network(config, random_weights(config), storage);
    const std::int64_t m = 1500, n = 5;
    const NetworkInput input = random_input(config, 1, m, n, 2);
    const std::vector<PairProbabilities> free = network.pair_probabilities(input, {});
    const core::Network::Memory usual = network.memory(m, n, 1, 0);
    EXPECT_LT(usual.least, usual.bytes);
    for (const std::int64_t limit : {usual.least, (usual.least + usual.bytes) / 2}) {
      const core::Network::Memory planned = network.memory(m, n, 1, limit);
      EXPECT_LE(planned.bytes, limit);
      EXPECT_EQ(planned.least, usual.least);
      network.reset_peak();
      const std::vector<PairProbabilities> found = network.pair_probabilities(input, {.max_bytes = limit});
      EXPECT_LE(network.peak_bytes(), 2 * planned.bytes);  // two views
      EXPECT_LE(largest_difference(found, free), storage == Storage::kFloat ? 1e-5 : 2e-2) << limit;
    }
  }
}

TEST(NetworkCuda, MemoryIsWhatWasPlanned) {
  const ModelConfig config = small_config();
  for (const Storage storage : storages()) {
    const CudaNetwork network(config, random_weights(config), storage);
    network.pair_probabilities(random_input(config, 1, 20, 5, 1), {});  // kernels are loaded
    for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{1000, 300}, {3000, 300}}) {
      const NetworkInput input = random_input(config, 1, m, n, 1);
      cuda::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      std::size_t before = 0, after = 0, total = 0;
      cuda::check(cudaMemGetInfo(&before, &total), "cudaMemGetInfo");
      const std::int64_t held = network.peak_bytes();
      network.reset_peak();
      network.pair_probabilities(input, {});
      cuda::check(cudaMemGetInfo(&after, &total), "cudaMemGetInfo");
      const std::int64_t planned = network.memory(m, n, 1, 0).bytes;
      EXPECT_EQ(network.peak_bytes(), planned);
      const double taken =
          static_cast<double>(before) - static_cast<double>(after) + static_cast<double>(held);
      fmt::print("{}x{} {}: planned {:.1f} MiB, taken {:.1f} MiB\n", m, n, name_of(storage),
                 static_cast<double>(planned) / 1048576.0, taken / 1048576.0);
      EXPECT_NEAR(taken / static_cast<double>(planned), 1.0, 0.2);
    }
  }
}

TEST(NetworkCuda, TwoThreadsAtOnceGetWhatOneGets) {
  const ModelConfig config = small_config();
  const CudaNetwork network(config, random_weights(config), storages().back());
  const NetworkInput input = random_input(config, 1, 60, 9, 1), other = random_input(config, 2, 70, 11, 1);
  const std::vector<PairProbabilities> alone = network.pair_probabilities(input, {}),
                                       other_alone = network.pair_probabilities(other, {});
  std::array<std::vector<PairProbabilities>, 6> found;
  {
    std::vector<std::jthread> callers;
    for (std::size_t k = 0; k < found.size(); ++k)
      callers.emplace_back([&, k] { found[k] = network.pair_probabilities(k % 2 ? other : input, {}); });
  }
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_EQ(found[k], k % 2 ? other_alone : alone) << k;
}

TEST(NetworkCuda, ProgressMayEndThePass) {
  const ModelConfig config = small_config();
  const CudaNetwork network(config, random_weights(config), storages().back());
  const NetworkInput input = random_input(config, 1, 3000, 180, 1);  // too large to be recorded
  const std::vector<PairProbabilities> whole = network.pair_probabilities(input, {});
  std::vector<double> shares;
  core::PassOptions options;
  options.progress = [&](double share) { shares.push_back(share); };
  EXPECT_EQ(network.pair_probabilities(input, options), whole);
  EXPECT_EQ(shares.size(), 4u);
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  options.progress = [](double share) {
    if (share > 0.3) throw std::runtime_error("enough");
  };
  EXPECT_THROW(network.pair_probabilities(input, options), std::runtime_error);
  EXPECT_EQ(network.pair_probabilities(input, {}), whole);
}

TEST(NetworkCuda, PriorsOfTheNetwork) {
  const ModelConfig config = small_config();
  const CudaNetwork network(config, random_weights(config), Storage::kFloat);
  EXPECT_FALSE(network.makes_priors(20));
  if (!network.makes_priors(300)) GTEST_SKIP() << "cuSOLVER is not installed";
  const NetworkInput input = random_input(config, 1, 30, 5, 1);
  const std::vector<PairProbabilities> before = network.pair_probabilities(input, {});
  Matrix<double> centred(50, 300);
  for (std::size_t k = 0; k < centred.size(); ++k)
    centred.data()[k] = static_cast<double>(k * 7919 % 101) - 50.0;
  network.precision_of_centred(centred);
  for (int run = 0; run < 3; ++run) EXPECT_EQ(network.pair_probabilities(input, {}), before) << run;
}

TEST(NetworkCuda, SaysWhatItIs) {
  const ModelConfig config = small_config();
  const CudaNetwork network(config, random_weights(config), storages().back());
  const CudaDevice device = cuda::find_device();
  fmt::print("{}, {}, {:.1e} FLOP/s expected\n", device.name, network.kernels(), network.expected_flops(1));
  EXPECT_EQ(network.kernels(), device.kernels());
  EXPECT_GT(network.expected_flops(1), 1e11);
  EXPECT_GT(network.weight_bytes(), 0);
  EXPECT_TRUE(network.prefers_batches());
}

// The tables of the golden numbers with the weights of a trained model: those of the golden numbers have
// other widths than the kernels. The processor's network is held to the golden numbers by its own tests.
TEST(NetworkCudaTrained, GoldenTables) {
  core::WeightFile file(find_model("general"));
  const ModelConfig config = file.config();
  const core::StoredWeights weights = core::read_weights(static_cast<core::WeightSource&>(file), config);
  const CpuNetwork<float> processor(config, weights, core::available_isas().back());
  for (const char* name : {"tiny", "small", "deep_odd"}) {
    const std::string folder = fmt::format("model/{}/", name);
    const NpyArray data = golden_npy(folder + "data.npy"), flags = golden_npy(folder + "interv.npy"),
                   prior = golden_npy(folder + "prior.npy");
    const std::size_t axes = data.shape.size();
    NetworkInput input{1,
                       static_cast<std::int64_t>(data.shape[axes - 2]),
                       static_cast<std::int64_t>(data.shape[axes - 1]),
                       1,
                       {},
                       {},
                       {},
                       {}};
    const auto cells = static_cast<std::size_t>(input.columns * input.columns);
    for (std::size_t k = 0; k < data.values.size(); ++k) {
      input.data.push_back(static_cast<float>(data.values[k]));
      input.data.push_back(static_cast<float>(flags.values[k]));
      for (std::int64_t i = 2; i < config.channels.data_width(); ++i) input.data.push_back(0.0f);
    }
    input.prior.assign(prior.values.begin(), prior.values.end());
    input.pairs.assign(cells * static_cast<std::size_t>(config.channels.pair_width()), 0.0f);
    const std::vector<PairProbabilities> wanted = processor.pair_probabilities(input, {});
    for (const Storage storage : storages()) {
      const double difference =
          largest_difference(CudaNetwork(config, weights, storage).pair_probabilities(input, {}), wanted);
      fmt::print("{} {}: {:.1e}\n", name, name_of(storage), difference);
      EXPECT_LE(difference, storage == Storage::kFloat ? 1e-5 : 2e-2) << name << " " << name_of(storage);
    }
  }
}

// From the table to the graph, through the library that is opened on demand.
TEST(NetworkCudaTrained, DiscoverOnTheGpu) {
  Dataset dataset;
  const std::size_t m = 300, n = 12;
  dataset.table.values = Matrix<double>(m, n);
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (std::size_t c = 0; c < n; ++c) dataset.table.names.push_back(fmt::format("x{}", c));
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t c = 0; c < n; ++c)
      dataset.table.values(r, c) = normal(random) + (c > 0 ? 0.9 * dataset.table.values(r, c - 1) : 0.0);
  DiscoverOptions options;
  options.model = "general";
  options.device = Device::kCpu;
  options.precision = Precision::kFloat32;
  const DiscoverResult wanted = discover(dataset, options);
  options.device = Device::kCuda;
  const DiscoverResult single = discover(dataset, options);
  EXPECT_EQ(single.device, "cuda");
  EXPECT_EQ(single.precision, "fp32");
  EXPECT_LE(largest_difference(single.probabilities, wanted.probabilities), 1e-4);
  options.precision = Precision::kAuto;
  const DiscoverResult usual = discover(dataset, options);
  EXPECT_EQ(usual.precision, cuda::find_device().multiplies_bf16() ? "bf16" : "fp32");
  EXPECT_LE(largest_difference(usual.probabilities, wanted.probabilities), 3e-2);
}

}  // namespace
}  // namespace causcale::test

// Every tensor of the reference implementation's forward pass, on every instruction set.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "causcale/error.h"
#include "core/cpu/network_cpu.h"
#include "core/sample_kernels.h"
#include "support/golden.h"

namespace causcale::test {
namespace {

using core::Bf16;
using core::CpuNetwork;
using core::Isa;
using core::NetworkInput;

// The stored float32 numbers are `rounding` away from the exact ones; ours are as far away on their own part.
constexpr double kSingleSlack = 10.0, kSingleFloor = 1e-6;

// The reference's weights by name: one flat array with a list of places, or a file per tensor.
class GoldenWeights : public core::WeightSource {
 public:
  explicit GoldenWeights(const std::string& folder) : folder_(folder) {
    if (!golden_exists(folder + "params_flat.npy")) return;
    const NpyArray flat = golden_npy(folder + "params_flat.npy");
    std::istringstream lines(golden_text(folder + "parameter_order.txt"));
    std::string name, shape;
    std::size_t offset = 0, count = 0;
    double largest = 0, error = 0;
    while (lines >> name >> offset >> count >> shape >> largest >> error)
      for (std::size_t k = 0; k < count; ++k)
        values_[name].push_back(static_cast<float>(flat.values[offset + k]));
  }
  std::vector<float> take(const std::string& name, const std::vector<std::int64_t>& shape) override {
    std::size_t size = 1;
    for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
    if (values_.contains(name)) {
      EXPECT_EQ(values_.at(name).size(), size) << name;
      return values_.at(name);
    }
    const NpyArray stored = golden_npy(folder_ + "params/" + name + ".npy");
    EXPECT_EQ(stored.values.size(), size) << name;
    return {stored.values.begin(), stored.values.end()};
  }

 private:
  std::string folder_;
  std::map<std::string, std::vector<float>> values_;
};

struct Case {
  nlohmann::json manifest;
  ModelConfig config;
  core::StoredWeights weights;
  NetworkInput input;
};

Case load_case(const std::string& name) {
  Case golden;
  golden.manifest = nlohmann::json::parse(golden_text("model/manifest.json")).at("cases").at(name);
  const auto& config = golden.manifest.at("config");
  golden.config.blocks = config.at("layers");
  golden.config.embed_dim = config.at("embed_dim");
  golden.config.heads = config.at("heads");
  golden.config.ffn_dim = config.at("ffn");
  golden.config.scale_data2graph = {true, false};  // as the reference has it
  golden.config.scale_graph = {false, false};
  const std::string folder = "model/" + name + "/";
  GoldenWeights source(folder);
  golden.weights = core::read_weights(source, golden.config);
  const NpyArray data = golden_npy(folder + "data.npy"), flags = golden_npy(folder + "interv.npy"),
                 prior = golden_npy(folder + "prior.npy");
  const std::size_t axes = data.shape.size();
  golden.input.tables = 1;
  golden.input.rows = static_cast<std::int64_t>(data.shape[axes - 2]);
  golden.input.columns = static_cast<std::int64_t>(data.shape[axes - 1]);
  for (std::size_t k = 0; k < data.values.size(); ++k) {
    golden.input.data.push_back(static_cast<float>(data.values[k]));
    golden.input.data.push_back(static_cast<float>(flags.values[k]));
  }
  golden.input.prior.assign(prior.values.begin(), prior.values.end());
  return golden;
}

double largest_difference(const std::vector<float>& found, const NpyArray& stored) {
  EXPECT_EQ(found.size(), stored.values.size());
  if (found.size() != stored.values.size()) return 1e300;
  double largest = 0.0;
  for (std::size_t k = 0; k < found.size(); ++k)
    largest = std::max(largest, std::abs(found[k] - stored.values[k]));
  return largest;
}

class CoreGolden : public testing::TestWithParam<std::tuple<const char*, Isa>> {};

TEST_P(CoreGolden, EveryTensorInSinglePrecision) {
  const auto [name, isa] = GetParam();
  const Case golden = load_case(name);
  const std::string folder = fmt::format("model/{}/", name);
  const CpuNetwork<float> network(golden.config, golden.weights, isa);
  std::map<std::string, std::vector<float>> traced;
  const Matrix<double> probabilities =
      network
          .traced_probabilities(
              golden.input, {.threads = 2, .symmetrised = false},
              [&](const std::string& key, const float* values, const std::vector<std::int64_t>& shape) {
                std::int64_t size = 1;
                for (const std::int64_t extent : shape) size *= extent;
                traced[key].assign(values, values + size);
              })
          .edges;
  const auto bound = [&](const std::string& file) {
    return kSingleSlack * golden.manifest.at("files").at(file).at("f32_vs_f64_max_abs_diff").get<double>() +
           kSingleFloor;
  };
  int intermediates = 0;
  for (const std::string& path : golden_list(folder + "blocks/")) {
    const std::string file = path.substr(folder.size(), path.size() - folder.size() - 4);
    const std::string key = file.substr(std::string("blocks/").size());
    ASSERT_TRUE(traced.contains(key)) << key;
    EXPECT_LE(largest_difference(traced.at(key), golden_npy(path)), bound(file)) << file;
    ++intermediates;
  }
  EXPECT_GE(intermediates, 5);  // the compact selection lacks some, never all
  EXPECT_LE(largest_difference(traced.at("graph_embedding"), golden_npy(folder + "graph_embedding.npy")),
            bound("graph_embedding"));
  const std::vector<float> found(probabilities.values().begin(), probabilities.values().end());
  EXPECT_LE(largest_difference(found, golden_npy(folder + "prob.npy")), bound("prob"));
}

// Products of bfloat16 lose digits everywhere; what counts is that the probabilities stay.
TEST_P(CoreGolden, ProbabilitiesInBFloat16) {
  const auto [name, isa] = GetParam();
  const Case golden = load_case(name);
  const CpuNetwork<Bf16> network(golden.config, golden.weights, isa);
  const Matrix<double> found =
      network.edge_probabilities(golden.input, {.threads = 2, .symmetrised = false}).front();
  const std::vector<float> values(found.values().begin(), found.values().end());
  EXPECT_LE(largest_difference(values, golden_npy(fmt::format("model/{}/prob.npy", name))), 1e-2);
}

// The kernels of amx on any processor.
TEST(CoreGoldenOnEmulatedTiles, ProbabilitiesInBFloat16) {
  for (const char* name : {"tiny", "deep_odd"}) {
    const Case golden = load_case(name);
    const CpuNetwork<Bf16> network(golden.config, golden.weights, emulated_amx(),
                                   core::kernels_for<float>(Isa::kBase));
    const Matrix<double> found =
        network.edge_probabilities(golden.input, {.threads = 2, .symmetrised = false}).front();
    const std::vector<float> values(found.values().begin(), found.values().end());
    EXPECT_LE(largest_difference(values, golden_npy(fmt::format("model/{}/prob.npy", name))), 1e-2) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, CoreGolden,
                         testing::Combine(testing::Values("tiny", "small", "deep_odd"),
                                          testing::ValuesIn(core::available_isas())),
                         [](const auto& info) {
                           return fmt::format("{}_{}", std::get<0>(info.param),
                                              core::isa_name(std::get<1>(info.param)));
                         });

}  // namespace
}  // namespace causcale::test

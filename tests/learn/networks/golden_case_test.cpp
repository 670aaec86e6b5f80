#include "learn/networks/golden_case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "learn/networks/checkpoint.h"
#include "support/golden.h"

namespace causcale::test {
namespace {

// deep_odd's weights serve two further cases.
std::string weights_of(const std::string& name) {
  return name == "batch_padded" || name == "deep_odd_masked" ? "deep_odd" : name;
}

std::vector<ParameterRecord> read_parameter_order(const std::string& path) {
  std::istringstream lines(golden_text(path));
  std::vector<ParameterRecord> records;
  ParameterRecord record;
  std::string shape;
  double largest = 0.0;
  while (lines >> record.name >> record.offset >> record.count >> shape >> largest >> record.gradient_error)
    records.push_back(record);
  return records;
}

}  // namespace

at::Tensor golden_tensor(const std::string& path, at::ScalarType type) {
  const NpyArray array = golden_npy(path);
  const std::vector<std::int64_t> shape(array.shape.begin(), array.shape.end());
  return at::tensor(array.values, at::kDouble).view(shape).to(type);
}

double rounding_of(const GoldenCase& golden, const std::string& file) {
  return golden.manifest.at("files").at(file).at("f32_vs_f64_max_abs_diff").get<double>();
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  if (a.sizes() != b.sizes()) return 1e300;
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

GoldenCase load_golden_case(const std::string& name, at::ScalarType type) {
  GoldenCase golden;
  golden.name = name;
  golden.manifest = nlohmann::json::parse(golden_text("model/manifest.json")).at("cases").at(name);
  const auto& config = golden.manifest.at("config");
  golden.config.blocks = config.at("layers");
  golden.config.embed_dim = config.at("embed_dim");
  golden.config.heads = config.at("heads");
  golden.config.ffn_dim = config.at("ffn");
  golden.config.scale_data = {true, true};
  golden.config.scale_data2graph = {true, false};  // as the reference has it
  golden.config.scale_graph = {false, false};

  const std::string folder = "model/" + name + "/", weights = "model/" + weights_of(name) + "/";
  golden.parameter_order = read_parameter_order(weights + "parameter_order.txt");
  std::map<std::string, at::Tensor> stored;
  if (golden_exists(weights + "params_flat.npy")) {
    const at::Tensor flat = golden_tensor(weights + "params_flat.npy", type);
    for (const ParameterRecord& record : golden.parameter_order)
      stored[record.name] = flat.narrow(0, record.offset, record.count);
  } else {
    for (const ParameterRecord& record : golden.parameter_order)
      stored[record.name] = golden_tensor(weights + "params/" + record.name + ".npy", type);
  }
  golden.params = convert_parameters(empty_parameters(golden.config), at::kCPU, type);
  visit_stored(golden.params, [&](const std::string& key, const at::Tensor& target) {
    at::Tensor(target).copy_(stored.at(key).view(target.sizes()));
  });

  const auto batched = [](const at::Tensor& tensor, int axes) {
    return tensor.dim() == axes ? tensor : tensor.unsqueeze(0);
  };
  golden.input.data = at::stack({batched(golden_tensor(folder + "data.npy", type), 3),
                                 batched(golden_tensor(folder + "interv.npy", type), 3)},
                                -1);
  golden.input.prior = batched(golden_tensor(folder + "prior.npy", type), 3);
  golden.adjacency = batched(golden_tensor(folder + "dag.npy", at::kLong), 3);
  return golden;
}

TEST(GoldenCase, WeightsHaveThePublishedCount) {
  for (const char* name : {"tiny", "small", "deep_odd"}) {
    const GoldenCase golden = load_golden_case(name, at::kFloat);
    // The reference counts a layer norm that feeds nothing.
    EXPECT_EQ(count_parameters(golden.params) + 2 * golden.config.embed_dim,
              golden.manifest.at("n_parameters").get<std::int64_t>());
  }
  EXPECT_EQ(count_parameters(empty_parameters(ModelConfig{})) + 2 * 128, 7851139);
}

}  // namespace causcale::test

// Attention among more variables than a model's reference_columns is sharper.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "causcale/error.h"
#include "core/cpu/network_cpu.h"
#include "learn/config/config.h"
#include "learn/networks/causcale.h"
#include "learn/networks/checkpoint.h"
#include "learn/run/torch_network.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

constexpr std::int64_t kRows = 13, kColumns = 9;

ModelConfig small_model(int reference_columns) {
  ModelConfig config;
  config.blocks = 3;
  config.embed_dim = 32;
  config.heads = 4;
  config.ffn_dim = 64;
  config.reference_columns = reference_columns;
  return config;
}

// Larger than fresh ones, so that attention is not flat and sharpening it tells.
ModelParams weights() {
  ModelParams params = initialise_parameters(small_model(0), 5);
  params.visit([](const std::string& name, at::Tensor& tensor) {
    if (name.find("qkv.weight") != std::string::npos) tensor.mul_(4);
  });
  return params;
}

at::Tensor probabilities(const ModelConfig& config, const ModelParams& params) {
  at::manual_seed(3);
  const at::Tensor root = at::randn({kColumns, kColumns}, at::kDouble);
  const ModelInput input{
      at::randn({1, kRows, kColumns, 2}, at::kDouble), at::mm(root, root.t()).unsqueeze(0), {}, {}, {}};
  return edge_probabilities(convert_parameters(params, at::kCPU, at::kDouble), config, input, true, {});
}

TEST(Sharpness, BeginsAtTheReference) {
  EXPECT_EQ(small_model(0).sharpness(5000), 1.0);
  EXPECT_EQ(small_model(100).sharpness(100), 1.0);
  EXPECT_DOUBLE_EQ(small_model(100).sharpness(10000), 2.0);
}

TEST(Sharpness, IsAKeyOfTheModel) {
  const std::string stage = R"("stages": [{"steps": 1, "nodes": 6, "rows": 50}])";
  EXPECT_EQ(parse_train_config(R"({"model": {"reference_columns": 100}, )" + stage + "}", "test")
                .model.reference_columns,
            100);
  EXPECT_EQ(parse_train_config("{" + stage + "}", "test").model.reference_columns, 0);
  EXPECT_THROW(parse_train_config(R"({"model": {"reference_columns": 1}, )" + stage + "}", "test"),
               InputError);
}

TEST(Sharpness, IsAFactorOfQueriesAmongVariables) {
  ModelParams scaled = weights();
  const double factor = small_model(3).sharpness(kColumns);  // 2
  const auto sharpen = [&](AttentionParams& attention) {
    attention.qkv.weight.narrow(0, 0, 32).mul_(factor);
    attention.qkv.bias.narrow(0, 0, 32).mul_(factor);
  };
  for (BlockParams& block : scaled.blocks) {
    sharpen(block.data.row);
    sharpen(block.data2graph.row);
    sharpen(block.graph.row);
    sharpen(block.graph.column);
  }
  const at::Tensor found = probabilities(small_model(3), weights());
  EXPECT_LT((found - probabilities(small_model(0), scaled)).abs().max().item<double>(), 1e-12);
  EXPECT_GT((found - probabilities(small_model(0), weights())).abs().max().item<double>(), 1e-3);
}

TEST(Sharpness, TheTrainersNetworkAndTheCoreAgree) {
  const test::TempFolder folder;
  const std::filesystem::path file = folder / "model.safetensors";
  const ModelConfig config = small_model(3);
  save_model(file, config, weights(), StoredType::kF32);
  core::WeightFile stored(file);
  EXPECT_EQ(stored.config(), config);
  const core::CpuNetwork<float> core(config, core::read_weights(stored), core::Isa::kBase);
  core::NetworkInput input;
  input.tables = 1;
  input.rows = kRows;
  input.columns = kColumns;
  for (std::int64_t k = 0; k < kRows * kColumns; ++k) {
    input.data.push_back(static_cast<float>(std::sin(1.7 * static_cast<double>(k))));
    input.data.push_back(0.0f);
  }
  for (std::int64_t i = 0; i < kColumns; ++i)
    for (std::int64_t j = 0; j < kColumns; ++j)
      input.prior.push_back(i == j ? 2.0f : 0.1f * static_cast<float>(std::cos(static_cast<double>(i + j))));
  const auto expected = core.pair_probabilities(input, {});
  const auto found = torch_network(file, Device::kCpu, Precision::kFloat32)->pair_probabilities(input, {});
  for (std::size_t e = 0; e < expected[0].edges.size(); ++e)
    EXPECT_NEAR(found[0].edges.data()[e], expected[0].edges.data()[e], 1e-5);
}

}  // namespace
}  // namespace causcale

#include "learn/networks/checkpoint.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/safetensors.h"
#include "causcale/error.h"
#include "core/installed.h"

namespace causcale {
namespace {

ModelConfig little() {
  ModelConfig config;
  config.blocks = 2;
  config.embed_dim = 8;
  config.heads = 2;
  config.ffn_dim = 12;
  return config;
}

class Checkpoint : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "checkpoint_" + std::to_string(::getpid()) + ".safetensors";
  }
  void TearDown() override { std::filesystem::remove(path_); }

  // Saves a sound model, lets `damage` change the file's content, and returns what loading says about it.
  std::string error_after(const std::function<void(SafetensorsContent&)>& damage) {
    save_model(path_, little(), initialise_parameters(little(), 1), StoredType::kF32);
    const SafetensorsFile file(path_);
    SafetensorsContent content = file.content();
    damage(content);
    const std::string damaged = path_ + "_damaged";
    write_safetensors(damaged, content);
    std::string message;
    try {
      load_model(damaged);
    } catch (const InputError& error) {
      message = error.what();
    }
    std::filesystem::remove(damaged);
    return message;
  }

  std::string path_;
};

TEST_F(Checkpoint, RoundTripIsExact) {
  ModelConfig config = little();
  config.pooling = Pooling::kMax;
  config.scale_graph = {false, true};
  config.head = HeadKind::kVanilla;
  config.use_graph_stream = false;
  const ModelParams params = initialise_parameters(config, 7);
  save_model(path_, config, params, StoredType::kF32, {{"trained_on", "nothing"}, {"blocks", "99"}});
  const Model model = load_model(path_);
  EXPECT_EQ(model.config, config);
  EXPECT_EQ(model.metadata.at("trained_on"), "nothing");
  std::map<std::string, at::Tensor> expected;
  params.visit([&](const std::string& name, const at::Tensor& tensor) { expected[name] = tensor; });
  model.params.visit([&](const std::string& name, const at::Tensor& tensor) {
    EXPECT_TRUE(at::equal(tensor, expected.at(name))) << name;
    expected.erase(name);
  });
  EXPECT_TRUE(expected.empty());
}

TEST_F(Checkpoint, HalfSizeFileKeepsRoundedWeights) {
  const ModelParams params = initialise_parameters(little(), 7);
  save_model(path_, little(), params, StoredType::kBF16);
  const Model model = load_model(path_);
  const at::Tensor& weight = params.blocks[1].graph.row.qkv.weight;
  EXPECT_TRUE(
      at::equal(model.params.blocks[1].graph.row.qkv.weight, weight.to(at::kBFloat16).to(at::kFloat)));
}

TEST_F(Checkpoint, NamesOnFileAreTheReferences) {
  std::set<std::string> names;
  visit_stored(empty_parameters(little()),
               [&](const std::string& name, const at::Tensor&) { names.insert(name); });
  for (const char* name :
       {"encoder.embed_data.weight", "encoder.data_layer_norm_before.bias",
        "encoder.graph_layer_norm_after.weight",
        "encoder.layers.0.data_layer.row_self_attention.layer.q_proj.weight",
        "encoder.layers.1.graph_layer.column_self_attention.layer_norm.bias",
        "encoder.layers.0.data2graph_layer.axial_layer.feed_forward_layer.layer.fc1.weight",
        "encoder.layers.0.data2graph_layer.axial_layer.feed_forward_layer.layer_norm.weight",
        "encoder.layers.1.data2graph_layer.proj_v.linear2.bias",
        "encoder.layers.1.data2graph_layer.proj_u.layer_norm.bias", "encoder.layers.0.linear.weight",
        "top_layer.linear.weight", "top_layer.layer_norm.bias", "top_layer.linear2.bias"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST_F(Checkpoint, MismatchesAreExplained) {
  EXPECT_EQ(error_after([](SafetensorsContent&) {}), "");
  const auto drop = [](SafetensorsContent& content) { content.tensors.erase(content.tensors.begin() + 20); };
  EXPECT_NE(error_after(drop).find("is missing"), std::string::npos);
  const auto rename = [](SafetensorsContent& content) { content.tensors[3].name = "encoder.surprise"; };
  EXPECT_NE(error_after(rename).find("missing"), std::string::npos);
  const auto add = [](SafetensorsContent& content) {
    content.tensors.push_back({"encoder.surprise", "F32", {0}, {}});
  };
  EXPECT_NE(error_after(add).find("'encoder.surprise' has no place"), std::string::npos);
  const auto unused = [](SafetensorsContent& content) {
    content.tensors.push_back({"encoder.data_layer_norm_after.weight", "F32", {0}, {}});
  };
  EXPECT_EQ(error_after(unused), "");
  const auto reshape = [](SafetensorsContent& content) {
    for (TensorView& tensor : content.tensors)
      if (tensor.name == "encoder.layers.0.linear.weight") tensor.shape = {9, 8};
  };
  EXPECT_NE(error_after(reshape).find("has shape [9, 8], the configuration in the metadata asks for [8, 9]"),
            std::string::npos);
  const auto integers = [](SafetensorsContent& content) { content.tensors[5].dtype = "I32"; };
  EXPECT_NE(error_after(integers).find("dtype I32"), std::string::npos);
  const auto deeper = [](SafetensorsContent& content) { content.metadata["blocks"] = "3"; };
  EXPECT_NE(error_after(deeper).find("missing"), std::string::npos);
  const auto huge = [](SafetensorsContent& content) {
    content.metadata["embed_dim"] = "65536";
    content.metadata["blocks"] = "1000";
  };
  EXPECT_NE(error_after(huge).find("more than the file holds"), std::string::npos);
  const auto heads = [](SafetensorsContent& content) { content.metadata["heads"] = "3"; };
  EXPECT_NE(error_after(heads).find("heads is 3"), std::string::npos);
  const auto words = [](SafetensorsContent& content) { content.metadata["blocks"] = "two"; };
  EXPECT_NE(error_after(words).find("'blocks' is 'two'"), std::string::npos);
  const auto pooling = [](SafetensorsContent& content) { content.metadata["pooling"] = "median"; };
  EXPECT_NE(error_after(pooling).find("accepted are 'average', 'max', 'strided', 'none'"), std::string::npos);
  const auto foreign = [](SafetensorsContent& content) { content.metadata.erase("format"); };
  EXPECT_NE(error_after(foreign).find("not a CauScale model"), std::string::npos);
}

TEST_F(Checkpoint, FreshWeightsDependOnTheSeedAlone) {
  const ModelParams a = initialise_parameters(little(), 3), b = initialise_parameters(little(), 3),
                    c = initialise_parameters(little(), 4);
  EXPECT_TRUE(at::equal(a.blocks[1].fuse.weight, b.blocks[1].fuse.weight));
  EXPECT_FALSE(at::equal(a.blocks[1].fuse.weight, c.blocks[1].fuse.weight));
  EXPECT_FALSE(at::equal(a.blocks[0].fuse.weight, a.blocks[1].fuse.weight));
  EXPECT_LE(a.blocks[0].fuse.bias.abs().max().item<double>(), 1.0 / 3.0);  // fan-in d + 1 = 9
  EXPECT_TRUE(at::equal(a.final_norm.weight, at::ones({8})));
}

TEST(Installed, FindsModelsByNameAndFile) {
  const std::string folder = testing::TempDir() + "models_" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  save_model(folder + "/mine.safetensors", little(), initialise_parameters(little(), 1), StoredType::kBF16);
  ::setenv("CAUSCALE_MODELS", folder.c_str(), 1);
  EXPECT_EQ(find_model("mine"), folder + "/mine.safetensors");
  EXPECT_EQ(find_model(folder + "/mine.safetensors"), folder + "/mine.safetensors");
  try {
    find_model("yours");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("mine"), std::string::npos);
  }
  EXPECT_THROW(find_model("no/such/file.safetensors"), InputError);
  ::unsetenv("CAUSCALE_MODELS");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace causcale

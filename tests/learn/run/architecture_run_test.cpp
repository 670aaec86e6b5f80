// Runs of the other architectures: they learn, they resume, their files are used and refused by name.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/safetensors.h"
#include "core/input.h"
#include "learn/networks/checkpoint.h"
#include "learn/run/learner.h"
#include "learn/run/torch_network.h"
#include "learn/run/trainer.h"
#include "simulate/synthetic.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

std::string run_of(const std::string& model, const std::string& more) {
  return R"({"model": )" + model + R"(, "optimizer": {"muon": {"learning_rate": 0.01},
    "adamw": {"learning_rate": 0.003}}, "schedule": {"warmup_steps": 3}, "average_decay": 0.9, "log_every": 1,
    "data": {"mechanisms": "linear", "edges_per_node": 1, "tokens": 1200},
    "stages": [{"steps": 4, "nodes": [4, 5], "rows": 40}, {"steps": 4, "nodes": 5, "rows": "30-50",
                "accumulate": 2}],
    "validation": {"every_steps": 5, "settings": [{"nodes": 5, "edges": 5, "rows": 40, "count": 3}]})" +
         more + "}";
}

const std::string kAvici = run_of(
    R"({"architecture": "avici", "blocks": 2, "embed_dim": 12, "heads": 2, "key_dim": 6, "ffn_dim": 24})",
    R"(, "acyclicity": {"dual_rate": 0.1, "every_steps": 2, "average_rate": 0.5})");

const std::string kSea =
    run_of(R"({"architecture": "sea", "blocks": 2, "embed_dim": 12, "heads": 2, "ffn_dim": 24,
    "subset_variables": 3, "subset_rows": 30, "training_subsets": 4, "subsets": 6})",
           "");

TrainOptions quiet(const std::filesystem::path& out) {
  TrainOptions options;
  options.out = out;
  options.device = Device::kCpu;
  options.threads = 2;
  options.quiet = true;
  return options;
}

std::vector<nlohmann::json> losses(const std::filesystem::path& out) {
  std::vector<nlohmann::json> entries;
  std::ifstream file(out / "metrics.jsonl");
  for (std::string line; std::getline(file, line);) {
    nlohmann::json entry = nlohmann::json::parse(line);
    if (entry.contains("loss")) entries.push_back({entry["step"], entry["loss"]});
  }
  return entries;
}

// Of the two states every tensor but those of the clock.
void expect_equal_states(const std::filesystem::path& a, const std::filesystem::path& b) {
  const SafetensorsFile first(a), second(b);
  ASSERT_EQ(first.content().tensors.size(), second.content().tensors.size());
  for (std::size_t k = 0; k < first.content().tensors.size(); ++k) {
    const TensorView &x = first.content().tensors[k], &y = second.content().tensors[k];
    EXPECT_EQ(x.name, y.name);
    EXPECT_TRUE(std::ranges::equal(x.bytes, y.bytes)) << x.name;
  }
}

class ArchitectureRun : public testing::TestWithParam<std::pair<const char*, const std::string*>> {
 protected:
  void SetUp() override { at::set_num_threads(1); }
  TrainConfig config() const { return parse_train_config(*GetParam().second, "test"); }
};

TEST_P(ArchitectureRun, AResumedRunEqualsAnUninterruptedOne) {
  const test::TempFolder folder;
  EXPECT_EQ(train(config(), quiet(folder / "whole")).steps, 8);
  TrainOptions parts = quiet(folder / "parts");
  parts.stop_after_step = 3;
  train(config(), parts);
  parts.resume = true;
  parts.threads = 1;
  parts.stop_after_step.reset();
  EXPECT_EQ(train(config(), parts).end, TrainEnd::kFinished);
  EXPECT_EQ(losses(folder / "whole"), losses(folder / "parts"));
  EXPECT_EQ(losses(folder / "whole").size(), 8u);
  expect_equal_states(folder / "whole/checkpoint.safetensors", folder / "parts/checkpoint.safetensors");
}

// On the same few data sets again and again.
TEST_P(ArchitectureRun, LossFalls) {
  const TrainConfig chosen = config();
  Learner learner(chosen, initialise_parameters(chosen.model, 1), at::kCPU);
  const ExampleSource source(chosen.stages[0].data);
  const Batch batch = make_batch(source, {0, 0, 0, 5, 40, 6}, 9, false);
  const double before = learner.step(batch, 1.0, 0).item<double>();
  double after = before;
  for (int step = 1; step < 60; ++step) after = learner.step(batch, 1.0, step).item<double>();
  EXPECT_LT(after, 0.7 * before);
}

TEST_P(ArchitectureRun, WeightFilesAnswerThroughTheNetworksInterface) {
  const test::TempFolder folder;
  train(config(), quiet(folder / "run"));
  const auto file = folder / "run/model.safetensors";
  const Model model = load_model(file);
  EXPECT_EQ(model.config, config().model);
  EXPECT_EQ(model.metadata.at("architecture"), GetParam().first);

  const Simulation simulation = simulate_synthetic({.nodes = 5, .rows = 40}, 3, 0);
  const std::vector<Dataset> tables = {simulation.dataset};
  const std::vector<float> priors = prior_input(tables, {});
  std::vector<std::size_t> rows(40);
  for (std::size_t r = 0; r < 40; ++r) rows[r] = r;
  const std::vector<int> views = {0, 1};
  const auto network = torch_network(file, Device::kCpu, Precision::kFloat32);
  const auto answers = network->pair_probabilities(network_input(tables, priors, rows, views), {});
  ASSERT_EQ(answers.size(), 2u);
  double smallest = 1.0, largest = 0.0;
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      if (i != j) {
        smallest = std::min(smallest, answers[0].edges(i, j));
        largest = std::max(largest, answers[0].edges(i, j));
      }
  EXPECT_GT(smallest, 0.0);
  EXPECT_LT(largest, 1.0);
  EXPECT_GT(largest - smallest, 1e-6);
  const auto memory = network->memory(1000, 100, 2, 0), larger = network->memory(1000, 400, 2, 0);
  EXPECT_GT(larger.bytes, memory.bytes);
  EXPECT_LE(memory.least, memory.bytes);
}

TEST_P(ArchitectureRun, OtherArchitecturesWeightsAreRefused) {
  const test::TempFolder folder;
  train(config(), quiet(folder / "run"));
  TrainOptions options = quiet(folder / "other");
  options.init = folder / "run/model.safetensors";
  const TrainConfig other =
      parse_train_config(run_of(R"({"blocks": 2, "embed_dim": 12, "heads": 2})", ""), "test");
  const std::string message = test::error_of([&] { train(other, options); });
  EXPECT_TRUE(test::contains(message, options.init.string()));
  EXPECT_TRUE(test::contains(message, "architecture"));
  EXPECT_TRUE(test::contains(message, GetParam().first));
}

INSTANTIATE_TEST_SUITE_P(All, ArchitectureRun,
                         testing::Values(std::pair{"avici", &kAvici}, std::pair{"sea", &kSea}),
                         [](const auto& info) { return std::string(info.param.first); });

TEST(AviciRun, TheMultiplierIsPartOfTheState) {
  const test::TempFolder folder;
  train(parse_train_config(kAvici, "test"), quiet(folder / "run"));
  const SafetensorsFile state(folder / "run/checkpoint.safetensors");
  for (const TensorView& tensor : state.content().tensors) {
    if (tensor.name != "acyclicity") continue;
    double multiplier = 0.0;
    std::memcpy(&multiplier, tensor.bytes.data(), sizeof multiplier);
    EXPECT_GT(multiplier, 0.0);
    return;
  }
  FAIL() << "no tensor \"acyclicity\" in the state";
}

TEST(ArchitectureConfig, BadOnesAreRefusedByName) {
  const auto message = [](const std::string& text) {
    return test::error_of([&] { parse_train_config(text, "some.json"); });
  };
  const auto model = [&](const std::string& model, const std::string& more = "") {
    return message(R"({"model": )" + model + R"(, "stages": [{"steps": 1}])" + more + "}");
  };
  for (const std::string& problem :
       {model(R"({"architecture": "transformer"})"), model(R"({"architecture": 3})"),
        model(R"({"architecture": "avici", "pooling": "max"})"), model(R"({"key_dim": 8})")})
    EXPECT_TRUE(test::contains(problem, "some.json")) << problem;
  EXPECT_TRUE(test::contains(model(R"({"architecture": "transformer"})"), "'causcale', 'avici', 'sea'"));
  EXPECT_TRUE(test::contains(model(R"({"architecture": "avici", "pooling": "max"})"), "\"pooling\""));
  EXPECT_TRUE(test::contains(model(R"({"architecture": "avici", "key_dim": 0})"), "key_dim"));
  EXPECT_TRUE(test::contains(model("{}", R"(, "acyclicity": {"dual_rate": 1})"), "\"acyclicity\""));
  EXPECT_TRUE(test::contains(model(R"({"architecture": "avici"})", R"(, "acyclicity": {"every_steps": 0})"),
                             "\"every_steps\""));
  EXPECT_TRUE(test::contains(model(R"({"architecture": "sea", "subset_variables": 1})"), "subset_variables"));
  EXPECT_TRUE(test::contains(model(R"({"architecture": "sea", "estimator": "lingam"})"), "'pc', 'fci'"));
  EXPECT_TRUE(
      test::contains(model(R"({"architecture": "sea", "pair_channels": "shift"})"), "\"pair_channels\""));
  EXPECT_TRUE(
      test::contains(model(R"({"architecture": "sea"})", R"(, "simulate_on": "gpu")"), "\"simulate_on\""));
  EXPECT_EQ(model(R"({"architecture": "causcale"})"), "");
}

// What stands in files and states of CauScale itself must not change.
TEST(ArchitectureConfig, CauScaleStaysUnnamed) {
  const TrainConfig named =
      parse_train_config(R"({"model": {"architecture": "causcale"}, "stages": [{"steps": 1}]})", "test");
  EXPECT_EQ(named.model, ModelConfig());
  EXPECT_FALSE(named.model.to_metadata().contains("architecture"));
  EXPECT_EQ(named.resume_key().find("architecture"), std::string::npos);
}

}  // namespace
}  // namespace causcale

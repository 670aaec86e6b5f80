#include "learn/config/config.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "causcale/error.h"
#include "learn/data/batches.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;

// One recipe per model and those of all runs that the training log names: each can be read, and makes
// batches.
TEST(TrainConfig, RecipesAreSound) {
  for (const auto& [folder, least] : {std::pair("configs", 8), std::pair("research/recipes", 16)}) {
    int seen = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(CAUSCALE_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".json") continue;
      const TrainConfig config = read_train_config(entry.path());
      for (const Stage& stage : config.stages) {
        const ExampleSource source(stage.data);
        const BatchPlan plan{0, 0, 0, 6, 50, 2};
        EXPECT_TRUE(at::isfinite(make_batch(source, plan, 1, false).input.data).all().item<bool>())
            << entry.path();
      }
      ++seen;
    }
    EXPECT_GE(seen, least) << folder;
  }
}

TEST(TrainConfig, ErrorsNameTheKey) {
  const auto message = [](const std::string& text) {
    try {
      parse_train_config(text, "my.json");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto has = [&](const std::string& text, const std::string& part) {
    EXPECT_NE(message(text).find(part), std::string::npos) << message(text);
  };
  has("{", "my.json");
  has("{}", "stages");
  has(R"({"stages": [{"steps": 1, "nodez": 3}]})", "\"nodez\"");
  has(R"({"stages": [{"steps": 1, "minutes": 3}]})", "either");
  has(R"({"stages": [{"steps": 1}, {"minutes": 3}]})", "both");
  has(R"({"stages": [{"steps": 1, "nodes": "9-5"}]})", "upside down");
  has(R"({"stages": [{"steps": 1, "observational": 2}]})", "observational");
  has(R"({"model": {"blox": 1}, "stages": [{"steps": 1}]})", "blox");
  has(R"({"dropout": 1, "stages": [{"steps": 1}]})", "dropout");
  has(R"({"optimizer": {"kind": "sgd"}, "stages": [{"steps": 1}]})", "adamw");
  has("{\"stages\": // of \"probe\n" + std::string(1'000'000, '['),
      "my.json, line 2: JSON that is nested too deeply");
  TrainConfig unknown =
      parse_train_config(R"({"stages": [{"steps": 1, "mechanisms": ["cubic"]}]})", "my.json");
  EXPECT_THROW(ExampleSource(unknown.stages[0].data), InputError);
}

}  // namespace
}  // namespace causcale

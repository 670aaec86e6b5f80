// Whole runs on small models: learning, resuming, ending in time.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "causcale/error.h"
#include "learn/data/batches.h"
#include "learn/data/small_run.h"
#include "learn/networks/checkpoint.h"
#include "learn/run/trainer.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;

class RunTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("causcale_train_") +
               testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(::getpid()));
    fs::remove_all(folder_);
    at::set_num_threads(1);
  }
  void TearDown() override { fs::remove_all(folder_); }

  TrainOptions options(const std::string& name) const {
    TrainOptions result;
    result.out = folder_ / name;
    result.device = Device::kCpu;
    result.threads = 2;
    result.quiet = true;
    return result;
  }
  // Everything but what depends on the clock and the memory.
  std::vector<nlohmann::json> log(const std::string& name) const {
    std::vector<nlohmann::json> entries;
    std::ifstream file(folder_ / name / "metrics.jsonl");
    for (std::string line; std::getline(file, line);) {
      entries.push_back(nlohmann::json::parse(line));
      for (const char* key : {"seconds", "graphs_per_second", "peak_memory_bytes"}) entries.back().erase(key);
    }
    return entries;
  }
  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

TEST_F(RunTest, AResumedRunEqualsAnUninterruptedOne) {
  const TrainConfig config = parse_train_config(test::kSmallRun, "test");
  const TrainResult whole = train(config, options("whole"));
  EXPECT_EQ(whole.end, TrainEnd::kFinished);
  EXPECT_EQ(whole.steps, 12);

  TrainOptions first = options("parts");
  first.stop_after_step = 4;
  EXPECT_EQ(train(config, first).end, TrainEnd::kStoppedAfterStep);
  TrainOptions second = options("parts");
  second.resume = true;
  second.threads = 1;
  second.stop_after_step = 8;  // in the other stage
  train(config, second);
  second.stop_after_step.reset();
  EXPECT_EQ(train(config, second).end, TrainEnd::kFinished);

  std::vector<nlohmann::json> expected = log("whole"), found = log("parts");
  // The parts were also validated where they stopped.
  std::erase_if(found, [](const nlohmann::json& entry) {
    return entry.contains("map") && (entry["step"] == 4 || entry["step"] == 8);
  });
  EXPECT_EQ(expected, found);
  EXPECT_EQ(expected.size(), 12u + 3u);
  EXPECT_EQ(load_model(folder_ / "whole/model.safetensors").config, config.model);
  // Seconds differ; the tensors must not.
  const Model a = load_model(folder_ / "whole/model.safetensors"),
              b = load_model(folder_ / "parts/model.safetensors");
  EXPECT_TRUE(at::equal(a.params.blocks[2].graph.row.qkv.weight, b.params.blocks[2].graph.row.qkv.weight));
  EXPECT_TRUE(at::equal(a.params.head.second.bias, b.params.head.second.bias));
  // In fp32 and without the average, which the model has.
  const Model c = load_model(folder_ / "whole/weights.safetensors");
  EXPECT_TRUE(at::equal(c.params.head.second.bias,
                        load_model(folder_ / "parts/weights.safetensors").params.head.second.bias));
}

TEST_F(RunTest, TrainsOnDataSetsFromFiles) {
  const auto write = [](const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  };
  for (int i = 0; i < 3; ++i) {
    const fs::path folder = folder_ / "sets" / std::to_string(i);
    std::string data = "a,b,c\n", targets;
    RandomStream random(1, i, 2);
    for (int row = 0; row < 12; ++row) {
      data += std::to_string(random.normal()) + "," + std::to_string(random.normal()) + "," +
              std::to_string(random.normal()) + "\n";
      targets += row < 4 ? "b\n" : "\n";
    }
    write(folder / "data.csv", data);
    write(folder / "interventions.csv", targets);
    write(folder / "truth.csv", "source,target\na,c\n");
  }
  TrainConfig config = parse_train_config(test::kSmallRun, "test");
  config.stages.resize(1);
  config.stages[0].folder = (folder_ / "sets").string();
  config.stages[0].data = {};
  BatchQueue queue(config, 1, 1, false);
  queue.restart(0, 0, 0);
  const Batch batch = queue.next();
  EXPECT_EQ(batch.input.data.sizes(), at::IntArrayRef({3, 12, 3, 2}));
  EXPECT_TRUE(at::equal(batch.adjacency.to(at::kLong).sum(at::IntArrayRef{0}),
                        at::tensor({0, 0, 3, 0, 0, 0, 0, 0, 0}, at::kLong).view({3, 3})));
  EXPECT_TRUE(
      at::equal(batch.input.data.select(-1, 1).sum(at::IntArrayRef{0, 1}), at::tensor({0.0f, 12.0f, 0.0f})));
  EXPECT_EQ(train(config, options("run")).end, TrainEnd::kFinished);

  write(folder_ / "sets/0/truth.csv", "source,target\na,d\n");
  EXPECT_THROW(train(config, options("wrong")), InputError);
  config.stages[0].folder = (folder_ / "empty").string();
  EXPECT_THROW(train(config, options("none")), InputError);
}

TEST_F(RunTest, RefusesToOverwriteARunAndToResumeAnotherOne) {
  TrainConfig config = parse_train_config(test::kSmallRun, "test");
  TrainOptions once = options("run");
  once.stop_after_step = 1;
  train(config, once);
  EXPECT_THROW(train(config, once), UsageError);
  config.model.ffn_dim = 48;
  once.resume = true;
  EXPECT_THROW(train(config, once), InputError);
  once.out = folder_ / "nowhere";
  EXPECT_THROW(train(config, once), UsageError);
}

// A bit changed anywhere, or an end cut off, is noticed before anything is read from the state; the one
// before it is sound.
TEST_F(RunTest, ADamagedCheckpointIsRefusedAndTheOneBeforeGoesOn) {
  const TrainConfig config = parse_train_config(test::kSmallRun, "test");
  TrainOptions run = options("run");
  run.stop_after_step = 2;
  train(config, run);
  run.resume = true;
  run.stop_after_step = 4;
  train(config, run);
  const fs::path state = run.out / "checkpoint.safetensors";
  const fs::path previous = run.out / "checkpoint.safetensors.previous";
  ASSERT_TRUE(fs::exists(previous));
  const std::string sound = content(state);
  run.stop_after_step.reset();
  const auto message = [&](const std::string& bytes) {
    std::ofstream(state, std::ios::binary) << bytes;
    try {
      train(config, run);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const double place : {0.3, 0.6, 0.999}) {
    std::string changed = sound;
    changed[static_cast<std::size_t>(place * static_cast<double>(sound.size()))] ^= 4;
    EXPECT_NE(message(changed).find("checkpoint.safetensors: the training state is damaged"),
              std::string::npos);
    EXPECT_NE(message(changed).find("checkpoint.safetensors.previous"), std::string::npos);
  }
  // Without the hash, by a changed letter of its key, it is not a sound state either.
  std::string without = sound;
  without[without.find("\"sha256\"") + 3] ^= 1;
  EXPECT_NE(message(without).find("the training state is damaged"), std::string::npos);
  EXPECT_NE(message(sound.substr(0, sound.size() / 2)).find("checkpoint.safetensors"), std::string::npos);
  fs::rename(previous, state);
  EXPECT_EQ(train(config, run).end, TrainEnd::kFinished);
}

TEST_F(RunTest, ResumingAFinishedRunChangesNothing) {
  const TrainConfig config = parse_train_config(test::kSmallRun, "test");
  TrainOptions run = options("run");
  const TrainResult finished = train(config, run);
  run.resume = true;
  const TrainResult again = train(config, run);
  EXPECT_EQ(again.end, TrainEnd::kFinished);
  EXPECT_EQ(again.steps, finished.steps);
  EXPECT_EQ(again.graphs, finished.graphs);
  EXPECT_TRUE(std::isfinite(finished.loss));
  EXPECT_TRUE(std::isnan(again.loss));  // there was no step to take it from
}

TEST_F(RunTest, StartsFromGivenWeights) {
  const TrainConfig config = parse_train_config(test::kSmallRun, "test");
  TrainOptions first = options("first");
  train(config, first);
  TrainOptions next = options("next");
  next.init = first.out / "model.safetensors";
  next.stop_after_step = 1;
  const TrainResult continued = train(config, next);
  TrainOptions fresh = options("fresh");
  fresh.stop_after_step = 1;
  EXPECT_LT(continued.loss, train(config, fresh).loss);
  TrainConfig other = config;
  other.model.blocks = 2;
  next.out = folder_ / "other";
  EXPECT_THROW(train(other, next), InputError);
}

TEST_F(RunTest, EndsWithinItsTimeBudgetAndOnASignal) {
  TrainConfig config = parse_train_config(test::kSmallRun, "test");
  config.stages[0].steps = 1'000'000;
  TrainOptions budget = options("budget");
  budget.time_budget = 3.0;
  EXPECT_EQ(train(config, budget).end, TrainEnd::kTimeBudget);
  EXPECT_TRUE(fs::exists(budget.out / "checkpoint.safetensors"));

  std::thread killer([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    ::kill(::getpid(), SIGTERM);
  });
  TrainOptions signalled = options("signalled");
  signalled.time_budget = 20.0;
  const TrainResult result = train(config, signalled);
  killer.join();
  EXPECT_EQ(result.end, TrainEnd::kInterrupted);
  EXPECT_TRUE(fs::exists(signalled.out / "model.safetensors"));
}

TEST_F(RunTest, RollsBackAndFinallyGivesUpWhenNothingIsFinite) {
  TrainConfig config = parse_train_config(test::kSmallRun, "test");
  config.stages[0].steps = 1000;
  config.rollback_after = 5;
  config.validation.settings.clear();
  config.adamw_learning_rate = std::numeric_limits<double>::infinity();
  try {
    train(config, options("run"));
    FAIL() << "a run with an infinite learning rate went on";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("diverged"), std::string::npos) << error.what();
  }
  int rollbacks = 0;
  for (const auto& entry : log("run")) rollbacks += entry.contains("event");
  EXPECT_EQ(rollbacks, 3);
  // The state on disk is from before.
  const Model model = load_model(folder_ / "run/model.safetensors");
  EXPECT_TRUE(at::isfinite(model.params.head.first.weight).all().item<bool>());
}

TEST_F(RunTest, TheLastStepsAreLoggedToo) {
  TrainConfig config = parse_train_config(test::kSmallRun, "test");
  config.log_every = 5;
  train(config, options("run"));
  std::vector<int> steps;
  for (const auto& entry : log("run"))
    if (entry.contains("loss")) steps.push_back(entry["step"]);
  EXPECT_EQ(steps, (std::vector{5, 10, 12}));
}

TEST_F(RunTest, ATinyModelLearns) {
  TrainConfig config = parse_train_config(R"({
    "model": {"blocks": 2, "embed_dim": 32, "heads": 4, "ffn_dim": 64},
    "schedule": {"warmup_steps": 10},
    "prior_scale": "raw", "views": 3, "usual_rows": 60,
    "stages": [{"steps": 120, "nodes": 5, "rows": 60, "edges_per_node": 1, "mechanisms": "linear",
                "tokens": 2400}],
    "validation": {"settings": [{"nodes": 5, "edges": 5, "rows": 60, "count": 20}]},
    "log_every": 10
  })",
                                          "test");
  const TrainResult result = train(config, options("run"));
  const std::vector<nlohmann::json> entries = log("run");
  const double first = entries.front()["loss"], last = result.loss;
  RecordProperty("first_loss", std::to_string(first));
  RecordProperty("last_loss", std::to_string(last));
  EXPECT_LT(last, 0.75 * first);
  EXPECT_GT(result.scores.front().average_precision, 0.55);
  // discover reads them there.
  const auto metadata = load_model(folder_ / "run/model.safetensors").metadata;
  EXPECT_EQ(metadata.at("prior_scale"), "raw");
  EXPECT_EQ(metadata.at("views"), "3");
  EXPECT_EQ(metadata.at("usual_rows"), "60");
  EXPECT_FALSE(metadata.contains("transform"));
  EXPECT_THROW(parse_train_config(R"({"prior_scale": "log", "stages": [{"steps": 1}]})", "test"), InputError);
}

TEST(Duration, HasAUnitOrSeconds) {
  EXPECT_DOUBLE_EQ(parse_duration("9m"), 540.0);
  EXPECT_DOUBLE_EQ(parse_duration("90"), 90.0);
  EXPECT_THROW(parse_duration("9x"), UsageError);
  EXPECT_THROW(parse_duration("-1s"), UsageError);
}

}  // namespace
}  // namespace causcale

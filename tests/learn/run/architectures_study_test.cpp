// Architectures as users meet them: the study that compares them, weights by name, messages without them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "benchmark/architectures.h"
#include "learn/config/config.h"
#include "support/command_test.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::Outcome;
using test::run_program;

TEST(ArchitecturesStudy, ConfigurationsDifferInTheModelAlone) {
  ArchitectureRequest request;
  TrainConfig first;
  for (const std::string& name : request.architectures) {
    SCOPED_TRACE(name);
    const TrainConfig config = parse_train_config(architecture_config(name, request), name);
    EXPECT_EQ(config.model, ModelConfig::published(architecture_named(name)));
    EXPECT_EQ(config.total_length(), 20 * 60.0);
    if (name == "causcale") first = config;
    EXPECT_EQ(config.seed, first.seed);
    EXPECT_EQ(config.validation.settings.size(), 6u);
    EXPECT_EQ(config.stages[0].tokens, first.stages[0].tokens);
    ArchitectureRequest tiny = request;
    tiny.tiny = true;
    EXPECT_EQ(parse_train_config(architecture_config(name, tiny), name).model.embed_dim, 16);
  }
  EXPECT_TRUE(contains(test::error_of([&] { architecture_config("lstm", request); }), "lstm"));
}

class ArchitecturesCommand : public test::SimulatedTableTest {
 protected:
  ArchitecturesCommand() : SimulatedTableTest(60) {}
  static std::string text(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

TEST_F(ArchitecturesCommand, TrainsComparesAndGoesOn) {
  const std::string command =
      "benchmark architectures --tiny --minutes 0.02 --train-nodes 5 --train-rows 60 --tokens 1800 --nodes 5 "
      "--rows 60 --graphs 1 --device cpu -o " +
      path("study") + " --markdown " + path("study.md") + " --plot " + path("study.svg");
  const Outcome outcome = run_program(command);
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  for (const char* name : {"CauScale", "AVICI", "SEA"}) {
    EXPECT_TRUE(contains(text(path("study.md")), name));
    EXPECT_TRUE(contains(text(path("study.svg")), name));
  }
  const auto results = nlohmann::json::parse(text(path("study/results.json")));
  EXPECT_EQ(results["records"].size(), 9u);  // three architectures, three mechanisms
  for (const auto& record : results["records"])
    EXPECT_GE(record["measures"]["map"].get<double>(), 0.0) << record.dump();

  // Everything is there: nothing is trained or tested again.
  const Outcome again = run_program(command);
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_FALSE(contains(again.output, "minutes of training\n"));
  EXPECT_EQ(nlohmann::json::parse(text(path("study/results.json")))["records"], results["records"]);

  // The models it left, by file and by name.
  for (const char* name : {"avici", "sea"}) {
    SCOPED_TRACE(name);
    const std::string file = path(std::string("study/") + name + "/model.safetensors");
    const Outcome found = run_program("discover " + input() + " --device cpu --model " + file);
    EXPECT_EQ(found.code, 0) << found.output;
    const Outcome plan = run_program("discover " + input() + " --device cpu --plan --model " + file);
    EXPECT_EQ(plan.code, 0) << plan.output;
    EXPECT_TRUE(contains(plan.output, "iB"));

    fs::create_directories(path("models"));
    const std::string named = path(std::string("named/") + name + ".safetensors");
    fs::create_directories(path("named"));
    fs::copy_file(file, named);
    const Outcome installed = run_program("models install --folder " + path("models") + " " + named);
    EXPECT_EQ(installed.code, 0) << installed.output;
  }
  setenv("CAUSCALE_MODELS", path("models").c_str(), 1);
  for (const char* name : {"avici", "sea"}) {
    const Outcome method = run_program("discover " + input() + " --method " + name);
    EXPECT_EQ(method.code, 0) << method.output;
    EXPECT_TRUE(contains(method.output, name));
  }
  const Outcome table = run_program(
      "benchmark table1 --quick --no-network --nodes 5:5 --rows 60 --graphs 1 --mechanisms linear "
      "--methods avici,sea");
  EXPECT_EQ(table.code, 0) << table.output;
  EXPECT_TRUE(contains(table.output, "avici"));
  EXPECT_TRUE(contains(table.output, "sea"));
  unsetenv("CAUSCALE_MODELS");
}

TEST_F(ArchitecturesCommand, SayWhatToDoWithoutWeights) {
  fs::create_directories(path("empty"));
  setenv("XDG_DATA_HOME", path("empty").c_str(), 1);
  for (const char* name : {"avici", "sea"}) {
    const Outcome outcome = run_program("discover " + input() + " --method " + name);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(contains(outcome.output, std::string("configs/") + name + ".json"));
    EXPECT_TRUE(contains(outcome.output, "models install"));
  }
  unsetenv("XDG_DATA_HOME");
}

}  // namespace
}  // namespace causcale

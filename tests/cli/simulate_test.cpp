#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/run_program.h"

namespace causcale {
namespace {

using test::Outcome;
using test::run_program;

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

class SimulateCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / (std::string("causcale_simulate_") +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(SimulateCommand, WritesDataInterventionsTruthAndManifest) {
  const Outcome outcome = run_program(
      "simulate synthetic --graph er --nodes 20 --edges-per-node 2 --mechanism nn --rows 100 "
      "--seed 1 -o " +
      folder_.string());
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const std::string data = content(folder_ / "data.csv"),
                    interventions = content(folder_ / "interventions.csv");
  EXPECT_EQ(data.substr(0, data.find(',', 3)), "X0,X1");
  EXPECT_EQ(lines(data), 101u);
  EXPECT_EQ(lines(interventions), 100u);
  // 100 rows in 21 blocks: 4 each, 5 in the first 16; observational rows last and empty.
  EXPECT_TRUE(interventions.ends_with("\n\n\n\n\n"));
  EXPECT_EQ(interventions[0], 'X');
  const auto manifest = nlohmann::json::parse(content(folder_ / "manifest.json"));
  EXPECT_EQ(manifest["seed"], 1);
  EXPECT_EQ(manifest["simulator"], "synthetic");
  EXPECT_FALSE(manifest["version"].get<std::string>().empty());
  EXPECT_EQ(manifest["options"]["mechanism"], "nn");
  EXPECT_EQ(manifest["options"]["graph"]["edges_per_node"], 2.0);
  const std::string truth = content(folder_ / "truth.csv");
  EXPECT_TRUE(truth.starts_with("source,target\nX"));
  EXPECT_EQ(lines(truth), manifest["true_edges"].get<std::size_t>() + 1);
}

TEST_F(SimulateCommand, ManyDataSetsAreTheSameOnAnyNumberOfThreads) {
  const std::string options = "simulate synthetic -n 6 -m 50 --count 12 --seed 3 --quiet ";
  ASSERT_EQ(run_program(options + "--threads 1 -o " + (folder_ / "a").string()).code, 0);
  ASSERT_EQ(run_program(options + "--threads 4 -o " + (folder_ / "b").string()).code, 0);
  for (const char* number : {"00", "07", "11"})
    for (const char* file : {"data.csv", "truth.csv", "interventions.csv", "manifest.json"}) {
      const std::string one = content(folder_ / "a" / number / file);
      EXPECT_FALSE(one.empty()) << number << "/" << file;
      EXPECT_EQ(one, content(folder_ / "b" / number / file));
    }
  EXPECT_NE(content(folder_ / "a" / "00" / "data.csv"), content(folder_ / "a" / "01" / "data.csv"));
  // Data set 7 can be made again alone.
  ASSERT_EQ(
      run_program("simulate synthetic -n 6 -m 50 --first 7 --seed 3 --quiet -o " + (folder_ / "c").string())
          .code,
      0);
  EXPECT_EQ(content(folder_ / "c" / "data.csv"), content(folder_ / "a" / "07" / "data.csv"));
}

TEST_F(SimulateCommand, SergioWritesCountsAndWildType) {
  const Outcome outcome = run_program(
      "simulate sergio -n 8 --rows 80 --wild-type 20 --profile drop-seq --seed 2 --format npy -o " +
      folder_.string());
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(content(folder_ / "data.npy").starts_with("\x93NUMPY"));
  const std::string interventions = content(folder_ / "interventions.csv");
  EXPECT_TRUE(interventions.starts_with("X0\nX1\nX2\n"));
  EXPECT_EQ(lines(interventions), 100u);
  const auto manifest = nlohmann::json::parse(content(folder_ / "manifest.json"));
  EXPECT_EQ(manifest["options"]["profile"], "drop-seq");
  EXPECT_EQ(manifest["drawn"]["technical_noise"]["dropout_percentile"], 85.0);
}

TEST_F(SimulateCommand, WritesAWorldWithConfoundedPairsKindsAndEmptyCells) {
  const Outcome outcome = run_program(
      "simulate world hidden --nodes 8 --rows 60 --seed 2 --set missing=0.2 --set missing_kind=random "
      "--set hidden=0.5 --set hidden_as=confounders -o " +
      folder_.string());
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const std::string data = content(folder_ / "data.csv"), pairs = content(folder_ / "confounded.csv");
  EXPECT_EQ(lines(data), 61u);
  EXPECT_TRUE(data.find(",,") != std::string::npos);
  EXPECT_EQ(data.find("nan"), std::string::npos);
  EXPECT_TRUE(pairs.starts_with("first,second\nX"));
  EXPECT_EQ(lines(content(folder_ / "interventions.csv")), 60u);
  const auto manifest = nlohmann::json::parse(content(folder_ / "manifest.json"));
  EXPECT_EQ(manifest["world"], "hidden");
  EXPECT_EQ(manifest["settings"]["missing"], "0.2");
  EXPECT_EQ(manifest["drawn"]["missing"], 0.2);
  EXPECT_EQ(manifest["drawn"]["missing_kind"], "random");
  EXPECT_EQ(manifest["kinds"].size(), 8u);
  EXPECT_EQ(manifest["files"]["confounded"], "confounded.csv");
}

TEST_F(SimulateCommand, ListsWorldsAndTheirSettings) {
  const Outcome list = run_program("simulate worlds");
  EXPECT_EQ(list.code, 0);
  for (const char* name : {"nothing", "discrete", "genes", "feedback", "hidden", "duplicates"})
    EXPECT_NE(list.output.find(name), std::string::npos) << name;
  const Outcome one = run_program("simulate worlds discrete");
  EXPECT_NE(one.output.find("concentration"), std::string::npos);
  const auto json = nlohmann::json::parse(run_program("simulate worlds discrete --json").output);
  EXPECT_EQ(json["settings"][0]["name"], "states");
  EXPECT_EQ(run_program("simulate worlds underworld").code, 2);
}

TEST_F(SimulateCommand, MisuseExitsWithTwoAndAHint) {
  const std::string to = " -o " + folder_.string();
  const std::pair<const char*, const char*> cases[] = {
      {"simulate", "subcommand"},
      {"simulate synthetic", "--output"},
      {"simulate synthetic --mechanism cubic", "sigmoid_add"},
      {"simulate synthetic --graph tree", "er, sf"},
      {"simulate synthetic --rows 0", "rows"},
      {"simulate synthetic --nodes 5 --hidden 5", "hidden"},
      {"simulate synthetic --rows many", "--rows"},
      {"simulate synthetic --coverage 2", "[0, 1]"},
      {"simulate synthetic --format xls", "--format"},
      {"simulate sergio --profile nanopore", "smart-seq"},
      {"simulate world underworld", "linear_gaussian"},
      {"simulate world mixed --set colour=1", "accepted: discrete"},
      {"simulate world mixed --set gain=often", "within [0, 1000]"},
      {"simulate world mixed --set gain", "--set"},
      {"simulate sergio --min-cell-types 9 --max-cell-types 3", "cell types"},
  };
  for (const auto& [arguments, hint] : cases) {
    const bool without_folder =
        std::string(arguments) == "simulate" || std::string(arguments) == "simulate synthetic";
    const Outcome outcome = run_program(arguments + (without_folder ? "" : to));
    EXPECT_EQ(outcome.code, 2) << arguments << "\n" << outcome.output;
    EXPECT_NE(outcome.output.find(hint), std::string::npos) << arguments << "\n" << outcome.output;
    EXPECT_FALSE(fs::exists(folder_)) << arguments;
  }
}

TEST_F(SimulateCommand, HelpHasExamples) {
  for (const char* which : {"simulate synthetic --help", "simulate sergio --help", "simulate world --help"}) {
    const Outcome outcome = run_program(which);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.output.find("Examples:"), std::string::npos);
  }
}

TEST_F(SimulateCommand, AFolderThatCannotBeWrittenIsAnInputError) {
  const Outcome outcome = run_program("simulate synthetic -n 3 -m 5 -o /dev/null/out");
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("/dev/null/out"), std::string::npos) << outcome.output;
}

}  // namespace
}  // namespace causcale

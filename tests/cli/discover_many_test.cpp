// Many tables at once: a bad one does not stop the rest, and what is done is not done again.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "support/command_test.h"

namespace causcale {
namespace {

using test::Outcome;
using test::run_program;

namespace fs = std::filesystem;

class DiscoverMany : public test::CommandTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_program("simulate synthetic -n 4 -m 40 --count 3 --seed 4 -q -o " + path("sets")).code, 0);
  }
  std::string text(const std::string& name) const { return std::string(MappedFile(path(name)).text()); }
  Outcome run(const std::string& more = "") const {
    return run_program("discover " + path("sets") + "/*/data.csv --interventions '{dir}/interventions.csv' " +
                       "--out-dir " + path("out") + " " + more);
  }
};

TEST_F(DiscoverMany, EveryTableGetsItsFilesAndASecondRunSkipsThem) {
  Outcome outcome = run("--format csv,json,npy --jobs 2");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("3 done, 0 skipped as done before, 0 failed"), std::string::npos);
  for (const char* name : {"0_data", "1_data", "2_data"})
    for (const char* format : {".csv", ".json", ".npy"})
      EXPECT_TRUE(fs::exists(path("out/") + name + format)) << name << format;
  // The same as each by itself, interventions included.
  ASSERT_EQ(run_program("discover " + path("sets/1/data.csv") + " --interventions " +
                        path("sets/1/interventions.csv") + " -q -o " + path("one.csv"))
                .code,
            0);
  EXPECT_EQ(text("one.csv"), text("out/1_data.csv"));

  outcome = run("--format csv,json,npy --json");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(nlohmann::json::parse(outcome.output)["skipped"], 3);

  // One table changed, one file lost, another threshold: only what is touched is done again.
  write_file_atomically(path("sets/0/data.csv"), text("sets/1/data.csv"));
  fs::remove(path("out/2_data.csv"));
  outcome = run("--format csv,json,npy");
  EXPECT_NE(outcome.output.find("2 done, 1 skipped"), std::string::npos) << outcome.output;
  outcome = run("--format csv,json,npy --threshold 0.3");
  EXPECT_NE(outcome.output.find("3 done, 0 skipped"), std::string::npos) << outcome.output;
}

TEST_F(DiscoverMany, ABadTableDoesNotStopTheOthers) {
  write_file_atomically(path("sets/1/data.csv"), "A,B\n1,x\n2,3\n");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("2 done, 0 skipped as done before, 1 failed"), std::string::npos)
      << outcome.output;
  EXPECT_TRUE(fs::exists(path("out/2_data.csv")));
  EXPECT_FALSE(fs::exists(path("out/1_data.csv")));
  const std::string summary = text("out/summary.csv");
  EXPECT_EQ(std::count(summary.begin(), summary.end(), '\n'), 4);
  EXPECT_NE(summary.find("1_data," + path("sets/1/data.csv") + ",failed,"), std::string::npos) << summary;
  EXPECT_NE(summary.find("2_data," + path("sets/2/data.csv") + ",done,40,4,"), std::string::npos) << summary;
}

TEST_F(DiscoverMany, MistakesAreExplained) {
  Outcome outcome =
      run_program("discover " + path("sets/0/data.csv") + " " + path("sets/1/data.csv") + " -q");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find("--out-dir"), std::string::npos);
  EXPECT_EQ(run("-o x.csv").code, 2);
  EXPECT_EQ(run("--format xlsx").code, 2);
  EXPECT_EQ(run(path("sets/0/data.csv")).code, 2);  // twice
}

TEST_F(DiscoverMany, NoTableIsReplacedByItsResult) {
  const std::string table = path("sets/0/data.csv"), before = text("sets/0/data.csv");
  const Outcome outcome = run_program("discover " + table + " --out-dir " + path("sets/0"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find("the result would replace it"), std::string::npos) << outcome.output;
  EXPECT_EQ(run_program("discover " + table + " -o " + path("sets/../sets/0/data.csv")).code, 2);
  EXPECT_EQ(run_program("discover " + table + " -o " + path("e.csv") + " --matrix " + path("e.csv")).code, 2);
  EXPECT_EQ(run_program("compare " + table + " --methods corr -o " + table).code, 2);
  EXPECT_EQ(text("sets/0/data.csv"), before);
}

TEST_F(DiscoverMany, ADamagedRecordMeansThatTheTableIsDoneAgain) {
  ASSERT_EQ(run().code, 0);
  for (const char* const record : {"", "[1]", "{\"key\": 7}", "{\"key\": \"x\", \"formats\": 3}"}) {
    std::ofstream(path("out/.done/0_data.json")) << record;
    const Outcome outcome = run();
    EXPECT_EQ(outcome.code, 0) << record;
    EXPECT_NE(outcome.output.find("1 done, 2 skipped as done before"), std::string::npos) << outcome.output;
  }
}

TEST_F(DiscoverMany, FilesOfOtherOptionsAreNotTakenForDone) {
  ASSERT_EQ(run("--top 3").code, 0);
  const std::string three = text("out/0_data.csv");
  ASSERT_EQ(run("--top 1 --format json").code, 0);
  EXPECT_EQ(text("out/0_data.csv"), three);
  ASSERT_EQ(run("--top 1").code, 0);
  EXPECT_NE(text("out/0_data.csv"), three);
}

}  // namespace
}  // namespace causcale

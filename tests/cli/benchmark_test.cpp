// The command as a user types it, with the shipped weights on very small data.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "support/command_test.h"

namespace causcale {
namespace {

using test::Outcome;
using test::run_program;

namespace fs = std::filesystem;

class BenchmarkCommand : public test::CommandTest {};

const std::string kSmall = " --nodes 5:6 --rows 40 --graphs 1 --mechanisms linear --threads 1 ";

TEST_F(BenchmarkCommand, WritesEveryOutput) {
  Outcome outcome = run_program("benchmark table1" + kSmall + "-o " + path("r.json") + " --plot " +
                                path("p.svg") + " --markdown " + path("t.md"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("[1/1]"), std::string::npos);
  EXPECT_NE(outcome.output.find("n=5 E=6"), std::string::npos);
  const auto results = nlohmann::json::parse(MappedFile(path("r.json")).text());
  EXPECT_EQ(results["records"].size(), 1u);
  EXPECT_TRUE(results["tables"].contains("table1"));
  EXPECT_NE(MappedFile(path("p.svg")).text().find("</svg>"), std::string_view::npos);
  EXPECT_NE(MappedFile(path("t.md")).text().find("| mAP |"), std::string_view::npos);
  // Nothing is left to do for another table of the same data.
  outcome = run_program("benchmark cyclicity" + kSmall + "--json -o " + path("r.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(nlohmann::json::parse(outcome.output)["rows"].size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(MappedFile(path("r.json")).text())["tables"].size(), 2u);
}

TEST_F(BenchmarkCommand, WritesTrainingConfigurations) {
  const Outcome outcome = run_program("benchmark ablation --steps 20 --write-configs " + path("configs"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(fs::exists(path("configs/vanilla_head.json")));
  EXPECT_NE(outcome.output.find("causcale train --config"), std::string::npos);
  EXPECT_NE(outcome.output.find("--variant no_prior="), std::string::npos);
}

TEST_F(BenchmarkCommand, MistakesAreExplained) {
  EXPECT_EQ(run_program("benchmark").code, 2);
  EXPECT_EQ(run_program("benchmark table9").code, 2);
  EXPECT_EQ(run_program("benchmark table1 --nodes x").code, 2);
  Outcome outcome = run_program("benchmark ablation");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find("--variant"), std::string::npos);
  EXPECT_EQ(run_program("benchmark ablation --variant full").code, 2);
  outcome = run_program("benchmark real " + path("absent"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("absent"), std::string::npos);
  outcome = run_program("benchmark table1" + kSmall + "--model nothing-like-it");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("synthetic"), std::string::npos);
  EXPECT_EQ(run_program("benchmark table1" + kSmall + "--methods nothing-like-it").code, 2);
}

}  // namespace
}  // namespace causcale

// The command as a user types it: options in any order, every output format, exit codes.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "core/train_library.h"
#include "support/command_test.h"

namespace causcale {
namespace {

using test::Outcome;
using test::run_program;

namespace fs = std::filesystem;

class DiscoverCommand : public test::SimulatedTableTest {
 protected:
  DiscoverCommand() : SimulatedTableTest(120) {}
};

TEST_F(DiscoverCommand, WritesEveryFormatWhateverTheOrderOfOptions) {
  const Outcome outcome =
      run_program("discover -o " + path("e.csv") + " " + input() + " --dag -o " + path("r.json") + " -o " +
                  path("g.dot") + " -o " + path("g.graphml") + " -o " + path("g.gml") + " -o " +
                  path("g.txt") + " --matrix " + path("p.csv"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("direct cause"), std::string::npos);
  for (const char* name : {"e.csv", "r.json", "g.dot", "g.graphml", "g.gml", "g.txt", "p.csv"})
    EXPECT_TRUE(fs::exists(path(name))) << name;
  const auto json = nlohmann::json::parse(MappedFile(path("r.json")).text());
  EXPECT_EQ(json["names"].size(), 6u);
  EXPECT_EQ(json["manifest"]["data"]["rows"], 120);
  EXPECT_EQ(json["manifest"]["data"]["sha256"].get<std::string>().size(), 64u);
  EXPECT_NE(json["manifest"]["command"].get<std::string>().find("--dag"), std::string::npos);
  // The matrix can be evaluated against the truth at once.
  EXPECT_EQ(run_program("evaluate " + path("p.csv") + " " + path("sim/truth.csv")).code, 0);
  EXPECT_EQ(run_program("evaluate " + path("e.csv") + " " + path("sim/truth.csv") + " --nodes 6").code, 0);
}

TEST_F(DiscoverCommand, TheListGoesToStandardOutput) {
  const std::string quiet = run_program("discover " + input() + " -q").output;
  EXPECT_TRUE(quiet.starts_with("source,target,probability,probability_reverse")) << quiet;
  EXPECT_EQ(run_program("discover " + input() + " -q -o -").output, quiet);
  EXPECT_TRUE(run_program("discover " + input() + " -o -").output.ends_with(quiet));  // after remarks
  EXPECT_EQ(run_program("discover " + input() + " -q -o " + path("e.csv")).output, "");
  EXPECT_EQ(MappedFile(path("e.csv")).text(), quiet);
  EXPECT_EQ(run_program("discover " + input() + " -o - --json").code, 2);
  EXPECT_EQ(run_program("discover " + input() + " -o - -o -").code, 2);
  const std::string marks = run_program("discover " + input() + " --method PC -q").output;
  EXPECT_TRUE(marks.starts_with("source,target,score,score_reverse,edge")) << marks;
}

// What a list cut at the threshold cannot tell, the list of all pairs does, and just as the matrix.
TEST_F(DiscoverCommand, AllPairsGiveTheMeasuresOfTheMatrix) {
  const Outcome outcome = run_program("discover " + input() + " -q --all-pairs -o " + path("pairs.csv") +
                                      " --matrix " + path("p.csv"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const auto measured = [&](const std::string& file) {
    return nlohmann::json::parse(
        run_program("evaluate " + path(file) + " " + path("sim/truth.csv") + " --json -q").output);
  };
  const auto pairs = measured("pairs.csv"), matrix = measured("p.csv");
  for (const char* name : {"average_precision", "auc", "orientation_accuracy", "shd", "aid"})
    EXPECT_EQ(pairs[name], matrix[name]) << name;
  EXPECT_TRUE(pairs["listed"].is_null());
  EXPECT_EQ(run_program("discover " + input() + " --all-pairs -o " + path("g.gml")).code, 2);
  EXPECT_EQ(run_program("discover " + input() + " --all-pairs --method pc -o " + path("e.csv")).code, 2);
}

TEST_F(DiscoverCommand, PlanDoesNothingElse) {
  const Outcome outcome = run_program("discover " + input() + " --plan --json -o " + path("none.csv"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const auto plan = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(plan["rows"], 120);
  EXPECT_EQ(plan["columns"], 6);
  EXPECT_GT(plan["peak_bytes"].get<std::int64_t>(), 0);
  EXPECT_GE(plan["process_bytes"].get<std::int64_t>(), plan["peak_bytes"].get<std::int64_t>());
  EXPECT_FALSE(fs::exists(path("none.csv")));
}

TEST_F(DiscoverCommand, PlansOfHugeBootstrapsAreCounted) {
  ASSERT_EQ(run_program("simulate synthetic --nodes 3 --rows 6000 -q -o " + path("long")).code, 0);
  const Outcome outcome = run_program("discover " + path("long/data.csv") +
                                      " --plan --json --ensemble 10000 --bootstrap 1000000");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const auto plan = nlohmann::json::parse(outcome.output);
  const auto passes = plan["passes"].get<std::int64_t>();
  EXPECT_GE(passes, 2500);  // times the repetitions beyond 32 bits
  EXPECT_EQ(plan["passes_with_bootstrap"].get<std::int64_t>(), passes * 1000001);
}

#ifndef CAUSCALE_SANITIZED  // sanitizers keep memory of their own
TEST_F(DiscoverCommand, PlanForeseesTheMemoryOfTheProcess) {
  const std::string table = path("wide/data.csv");
  ASSERT_EQ(run_program("simulate synthetic --nodes 40 --rows 800 -q -o " + path("wide")).code, 0);
  const Outcome planned = run_program("discover " + table + " --plan --json");
  ASSERT_EQ(run_program("discover " + table + " --views 1 -q -o " + path("e.csv")).code, 0);
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);  // of the largest of them
  const double peak = 1024.0 * static_cast<double>(usage.ru_maxrss);
  EXPECT_NEAR(nlohmann::json::parse(planned.output)["process_bytes"].get<double>(), peak, 0.2 * peak);
}
#endif

TEST_F(DiscoverCommand, BothAcyclicRulesAndTheBootstrap) {
  // A flag with an optional value must not swallow the file name after it.
  Outcome outcome =
      run_program("discover --model synthetic --dag " + input() + " -q -o " + path("greedy.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  outcome = run_program("discover --model synthetic --dag optimal " + input() + " --bootstrap 2 -o " +
                        path("best.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("selected"), std::string::npos);
  EXPECT_NE(outcome.output.find("trained on"), std::string::npos);  // 120 rows are few
  const auto greedy = nlohmann::json::parse(MappedFile(path("greedy.json")).text());
  const auto best = nlohmann::json::parse(MappedFile(path("best.json")).text());
  EXPECT_EQ(greedy["manifest"]["options"]["dag"], "greedy");
  EXPECT_EQ(best["manifest"]["options"]["dag"], "optimal");
  EXPECT_LE(best["acyclic_price"]["removed_log_odds"].get<double>(),
            greedy["acyclic_price"]["removed_log_odds"].get<double>());
  EXPECT_EQ(best["bootstrap"]["repetitions"], 2);
  const auto& findings = best["applicability"]["findings"];
  EXPECT_TRUE(std::ranges::any_of(findings, [](const auto& finding) {
    return finding["code"] == "rows_below_training";
  })) << findings;
  EXPECT_EQ(run_program("discover " + input() + " --dag=worst").code, 2);
  EXPECT_EQ(run_program("discover " + input() + " --bootstrap 1").code, 2);
}

TEST_F(DiscoverCommand, CalibratedWeightsAreUsed) {
  if (!find_train_library()) GTEST_SKIP() << "calibration needs the training library";
  write_file_atomically(path("tables.json"),
                        R"({"stages": [{"steps": 1, "nodes": 4, "rows": 40, "edges_per_node": 1}]})");
  Outcome outcome = run_program("calibrate --config " + path("tables.json") + " --graphs 6 --json -o " +
                                path("calibrated.safetensors"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const auto report = nlohmann::json::parse(outcome.output);
  EXPECT_GT(report["temperature"].get<double>(), 0.0);
  EXPECT_TRUE(report["before"].contains("expected_calibration_error"));
  outcome = run_program("discover " + input() + " --json -q --model " + path("calibrated.safetensors"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const auto manifest = nlohmann::json::parse(outcome.output)["manifest"];
  EXPECT_NEAR(manifest["temperature"].get<double>(), report["mean_temperature"].get<double>(), 1e-4);
  EXPECT_NEAR(manifest["offset"].get<double>(), report["mean_offset"].get<double>(), 1e-4);
  EXPECT_EQ(run_program("calibrate --config " + path("absent.json")).code, 2);
}

TEST_F(DiscoverCommand, KnowledgeFromFilesIsKept) {
  write_file_atomically(path("required.csv"), "from,to\nX0,X1\n");
  write_file_atomically(path("forbidden.csv"), "X0,X1\n");
  Outcome outcome =
      run_program("discover " + input() + " --required " + path("required.csv") + " -q -o " + path("e.csv"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(MappedFile(path("e.csv")).text().find("X0,X1,1.000000,0.000000"), std::string::npos);
  outcome = run_program("discover " + input() + " --required " + path("required.csv") + " --forbidden " +
                        path("forbidden.csv"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("both required and forbidden"), std::string::npos);
}

TEST_F(DiscoverCommand, MistakesAreExplained) {
  Outcome outcome = run_program("discover " + input() + " -o " + path("x.xlsx"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find(".graphml"), std::string::npos);
  outcome = run_program("discover " + path("absent.csv"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("absent.csv"), std::string::npos);
  EXPECT_EQ(run_program("discover").code, 2);
  EXPECT_EQ(run_program("discover " + input() + " --threshold 3").code, 2);
  EXPECT_EQ(run_program("discover " + input() + " --max-memory lots").code, 2);
  outcome = run_program("discover " + input() + " --model nothing-like-it");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("synthetic"), std::string::npos);
}

}  // namespace
}  // namespace causcale

// causcale evaluate as a user meets it: the binary, its output and its exit codes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/npy.h"
#include "support/golden.h"
#include "support/run_program.h"

namespace causcale {
namespace {

using test::Outcome;
using test::run_program;

using nlohmann::json;
namespace fs = std::filesystem;

class EvaluateCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("causcale_evaluate_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }

  static Outcome run(const std::string& arguments) { return run_program("evaluate " + arguments); }

  fs::path folder_;
};

Matrix<double> matrix_of(const json& rows) {
  Matrix<double> matrix(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j) matrix(i, j) = rows[i][j];
  return matrix;
}

TEST_F(EvaluateCommand, ReproducesTheReference) {
  const json reference = json::parse(test::golden_text("metrics/metrics.json"));
  for (const json& entry : reference["cases"]) {
    if (entry["id"].get<int>() % 6 != 0) continue;
    SCOPED_TRACE(entry["id"].get<int>());
    const std::string prediction = write("scores.npy", format_npy(matrix_of(entry["prob"])));
    std::string list = "source,target\n";
    for (const json& edge : entry["true_edges"])
      list += std::to_string(edge[0].get<int>()) + "," + std::to_string(edge[1].get<int>()) + "\n";
    const Outcome outcome = run(prediction + " " + write("truth.csv", list) + " --json");
    ASSERT_EQ(outcome.code, 0) << outcome.output;
    const json result = json::parse(outcome.output);
    EXPECT_EQ(result["nodes"], entry["n"]);
    EXPECT_NEAR(result["average_precision"].get<double>(), entry["average_precision"].get<double>(), 1e-12);
    EXPECT_NEAR(result["auc"].get<double>(), entry["roc_auc"].get<double>(), 1e-12);
    EXPECT_NEAR(result["orientation_accuracy"].get<double>(), entry["orientation_accuracy"].get<double>(),
                1e-12);
    EXPECT_EQ(result["shd"].get<double>(), entry["shd"].get<double>());
    EXPECT_EQ(result["cyclic"], entry["cyclic"]);
    if (!entry["cyclic"].get<bool>()) {
      const json& aid = entry["aid_true_vs_cycle_broken"];
      for (const char* kind : {"ancestor", "oset", "parent"})
        EXPECT_EQ(result["aid"][kind]["count"], aid[kind][0]) << kind;
      EXPECT_EQ(result["sid"], aid["parent"][0]);
    }
  }
}

TEST_F(EvaluateCommand, PrintsATable) {
  const std::string prediction = write("p.csv",
                                       "source,target,probability\na,b,0.9\nc,b,0.2\na,c,0.1\n"
                                       "b,a,0.1\nb,c,0.1\nc,a,0.1\n");
  const std::string truth = write("t.csv", "source,target\na,b\nb,c\n");
  const Outcome outcome = run(prediction + " " + truth);
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  for (const char* word : {"mAP", "AUC", "OA", "SHD", "ancestor AID", "o-set AID", "parent AID", "SID", "ECE",
                           "skeleton F1", "direction recall", "cyclic", "--nodes"})
    EXPECT_NE(outcome.output.find(word), std::string::npos) << word;
  EXPECT_EQ(run(prediction + " " + truth + " --quiet").output.find("--nodes"), std::string::npos);
}

TEST_F(EvaluateCommand, SaysThatACutListCannotGiveAveragePrecision) {
  const std::string truth = write("t.csv", "source,target\na,b\nb,c\n");
  const std::string cut = write("cut.csv", "source,target,probability\na,b,0.9\nb,c,0.8\n");
  const Outcome shown = run(cut + " " + truth);
  EXPECT_EQ(shown.code, 0);
  for (const char* word : {"mAP, AUC", "undefined", "2 of 6 ordered pairs", "--matrix", "--all-pairs", "SHD"})
    EXPECT_NE(shown.output.find(word), std::string::npos) << word << "\n" << shown.output;
  const json result = json::parse(run(cut + " " + truth + " --json -q").output);
  EXPECT_TRUE(result["average_precision"].is_null());
  EXPECT_TRUE(result["auc"].is_null());
  EXPECT_TRUE(result["calibration"].is_null());
  EXPECT_EQ(result["listed"]["scored_pairs"], 2);
  EXPECT_EQ(result["shd"], 0);
  EXPECT_EQ(result["orientation_accuracy"], 1.0);

  const std::string full =
      write("full.csv", "source,target,probability\na,b,0.9\nb,c,0.8\na,c,0.3\nb,a,0.1\nc,a,0.1\nc,b,0.2\n");
  const Outcome whole = run(full + " " + truth + " --json");
  ASSERT_EQ(whole.code, 0) << whole.output;
  EXPECT_EQ(json::parse(whole.output)["average_precision"], 1.0);
  EXPECT_TRUE(json::parse(whole.output)["listed"].is_null());
}

TEST_F(EvaluateCommand, MatchesNamesAcrossForms) {
  const std::string matrix = write("p.csv", ",b,a,c\nb,0,0,0.8\na,0.9,0,0\nc,0,0,0\n");
  const std::string truth = write("t.csv", "source,target\na,b\nb,c\n");
  const json result = json::parse(run(matrix + " " + truth + " --json").output);
  EXPECT_EQ(result["shd"], 0);
  EXPECT_EQ(result["average_precision"], 1.0);
  EXPECT_EQ(json::parse(run(truth + " " + truth + " --nodes 50 --json").output)["nodes"], 50);
}

TEST_F(EvaluateCommand, SaysWhatIsWrong) {
  const std::string matrix = write("p.csv", "a,b\n0,1\n0,0\n"),
                    truth = write("t.csv", "source,target\na,z\n");
  const Outcome unknown = run(matrix + " " + truth);
  EXPECT_EQ(unknown.code, 1);
  EXPECT_NE(unknown.output.find("1 variable that"), std::string::npos) << unknown.output;
  EXPECT_NE(unknown.output.find("z"), std::string::npos);
  EXPECT_EQ(run(matrix + " " + (folder_ / "absent.csv").string()).code, 1);
  EXPECT_EQ(run(matrix + " " + write("loop.csv", "a,b\n1,1\n0,0\n")).code, 1);
  EXPECT_EQ(run(write("e1.csv", "source,target\n") + " " + write("e2.csv", "source,target\n")).code, 1);
  EXPECT_EQ(run(write("bad.npy", "\x93NUMPY") + " " + truth).code, 1);
  EXPECT_EQ(run(matrix).code, 2);
  EXPECT_EQ(run(matrix + " " + matrix + " --nodes -3").code, 2);
  EXPECT_EQ(run(matrix + " " + matrix + " --treshold 0.3").code, 2);
  const Outcome help = run("--help");
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.output.find("Examples"), std::string::npos);
}

}  // namespace
}  // namespace causcale

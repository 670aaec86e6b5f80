// causcale audit from the outside: what it prints and how it exits.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/run_program.h"

namespace causcale {
namespace {

using test::Outcome;
using test::run_program;

class AuditCommand : public testing::Test {
 protected:
  AuditCommand() {
    folder_ = std::filesystem::temp_directory_path() / ("causcale_audit_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~AuditCommand() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return "'" + (folder_ / name).string() + "'";
  }

  static Outcome run(const std::string& arguments) { return run_program("audit " + arguments); }

  // Sixty rows of A, B = A * A and a constant.
  static std::string table() {
    std::string text = "A,B,one\n";
    for (int r = 0; r < 60; ++r) text += std::to_string(r) + "," + std::to_string(r * r) + ",1\n";
    return text;
  }

  std::filesystem::path folder_;
};

TEST_F(AuditCommand, FindingsInText) {
  const Outcome outcome = run(write("d.csv", table()));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("60 rows, 3 columns"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("column \"one\" is constant (1)"), std::string::npos) << outcome.output;
}

TEST_F(AuditCommand, FindingsInJson) {
  std::string lines;
  for (int r = 0; r < 60; ++r) lines += r < 30 ? "\n" : "A\n";
  const Outcome outcome =
      run(write("d.csv", table()) + " --exclude one --interventions " + write("i.csv", lines) + " --json");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  const auto report = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(report["columns"], 2);
  EXPECT_EQ(report["intervened_rows"], 30);
  EXPECT_EQ(report["errors"], 0);
}

TEST_F(AuditCommand, ErrorsExitWithOne) {
  EXPECT_EQ(run(write("d.csv", table() + "60,,1\n")).code, 0);  // left to the method
  const Outcome missing = run(write("d.csv", table() + "60,,1\n") + " --missing error");
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.output.find("line 62"), std::string::npos) << missing.output;
  EXPECT_EQ(run(write("d.csv", table() + "60,,1\n") + " --missing drop").code, 0);
  const Outcome ragged = run(write("r.csv", table() + "60,1\n"));
  EXPECT_EQ(ragged.code, 1);
  EXPECT_NE(ragged.output.find("r.csv:62: expected 3 cells, found 2"), std::string::npos) << ragged.output;
  EXPECT_EQ(run("'" + (folder_ / "none.csv").string() + "'").code, 1);
  EXPECT_EQ(run(write("e.csv", "")).code, 1);
}

TEST_F(AuditCommand, MisuseExitsWithTwo) {
  const std::string data = write("d.csv", table());
  EXPECT_EQ(run("").code, 2);
  EXPECT_EQ(run(data + " --missing never").code, 2);
  EXPECT_EQ(run(data + " --rows 5").code, 2);
  EXPECT_EQ(run(data + " --delimiter abc").code, 2);
  const Outcome unknown = run(data + " --no-such-option");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.output.find("audit --help"), std::string::npos) << unknown.output;
}

}  // namespace
}  // namespace causcale

// causcale convert, and graph files of other programs in evaluate: the binary, its output and its exit codes.
#include <gtest/gtest.h>
#include <unistd.h>

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

class ConvertCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("causcale_convert_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string content(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

TEST_F(ConvertCommand, WritesWhatTheNameOrTheOptionSays) {
  const std::string graph = write("g.txt", "dag { A -> B; B -> C; D }");
  EXPECT_EQ(run_program("convert " + graph + " " + path("g.pcalg-cpdag.csv")).code, 0);
  EXPECT_EQ(content("g.pcalg-cpdag.csv"), "\"\",A,B,C,D\nA,0,0,0,0\nB,1,0,0,0\nC,0,1,0,0\nD,0,0,0,0\n");
  EXPECT_EQ(run_program("convert " + path("g.pcalg-cpdag.csv") + " - --to bnlearn-model").output,
            "[A][D][B|A][C|B]\n");
  const Outcome open = run_program("convert " + graph + " " + path("g.csv"));
  EXPECT_EQ(open.code, 2);
  EXPECT_NE(open.output.find("--to"), std::string::npos) << open.output;
  EXPECT_FALSE(fs::exists(path("g.csv")));
}

TEST_F(ConvertCommand, RefusesWhatItCannotReadOrWrite) {
  const Outcome bad = run_program("convert " + write("bad.dagitty", "dag {\nA -> \n}") + " - --to gml");
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.output.find("bad.dagitty, line 3: '}' where the name"), std::string::npos) << bad.output;
  const Outcome marks = run_program("convert " + write("pag.csv", "a,b\n0,2\n1,0\n") + " - --to gml");
  EXPECT_EQ(marks.code, 1);
  EXPECT_NE(marks.output.find("--from pcalg-pag"), std::string::npos) << marks.output;
  const std::string same = write("same.dagitty", "dag { A -> B }");
  EXPECT_EQ(run_program("convert " + same + " " + same).code, 2);
  EXPECT_EQ(content("same.dagitty"), "dag { A -> B }");
}

TEST_F(ConvertCommand, EvaluateReadsTheSameGraphInEveryFormat) {
  const std::string truth = write("truth.dagitty", "dag { A -> B; A -> C; B -> C; D }");
  for (const char* format :
       {"gml", "node-link", "tetrad", "bnlearn-model", "pcalg-cpdag", "pcalg-pag", "matrix"}) {
    const std::string name = path(std::string("g.") + format + ".txt");
    ASSERT_EQ(run_program("convert " + truth + " " + name).code, 0) << format;
    const Outcome outcome = run_program("evaluate " + name + " " + truth + " --json");
    ASSERT_EQ(outcome.code, 0) << format << ": " << outcome.output;
    const nlohmann::json result = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(result["shd"], 0) << format;
    EXPECT_EQ(result["true_edges"], 3) << format;
    EXPECT_EQ(result["nodes"], 4) << format << ": variables without edges count";
  }
  const std::string amat = write("amat.csv", "A,B,C,D\n0,0,0,0\n1,0,0,0\n1,1,0,0\n0,0,0,0\n");
  EXPECT_EQ(nlohmann::json::parse(
                run_program("evaluate " + amat + " " + truth + " --json --prediction-format pcalg-cpdag")
                    .output)["shd"],
            0);
  EXPECT_EQ(nlohmann::json::parse(run_program("evaluate " + amat + " " + truth + " --json").output)["shd"],
            3);
}

TEST_F(ConvertCommand, DiscoverTakesGraphsAsKnowledgeAndWritesThem) {
  std::string table = "a,b,c\n";
  for (int i = 0; i < 60; ++i) {
    const double a = (i * 37 % 61) / 10.0, noise = (i * 53 % 59) / 30.0;
    table +=
        std::to_string(a) + "," + std::to_string(a + noise) + "," + std::to_string(3 - a + 2 * noise) + "\n";
  }
  const std::string data = write("data.csv", table);
  const std::string known = write("known.dagitty", "dag { c -> b }");
  const std::string common = "discover " + data + " --method pc -q ";
  ASSERT_EQ(run_program(common + "--required " + known + " -o " + path("r.dagitty")).code, 0);
  EXPECT_NE(content("r.dagitty").find("c -> b"), std::string::npos) << content("r.dagitty");
  ASSERT_EQ(run_program(common + "--forbidden " + known + " -o " + path("f.tetrad.txt")).code, 0);
  EXPECT_EQ(content("f.tetrad.txt").find("c --> b"), std::string::npos) << content("f.tetrad.txt");
  const Outcome open =
      run_program(common + "--required " + write("open.dagitty", "pdag { c -- b }") + " -o " + path("x.csv"));
  EXPECT_EQ(open.code, 1);
  EXPECT_NE(open.output.find("c --- b has no direction"), std::string::npos) << open.output;
  // As knowledge, a graph requires its arrows.
  const Outcome whole = run_program(common + "--knowledge " + known + " -o " + path("k.dagitty"));
  ASSERT_EQ(whole.code, 0) << whole.output;
  EXPECT_NE(content("k.dagitty").find("c -> b"), std::string::npos) << content("k.dagitty");
}

}  // namespace
}  // namespace causcale

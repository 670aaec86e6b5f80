// Competing methods as a user meets them: methods, discover --method, compare.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/file.h"
#include "support/command_test.h"

namespace causcale {
namespace {

using test::Outcome;
using test::run_program;

class MethodCommands : public test::SimulatedTableTest {
 protected:
  MethodCommands() : SimulatedTableTest(150) {}
  nlohmann::json json_file(const std::string& name) const {
    return nlohmann::json::parse(MappedFile(path(name)).text());
  }
};

TEST_F(MethodCommands, ListTellsWhatAUserMustKnow) {
  const Outcome outcome = run_program("methods --json");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  std::set<std::string> names;
  for (const auto& method : nlohmann::json::parse(outcome.output)) {
    names.insert(method["name"].get<std::string>());
    for (const char* key : {"assumptions", "interventions", "output", "cost", "citation"})
      EXPECT_FALSE(method[key].get<std::string>().empty()) << method["name"] << ' ' << key;
    for (const auto& setting : method["settings"])
      EXPECT_FALSE(setting["meaning"].get<std::string>().empty()) << method["name"];
  }
  EXPECT_TRUE(names.count("pc"));
  const Outcome table = run_program("methods");
  for (const std::string& name : names) EXPECT_NE(table.output.find(name), std::string::npos);
  EXPECT_NE(run_program("methods pc").output.find("alpha"), std::string::npos);
  const Outcome unknown = run_program("methods no-such");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.output.find("pc"), std::string::npos);
}

TEST_F(MethodCommands, DiscoverWritesEveryFormatWithMarks) {
  const Outcome outcome =
      run_program("discover " + input() + " --method pc --set alpha=0.05 -o " + path("e.csv") + " -o " +
                  path("r.json") + " -o " + path("g.dot") + " -o " + path("g.graphml") + " -o " +
                  path("g.gml") + " -o " + path("g.txt") + " --matrix " + path("s.csv"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("not probabilities"), std::string::npos);
  const auto json = json_file("r.json");
  EXPECT_EQ(json["method"], "pc");
  EXPECT_EQ(json["score_kind"], "ranking");
  EXPECT_EQ(json["graph_class"], "CPDAG");
  EXPECT_EQ(json["manifest"]["options"]["settings"]["alpha"], "0.05");
  EXPECT_EQ(json["scores"].size(), 6u);
  EXPECT_TRUE(MappedFile(path("e.csv")).text().starts_with("source,target,score,"));
  EXPECT_EQ(MappedFile(path("g.graphml")).text().find("probability"), std::string_view::npos);
  EXPECT_EQ(run_program("evaluate " + path("s.csv") + " " + path("sim/truth.csv")).code, 0);
  EXPECT_EQ(run_program("evaluate " + path("e.csv") + " " + path("sim/truth.csv") + " --nodes 6").code, 0);
}

TEST_F(MethodCommands, DrawingsAndPagesHaveTheMarksOfAPag) {
  ASSERT_EQ(
      run_program("simulate synthetic --nodes 14 --edges-per-node 1.5 --hidden 3 --rows 2000 --interventions "
                  "none --seed 4 -q -o " +
                  path("hidden"))
          .code,
      0);
  const Outcome outcome =
      run_program("discover " + path("hidden/data.csv") + " --method fci --set alpha=0.01 -q -o " +
                  path("p.html") + " -o " + path("p.svg") + " -o " + path("p.csv") + " -o " + path("p.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  std::size_t circles = 0, common_causes = 0;
  const auto json = json_file("p.json");
  for (const auto& edge : json["edges"]) {
    const std::string marks = edge["edge"];
    circles += std::ranges::count(marks, 'o');
    common_causes += marks == "<->";
  }
  ASSERT_GT(circles, 0u);
  ASSERT_GT(common_causes, 0u);
  const auto count = [&](const std::string& file, const std::string& part) {
    const MappedFile mapped(path(file));
    std::size_t found = 0;
    for (std::size_t at = mapped.text().find(part); at != std::string_view::npos;
         at = mapped.text().find(part, at + 1))
      ++found;
    return found;
  };
  EXPECT_GT(count("p.svg", "<circle "), circles);  // and some in the legend
  EXPECT_EQ(count("p.csv", ",<->"), common_causes);
  EXPECT_EQ(count("p.html", "\"marks\":["), 1u);
  EXPECT_EQ(run_program("evaluate " + path("p.csv") + " " + path("hidden/truth.csv") + " --nodes 11").code,
            0);
}

TEST_F(MethodCommands, DiscoverTakesTopDagAndKnowledge) {
  write_file_atomically(path("required.csv"), "from,to\nX2,X5\n");
  Outcome outcome = run_program("discover " + input() + " --method corr --top 3 --dag --required " +
                                path("required.csv") + " -q -o " + path("r.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const auto json = json_file("r.json");
  EXPECT_EQ(json["graph_class"], "DAG");
  bool required = false;
  for (const auto& edge : json["edges"]) {
    EXPECT_EQ(edge["edge"], "-->");
    required = required || (edge["source"] == "X2" && edge["target"] == "X5");
  }
  EXPECT_TRUE(required);
  EXPECT_EQ(json["manifest"]["options"]["dag"], "greedy");
  outcome = run_program("discover " + input() + " --method Corr --threshold 0 --dag Optimal -q -o " +
                        path("r.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(json_file("r.json")["manifest"]["options"]["dag"], "optimal");
  EXPECT_EQ(run_program("discover " + input() + " --method causcale -q").code, 0);
}

TEST_F(MethodCommands, DiscoverExplainsMistakes) {
  Outcome outcome = run_program("discover " + input() + " --method no-such");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find("pc"), std::string::npos);
  EXPECT_EQ(run_program("discover " + input() + " --set alpha=1").code, 2);
  EXPECT_EQ(run_program("discover " + input() + " --method pc --set alpha").code, 2);
  EXPECT_EQ(run_program("discover " + input() + " --method pc --set nothing=1").code, 2);
  EXPECT_EQ(run_program("discover " + input() + " --method pc --set alpha=0.1 --set alpha=0.2").code, 2);
  outcome = run_program("discover " + input() + " --method pc --ensemble 4");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find("--ensemble"), std::string::npos);
  EXPECT_EQ(run_program("discover " + input() + " --method pc --views 2").code, 2);
}

TEST_F(MethodCommands, LogarithmsAreForMethodsToo) {
  ASSERT_EQ(run_program("simulate sergio --nodes 6 --rows 200 --seed 2 -q -o " + path("genes")).code, 0);
  const std::string genes = "discover " + path("genes/data.csv") + " --interventions " +
                            path("genes/interventions.csv") + " --method corr -q --matrix ";
  ASSERT_EQ(run_program(genes + path("counts.csv")).code, 0);
  ASSERT_EQ(run_program(genes + path("logarithms.csv") + " --transform log1p").code, 0);
  EXPECT_NE(MappedFile(path("counts.csv")).text(), MappedFile(path("logarithms.csv")).text());
  const Outcome outcome = run_program("discover " + input() + " --method corr --transform log1p -q");
  EXPECT_EQ(outcome.code, 1) << outcome.output;  // some values lie below -1
  EXPECT_NE(outcome.output.find("column"), std::string::npos);
}

TEST_F(MethodCommands, CompareSetsTheNetworkBesideOthers) {
  const Outcome outcome = run_program("compare " + input() + " --truth " + path("sim/truth.csv") +
                                      " --methods causcale,pc,corr --set pc.alpha=0.05 -q -o " +
                                      path("c.json") + " --edges " + path("edges.csv"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("Who found what"), std::string::npos);
  const auto json = json_file("c.json");
  ASSERT_EQ(json["methods"].size(), 3u);
  for (const auto& line : json["methods"]) {
    EXPECT_GE(line["seconds"].get<double>(), 0.0);
    EXPECT_TRUE(line["metrics"].contains("average_precision_skeleton")) << line;
  }
  EXPECT_TRUE(MappedFile(path("edges.csv")).text().starts_with("a,b,methods,truth,causcale,pc,corr\n"));
}

TEST_F(MethodCommands, CompareExplainsMistakes) {
  Outcome outcome = run_program("compare " + input() + " --methods pc,no-such");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find("corr"), std::string::npos);
  EXPECT_EQ(run_program("compare " + input() + " --methods pc,all").code, 2);
  EXPECT_EQ(run_program("compare " + input() + " --methods pc,pc").code, 2);
  EXPECT_EQ(run_program("compare " + input() + " --methods pc --set alpha=0.1").code, 2);
  EXPECT_EQ(run_program("compare " + input() + " --methods pc --set pc.alpha=9").code, 2);
  EXPECT_EQ(run_program("compare " + input() + " --methods pc -o " + path("x.txt")).code, 2);
}

TEST_F(MethodCommands, CompareTakesEveryQuickMethodByItself) {
  const Outcome outcome = run_program("compare " + input() + " -q -o " + path("c.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  std::vector<std::string> names;
  const auto json = json_file("c.json");
  for (const auto& line : json["methods"]) names.push_back(line["method"]);
  for (const char* quick : {"corr", "pc", "fci", "ges", "gies", "direct-lingam", "notears", "dagma"})
    EXPECT_TRUE(std::ranges::find(names, quick) != names.end()) << quick;
  for (const char* slow : {"sdcd", "notears-mlp", "diffan"})
    EXPECT_TRUE(std::ranges::find(names, slow) == names.end()) << slow;
}

TEST_F(MethodCommands, CompareGoesOnWithoutAMethodThatTakesTooLong) {
  const Outcome outcome = run_program(
      "compare " + input() + " --methods notears,corr --method-timeout 1e-9 -q -o " + path("c.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const auto json = json_file("c.json");
  EXPECT_TRUE(
      std::string(json["methods"][0]["problem"]).starts_with("no answer within 1e-09 s; notears was"));
  EXPECT_EQ(json["methods"][1].value("problem", ""), "");
  EXPECT_EQ(run_program("compare " + input() + " --methods corr --method-timeout -1").code, 2);
}

TEST_F(MethodCommands, DiscoverSaysHowFarAMethodCameThatTakesTooLong) {
  const Outcome outcome = run_program("discover " + input() + " --method pc --method-timeout 1e-9");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("no answer within 1e-09 s; pc was"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("--method-timeout"), std::string::npos);
  EXPECT_EQ(run_program("discover " + input() + " --method-timeout 5").code, 2);
}

TEST_F(MethodCommands, CompareWritesCsv) {
  ASSERT_EQ(run_program("compare " + input() + " --methods corr,pc -q -o " + path("c.csv")).code, 0);
  const std::string text(MappedFile(path("c.csv")).text());
  EXPECT_TRUE(text.starts_with("method,problem,seconds"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

}  // namespace
}  // namespace causcale

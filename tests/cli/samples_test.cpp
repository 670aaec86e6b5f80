// causcale samples, next and check as a user meets them.
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/random.h"
#include "data/npz.h"
#include "report/method_report.h"
#include "support/command_test.h"

namespace causcale {
namespace {

using nlohmann::json;
using test::Outcome;
using test::run_program;

// smoke -> tar -> cough, sure but for the direction of the last; age apart.
class StoredResultTest : public test::CommandTest {
 protected:
  void SetUp() override {
    DiscoverResult& result = result_;
    result.names = {"smoke", "tar", "cough", "age"};
    result.probabilities = Matrix<double>(4, 4);
    result.probabilities(0, 1) = 0.95;
    result.probabilities(1, 2) = 0.6;
    result.probabilities(2, 1) = 0.4;
    result.graph = Digraph(4, {{0, 1}, {1, 2}});
    result.rows = 300;
    std::string table = "age,cough,tar,smoke\n";  // another order than the result's
    RandomStream random(1, 0, 0);
    for (int r = 0; r < 300; ++r) {
      const double smoke = random.normal(), tar = smoke + 0.5 * random.normal();
      const double cough = tar + 0.5 * random.normal();
      table += std::to_string(random.normal()) + ',' + std::to_string(cough) + ',' + std::to_string(tar) +
               ',' + std::to_string(smoke) + '\n';
    }
    std::ofstream(path("data.csv")) << table;
    RunRecord record;
    record.data_file = path("data.csv");
    write_result(path("r.json"), result, record);
  }
  DiscoverResult result_;
};

TEST_F(StoredResultTest, SamplesSayWhoCausesWhom) {
  const Outcome outcome = run_program("samples " + path("r.json") + " --count 4000 --seed 3 --json --out " +
                                      path("g.csv") + " --ancestry " + path("a.csv"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const json result = json::parse(outcome.output);
  EXPECT_EQ(result["count"], 4000);
  EXPECT_EQ(result["exact"], true);
  EXPECT_NEAR(result["ancestry"][0][2].get<double>(), 0.95 * 0.6, 0.03);
  EXPECT_NEAR(result["ancestry"][2][1].get<double>(), 0.4, 0.03);
  EXPECT_NEAR(result["expected_hamming_distance"].get<double>(), 0.05 + 0.4, 0.04);
  const std::string graphs(MappedFile(path("g.csv")).text());
  EXPECT_EQ(graphs.rfind("sample,source,target\n0,", 0), 0u);
  EXPECT_EQ(std::string(MappedFile(path("a.csv")).text()).rfind("source\\target,smoke,tar,cough,age\n", 0),
            0u);
  const Outcome table = run_program("samples " + path("r.json"));
  EXPECT_EQ(table.code, 0);
  EXPECT_NE(table.output.find("1000 acyclic graphs, drawn exactly"), std::string::npos) << table.output;
  EXPECT_NE(table.output.find("by any path"), std::string::npos);
}

TEST_F(StoredResultTest, SamplesAnswerAQuestion) {
  const std::string command = "samples " + path("r.json") + " --from smoke --to cough ";
  const Outcome outcome = run_program(command + "--adjust age,tar --json");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const json effect = json::parse(outcome.output)["effect"];
  EXPECT_EQ(effect["paths"].size(), 1u);
  EXPECT_EQ(effect["paths"][0]["nodes"], json({"smoke", "tar", "cough"}));
  EXPECT_EQ(effect["paths"][0]["probability"], effect["ancestor_probability"]);
  EXPECT_EQ(effect["adjustment"]["set"], json({"age", "tar"}));
  // tar lies on the path, or it is a common effect.
  EXPECT_LT(effect["adjustment"]["valid_probability"].get<double>(), 0.1);
  const Outcome text = run_program(command);
  EXPECT_NE(text.output.find("smoke -> tar -> cough"), std::string::npos) << text.output;
}

TEST_F(StoredResultTest, GraphsForNumPy) {
  const Outcome outcome =
      run_program("samples " + path("r.json") + " --count 50 --json --out " + path("g.npz"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const MappedFile file(path("g.npz"));
  NpzArchive archive(file.bytes(), "g.npz");
  EXPECT_EQ(archive.texts("names"), result_.names);
  EXPECT_EQ(archive.numbers("count").values, std::vector<double>{50});
  const NpyArray edges = archive.numbers("edges"), ancestry = archive.numbers("ancestry");
  EXPECT_EQ(edges.type, NpyType::kInt32);
  ASSERT_EQ(edges.shape.size(), 2u);
  ASSERT_EQ(edges.shape[1], 3u);
  EXPECT_EQ(ancestry.shape, (std::vector<std::size_t>{4, 4}));
  // The edges are those of the ancestry: nothing but smoke, tar and cough is ever joined.
  double smoke_tar = 0;
  for (std::size_t k = 0; k < edges.shape[0]; ++k) {
    EXPECT_LT(edges.values[3 * k], 50);
    smoke_tar += edges.values[3 * k + 1] == 0 && edges.values[3 * k + 2] == 1;
  }
  EXPECT_DOUBLE_EQ(smoke_tar / 50, ancestry.values[1]);
}

TEST_F(StoredResultTest, SamplesSayWhatIsWrong) {
  const std::string command = "samples " + path("r.json");
  EXPECT_NE(run_program(command + " --from smok --to age").output.find("did you mean 'smoke'"),
            std::string::npos);
  for (const char* wrong : {" --from smoke", " --adjust age", " --from age --to age", " --out g.txt",
                            " --ancestry a.txt", " --count 0"})
    EXPECT_EQ(run_program(command + wrong).code, 2) << wrong;
  EXPECT_EQ(run_program("samples " + path("none.json")).code, 1);
  MethodOutcome ranking;
  ranking.result = result_;
  ranking.result.model_name = "pc";
  ranking.result.score_kind = "ranking";
  ranking.marks = MixedGraph(result_.graph);
  write_method_outcome(path("pc.json"), ranking, {});
  const Outcome refused = run_program("samples " + path("pc.json"));
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.output.find("no probabilities"), std::string::npos) << refused.output;
  EXPECT_EQ(run_program("next " + path("pc.json")).code, 1);
}

TEST_F(StoredResultTest, NextNamesTheExperimentThatSettlesTheDoubt) {
  const Outcome outcome = run_program("next " + path("r.json") + " --json --top 2");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const json result = json::parse(outcome.output);
  ASSERT_EQ(result["interventions"].size(), 2u);
  // Both ends of tar - cough settle it; smoke shows its own edge, and through it the other.
  const json& best = result["interventions"][0];
  EXPECT_GT(best["information_bits"].get<double>(), 0.9);
  EXPECT_EQ(best["settles"][0]["a"], "tar");
  EXPECT_EQ(best["settles"][0]["b"], "cough");
  EXPECT_NE(run_program("next " + path("r.json")).output.find("tar - cough"), std::string::npos);
}

TEST_F(StoredResultTest, NextSaysWhatFurtherRowsWouldTell) {
  // No rows without intervention tell tar -> cough from cough -> tar unless smoke -> tar makes a collider of
  // it.
  const Outcome outcome = run_program("next " + path("r.json") + " --json --data " + path("data.csv"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const json result = json::parse(outcome.output);
  const json& rows = result["observation"];
  EXPECT_GT(rows["information_bits"].get<double>(), 0.5);
  EXPECT_LT(rows["information_bits"].get<double>(), result["doubt_bits"].get<double>());
  for (const json& pair : rows["settles"]) {
    EXPECT_EQ(pair["rows"], 300) << pair;
    EXPECT_EQ(pair["further_rows"], 0) << pair;  // strong dependences, which 300 rows show
  }
  const Outcome told = run_program("next " + path("r.json") + " --data " + path("data.csv"));
  EXPECT_NE(told.output.find("shows in the rows there are"), std::string::npos) << told.output;
  // The stored hash is not that of the table: without --data no number of rows is made up.
  const Outcome untold = run_program("next " + path("r.json"));
  EXPECT_NE(untold.output.find("name it with --data"), std::string::npos) << untold.output;
}

TEST_F(StoredResultTest, CheckTakesGraphsOfOtherPrograms) {
  std::ofstream(path("g.dagitty")) << "dag { smoke -> tar; tar -> cough; age }";
  const std::string data = " --data " + path("data.csv");
  const Outcome outcome = run_program("check " + path("g.dagitty") + data + " --json");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const json stored = json::parse(run_program("check " + path("r.json") + data + " --json").output);
  EXPECT_EQ(json::parse(outcome.output)["claims"], stored["claims"]);
  EXPECT_EQ(run_program("check " + path("g.dagitty")).code, 2);
}

TEST_F(StoredResultTest, TablesFromStandardInput) {
  for (const std::string command :
       {"check " + path("r.json") + " --json", "effects " + path("r.json") + " --of smoke --on cough --json",
        "next " + path("r.json") + " --json"}) {
    const Outcome file = run_program(command + " -q --data " + path("data.csv"));
    const Outcome input = run_program(command + " -q --data - < " + path("data.csv"));
    ASSERT_EQ(input.code, 0) << input.output;
    json expected = json::parse(file.output), found = json::parse(input.output);
    if (found.contains("data")) {
      EXPECT_EQ(found["data"], "standard input");
      expected.erase("data");
      found.erase("data");
    }
    EXPECT_EQ(found, expected) << command;
  }
  const Outcome nothing = run_program("check " + path("r.json") + " --data - < /dev/null");
  EXPECT_EQ(nothing.code, 1);
  EXPECT_NE(nothing.output.find("standard input: the file is empty"), std::string::npos) << nothing.output;
}

// A column that is there must not be called missing because the reader has set it aside.
TEST_F(StoredResultTest, ColumnsSetAsideAreSaidToBe) {
  std::ofstream file(path("gap.csv"));
  file << "smoke,tar,cough,age\n";
  for (int r = 0; r < 20; ++r) file << r % 7 << ".5," << r % 5 << ".25,," << r % 3 << ".125\n";
  file.close();
  for (const std::string command :
       {"effects " + path("r.json") + " --of smoke --on cough", "check " + path("r.json")}) {
    const Outcome outcome = run_program(command + " --data " + path("gap.csv"));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.output.find("column 'cough' is a variable of the graph"), std::string::npos)
        << outcome.output;
    EXPECT_NE(outcome.output.find("no value at all"), std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.output.find("there is no column"), std::string::npos) << outcome.output;
  }
}

// Nobody gave the option --transform here: the result says that logarithms were taken.
TEST_F(StoredResultTest, LogarithmsAreExplainedByTheResult) {
  result_.transform = "log1p";
  write_result(path("log.json"), result_, {});
  std::ofstream file(path("negative.csv"));
  file << "smoke,tar,cough,age\n";
  for (int r = 0; r < 20; ++r) file << r - 5.5 << ',' << r % 5 << ".25," << r % 4 << ".5," << r % 3 << ".5\n";
  file.close();
  for (const std::string command :
       {"effects " + path("log.json") + " --of smoke --on cough", "check " + path("log.json")}) {
    const Outcome outcome = run_program(command + " -q --data " + path("negative.csv"));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.output.find("negative.csv, row 1, column 'smoke': -5.5 has no log(1 + x)"),
              std::string::npos)
        << outcome.output;
    EXPECT_EQ(outcome.output.find("leave out"), std::string::npos) << outcome.output;
  }
}

TEST_F(StoredResultTest, CheckTestsTheGraphAgainstTheData) {
  const std::string data = " --data " + path("data.csv");
  const Outcome outcome = run_program("check " + path("r.json") + data + " --json --permutations 200");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const json check = json::parse(outcome.output);
  EXPECT_EQ(check["claims"]["tested"], 4);
  EXPECT_LE(check["claims"]["violated"].get<int>(), 1);
  EXPECT_EQ(check["edges"]["without_dependence"], 0);
  EXPECT_GT(check["permuted"]["same_class_share"].get<double>(), 0.0);
  const Outcome text = run_program("check " + path("r.json") + data);
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.output.find("independences that it claims"), std::string::npos) << text.output;
  // Without --data: the table of the result, which must be unchanged.
  const Outcome changed = run_program("check " + path("r.json"));
  EXPECT_EQ(changed.code, 1);
  EXPECT_NE(changed.output.find("--data"), std::string::npos);
  std::ofstream(path("other.csv")) << "a,b\n1,2\n3,4\n5,6\n7,9\n";
  EXPECT_NE(run_program("check " + path("r.json") + " --data " + path("other.csv")).output.find("'smoke'"),
            std::string::npos);
}

class DiscoverWithSamples : public test::SimulatedTableTest {
 protected:
  DiscoverWithSamples() : SimulatedTableTest(60) {}
};

// Knowledge reaches every graph that is drawn: by discover, and later from its result.
TEST_F(DiscoverWithSamples, KnowledgeHoldsInEveryGraph) {
  const Outcome header = run_program("discover " + input() + " -q --views 1 -o " + path("free.json"));
  ASSERT_EQ(header.code, 0) << header.output;
  const std::vector<std::string> names = json::parse(MappedFile(path("free.json")).text())["names"];
  std::ofstream(path("no.csv")) << "source,target\n" << names[0] << ',' << names[1] << '\n';
  std::ofstream(path("yes.csv")) << "source,target\n" << names[2] << ',' << names[3] << '\n';
  ASSERT_EQ(run_program("discover " + input() + " -q --views 1 --samples 200 --forbidden " + path("no.csv") +
                        " --required " + path("yes.csv") + " -o " + path("bound.json") + " --ancestry " +
                        path("a.csv"))
                .code,
            0);
  const Outcome outcome =
      run_program("samples " + path("bound.json") + " --count 200 -q --out " + path("g.csv"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  std::ifstream file(path("g.csv"));
  std::size_t required = 0;
  for (std::string line; std::getline(file, line);) {
    EXPECT_EQ(line.find("," + names[0] + "," + names[1]), std::string::npos) << line;
    required += line.find("," + names[2] + "," + names[3]) != std::string::npos;
  }
  EXPECT_EQ(required, 200u);
  EXPECT_EQ(json::parse(MappedFile(path("bound.json")).text())["samples"]["ancestry"][2][3], 1.0);
}

TEST_F(DiscoverWithSamples, PutAncestryIntoTheResultAndAMatrix) {
  const std::string command = "discover " + input() + " --ensemble 1 --views 1 -q ";
  const Outcome outcome =
      run_program(command + "--samples 50 --seed 2 -o " + path("r.json") + " --ancestry " + path("a.csv"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const json result = json::parse(MappedFile(path("r.json")).text());
  EXPECT_EQ(result["samples"]["count"], 50);
  EXPECT_EQ(result["samples"]["exact"], true);
  EXPECT_EQ(result["samples"]["ancestry"].size(), 6u);
  EXPECT_EQ(result["manifest"]["options"]["samples"], 50);
  EXPECT_EQ(std::string(MappedFile(path("a.csv")).text()).rfind("source\\target,", 0), 0u);
  // The same graphs again, from the stored result.
  const Outcome again = run_program("samples " + path("r.json") + " --count 50 --seed 2 --json");
  EXPECT_EQ(json::parse(again.output)["ancestry"], result["samples"]["ancestry"]);
  EXPECT_EQ(run_program(command + "--ancestry " + path("b.csv")).code, 2);
  EXPECT_EQ(run_program(command + "--samples 5 --method pc").code, 2);
}

}  // namespace
}  // namespace causcale

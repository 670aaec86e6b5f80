// causcale effects as a user meets it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/random.h"
#include "support/command_test.h"

namespace causcale {
namespace {

using nlohmann::json;
using test::Outcome;
using test::run_program;

class EffectsCommand : public test::SimulatedTableTest {
 protected:
  EffectsCommand() : SimulatedTableTest(300) {}
  void SetUp() override {
    SimulatedTableTest::SetUp();
    const Outcome outcome =
        run_program("discover " + input() + " --method gies --dag -q -o " + path("dag.json"));
    ASSERT_EQ(outcome.code, 0) << outcome.output;
    result_ = json::parse(MappedFile(path("dag.json")).text());
    ASSERT_FALSE(result_["edges"].empty());
    source_ = result_["edges"][0]["source"];
    target_ = result_["edges"][0]["target"];
  }
  std::string question(const std::string& file = "dag.json") const {
    return "effects " + path(file) + " --of " + source_ + " --on " + target_;
  }

  json result_;
  std::string source_, target_;
};

TEST_F(EffectsCommand, AnswersFromTheResultAlone) {
  // The stored command says where the data are and that there were interventions.
  const Outcome outcome = run_program(question() + " --json");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const json answer = json::parse(outcome.output);
  EXPECT_EQ(answer["identification"], "adjustment");
  EXPECT_EQ(answer["estimates"][0]["estimator"], "linear");
  EXPECT_TRUE(answer["estimates"][0]["size"].is_number());
  EXPECT_LT(answer["estimates"][0]["low"], answer["estimates"][0]["high"]);
  const Outcome named = run_program(question() + " --json --data " + input());
  EXPECT_EQ(json::parse(named.output), answer);
  const Outcome text = run_program(question());
  EXPECT_NE(text.output.find("Total effect of " + source_ + " on " + target_ + ": identified"),
            std::string::npos)
      << text.output;
  const Outcome sets = run_program(question() + " --no-data --json");
  EXPECT_EQ(json::parse(sets.output)["parents"], answer["parents"]);
  EXPECT_TRUE(json::parse(sets.output)["estimates"].empty());
  // Every edge has its size.
  for (const json& edge : result_["edges"]) EXPECT_TRUE(edge["effect"].contains("size")) << edge;
}

TEST_F(EffectsCommand, SaysWhatIsWrong) {
  Outcome outcome = run_program("effects " + path("dag.json") + " --of nobody --on " + target_);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find("--of nobody"), std::string::npos) << outcome.output;
  outcome = run_program(question() + " --data " + path("missing.csv"));
  EXPECT_EQ(outcome.code, 1);
  std::ofstream(path("other.csv")) << "p,q\n1,2\n3,5\n4,1\n";
  outcome = run_program(question() + " --data " + path("other.csv"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("there is no column"), std::string::npos) << outcome.output;
  outcome = run_program(question() + " --no-data --data " + path("other.csv"));
  EXPECT_EQ(outcome.code, 2);
}

TEST_F(EffectsCommand, OtherGraphs) {
  ASSERT_EQ(run_program("discover " + input() + " --method fci -q -o " + path("pag.json")).code, 0);
  Outcome outcome = run_program(question("pag.json") + " --json");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const json pag = json::parse(MappedFile(path("pag.json")).text());
  EXPECT_EQ(pag["graph_class"], "PAG");
  EXPECT_NE(json::parse(outcome.output)["identification"], "bounds");
  // Both directions of every edge: a cycle that is named, and broken on request.
  json cyclic = result_;
  for (json& edge : cyclic["edges"]) edge["edge"] = "---";
  std::ofstream(path("cyclic.json")) << cyclic.dump();
  outcome = run_program(question("cyclic.json") + " --json");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find(source_ + " -> " + target_ + " -> " + source_), std::string::npos)
      << outcome.output;
  outcome = run_program(question("cyclic.json") + " --acyclic --json");
  EXPECT_NE(json::parse(outcome.output)["identification"], "none") << outcome.output;
}

// Of every format the same number as of the result itself. (The scores of a method are not strengths of
// bnlearn.)
TEST_F(EffectsCommand, GraphsOfOtherPrograms) {
  const Outcome own = run_program(question() + " --json");
  ASSERT_EQ(own.code, 0) << own.output;
  const json wanted = json::parse(own.output)["estimates"][0];
  for (const char* format : {"dagitty", "gml", "node-link", "tetrad", "caugi", "bnlearn-model", "pcalg-cpdag",
                             "pcalg-pag", "edges", "matrix"}) {
    const std::string file = std::string("graph.") + format + ".txt";
    const Outcome converted = run_program("convert " + path("dag.json") + " " + path(file));
    ASSERT_EQ(converted.code, 0) << format << converted.output;
    const Outcome outcome = run_program(question(file) + " --json --data " + input());
    ASSERT_EQ(outcome.code, 0) << format << outcome.output;
    const json answer = json::parse(outcome.output);
    ASSERT_EQ(answer["identification"], "adjustment") << format << answer["reason"];
    EXPECT_DOUBLE_EQ(answer["estimates"][0]["size"].get<double>(), wanted["size"].get<double>()) << format;
  }
  std::filesystem::copy_file(path("graph.pcalg-cpdag.txt"), path("plain.txt"));
  EXPECT_EQ(run_program(question("plain.txt") + " --json --from pcalg-cpdag --data " + input()).code, 0);
  // Without a table there is nothing to estimate from, and graph files name none.
  EXPECT_EQ(run_program(question("graph.dagitty.txt")).code, 2);
  EXPECT_EQ(run_program(question("graph.dagitty.txt") + " --no-data").code, 0);
  const Outcome samples = run_program(question("graph.dagitty.txt") + " --samples 10 --data " + input());
  EXPECT_EQ(samples.code, 2);
  EXPECT_NE(samples.output.find("a graph file gives none"), std::string::npos) << samples.output;
}

// u, a cause of x and y, has no column; m carries the whole effect, or z moves x.
TEST_F(EffectsCommand, CausesThatWereNotMeasured) {
  RandomStream random(5, 0, 0);
  std::ofstream table(path("hidden.csv"));
  table << "z,x,m,y\n";
  for (int r = 0; r < 2000; ++r) {
    const double u = random.normal(), z = random.normal(), x = z + u + random.normal(),
                 m = x + random.normal();
    table << z << ',' << x << ',' << m << ',' << 0.5 * m + u + random.normal() << '\n';
  }
  table.close();
  const auto answer_of = [&](const std::string& graph, const std::string& options) {
    std::ofstream(path("g.dagitty")) << graph;
    const Outcome outcome =
        run_program("effects " + path("g.dagitty") + " --of x --on y --json -q " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    return json::parse(outcome.output);
  };
  const std::string data = "--data " + path("hidden.csv");
  // The three ways to say it give the same number.
  const json front = answer_of("dag { x -> m -> y; x <-> y }", data);
  EXPECT_EQ(front["identification"], "front_door") << front["reason"];
  EXPECT_NEAR(front["estimates"][0]["size"].get<double>(), 0.5, 0.1);
  for (const char* graph :
       {"dag { x -> m -> y; x <- u -> y }", "dag { u [latent]; x -> m -> y; x <- u -> y }"})
    EXPECT_EQ(answer_of(graph, data)["estimates"], front["estimates"]) << graph;
  const json moved = answer_of("dag { z -> x -> y; x <-> y }", data);
  EXPECT_EQ(moved["identification"], "instrument") << moved["reason"];
  EXPECT_NEAR(moved["estimates"][0]["size"].get<double>(), 0.5, 0.12);
  EXPECT_EQ(moved["estimates"][0]["adjustment"], json::array({"z"}));
  const json none = answer_of("dag { x -> y; x <-> y }", data);
  EXPECT_EQ(none["identification"], "none");
  EXPECT_NE(none["reason"].get<std::string>().find("not measured"), std::string::npos);
  EXPECT_EQ(answer_of("dag { u [latent]; x -> y; x <- u -> y }", "--no-data")["identification"], "none");
  // In a MAG the same arrow may hide a common cause.
  EXPECT_EQ(answer_of("mag { x -> y }", data)["identification"], "none");
  EXPECT_EQ(answer_of("dag { x -> y }", data)["identification"], "adjustment");
  // An arrow beside a common cause stays when cycles are broken, whichever stands first.
  for (const char* graph : {"dag { z -> x -> y; x <-> y }", "dag { x <-> y; z -> x -> y }"})
    EXPECT_EQ(answer_of(graph, data + " --acyclic")["identification"], "instrument") << graph;
  EXPECT_EQ(answer_of("dag { x -> m -> y; x <- u -> y }", data)["not_measured"], json::array({"u"}));
  // What is latent cannot be taken into account in a class of graphs; pairs are joined once there.
  for (const char* graph : {"pdag { u [latent]; u -> x; u -> y; x -> y; a -- b }",
                            "mag { u [latent]; u -> x; u -> y; x -> y }", "mag { x -> y; x <-> y }"}) {
    std::ofstream(path("g.dagitty")) << graph;
    EXPECT_EQ(run_program("effects " + path("g.dagitty") + " --of x --on y --no-data").code, 1) << graph;
  }
  const json selected = answer_of("pag { a @-> x; x -> y; d @-> x; d @-- e; e -> y }", "--no-data");
  EXPECT_EQ(selected["identification"], "none");
  EXPECT_NE(selected["reason"].get<std::string>().find("selected"), std::string::npos) << selected;
  std::ofstream(path("g.dagitty")) << "dag { x -> y }";
  // What has no column is named, and cannot be asked for.
  Outcome outcome = run_program("effects " + path("g.dagitty") + " --of x --on y " + data);
  EXPECT_EQ(outcome.output.find("no column"), std::string::npos) << outcome.output;
  std::ofstream(path("g.dagitty")) << "dag { x -> m -> y; x <- u -> y }";
  outcome = run_program("effects " + path("g.dagitty") + " --of x --on y " + data);
  EXPECT_NE(outcome.output.find("there is no column u: taken as not measured"), std::string::npos)
      << outcome.output;
  outcome = run_program("effects " + path("g.dagitty") + " --of u --on y " + data);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("--of u"), std::string::npos) << outcome.output;
}

// Rows in which a mediator that is called latent was set say nothing about the whole effect; those in which
// something outside the graph was set do.
TEST_F(EffectsCommand, InterventionsOnWhatTheGraphHides) {
  RandomStream random(6, 0, 0);
  std::ofstream table(path("do.csv")), targets(path("do_targets.csv"));
  table << "x,y,m,drug\n";
  for (int r = 0; r < 410; ++r) {
    const bool is_set = r >= 10;
    const double x = random.normal(), m = is_set ? random.normal() : x + 0.1 * random.normal();
    table << x << ',' << 2.5 * m + 0.1 * random.normal() << ',' << m << ',' << random.normal() << '\n';
    targets << (is_set ? "m" : "") << '\n';
  }
  table.close();
  targets.close();
  const auto rows = [&](const std::string& graph, const std::string& targets_file) {
    std::ofstream(path("g.dagitty")) << graph;
    const Outcome outcome = run_program("effects " + path("g.dagitty") + " --of x --on y --json -q --data " +
                                        path("do.csv") + " --interventions " + path(targets_file));
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    return json::parse(outcome.output)["estimates"][0]["rows"].get<int>();
  };
  for (const char* graph : {"dag { x; y; a [latent]; m [latent]; a -> y; x -> m; m -> y }",
                            "dag { x; y; m [latent]; a [latent]; a -> y; x -> m; m -> y }"})
    EXPECT_EQ(rows(graph, "do_targets.csv"), 10) << graph;
  std::ofstream others(path("drug_targets.csv"));
  for (int r = 0; r < 410; ++r) others << (r >= 10 ? "drug" : "") << '\n';
  others.close();
  EXPECT_EQ(rows("dag { x; y; m [latent]; x -> m; m -> y }", "drug_targets.csv"), 410);
}

TEST_F(EffectsCommand, TheDoubtIsTold) {
  const Outcome outcome = run_program(question() + " --json --bootstrap 50 --seed 3");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const json answer = json::parse(outcome.output);
  EXPECT_EQ(answer["bootstrap"]["count"], 50);
  EXPECT_LT(answer["bootstrap"]["low"], answer["bootstrap"]["high"]);
  for (const json& control : answer["negative_controls"])
    for (const char* key : {"cause", "outcome", "adjustment", "size", "low", "high", "p", "against"})
      EXPECT_TRUE(control.contains(key)) << control;
  const Outcome text = run_program(question() + " --bootstrap 50 --seed 3");
  EXPECT_NE(text.output.find("Over 50 tables of rows drawn anew: 90 % lie in"), std::string::npos)
      << text.output;
  EXPECT_NE(text.output.find("Negative controls: "), std::string::npos) << text.output;
}

}  // namespace
}  // namespace causcale

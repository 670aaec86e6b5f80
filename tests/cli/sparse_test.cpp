// Results of many variables: files that leave out what is hardly probable, and evaluation without whole
// matrices.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "graph/sparse_file.h"
#include "support/command_test.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::Outcome;
using test::run_program;

class Sparse : public test::SimulatedTableTest {
 protected:
  Sparse() : SimulatedTableTest(200) {}
  std::string text(const std::string& name) const { return std::string(MappedFile(path(name)).text()); }
  nlohmann::json evaluated(const std::string& name, const std::string& more = "") const {
    const Outcome outcome =
        run_program("evaluate " + path(name) + " " + path("sim/truth.csv") + " --json -q " + more);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    return nlohmann::json::parse(outcome.output);
  }
};

TEST_F(Sparse, MatricesHoldWhatIsAboveTheFloorAndEvaluateReadsThem) {
  const Outcome outcome = run_program("discover " + input() + " -q --min-probability 0.000000001 --matrix " +
                                      path("p.npz") + " -o " + path("g.mtx") + " -o " + path("r.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  ASSERT_EQ(
      run_program("discover " + input() + " -q --matrix " + path("p.csv") + " -o " + path("e.csv")).code, 0);
  ASSERT_EQ(run_program("discover " + input() + " -q --min-probability 0.2 --matrix " + path("q.mtx")).code,
            0);
  EXPECT_EQ(read_sparse(path("p.npz")).edges.size(), 30u);
  for (const StoredEdge& entry : read_sparse(path("q.mtx")).edges) EXPECT_GE(entry.score, 0.2);
  // All pairs are there, so that nothing is lost.
  const nlohmann::json whole = evaluated("p.csv"), sparse = evaluated("p.npz"), stored = evaluated("r.json");
  for (const char* const key :
       {"average_precision", "auc", "shd", "aid", "predicted_edges", "orientation_accuracy"}) {
    EXPECT_EQ(sparse[key], whole[key]) << key;
    EXPECT_EQ(stored[key], whole[key]) << key;
  }
  EXPECT_EQ(sparse["stored_pairs"], 30);
  EXPECT_EQ(evaluated("g.mtx")["shd"], whole["shd"]);
  EXPECT_EQ(evaluated("g.mtx")["nodes"], 6);
  EXPECT_EQ(evaluated("e.csv", "--nodes 6")["shd"], whole["shd"]);
}

TEST_F(Sparse, TopAndFloorWorkTogether) {
  const Outcome outcome =
      run_program("discover " + input() + " -q --top 30 --min-probability 0.4 --all-pairs -o " +
                  path("pairs.csv") + " -o " + path("r.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const auto json = nlohmann::json::parse(text("r.json"));
  EXPECT_FALSE(json.contains("probabilities"));
  EXPECT_EQ(json["manifest"]["options"]["min_probability"], 0.4);
  for (const auto& edge : json["edges"]) EXPECT_GE(edge["probability"].get<double>(), 0.4);
  for (const auto& score : json["pairs"]["score"]) EXPECT_GE(score.get<double>(), 0.4);
  const std::string pairs = text("pairs.csv");
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(pairs, '\n')), 1 + json["pairs"]["score"].size());
  // What was stored can be asked again.
  const Outcome effect = run_program("convert " + path("r.json") + " " + path("g.dagitty"));
  EXPECT_EQ(effect.code, 0) << effect.output;
}

TEST_F(Sparse, MethodsHaveAFloorForTheirScores) {
  const Outcome outcome =
      run_program("discover " + input() + " -q --method ges --matrix " + path("s.npz") + " -o " +
                  path("m.npz") + " -o " + path("m.json") + " --min-probability 1");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  for (const StoredEdge& entry : read_sparse(path("s.npz")).edges) EXPECT_GE(entry.score, 1.0);
  EXPECT_TRUE(nlohmann::json::parse(text("m.json")).contains("pairs"));
}

TEST_F(Sparse, MistakesNameTheFile) {
  Outcome outcome = run_program("discover " + input() + " -q --matrix " + path("p.mat"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.output, ".npz or .mtx"));
  outcome = run_program("discover " + input() + " -q --min-probability=-1 -o -");
  EXPECT_EQ(outcome.code, 2) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "--min-probability"));
  outcome = run_program("discover " + input() + " -q --min-probability 1.5 -o -");
  EXPECT_EQ(outcome.code, 2) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "--min-probability 1.5: a probability, from 0 to 1, is expected"));
  // The list of names beside a .mtx file must not replace anything that is read.
  std::ofstream(path("known.names.txt")) << "A,B\n";
  outcome = run_program("discover " + input() + " -q --forbidden " + path("known.names.txt") + " --matrix " +
                        path("known.mtx"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.output, "known.names.txt: this file is read"));
  std::ofstream(path("bad.mtx")) << "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 9 0.5\n";
  outcome = run_program("evaluate " + path("bad.mtx") + " " + path("sim/truth.csv"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.output, "bad.mtx, line 3"));
}

TEST_F(Sparse, TwentyThousandVariablesAreEvaluated) {
  std::ofstream truth(path("t.csv")), list(path("l.csv"));
  truth << "source,target\n";
  list << "source,target,probability\n";
  std::string matrix;
  const int n = 20000;
  for (int k = 0; k + 1 < n; k += 2) {
    truth << k << ',' << k + 1 << '\n';
    list << k << ',' << k + 1 << ',' << (k % 10 == 0 ? 0.2 : 0.9) << '\n';
    matrix += std::to_string(k + 1) + ' ' + std::to_string(k + 2) + (k % 10 == 0 ? " 0.2\n" : " 0.9\n");
  }
  truth.close();
  list.close();
  std::ofstream(path("l.mtx")) << "%%MatrixMarket matrix coordinate real general\n20000 20000 10000\n"
                               << matrix;
  for (const char* const name : {"l.csv", "l.mtx"}) {
    const Outcome outcome =
        run_program("evaluate " + path(name) + " " + path("t.csv") + " --json -q --nodes 20000");
    ASSERT_EQ(outcome.code, 0) << outcome.output;
    const auto json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(json["nodes"], n);
    EXPECT_EQ(json["shd"], 2000);
    EXPECT_EQ(json["sid"], 2000);
    EXPECT_EQ(json["average_precision"].is_null(), std::string(name) == "l.csv");
    if (!json["average_precision"].is_null()) {
      EXPECT_EQ(json["average_precision"], 1.0);
    }
  }
}

}  // namespace
}  // namespace causcale

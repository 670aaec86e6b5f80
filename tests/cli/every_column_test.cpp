// A table as people have it: words, a date, an identifier, truth values, numbers and gaps. It goes through
// every command without a single preparatory step, names and words intact.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/random.h"
#include "support/command_test.h"

namespace causcale {
namespace {

using test::contains;
using test::Outcome;
using test::run_program;

const std::vector<std::string> kVariables = {"city", "mood",      "smoker",  "active",
                                             "age",  "dose [mg]", "response"};

class EveryColumn : public test::CommandTest {
 protected:
  void SetUp() override {
    RandomStream random(6, 0, 0);
    std::ofstream file(path("people.csv"));
    file << "subject,city,mood,joined,smoker,active,age,dose [mg],response\n";
    for (int r = 0; r < 240; ++r) {
      const auto cell = [&](const std::string& text) { return random.coin(0.08) ? std::string() : text; };
      const bool smoker = random.coin(0.4), active = random.coin(smoker ? 0.3 : 0.7);
      const double dose = random.normal() + (active ? 1.0 : 0.0), response = 2 * dose + random.normal();
      const char* city[] = {"Oslo", "Rome", "S\u00e3o Paulo"};
      file << fmt::format("P{:04}", r) << ',' << cell(city[random.below(3)]) << ','
           << cell(response > 1.5  ? "good"
                   : response > -1 ? "fair"
                                   : "poor")
           << ',' << cell(fmt::format("2024-{:02}-{:02}", 1 + random.below(12), 1 + random.below(28))) << ','
           << cell(smoker ? "yes" : "no") << ',' << cell(active ? "TRUE" : "FALSE") << ','
           << cell(std::to_string(20 + random.below(50))) << ',' << cell(fmt::format("{:.3f}", dose)) << ','
           << cell(fmt::format("{:.3f}", response)) << '\n';
    }
  }

  Outcome run(const std::string& command, const std::string& options = "") const {
    return run_program(command + " '" + path("people.csv") + "' " + options);
  }
  std::string text(const std::string& name) const { return std::string(MappedFile(path(name)).text()); }
  nlohmann::json json(const std::string& name) const { return nlohmann::json::parse(text(name)); }

  // Names, kinds and words as every result has them.
  static void expect_variables(const nlohmann::json& variables) {
    ASSERT_EQ(variables.size(), 9u);
    std::map<std::string, nlohmann::json> of;
    for (const auto& variable : variables) of[variable["name"]] = variable;
    EXPECT_EQ(of["subject"]["kind"], "identifier");
    EXPECT_EQ(of["joined"]["kind"], "date");
    EXPECT_TRUE(of["subject"]["set_aside"]);
    EXPECT_TRUE(of["joined"]["set_aside"]);
    EXPECT_EQ(of["city"]["kind"], "unordered");
    EXPECT_EQ(of["city"]["levels"], nlohmann::json({"Oslo", "Rome", "S\u00e3o Paulo"}));
    EXPECT_EQ(of["mood"]["levels"], nlohmann::json({"fair", "good", "poor"}));
    EXPECT_EQ(of["smoker"]["kind"], "binary");
    EXPECT_EQ(of["smoker"]["levels"], nlohmann::json({"no", "yes"}));
    EXPECT_EQ(of["active"]["kind"], "binary");
    EXPECT_EQ(of["age"]["kind"], "count");
    EXPECT_EQ(of["dose [mg]"]["kind"], "continuous");
    EXPECT_GT(of["dose [mg]"]["missing"], 5);
    for (const auto& variable : variables) EXPECT_NE(variable["reason"], "");
  }
};

TEST_F(EveryColumn, Audit) {
  const Outcome outcome = run("audit");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "missing"));
  expect_variables(nlohmann::json::parse(run("audit", "--json").output)["variables"]);
}

TEST_F(EveryColumn, DiscoverAndItsReport) {
  const Outcome outcome = run("discover", "-o '" + path("r.html") + "' -o '" + path("r.json") + "' -o '" +
                                              path("e.csv") + "' -o '" + path("g.graphml") + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "missing cells: filled in by regression"));
  const nlohmann::json result = json("r.json");
  EXPECT_EQ(result["names"], nlohmann::json(kVariables));
  expect_variables(result["variables"]);
  EXPECT_GT(result["manifest"]["missing"]["cells"], 80);
  EXPECT_TRUE(contains(result["manifest"]["missing"]["rule"], "filled in"));
  const std::string page = text("r.html");
  for (const char* word : {"S\u00e3o Paulo", "dose [mg]", "\"identifier\"", "missing cells: filled in"})
    EXPECT_NE(page.find(word), std::string::npos) << word;
}

TEST_F(EveryColumn, OtherMethodsTheirBootstrapAndTheirAgreement) {
  Outcome outcome =
      run("discover", "--method pc --bootstrap 4 -o '" + path("r.json") + "' -o '" + path("r.html") +
                          "' -o '" + path("e.csv") + "' -o '" + path("g.graphml") + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "missing cells: "));
  EXPECT_TRUE(contains(outcome.output, "selected"));
  nlohmann::json result = json("r.json");
  expect_variables(result["variables"]);
  EXPECT_EQ(result["bootstrap"]["repetitions"], 4);
  EXPECT_EQ(result["bootstrap"]["selection_frequency"].size(), kVariables.size());
  EXPECT_TRUE(contains(text("e.csv"), ",bootstrap_mean,bootstrap_deviation,selection_frequency"));
  EXPECT_TRUE(contains(text("g.graphml"), "attr.name=\"selection_frequency\""));
  EXPECT_TRUE(contains(text("r.html"), "\"frequency\":"));

  outcome = run("discover", "--method pc,ges,causcale --combine --set pc.alpha=0.01 -o '" + path("c.json") +
                                "' -o '" + path("c.csv") + "' -o '" + path("c.html") + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "agreement of pc+ges+causcale"));
  result = json("c.json");
  EXPECT_EQ(result["score_kind"], "probability");
  EXPECT_EQ(result["method"], "pc+ges+causcale");
  for (const auto& row : result["scores"])
    for (const double share : row) EXPECT_EQ(std::round(6 * share), 6 * share) << share;
  EXPECT_TRUE(text("c.csv").starts_with("source,target,probability,probability_reverse,edge"));

  EXPECT_EQ(run("discover", "--method pc,ges").code, 2);
  EXPECT_EQ(run("discover", "--method pc --combine").code, 2);
  EXPECT_EQ(run("discover", "--method pc,ges --combine --set alpha=0.01").code, 2);
  EXPECT_EQ(run("discover", "--method pc --bootstrap 1").code, 2);
}

TEST_F(EveryColumn, Compare) {
  const Outcome outcome =
      run("compare", "--methods causcale,corr,pc,ges,boss,direct-lingam -o '" + path("all.json") + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(outcome.output.find("failed"), std::string::npos) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "missing cells: filled in by regression"));
  for (const auto& method : json("all.json")["methods"])
    EXPECT_TRUE(contains(method["log"].dump(), " missing cell")) << method["method"];
}

TEST_F(EveryColumn, OtherRulesForGapsMeanWhatTheyDid) {
  EXPECT_EQ(run("discover", "--missing error -q").code, 1);
  const Outcome dropped = run("discover", "--method pc --missing drop"),
                filled = run("discover", "--method pc --missing mean");
  EXPECT_EQ(dropped.code, 0) << dropped.output;
  EXPECT_TRUE(contains(dropped.output, "rows were left out"));
  EXPECT_TRUE(contains(filled.output, "missing values were replaced by the mean"));
}

}  // namespace
}  // namespace causcale

#include "report/read_result.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "causcale/error.h"
#include "report/method_report.h"
#include "report/sample_results.h"

namespace causcale {
namespace {

using Json = nlohmann::ordered_json;

// With everything that a result of the network can hold.
DiscoverResult rich_result() {
  DiscoverResult result = synthetic_result(12, 20, 5);
  result.removed_edges = {{{0, 1}, 0.25}};
  result.acyclic_price = {1.5, 2.5, true};
  const double nan = std::nan("");
  for (const Edge& edge : result.graph.edges())
    result.evidence.push_back({edge, 900, 1e-9, 2e-9, edge.source % 2 ? nan : 0.25, nan, false});
  Edge struck{0, 1};
  while (result.graph.has_edge(struck.source, struck.target)) ++struck.target;
  result.evidence.push_back({struck, 900, 0.5, 0.75, nan, nan, true});
  std::ranges::sort(result.evidence, {}, &EdgeEvidence::edge);
  for (const Edge& edge : result.graph.edges())
    result.directions.push_back({edge, 0.125, edge.target % 2 ? nan : 3.5, nan,
                                 edge.target % 2 ? DirectionBasis::kNone : DirectionBasis::kShape});
  result.struck_edges = {{struck, result.probabilities(struck.source, struck.target)}};
  result.bootstrap = 3;
  result.bootstrap_mean = result.bootstrap_deviation = result.selection_frequency = result.probabilities;
  result.samples = 100;
  result.samples_exact = false;
  result.ancestry = result.probabilities;
  result.traits = {{"rows", 2000.0}, {"skewness", nan}};
  result.applicability = {{"code", "message", "hint"}};
  result.temperature = 1.25;
  result.offset = -0.5;
  result.views = 4;
  return result;
}

std::string message_of(const Json& json) {
  try {
    parse_result(json.dump(), "r.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ReadResult, GivesBackWhatTheNetworkFound) {
  for (const DiscoverResult& result : {rich_result(), synthetic_result(40, 60, 2)}) {
    const std::string text = format_json(result, sample_record());
    const StoredResult stored = parse_result(text, "r.json");
    EXPECT_FALSE(stored.by_method);
    EXPECT_EQ(stored.result.probabilities, result.probabilities);
    EXPECT_EQ(stored.result.graph, result.graph);
    EXPECT_EQ(stored.result.evidence.size(), result.evidence.size());
    EXPECT_EQ(stored.result.directions.size(), result.directions.size());
    EXPECT_EQ(stored.result.rows_per_pass, 1000u);
    EXPECT_EQ(stored.record.data_file, "data.csv");
    // Everything else, at once.
    EXPECT_EQ(format_json(stored.result, stored.record), text);
  }
}

TEST(ReadResult, GivesBackWhatAMethodFound) {
  MethodOutcome repeated = cpdag_outcome(), combined = cpdag_outcome();
  repeated.result.bootstrap = 5;
  repeated.result.bootstrap_mean = repeated.result.bootstrap_deviation = repeated.result.probabilities;
  repeated.result.selection_frequency = repeated.result.probabilities;
  combined.result.score_kind = "probability";
  RunRecord record = sample_record();
  record.variables_json = R"([{"name":"v0","kind":"unordered","levels":["a","b"]}])";
  for (const MethodOutcome& outcome : {pag_outcome(), cpdag_outcome(), repeated, combined}) {
    const std::string text = format_method_json(outcome, record);
    const StoredResult stored = parse_result(text, "r.json");
    EXPECT_TRUE(stored.by_method);
    EXPECT_EQ(stored.method, outcome.result.model_name);
    EXPECT_EQ(stored.result.score_kind, outcome.result.score_kind);
    EXPECT_EQ(stored.graph_class, outcome.graph_class);
    EXPECT_EQ(stored.marks, outcome.marks);
    EXPECT_EQ(stored.result.graph, outcome.result.graph);
    EXPECT_EQ(format_method_json(stored.outcome(), stored.record), text);
  }
}

TEST(ReadResult, ReadsFilesAndHostileNames) {
  const auto path = std::filesystem::temp_directory_path() / "causcale_read_result.json";
  write_result(path, hostile_result(), sample_record(true));
  const StoredResult stored = read_result(path.string());
  EXPECT_EQ(stored.result.names[1], hostile_result().names[1]);
  EXPECT_EQ(stored.result.graph, hostile_result().graph);
  std::filesystem::remove(path);
  EXPECT_THROW(read_result(path.string()), InputError);
}

TEST(ReadResult, ReadsKnowledgeFromTheOptions) {
  RunRecord record = sample_record();
  record.options_json =
      R"({"knowledge":{"required":[[0,1]],"forbidden":[[2,3],[3,2]],"tiers":[0,1,-1,1],"closed_tiers":[1]}})";
  const std::string text = format_json(synthetic_result(4, 2, 1), record);
  const StoredResult stored = parse_result(text, "r.json");
  EXPECT_EQ(stored.record.knowledge.required, (std::vector<Edge>{{0, 1}}));
  EXPECT_EQ(stored.record.knowledge.forbidden.size(), 2u);
  EXPECT_EQ(stored.record.knowledge.tier_of, (std::vector<int>{0, 1, -1, 1}));
  EXPECT_EQ(stored.record.knowledge.closed_tiers, (std::vector<int>{1}));
  Json json = Json::parse(text);
  json["manifest"]["options"]["knowledge"]["required"] = {{1, 0}};
  EXPECT_NE(message_of(json).find("knowledge"), std::string::npos);
  json["manifest"]["options"]["knowledge"]["required"] = {{1, 7}};
  EXPECT_NE(message_of(json).find("manifest.options.knowledge.required[0][1]"), std::string::npos);
}

struct Damage {
  const char* pointer;
  Json value;
  const char* message;  // what it has to say
};

TEST(ReadResult, NamesTheFieldThatIsWrong) {
  const Json sound = Json::parse(format_json(rich_result(), sample_record()));
  ASSERT_EQ(message_of(sound), "");
  const std::vector<Damage> damages{
      {"/format", "other/1", "no result of discover"},
      {"/names", 7, "names: a list is expected, found"},
      {"/names/3", 7, "names[3]: text"},
      {"/names/3", "", "names[3]: the name of a variable is expected"},
      {"/names/3", "gene0001", "names[3]: the variable 'gene0001' is there twice"},
      {"/score_kind", "votes", "score_kind"},
      {"/edges/2/source", "nobody", "edges[2].source: an edge of 'nobody', which is no variable"},
      {"/edges/2/target", sound["edges"][2]["source"], "to itself"},
      {"/edges/2", sound["edges"][1], "is there twice"},
      {"/edges/2/direction/told_by", "stars", "edges[2].direction.told_by: is none of untested, none, "},
      {"/edges/2/direction/shape_z", "much", "edges[2].direction.shape_z"},
      {"/edges/2/probability", 1.5, "edges[2].probability: a number between 0 and 1"},
      {"/edges/2/evidence/rows", -1, "edges[2].evidence.rows"},
      {"/probabilities/2/5", "x", "probabilities[2][5]: a number"},
      {"/probabilities/2/5", 1.01, "probabilities[2][5]: a number between 0 and 1"},
      {"/probabilities/2/2", 0.5, "probabilities[2][2]: the diagonal is 0"},
      {"/probabilities/2", Json::array({1, 2}), "probabilities[2]: 2 numbers for 12 variables"},
      {"/bootstrap/selection_frequency", Json::array(), "bootstrap.selection_frequency: 0 rows"},
      {"/samples/count", 0, "samples.count: a whole number"},
      {"/samples/ancestry/1/0", 2, "samples.ancestry[1][0]: a number between 0 and 1"},
      {"/acyclic_price/exact", 1, "acyclic_price.exact: true or false"},
      {"/applicability/findings", nullptr, "applicability.findings: a list"},
      {"/manifest/passes", 1.5, "manifest.passes: a whole number"},
      {"/manifest/passes", 1e30, "manifest.passes"},
      {"/manifest/data/columns", 11, "manifest.data.columns: 11 columns, but 12 names"},
      {"/manifest/audit", 1, "manifest.audit"},
  };
  for (const Damage& damage : damages) {
    Json json = sound;
    json[Json::json_pointer(damage.pointer)] = damage.value;
    const std::string message = message_of(json);
    EXPECT_NE(message.find(damage.message), std::string::npos) << damage.pointer << ": " << message;
    EXPECT_EQ(message.rfind("r.json: ", 0), 0u) << message;
  }
  for (const char* name : {"names", "edges", "probabilities", "manifest", "removed_to_break_cycles"}) {
    Json json = sound;
    json.erase(name);
    EXPECT_EQ(message_of(json), std::string("r.json: ") + name + " is missing");
  }
  EXPECT_THROW(parse_result("[1", "r.json"), InputError);
  EXPECT_THROW(parse_result("{\"format\": 1e999}", "r.json"), InputError);
  EXPECT_THROW(parse_result("{\"manifest\": " + std::string(1'000'000, '['), "r.json"), InputError);
  EXPECT_THROW(parse_result("[1]", "r.json"), InputError);
}

TEST(ReadResult, NamesTheFieldOfAMethodThatIsWrong) {
  const Json sound = Json::parse(format_method_json(pag_outcome(), sample_record()));
  const std::vector<Damage> damages{
      {"/edges/0/edge", "=>", "edges[0].edge"},
      {"/edges/0/edge", "?->", "edges[0].edge"},
      {"/edges/1", sound["edges"][0], "joined twice"},
      {"/graph_class", "tree", "graph_class: one of directed graph, DAG"},
      {"/scores/1/0", nullptr, "scores[1][0]: a number"},
  };
  for (const Damage& damage : damages) {
    Json json = sound;
    json[Json::json_pointer(damage.pointer)] = damage.value;
    EXPECT_NE(message_of(json).find(damage.message), std::string::npos) << message_of(json);
  }
}

}  // namespace
}  // namespace causcale

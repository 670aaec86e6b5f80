// Whole studies with small random networks: every benchmark runs, repeats itself and goes on after a break.
#include "benchmark/run_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "benchmark/ablation.h"
#include "benchmark/network.h"
#include "benchmark/studies.h"
#include "benchmark/tables.h"
#include "causcale/discover.h"
#include "core/train_library.h"
#include "simulate/write_simulation.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using nlohmann::json;
using test::contains;

class RunStudy : public testing::Test {
 protected:
  void SetUp() override {
    options_.threads = 1;
    options_.device = Device::kCpu;
    model_ = save("tiny", [](ModelConfig&) {});
  }

  std::string save(const std::string& name, void (*change)(ModelConfig&)) {
    ModelConfig config;
    config.blocks = 4;  // so that a block follows the first reduction
    config.embed_dim = 16;
    config.heads = 2;
    config.ffn_dim = 16;
    change(config);
    const auto path = folder_ / (name + ".safetensors");
    test::write_random_model(path, config);
    return path.string();
  }

  StudyRequest request() const {
    StudyRequest request;
    request.model = model_;
    request.sizes = {"6:8"};
    request.rows = {60};
    request.sergio_rows = 40;
    request.graphs = 2;
    request.seed = 5;
    return request;
  }

  // Everything in a results file but what depends on the clock and on memory.
  static json without_time(const std::filesystem::path& path) {
    json document = json::parse(MappedFile(path).text());
    document.erase("tables");
    for (json& record : document["records"])
      for (const char* name :
           {"seconds", "seconds_prior", "seconds_network", "peak_bytes", "flops_per_second"})
        if (record.contains("measures")) record["measures"].erase(name);
    return document;
  }

  test::TempFolder folder_;
  std::string model_;
  RunStudyOptions options_;
};

void expect_complete(const Study& study, const StudyOutcome& outcome) {
  ASSERT_FALSE(study.rows.empty());
  ASSERT_EQ(outcome.size(), study.rows.size());
  for (std::size_t r = 0; r < outcome.size(); ++r) {
    EXPECT_EQ(outcome[r].failure, "") << study.rows[r].labels.back();
    EXPECT_EQ(outcome[r].finished, study.graphs);
    ASSERT_EQ(study.rows[r].labels.size(), study.headings.size());
    for (const StudyColumn& column : study.columns)
      if (column.metric != "oa") {
        EXPECT_TRUE(outcome[r].metrics.contains(column.metric)) << column.metric;
      }
  }
  const json table = json::parse(study_to_json(study, outcome).dump());
  ASSERT_EQ(table["rows"].size(), study.rows.size());
  EXPECT_TRUE(contains(format_study_text(study, outcome), study.title));
  EXPECT_TRUE(contains(format_study_markdown(study, outcome), "| " + study.headings[0]));
  EXPECT_TRUE(contains(format_study_picture(study, outcome), "</svg>"));
}

TEST_F(RunStudy, EveryBenchmarkOnSimulatedDataRuns) {
  RecordFile records("");
  for (const StudyEntry& entry : study_entries()) {
    if (entry.name == "real" || entry.name == "ablation") continue;
    SCOPED_TRACE(entry.name);
    StudyRequest wanted = request();
    if (entry.name == "table1") wanted.mechanisms = {"synthetic", "sergio"};
    if (entry.name == "samples") wanted.rows = {30, 60};
    if (entry.name == "hidden") wanted.hidden = {0, 2};
    if (entry.name == "prior") wanted.prior_sizes = {10, 60};
    const Study study = entry.make(wanted);
    expect_complete(study, run_study(study, options_, records));
  }
}

TEST_F(RunStudy, AblationComparesModels) {
  if (!find_train_library()) GTEST_SKIP() << "variants of the network need the training library";
  StudyRequest wanted = request();
  for (const AblationVariant& variant : ablation_variants())
    wanted.variants.emplace_back(variant.name, save(variant.name, variant.apply));
  RecordFile records("");
  const Study study = ablation_study(wanted);
  const StudyOutcome outcome = run_study(study, options_, records);
  expect_complete(study, outcome);
  EXPECT_EQ(outcome.size(), 8u);
  std::set<double> different;
  for (const RowOutcome& row : outcome) different.insert(row.metrics.at("map").mean);
  EXPECT_GE(different.size(), 5u);
  EXPECT_GT(outcome[1].metrics.at("flops").mean, outcome[0].metrics.at("flops").mean);  // no reduction
}

TEST_F(RunStudy, RealDataAreFoundAndThinned) {
  SyntheticOptions small;
  small.nodes = 5;
  small.edges_per_node = 1.4;
  small.rows = 90;
  for (const char* name : {"one", "deep/two"}) {
    const Simulation simulation = simulate_synthetic(small, 3, name[0] == 'o' ? 0 : 1);
    write_simulation(folder_ / "data" / name, simulation.dataset, simulation.graph, {});
  }
  StudyRequest wanted = request();
  wanted.sizes.clear();
  wanted.rows.clear();
  wanted.graphs = 0;
  wanted.folder = folder_ / "data";
  RecordFile records("");
  Study study = real_study(wanted);
  StudyOutcome outcome = run_study(study, options_, records);
  expect_complete(study, outcome);
  ASSERT_EQ(study.rows.size(), 4u);  // the network and the inverse covariance on each
  EXPECT_EQ(study.rows[0].labels[0], "deep/two");
  EXPECT_EQ(outcome[0].metrics.at("rows").mean, 90);
  EXPECT_EQ(outcome[0].metrics.at("nodes").mean, 5);
  EXPECT_FALSE(outcome[1].metrics.contains("oa"));
  // What the network says is what discover says.
  const KnownDataset known = read_known_dataset(folder_ / "data/one");
  const DiscoverResult result =
      discover(known.dataset, {.model = model_, .device = Device::kCpu, .threads = 1});
  const Digraph guess = result.graph;
  EXPECT_EQ(outcome[2].metrics.at("map").mean,
            measure_prediction(result.probabilities, guess, known.graph, 1).at("map"));

  wanted.rows = {30};
  study = real_study(wanted);
  outcome = run_study(study, options_, records);
  EXPECT_EQ(outcome[0].metrics.at("rows").mean, 30);
  wanted.folder = folder_ / "nowhere";
  EXPECT_TRUE(contains(test::error_of([&] { real_study(wanted); }), "nowhere"));
}

TEST_F(RunStudy, SameSeedSameNumbers) {
  for (const char* name : {"a.json", "b.json", "c.json"}) {
    StudyRequest wanted = request();
    if (name[0] == 'c') wanted.seed = 6;
    RecordFile records(folder_ / name);
    run_study(observational_study(wanted), options_, records);
  }
  EXPECT_EQ(without_time(folder_ / "a.json"), without_time(folder_ / "b.json"));
  EXPECT_NE(without_time(folder_ / "a.json")["records"][0]["measures"],
            without_time(folder_ / "c.json")["records"][0]["measures"]);
}

TEST_F(RunStudy, ResumedEqualsUninterrupted) {
  const Study study = table1_study(request());
  RecordFile whole(folder_ / "whole.json");
  run_study(study, options_, whole);

  // Broken off in the middle of a row.
  struct Interrupted {};
  RunStudyOptions breaking = options_;
  int lines = 0;
  breaking.progress = [&](const std::string&) {
    if (++lines == 3) throw Interrupted();
  };
  {
    RecordFile first(folder_ / "parts.json");
    EXPECT_THROW(run_study(study, breaking, first), Interrupted);
    first.save();
  }
  RecordFile second(folder_ / "parts.json");
  lines = 0;
  RunStudyOptions counting = options_;
  counting.progress = [&](const std::string&) { ++lines; };
  const StudyOutcome resumed = run_study(study, counting, second);
  EXPECT_EQ(lines, static_cast<int>(study.rows.size()) * study.graphs - 3);
  EXPECT_EQ(without_time(folder_ / "whole.json"), without_time(folder_ / "parts.json"));

  // Another table of the same data sets finds everything there; another model finds nothing.
  lines = 0;
  run_study(aid_study(request()), counting, second);
  EXPECT_EQ(lines, 0);
  StudyRequest other = request();
  other.model = save("other", [](ModelConfig& config) { config.ffn_dim = 12; });
  run_study(aid_study(other), counting, second);
  EXPECT_EQ(lines, static_cast<int>(study.rows.size()) * study.graphs);
}

TEST_F(RunStudy, AFailureIsReportedInItsCellAndTheRestGoesOn) {
  Study study = observational_study(request());
  study.rows.resize(3);
  study.rows[1].contender.method = "no-such-method";
  RecordFile records("");
  const StudyOutcome outcome = run_study(study, options_, records);
  EXPECT_EQ(outcome[0].finished, 2);
  EXPECT_EQ(outcome[1].failed, 2);
  EXPECT_EQ(outcome[2].finished, 2);
  EXPECT_TRUE(contains(outcome[1].failure, "no-such-method"));
  EXPECT_TRUE(contains(format_study_text(study, outcome), outcome[1].failure.substr(0, 20)));
  EXPECT_EQ(study_to_json(study, outcome)["rows"][1]["failed"], 2);
}

TEST_F(RunStudy, MeansAndDeviationsAreOverGraphs) {
  RecordFile records("");
  StudyRequest wanted = request();
  wanted.prior_sizes = {30};
  Study study = prior_study(wanted);
  const Summary mean = run_study(study, options_, records)[0].metrics.at("map");
  std::vector<double> per_graph(2, 0.0);
  for (const TestSource& source : study.rows[0].sources)
    for (std::uint32_t graph = 0; graph < 2; ++graph) {
      const KnownDataset known = make_test_data(source, study.seed, graph, 1);
      BenchmarkNetwork network(model_, PriorUnits::kRaw, Device::kCpu, Precision::kAuto, 1);
      const NetworkAnswer answer = network.answer(known.dataset, study.rows[0].contender, study.seed + graph);
      per_graph[graph] += measure_prediction(answer.probabilities, Digraph(6), known.graph, 1).at("map") / 4;
    }
  EXPECT_EQ(mean.count, 2);
  EXPECT_NEAR(mean.mean, (per_graph[0] + per_graph[1]) / 2, 1e-12);
  EXPECT_NEAR(mean.deviation, std::abs(per_graph[0] - per_graph[1]) / std::sqrt(2.0), 1e-12);
}

TEST(CostMeasures, AreThePapersFormulas) {
  const Measures cost = cost_measures(ModelConfig(), 1000, 100, 4);
  EXPECT_NEAR(cost.at("sample_axis_share"), 0.3660, 5e-5);
  EXPECT_NEAR(cost.at("node_axis_share"), 0.4813, 5e-5);
  EXPECT_EQ(cost.at("formula_bytes"), 4.0 * (1100.0 * 100 * 128 + 1000.0 * 100 * 512));
  EXPECT_NEAR(cost.at("flops") * 1e-12, 0.9, 0.1);
  EXPECT_GT(cost.at("flops_unreduced"), 1.5 * cost.at("flops"));
}

}  // namespace
}  // namespace causcale

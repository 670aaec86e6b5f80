// The battery on two tiny data sets, one observational, one interventional with feedback, and on broken ones.
#include "benchmark/battery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "benchmark/battery_summary.h"
#include "causcale/discover.h"
#include "metrics/average_precision.h"
#include "metrics/evaluation.h"
#include "simulate/write_simulation.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using nlohmann::json;
using test::contains;
using test::error_of;

Dataset table_of(const std::vector<std::vector<double>>& columns) {
  Dataset dataset;
  dataset.table.values = Matrix<double>(columns[0].size(), columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    dataset.table.names.push_back("v" + std::to_string(c));
    for (std::size_t r = 0; r < columns[c].size(); ++r) dataset.table.values(r, c) = columns[c][r];
  }
  return dataset;
}

std::vector<double> codes(int levels) {
  std::vector<double> values(60);
  for (std::size_t r = 0; r < values.size(); ++r) values[r] = static_cast<double>(r % levels);
  return values;
}

TEST(BatteryClass, IsReadOffTheValues) {
  const std::vector<double> constant(60, 3.5);
  std::vector<double> halves = codes(4);
  for (double& value : halves) value += 0.5;
  std::vector<double> gappy = codes(3);
  gappy[5] = std::nan("");
  const auto name = [](const Dataset& dataset) { return battery_class(dataset).name(); };
  EXPECT_EQ(name(table_of({codes(20), codes(2), gappy, constant})), "discrete, observational");
  EXPECT_EQ(name(table_of({codes(20), codes(21)})), "mixed, observational");
  EXPECT_EQ(name(table_of({codes(21), halves, constant})), "continuous, observational");
  Dataset dataset = table_of({codes(2), halves});
  dataset.interventions.regimes = {{}, {1}};
  dataset.interventions.regime_of_row.assign(60, 0);
  EXPECT_EQ(name(dataset), "mixed, observational");  // no row is under the second regime
  dataset.interventions.regime_of_row[7] = 1;
  EXPECT_EQ(name(dataset), "mixed, interventional");
  dataset = table_of({codes(30), codes(40)});
  dataset.table.levels = {std::vector<std::string>(30, "x"), {}};
  EXPECT_EQ(name(dataset), "mixed, observational");  // text is discrete however many words there are
}

TEST(BatteryClass, DecidesWhichMethodsSuit) {
  const auto has = [](const BatteryClass& kind, const std::string& name) {
    return std::ranges::count(battery_methods(kind), name) == 1;
  };
  const BatteryClass continuous{TableKind::kContinuous, false}, knocked{TableKind::kContinuous, true},
      discrete{TableKind::kDiscrete, true};
  for (const BatteryClass& kind : {continuous, knocked, discrete})
    for (const char* name : {"invcov", "pc", "ges", "boss"}) EXPECT_TRUE(has(kind, name)) << name;
  EXPECT_FALSE(has(continuous, "mean-shift") || has(continuous, "gies"));
  EXPECT_TRUE(has(knocked, "mean-shift") && has(knocked, "gies") && has(knocked, "direct-lingam"));
  EXPECT_TRUE(has(discrete, "mean-shift"));
  EXPECT_FALSE(has(discrete, "gies") || has(discrete, "notears") || has(discrete, "dagma"));
}

class BatteryRun : public testing::Test {
 protected:
  void SetUp() override {
    ModelConfig config;
    config.blocks = 2;
    config.embed_dim = 16;
    config.heads = 2;
    config.ffn_dim = 16;
    model_ = (folder_ / "tiny.safetensors").string();
    test::write_random_model(model_, config);
    options_.threads = 1;
    options_.device = Device::kCpu;

    SyntheticOptions small;
    small.nodes = 5;
    small.edges_per_node = 1.2;
    small.rows = 60;
    Simulation knocked = simulate_synthetic(small, 3, 0);
    ASSERT_FALSE(knocked.dataset.interventions.observational());
    std::vector<Edge> edges(knocked.graph.edges().begin(), knocked.graph.edges().end());
    const Edge first = edges.front();
    edges.push_back({first.target, first.source});  // feedback
    write_simulation(folder_ / "sets/b_knocked", knocked.dataset, Digraph(5, edges), {});
    small.interventions.effect = InterventionEffect::kNone;
    const Simulation plain = simulate_synthetic(small, 3, 1);
    write_simulation(folder_ / "sets/deep/plain", plain.dataset, plain.graph, {});
  }

  StudyRequest request(std::vector<std::string> methods) const {
    StudyRequest request;
    request.model = model_;
    request.folder = folder_ / "sets";
    request.seed = 5;
    request.methods = std::move(methods);
    return request;
  }

  // Everything in a results file but what depends on the clock and on memory.
  static json records_without_time(const std::filesystem::path& path) {
    json records = json::parse(MappedFile(path).text())["records"];
    for (json& record : records)
      for (const char* name :
           {"seconds", "seconds_prior", "seconds_network", "peak_bytes", "flops_per_second"})
        record["measures"].erase(name);
    return records;
  }

  test::TempFolder folder_;
  std::string model_;
  RunStudyOptions options_;
};

TEST_F(BatteryRun, MeasuresAreThoseOfEvaluate) {
  const Battery battery = make_battery(request({"mean-shift", "invcov"}));
  ASSERT_EQ(battery.sets.size(), 2u);
  EXPECT_EQ(battery.sets[0].kind.name(), "continuous, interventional");
  EXPECT_EQ(battery.sets[1].name, "deep/plain");
  EXPECT_EQ(battery.sets[1].kind.name(), "continuous, observational");
  ASSERT_EQ(battery.study.rows.size(), 5u);  // no mean shift without interventions
  EXPECT_EQ(battery.set_of_row, (std::vector<std::size_t>{0, 0, 0, 1, 1}));
  RecordFile records("");
  std::vector<std::string> answered;
  options_.answered = [&](const StudyRow& row, std::uint32_t, const Matrix<double>& scores) {
    EXPECT_EQ(scores.rows(), 5u);
    answered.push_back(row.contender.label);
  };
  const StudyOutcome outcome = run_battery(battery, options_, records);
  EXPECT_EQ(answered, (std::vector<std::string>{"CauScale", "mean-shift", "invcov", "CauScale", "invcov"}));

  std::vector<double> probabilities;
  std::vector<unsigned char> edges;
  double ap_sum = 0.0;
  for (const std::size_t row : {0u, 3u}) {
    SCOPED_TRACE(row);
    const KnownDataset known = read_known_dataset(battery.sets[battery.set_of_row[row]].folder);
    const DiscoverResult told =
        discover(known.dataset, {.model = model_, .device = Device::kCpu, .threads = 1});
    const Evaluation expected = evaluate(told.probabilities, known.graph);
    const auto measured = [&](const char* name) { return outcome[row].metrics.at(name).mean; };
    EXPECT_EQ(measured("map"), expected.average_precision);
    EXPECT_EQ(measured("skeleton_map"),
              skeleton_average_precision(told.probabilities, known.graph, told.feedback));
    EXPECT_EQ(measured("auc"), expected.auc);
    EXPECT_EQ(measured("oa"), expected.orientation_accuracy);
    EXPECT_EQ(measured("shd"), static_cast<double>(expected.shd));
    EXPECT_EQ(measured("f1"), expected.direction.f1());
    EXPECT_EQ(measured("ece"), expected.calibration->expected_error);
    ap_sum += expected.average_precision;
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j)
        if (i != j) {
          probabilities.push_back(told.probabilities(i, j));
          edges.push_back(known.graph.has_edge(i, j));
        }
  }
  EXPECT_FALSE(outcome[2].metrics.contains("ece"));  // scores are not probabilities

  const DerivedTable means = class_means(battery, outcome);
  const auto mean = [&](const std::string& group, const std::string& label) -> const RowOutcome& {
    for (std::size_t r = 0; r < means.study.rows.size(); ++r)
      if (means.study.rows[r].labels == std::vector<std::string>{group, label}) return means.outcome[r];
    throw Error(group + " " + label + " is missing");
  };
  EXPECT_EQ(mean("continuous, interventional", "mean-shift").metrics.at("map").mean,
            outcome[1].metrics.at("map").mean);
  EXPECT_EQ(mean("all sets", "CauScale").metrics.at("sets").mean, 2.0);
  EXPECT_NEAR(mean("all sets", "CauScale").metrics.at("map").mean, ap_sum / 2, 1e-12);
  EXPECT_NEAR(mean("all sets", "CauScale").metrics.at("ece").mean,
              calibration(probabilities, edges).expected_error, 1e-12);
  EXPECT_NEAR(mean("mean of classes", "CauScale").metrics.at("map").mean, ap_sum / 2, 1e-12);
}

TEST_F(BatteryRun, CountsWinsTiesAndLosses) {
  Battery battery;
  battery.sets.resize(3);
  battery.sets[2].kind.interventional = true;
  StudyOutcome outcome;
  const auto add = [&](std::size_t set, const std::string& method, double ap) {
    Contender contender;
    contender.label = method.empty() ? "CauScale" : method;
    contender.method = method;
    battery.study.rows.push_back({{"", "", ""}, contender, {FolderData{}}, "", "", "", 0.0});
    battery.set_of_row.push_back(set);
    RowOutcome row;
    row.finished = ap >= 0.0;
    if (ap >= 0.0) row.metrics = {{"map", {ap, 0.0, 1}}, {"ece", {0.1, 0.0, 1}}, {"bin0_pairs", {4, 0.0, 1}}};
    outcome.push_back(row);
  };
  add(0, "", 0.50), add(0, "pc", 0.30), add(0, "ges", 0.60), add(0, "invcov", 0.505);
  add(1, "", 0.70), add(1, "pc", 0.40), add(1, "ges", -1.0), add(1, "invcov", 0.20);
  add(2, "", 0.80), add(2, "pc", -1.0), add(2, "mean-shift", 0.90);
  const DerivedTable table = duels(battery, outcome);
  std::map<std::string, std::vector<double>> found;
  for (std::size_t r = 0; r < table.study.rows.size(); ++r) {
    const auto& metrics = table.outcome[r].metrics;
    found[table.study.rows[r].labels[0] + ": " + table.study.rows[r].labels[1]] = {
        metrics.at("wins").mean, metrics.at("ties").mean, metrics.at("losses").mean};
  }
  const std::map<std::string, std::vector<double>> expected = {
      {"continuous, observational: best classical", {1, 0, 1}},
      {"continuous, observational: invcov", {1, 1, 0}},
      {"continuous, interventional: mean-shift", {0, 0, 1}},
      {"all sets: best classical", {1, 0, 1}},
      {"all sets: invcov", {1, 1, 0}},
      {"all sets: mean-shift", {0, 0, 1}}};
  EXPECT_EQ(found, expected);
}

TEST_F(BatteryRun, WhatCannotBeReadIsReportedAndTheRestGoesOn) {
  std::filesystem::create_directories(folder_ / "sets/a_wrong");
  folder_.write("sets/a_wrong/data.csv", "x,y\n1,2\n3,4.5\n");
  folder_.write("sets/a_wrong/truth.csv", "source,target\nx,zebra\n");
  std::filesystem::create_directories(folder_ / "sets/c_half");
  folder_.write("sets/c_half/data.csv", "x,y\n1,2\n3,4.5\n");
  const Battery battery = make_battery(request({"none"}));
  ASSERT_EQ(battery.sets.size(), 4u);
  RecordFile records("");
  const StudyOutcome outcome = run_battery(battery, options_, records);
  ASSERT_EQ(outcome.size(), 4u);
  EXPECT_TRUE(contains(outcome[0].failure, "zebra"));
  EXPECT_EQ(outcome[1].finished, 1);
  EXPECT_TRUE(contains(outcome[2].failure, "truth.csv"));
  EXPECT_EQ(outcome[3].finished, 1);
  const json table = json::parse(battery_to_json(battery, outcome).dump());
  ASSERT_EQ(table["unreadable"].size(), 2u);
  EXPECT_EQ(table["unreadable"][0]["data"], "a_wrong");
  EXPECT_EQ(table["classes"]["rows"].size(), 4u);  // two classes, all sets, mean of classes
  EXPECT_TRUE(contains(format_battery_text(battery, outcome), "zebra"));
  EXPECT_TRUE(contains(format_battery_markdown(battery, outcome), "zebra"));
  EXPECT_TRUE(contains(format_battery_picture(battery, outcome), "</svg>"));

  std::filesystem::remove_all(folder_ / "sets/b_knocked");
  std::filesystem::remove_all(folder_ / "sets/deep");
  EXPECT_TRUE(contains(error_of([&] { make_battery(request({"none"})); }), "none of the 2"));
  StudyRequest nowhere = request({"none"});
  nowhere.folder = folder_ / "nowhere";
  EXPECT_TRUE(contains(error_of([&] { make_battery(nowhere); }), "nowhere"));
}

TEST_F(BatteryRun, GoesOnWhereItStopped) {
  options_.precision = Precision::kFloat32;  // what "auto" means depends on the processor
  const Battery battery = make_battery(request({}));
  RecordFile whole(folder_ / "whole.json");
  run_battery(battery, options_, whole);
  whole.save();

  struct Interrupted {};
  RunStudyOptions breaking = options_;
  int lines = 0;
  breaking.progress = [&](const std::string&) {
    if (++lines == 4) throw Interrupted();
  };
  {
    RecordFile first(folder_ / "parts.json");
    EXPECT_THROW(run_battery(battery, breaking, first), Interrupted);
    first.save();
  }
  RecordFile second(folder_ / "parts.json");
  lines = 0;
  RunStudyOptions counting = options_;
  counting.progress = [&](const std::string&) { ++lines; };
  run_battery(battery, counting, second);
  second.save();
  EXPECT_EQ(lines, static_cast<int>(battery.study.rows.size()) - 4);
  EXPECT_EQ(records_without_time(folder_ / "whole.json"), records_without_time(folder_ / "parts.json"));

  // Another precision is other work; a record that lacks a column is made anew.
  lines = 0;
  counting.precision = Precision::kBfloat16;
  const Battery network = make_battery(request({"none"}));
  run_battery(network, options_, second);
  run_battery(network, counting, second);
  run_battery(network, counting, second);
  EXPECT_EQ(lines, 2);
  second.save();
  json document = json::parse(MappedFile(folder_ / "parts.json").text());
  for (json& record : document["records"]) record["measures"].erase("ece");
  folder_.write("old.json", document.dump());
  RecordFile old(folder_ / "old.json");
  lines = 0;
  run_battery(network, counting, old);
  EXPECT_EQ(lines, 2);
}

TEST(RecordFile, RunningOutOfTimeIsAResultForTheSameTime) {
  const test::TempFolder folder;
  {
    RecordFile records(folder / "r.json");
    records.add({json{{"a", 1}}, {}, "time limit", 60.0});
    records.add({json{{"a", 2}}, {}, "something else", 0.0});
    records.save();
  }
  const RecordFile records(folder / "r.json");
  EXPECT_EQ(records.find(json{{"a", 1}}), nullptr);
  ASSERT_NE(records.find_out_of_time(json{{"a", 1}}, 60.0), nullptr);
  EXPECT_EQ(records.find_out_of_time(json{{"a", 1}}, 60.0)->error, "time limit");
  EXPECT_NE(records.find_out_of_time(json{{"a", 1}}, 10.0), nullptr);
  EXPECT_EQ(records.find_out_of_time(json{{"a", 1}}, 61.0), nullptr);
  EXPECT_EQ(records.find_out_of_time(json{{"a", 1}}, 0.0), nullptr);
  EXPECT_EQ(records.find_out_of_time(json{{"a", 2}}, 1.0), nullptr);
}

}  // namespace
}  // namespace causcale

#include "learn/run/calibrate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/safetensors.h"
#include "causcale/error.h"
#include "core/installed.h"
#include "simulate/synthetic.h"
#include "support/random_model.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;

class Calibrate : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("causcale_calibrate_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TrainConfig small_tables() {
  return parse_train_config(R"({
    "data": {"graphs": ["er", "sf"], "mechanisms": ["linear", "nn"], "edges_per_node": [1, 2],
             "observational": 0.3},
    "stages": [{"steps": 3, "nodes": [4, 6], "rows": 60}, {"steps": 1, "nodes": "5-8", "rows": "40-80"}]
  })",
                            "test");
}

TEST_F(Calibrate, LowersTheCrossEntropyAndLeavesTheRankingAlone) {
  const LoadedModel model = load_for_discover({.model = "synthetic"});
  const CalibrateResult result = calibrate_model(model, small_tables(), {.graphs = 24, .seed = 1});
  EXPECT_GT(result.scales.temperature, 0.05);
  EXPECT_LT(result.scales.temperature, 20);
  EXPECT_EQ(result.temperature_before, model.card->scales.temperature);
  EXPECT_LT(result.after.cross_entropy, result.before.cross_entropy + 0.02);
  EXPECT_DOUBLE_EQ(result.ranges.at("columns").low, 4);
  EXPECT_DOUBLE_EQ(result.ranges.at("columns").high, 8);
  EXPECT_DOUBLE_EQ(result.ranges.at("rows").low, 40);
  EXPECT_DOUBLE_EQ(result.ranges.at("rows").high, 80);
  EXPECT_DOUBLE_EQ(result.ranges.at("interventions").high, 1);
  const CalibrateOptions two{.graphs = 2, .seed = 5};
  EXPECT_EQ(calibrate_model(model, small_tables(), two).scales.temperature,
            calibrate_model(model, small_tables(), two).scales.temperature);

  EXPECT_EQ(result.scales.mean_of, 4);  // its views
  EXPECT_GT(result.scales.mean.temperature, 0.05);
  EXPECT_LT(std::abs(result.scales.mean.offset), 5.0);

  CalibrateResult written = result;
  constexpr double kFar = 2.5;  // from 1, so that the test can fail
  written.scales.temperature = written.scales.mean.temperature = kFar;
  written.scales.mean.offset = 0.0;
  const fs::path out = folder_ / "calibrated.safetensors";
  write_calibrated(find_model("synthetic"), out, written);
  const SafetensorsFile before(find_model("synthetic")), after(out);
  ASSERT_EQ(before.content().tensors.size(), after.content().tensors.size());
  for (std::size_t k = 0; k < before.content().tensors.size(); ++k)
    ASSERT_TRUE(std::ranges::equal(before.content().tensors[k].bytes, after.content().tensors[k].bytes));

  SyntheticOptions simulation;
  simulation.nodes = 7;
  simulation.rows = 100;
  const Dataset dataset = simulate_synthetic(simulation, 2, 0).dataset;
  const fs::path unscaled = folder_ / "unscaled.safetensors";
  write_calibrated(find_model("synthetic"), unscaled, {});
  DiscoverOptions options;
  options.model = unscaled.string();
  const DiscoverResult plain = discover(dataset, options);
  options.model = out.string();
  const DiscoverResult scaled = discover(dataset, options);
  EXPECT_EQ(plain.temperature, 1.0);
  EXPECT_EQ(scaled.temperature, kFar);
  EXPECT_EQ(plain.graph, scaled.graph);
  const auto ranking = [](const DiscoverResult& from) {
    std::vector<Edge> edges;
    for (const ScoredEdge& scored : ranked_edges(from.probabilities)) edges.push_back(scored.edge);
    return edges;
  };
  EXPECT_EQ(ranking(plain), ranking(scaled));
  EXPECT_LT(*std::ranges::max_element(scaled.probabilities.values()),
            *std::ranges::max_element(plain.probabilities.values()));
  // Its ranges are now those of the small tables.
  EXPECT_TRUE(std::ranges::none_of(
      scaled.applicability, [](const Remark& remark) { return remark.code == "rows_below_training"; }));
  EXPECT_TRUE(std::ranges::any_of(plain.applicability,
                                  [](const Remark& remark) { return remark.code == "rows_below_training"; }));
}

TEST_F(Calibrate, MeansOfViewsGetAnOffsetAndSingleAnswersDoNot) {
  CalibrateResult written;
  written.scales.temperature = 1.25;
  written.scales.mean = {.temperature = 0.8, .offset = 0.6};
  written.scales.mean_of = 4;
  const fs::path out = folder_ / "means.safetensors";
  write_calibrated(find_model("synthetic"), out, written);
  DiscoverOptions options;
  options.model = out.string();
  const LoadedModel model = load_for_discover(options);
  EXPECT_DOUBLE_EQ(model.card->scales.of(1).temperature, 1.25);
  EXPECT_EQ(model.card->scales.of(1).offset, 0.0);
  EXPECT_DOUBLE_EQ(model.card->scales.of(4).temperature, 0.8);
  EXPECT_DOUBLE_EQ(model.card->scales.of(4).offset, 0.6);
  EXPECT_NEAR(1 / model.card->scales.of(2).temperature, 0.8 + (1.25 - 0.8) * 2 / 3, 1e-12);
  EXPECT_NEAR(model.card->scales.of(2).offset, 0.4, 1e-12);
  EXPECT_NEAR(model.card->scales.of(1000).offset, 0.8, 1e-3);

  SyntheticOptions simulation;
  simulation.nodes = 7;
  simulation.rows = 100;
  const Dataset dataset = simulate_synthetic(simulation, 2, 0).dataset;
  const DiscoverResult four = discover(dataset, options);
  EXPECT_EQ(four.temperature, 0.8);
  EXPECT_EQ(four.offset, 0.6);
  options.views = 1;
  const DiscoverResult one = discover(dataset, options);
  EXPECT_EQ(one.temperature, 1.25);
  EXPECT_EQ(one.offset, 0.0);

  // A later calibration without means leaves nothing of them behind.
  const fs::path again = folder_ / "again.safetensors";
  CalibrateResult without;
  without.scales.temperature = 1.5;
  write_calibrated(out, again, without);
  options.model = again.string();
  EXPECT_EQ(load_for_discover(options).card->scales.mean_of, 1);
  EXPECT_EQ(load_for_discover(options).card->scales.of(4).temperature, 1.5);
}

TEST_F(Calibrate, WrongScalesOfMeansAreRefused) {
  const auto refuse = [&](double temperature, double offset, int passes) {
    const fs::path out = folder_ / "wrong.safetensors";
    CalibrateResult wrong;
    wrong.scales.mean = {.temperature = temperature, .offset = offset};
    wrong.scales.mean_of = passes;
    write_calibrated(find_model("synthetic"), out, wrong);
    DiscoverOptions options;
    options.model = out.string();
    EXPECT_THROW(load_for_discover(options), InputError);
  };
  refuse(0.0, 0.5, 4);
  refuse(1.0, std::numeric_limits<double>::infinity(), 4);
  refuse(1.0, 0.5, 100000);
}

TEST_F(Calibrate, WrongTemperaturesAreRefused) {
  CalibrateResult wrong;
  wrong.scales.temperature = -1;
  const fs::path out = folder_ / "wrong.safetensors";
  write_calibrated(find_model("synthetic"), out, wrong);
  DiscoverOptions options;
  options.model = out.string();
  EXPECT_THROW(load_for_discover(options), InputError);
}

TEST_F(Calibrate, TwoDataSetsAtLeast) {
  EXPECT_THROW(calibrate_model(load_for_discover({.model = "synthetic"}), small_tables(), {.graphs = 1}),
               UsageError);
}

// A user's table of counts is compared with counts, though the network is shown logarithms.
TEST_F(Calibrate, RangesAreThoseOfTheTablesAsTheyCome) {
  const TrainConfig config = parse_train_config(R"({
    "transform": "log1p",
    "data": {"families": "sergio"},
    "stages": [{"steps": 1, "nodes": 6, "rows": 60}]
  })",
                                                "test");
  const CalibrateResult result =
      calibrate_model(load_for_discover({.model = "sergio"}), config, {.graphs = 2, .seed = 1});
  EXPECT_GT(result.ranges.at("integer_columns").low, 0.8);
}

// A model that went on from another knows what both were shown.
TEST_F(Calibrate, RangesOfAnEarlierModelCountToo) {
  CalibrateResult earlier;
  earlier.ranges = {{"columns", {2, 6}}, {"tails", {-1.5, 9}}};
  const fs::path file = folder_ / "earlier.safetensors", silent = folder_ / "silent.safetensors";
  const std::array<std::byte, 4> weight{};
  write_safetensors(silent, {.metadata = {}, .tensors = {{"w", "F32", {1}, weight}}});
  write_calibrated(silent, file, earlier);

  TrainingRanges ranges = {{"columns", {4, 8}}, {"rows", {40, 80}}};
  widen_by_model(file, ranges);
  EXPECT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges.at("columns").low, 2);
  EXPECT_EQ(ranges.at("columns").high, 8);
  EXPECT_EQ(ranges.at("rows").high, 80);
  EXPECT_EQ(ranges.at("tails").low, -1.5);
  EXPECT_THROW(widen_by_model(silent, ranges), InputError);
}

// A model of random weights, which says of every pair that it has everything, learns to be modest.
TEST_F(Calibrate, OutputsGetTemperatureAndOffset) {
  ModelConfig model = test::small_config();
  model.outputs = {PairOutput::kConfounded, PairOutput::kFeedback};
  const fs::path file = folder_ / "telling.safetensors", out = folder_ / "calibrated.safetensors";
  test::write_random_model(file, model, {{"views", "2"}, {"feedback_offset", "3"}});
  const TrainConfig config = parse_train_config(R"({
    "data": {"families": {"world": 2, "synthetic": 1}, "worlds": ["feedback", "hidden"]},
    "stages": [{"steps": 1, "nodes": 6, "rows": 60}]
  })",
                                                "test");
  const LoadedModel loaded = load_for_discover({.model = file.string(), .precision = Precision::kFloat32});
  const CalibrateResult result = calibrate_model(loaded, config, {.graphs = 24, .seed = 1});
  ASSERT_EQ(result.outputs.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    const OutputCalibration& of = result.outputs[k];
    EXPECT_EQ(of.output, model.outputs[k]);
    EXPECT_TRUE(of.fitted);
    EXPECT_EQ(of.pairs, 12u * 15);
    EXPECT_GT(of.there, 0u);
    EXPECT_LT(of.there, of.pairs / 2);
    EXPECT_EQ(of.scales.mean_of, 2);
    EXPECT_LT(of.after.cross_entropy, of.before.cross_entropy);
  }
  write_calibrated(file, out, result);
  const LoadedModel calibrated = load_for_discover({.model = out.string(), .precision = Precision::kFloat32});
  for (const OutputCalibration& of : result.outputs)
    for (const int passes : {1, 2}) {
      const ProbabilityScale found = scales_of(*calibrated.card, of.output).of(passes);
      EXPECT_NEAR(found.temperature, of.scales.of(passes).temperature, 1e-4);
      EXPECT_NEAR(found.offset, of.scales.of(passes).offset, 1e-4);
    }
  // Calibrated again, it is as good as it was.
  const CalibrateResult again = calibrate_model(calibrated, config, {.graphs = 24, .seed = 1});
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_NEAR(again.outputs[k].before.cross_entropy, result.outputs[k].after.cross_entropy, 1e-4);
  // Where there is nothing to be found, scales stay as they are.
  const CalibrateResult none = calibrate_model(
      loaded, parse_train_config(R"({"stages": [{"steps": 1, "nodes": 5, "rows": 50}]})", "test"),
      {.graphs = 4});
  EXPECT_FALSE(none.outputs[0].fitted);
  EXPECT_EQ(none.outputs[1].scales.offset, 3.0);
}

}  // namespace
}  // namespace causcale

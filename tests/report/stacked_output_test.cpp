// What a model with a second stage says beyond arrows, from the table to the files.
#include <gtest/gtest.h>

#include <cmath>

#include "causcale/discover.h"
#include "discover/stacking/stacked_model.h"
#include "report/html.h"
#include "report/read_result.h"
#include "report/report.h"
#include "report/sparse_output.h"
#include "simulate/synthetic.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

class StackedOutput : public testing::Test {
 protected:
  void SetUp() override {
    ModelConfig config = test::small_config();
    test::write_random_model(folder_ / "plain.safetensors", config);
    PairNetwork member = PairNetwork::random(static_cast<int>(kPairInputs), 4, 1, 0);
    member.last_bias << 0.0f, 0.5f, 0.5f, 4.0f, 3.0f;
    const StackedModel model(std::vector<float>(kPairInputs, 0.0f), std::vector<float>(kPairInputs, 1.0f),
                             {member});
    write_with_stacking(folder_ / "plain.safetensors", {}, model, {}, folder_ / "stacked.safetensors");
    config.outputs = {PairOutput::kFeedback, PairOutput::kConfounded};
    test::write_random_model(folder_ / "telling.safetensors", config,
                             {{"feedback_temperature", "2"}, {"confounded_offset", "0.5"}});
    test::write_random_model(folder_ / "unscaled.safetensors", config);
    write_with_stacking(folder_ / "telling.safetensors", {}, model, {}, folder_ / "both.safetensors");
    config.outputs = {PairOutput::kConfounded};
    test::write_random_model(folder_ / "hidden.safetensors", config);
  }
  DiscoverOptions with(const std::string& model) const {
    DiscoverOptions options;
    options.model = (folder_ / (model + ".safetensors")).string();
    options.precision = Precision::kFloat32;
    return options;
  }
  static Dataset simulated(int nodes, int rows) {
    SyntheticOptions options;
    options.nodes = nodes;
    options.rows = rows;
    return simulate_synthetic(options, 4, 0).dataset;
  }

  test::TempFolder folder_;
};

TEST_F(StackedOutput, TellsFeedbackAndHiddenCauses) {
  const Dataset dataset = simulated(5, 80);
  const DiscoverResult plain = discover(dataset, with("plain")), stacked = discover(dataset, with("stacked"));
  EXPECT_FALSE(plain.stacked);
  EXPECT_TRUE(plain.feedback.empty());
  ASSERT_TRUE(stacked.stacked);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 5; ++j) {
      if (i == j) continue;
      EXPECT_EQ(stacked.feedback(i, j), stacked.feedback(j, i));
      EXPECT_GE(stacked.probabilities(i, j), stacked.feedback(i, j));
      EXPECT_NEAR(stacked.confounded(i, j), 1.0 / (1.0 + std::exp(3.9 - 3.0)), 1e-5);
    }

  DiscoverOptions off = with("stacked");
  off.stacking = StackingRule::kOff;
  EXPECT_EQ(discover(dataset, off).probabilities, plain.probabilities);
}

TEST_F(StackedOutput, WideTablesGetTheNetworksAnswer) {
  const DiscoverResult result =
      discover(simulated(static_cast<int>(kMostStackedColumns) + 1, 20), with("stacked"));
  EXPECT_FALSE(result.stacked);
  EXPECT_TRUE(result.confounded.empty());
}

void expect_same_figures(const DiscoverResult& found, const DiscoverResult& expected) {
  ASSERT_EQ(found.feedback.size(), expected.feedback.size());
  ASSERT_EQ(found.confounded.size(), expected.confounded.size());
  for (std::size_t k = 0; k < expected.feedback.size(); ++k)
    EXPECT_NEAR(found.feedback.data()[k], expected.feedback.data()[k], 1e-12);
  for (std::size_t k = 0; k < expected.confounded.size(); ++k)
    EXPECT_NEAR(found.confounded.data()[k], expected.confounded.data()[k], 1e-12);
}

TEST_F(StackedOutput, ANetworkTellsThemItself) {
  const Dataset dataset = simulated(5, 80);
  const DiscoverResult told = discover(dataset, with("telling")), raw = discover(dataset, with("unscaled"));
  EXPECT_FALSE(told.stacked);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_EQ(told.feedback(i, j), told.feedback(j, i));
      EXPECT_LE(told.feedback(i, j), told.probabilities(i, j));
      if (i == j) continue;
      const double odds = raw.confounded(i, j) / (1.0 - raw.confounded(i, j));
      EXPECT_NEAR(told.confounded(i, j), 1.0 / (1.0 + std::exp(-0.5) / odds), 1e-9);
      const double bound = std::min(told.probabilities(i, j), told.probabilities(j, i));
      if (raw.feedback(i, j) < std::min(raw.probabilities(i, j), raw.probabilities(j, i))) {
        const double both = raw.feedback(i, j), half = std::sqrt(both / (1.0 - both));
        EXPECT_NEAR(told.feedback(i, j), std::min(bound, half / (1.0 + half)), 1e-9);
      }
    }
  // A second stage speaks in its place, and where it is off or the table too wide, the network does.
  DiscoverOptions options = with("both");
  EXPECT_TRUE(discover(dataset, options).stacked);
  EXPECT_NE(discover(dataset, options).confounded, told.confounded);
  options.stacking = StackingRule::kOff;
  expect_same_figures(discover(dataset, options), told);
  const DiscoverResult wide =
      discover(simulated(static_cast<int>(kMostStackedColumns) + 1, 20), with("both"));
  EXPECT_FALSE(wide.stacked);
  EXPECT_EQ(wide.confounded.rows(), kMostStackedColumns + 1);
  // One output alone.
  const DiscoverResult hidden = discover(dataset, with("hidden"));
  EXPECT_TRUE(hidden.feedback.empty());
  EXPECT_EQ(hidden.confounded.rows(), 5u);
}

TEST_F(StackedOutput, FilesHoldWhatTheNetworkTells) {
  for (const char* model : {"telling", "hidden"}) {
    DiscoverOptions options = with(model);
    options.threshold = 0.0;
    options.evidence = EvidenceRule::kOff;
    const DiscoverResult result = discover(simulated(4, 60), options);
    const StoredResult read = parse_result(format_json(result, {}), "a test");
    EXPECT_FALSE(read.result.stacked);
    expect_same_figures(read.result, result);
    const std::string csv = format_edges_csv(result), head = csv.substr(0, csv.find('\n'));
    const bool feedback = !result.feedback.empty();
    EXPECT_EQ(head.find("source,target,probability,probability_reverse,feedback,confounded") == 0, feedback);
    EXPECT_EQ(head.find("source,target,probability,probability_reverse,confounded") == 0, !feedback);
    EXPECT_EQ(format_graphml(result).find("attr.name=\"feedback\"") != std::string::npos, feedback);
    EXPECT_EQ(format_html(result, {}).find("\"feedback\":[") != std::string::npos, feedback);
    EXPECT_NE(format_html(result, {}).find("\"confounded\":["), std::string::npos);
  }
}

// No matrix as text where there are so many variables.
TEST_F(StackedOutput, PairsOfManyVariables) {
  constexpr std::size_t kMany = kMostJsonVariables + 1;
  DiscoverResult result;
  for (std::size_t k = 0; k < kMany; ++k) result.names.push_back("X" + std::to_string(k));
  result.probabilities = result.feedback = result.confounded = Matrix<double>(kMany, kMany);
  result.probabilities(3, 7) = 0.9;
  result.feedback(3, 7) = result.feedback(7, 3) = 0.4;
  result.confounded(5, 9) = result.confounded(9, 5) = 0.6;
  result.confounded(5, 8) = result.confounded(8, 5) = 0.001;  // below the floor
  result.graph = Digraph(static_cast<int>(kMany), {{3, 7}});
  const std::string json = format_json(result, {});
  EXPECT_LT(json.size(), std::size_t{1} << 20);
  const StoredResult read = parse_result(json, "a test");
  EXPECT_EQ(read.result.feedback, result.feedback);
  EXPECT_EQ(read.result.confounded(9, 5), 0.6);
  EXPECT_EQ(read.result.confounded(5, 8), 0.0);
}

TEST_F(StackedOutput, KnowledgeOfANetworksPairsIsKept) {
  DiscoverOptions options = with("telling");
  options.knowledge.required = {{0, 1}};
  options.knowledge.forbidden = {{2, 3}};
  const DiscoverResult result = discover(simulated(5, 80), options);
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 0}, {2, 3}, {3, 2}}) EXPECT_EQ(result.feedback(i, j), 0.0);
  EXPECT_GT(result.feedback(0, 2), 0.0);
}

TEST_F(StackedOutput, KnowledgeIsKept) {
  DiscoverOptions options = with("stacked");
  options.knowledge.required = {{0, 1}};
  options.knowledge.forbidden = {{2, 3}};
  const DiscoverResult result = discover(simulated(5, 80), options);
  EXPECT_EQ(result.probabilities(0, 1), 1.0);
  EXPECT_EQ(result.probabilities(1, 0), 0.0);
  EXPECT_EQ(result.probabilities(2, 3), 0.0);
  EXPECT_LE(result.probabilities(3, 2), 1.0);
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 0}, {2, 3}, {3, 2}}) EXPECT_EQ(result.feedback(i, j), 0.0);
  EXPECT_GT(result.feedback(0, 2), 0.0);
}

TEST_F(StackedOutput, FilesHoldIt) {
  DiscoverOptions options = with("stacked");
  options.threshold = 0.0;
  options.evidence = EvidenceRule::kOff;
  const DiscoverResult result = discover(simulated(4, 60), options);
  const std::string csv = format_edges_csv(result);
  EXPECT_EQ(
      csv.substr(0, csv.find('\n')).find("source,target,probability,probability_reverse,feedback,confounded"),
      0u);
  const StoredResult read = parse_result(format_json(result, {}), "a test");
  EXPECT_TRUE(read.result.stacked);
  for (std::size_t k = 0; k < 16; ++k) {
    EXPECT_NEAR(read.result.feedback.data()[k], result.feedback.data()[k], 1e-12);
    EXPECT_NEAR(read.result.confounded.data()[k], result.confounded.data()[k], 1e-12);
  }
  EXPECT_NE(format_graphml(result).find("attr.name=\"confounded\""), std::string::npos);
}

}  // namespace
}  // namespace causcale

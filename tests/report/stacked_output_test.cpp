// What a model with a second stage says beyond arrows, from the table to the files.
#include <gtest/gtest.h>

#include <cmath>

#include "causcale/discover.h"
#include "discover/stacking/stacked_model.h"
#include "report/read_result.h"
#include "report/report.h"
#include "simulate/synthetic.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

class StackedOutput : public testing::Test {
 protected:
  void SetUp() override {
    ModelConfig config;
    config.blocks = 1;
    config.embed_dim = 16;
    config.heads = 2;
    config.ffn_dim = 16;
    test::write_random_model(folder_ / "plain.safetensors", config);
    PairNetwork member = PairNetwork::random(static_cast<int>(kPairInputs), 4, 1, 0);
    member.last_bias << 0.0f, 0.5f, 0.5f, 4.0f, 3.0f;
    const StackedModel model(std::vector<float>(kPairInputs, 0.0f), std::vector<float>(kPairInputs, 1.0f),
                             {member});
    write_with_stacking(folder_ / "plain.safetensors", model, {}, folder_ / "stacked.safetensors");
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

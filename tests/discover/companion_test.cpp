#include "discover/stacking/companion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/byte_size.h"
#include "causcale/error.h"
#include "discover/estimate.h"
#include "discover/stacking/stacked_model.h"
#include "simulate/synthetic.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

core::PairProbabilities pair_of(double forward, double reverse) {
  core::PairProbabilities said{Matrix<double>(2, 2), {}, {}};
  said.edges(0, 1) = forward;
  said.edges(1, 0) = reverse;
  return said;
}

core::PairProbabilities telling(double forward, double reverse, double feedback, double confounded) {
  core::PairProbabilities said = pair_of(forward, reverse);
  said.feedback = said.confounded = Matrix<double>(2, 2);
  said.feedback(0, 1) = said.feedback(1, 0) = feedback;
  said.confounded(0, 1) = said.confounded(1, 0) = confounded;
  return said;
}

TEST(Companion, TheJoinedAnswerIsTheMeanOfLogProbabilities) {
  const JoinedAnswer answer = joined(pair_of(0.6, 0.3), pair_of(0.2, 0.7));
  // No link 0.1 and 0.1, forward 0.6 and 0.2, reverse 0.3 and 0.7.
  const double none = std::sqrt(0.1 * 0.1), forward = std::sqrt(0.6 * 0.2), reverse = std::sqrt(0.3 * 0.7);
  EXPECT_NEAR(answer.said.edges(0, 1), forward / (none + forward + reverse), 1e-12);
  EXPECT_NEAR(answer.said.edges(1, 0), reverse / (none + forward + reverse), 1e-12);
  EXPECT_TRUE(answer.said.feedback.empty());
  EXPECT_TRUE(answer.said.confounded.empty());
  EXPECT_NEAR(answer.disagreement(0, 1), std::log(0.2 / 0.8) - std::log(0.6 / 0.4), 1e-12);
  EXPECT_NEAR(answer.disagreement(1, 0), std::log(0.7 / 0.3) - std::log(0.3 / 0.7), 1e-12);
}

TEST(Companion, NetworksThatAgreeStayAsTheyAre) {
  const core::PairProbabilities said = telling(0.7, 0.2, 0.1, 0.35);
  const JoinedAnswer answer = joined(said, said);
  for (const auto& [i, j] : {std::pair{0, 1}, std::pair{1, 0}}) {
    EXPECT_NEAR(answer.said.edges(i, j), said.edges(i, j), 1e-12);
    EXPECT_NEAR(answer.said.feedback(i, j), said.feedback(i, j), 1e-12);
    EXPECT_NEAR(answer.said.confounded(i, j), said.confounded(i, j), 1e-12);
    EXPECT_EQ(answer.disagreement(i, j), 0.0);
  }
}

// What one of the two does not tell is said by the other one.
TEST(Companion, FeedbackAndHiddenCausesAreSaidByThoseThatTellThem) {
  const JoinedAnswer answer = joined(pair_of(0.45, 0.45), telling(0.8, 0.8, 0.75, 0.4));
  const core::PairProbabilities& said = answer.said;
  EXPECT_EQ(said.confounded(0, 1), 0.4);
  EXPECT_NEAR(said.feedback(0, 1) / link_probability(said, 0, 1), 0.75 / 0.85, 1e-9);
  EXPECT_EQ(said.feedback(0, 1), said.feedback(1, 0));
  EXPECT_LE(said.feedback(0, 1), said.edges(0, 1));
  const core::PairProbabilities turned = joined(telling(0.8, 0.8, 0.75, 0.4), pair_of(0.45, 0.45)).said;
  EXPECT_EQ(turned.edges, said.edges);
  EXPECT_EQ(turned.feedback, said.feedback);
}

TEST(Companion, ExtremeAnswersStayProbabilities) {
  for (const double p : {0.0, 1e-9, 0.5, 1.0})
    for (const double q : {0.0, 1.0 - p}) {
      const core::PairProbabilities said = joined(pair_of(p, q), telling(1.0, 1.0, 1.0, 1.0)).said;
      for (const auto& [i, j] : {std::pair{0, 1}, std::pair{1, 0}}) {
        EXPECT_GE(said.feedback(i, j), 0.0);
        EXPECT_LE(said.feedback(i, j), said.edges(i, j) + 1e-12);
        EXPECT_LE(said.edges(i, j), 1.0 + 1e-12);
      }
      EXPECT_LE(link_probability(said, 0, 1), 1.0 + 1e-12);
    }
}

class CompanionFile : public testing::Test {
 protected:
  void SetUp() override {
    ModelConfig config = test::small_config();
    test::write_random_model(own(), config, {{"views", "2"}});
    config.blocks = 2;
    config.channels.data = {DataChannel::kMissing};
    config.channels.pairs = {PairChannel::kKnowledge};
    config.outputs = {PairOutput::kFeedback, PairOutput::kConfounded};
    test::write_random_model(other(), config, {{"views", "3"}, {"temperature", "1.5"}, {"usual_rows", "40"}});
    // A second stage that has learnt nothing: the answer is that of the two networks.
    const PairNetwork member = PairNetwork::random(static_cast<int>(kPairInputs), 4, 1, 0);
    const StackedModel stage(std::vector<float>(kPairInputs, 0.0f), std::vector<float>(kPairInputs, 1.0f),
                             {member});
    write_with_stacking(own(), other(), stage, {}, both());
  }
  std::filesystem::path own() const { return folder_ / "own.safetensors"; }
  std::filesystem::path other() const { return folder_ / "other.safetensors"; }
  std::filesystem::path both() const { return folder_ / "both.safetensors"; }
  static DiscoverOptions with(const std::filesystem::path& model) {
    DiscoverOptions options;
    options.model = model.string();
    options.device = Device::kCpu;
    options.precision = Precision::kFloat32;
    return options;
  }
  static Dataset simulated() {
    SyntheticOptions options;
    options.nodes = 5;
    options.rows = 80;
    return simulate_synthetic(options, 4, 0).dataset;
  }

  test::TempFolder folder_;
};

TEST_F(CompanionFile, BothNetworksAreAskedAsTheirCardsSay) {
  const Dataset dataset = simulated();
  const DiscoverResult found = discover(dataset, with(both()));
  DiscoverOptions alone = with(own());
  const DiscoverResult one = discover(dataset, alone);
  alone.model = other().string();
  const DiscoverResult two = discover(dataset, alone);
  const JoinedAnswer expected =
      joined({one.probabilities, {}, {}}, {two.probabilities, two.feedback, two.confounded});
  ASSERT_TRUE(found.stacked);
  for (std::size_t k = 0; k < found.probabilities.size(); ++k) {
    EXPECT_NEAR(found.probabilities.data()[k], expected.said.edges.data()[k], 1e-5);
    EXPECT_NEAR(found.feedback.data()[k], expected.said.feedback.data()[k], 1e-5);
    EXPECT_NEAR(found.confounded.data()[k], expected.said.confounded.data()[k], 1e-5);
  }
  EXPECT_EQ(found.passes, one.passes);  // temperatures belong to those of the own network
}

TEST_F(CompanionFile, WithoutASecondStageNobodyAsksIt) {
  DiscoverOptions options = with(both());
  options.stacking = StackingRule::kOff;
  const LoadedModel loaded = load_for_discover(options);
  EXPECT_EQ(loaded.companion, nullptr);
  const Dataset dataset = simulated();
  EXPECT_EQ(discover(dataset, options).probabilities, discover(dataset, with(own())).probabilities);
}

TEST_F(CompanionFile, ThePlanCountsBoth) {
  const DiscoverPlan plan = plan_discover(80, 5, with(both())), one = plan_discover(80, 5, with(own())),
                     two = plan_discover(80, 5, with(other()));
  EXPECT_EQ(one.passes, 2);
  EXPECT_EQ(two.passes, 4);  // three views over two parts of the rows
  EXPECT_EQ(plan.passes, one.passes + two.passes);
  EXPECT_NEAR(plan.tera_flops, one.tera_flops + two.tera_flops, 1e-12);
  const LoadedModel loaded = load_for_discover(with(both()));
  EXPECT_EQ(loaded.weight_bytes(),
            loaded.network->weight_bytes() + loaded.companion->network->weight_bytes());
  EXPECT_GT(plan.peak_bytes, std::max(one.peak_bytes, two.peak_bytes));
  EXPECT_LT(plan.peak_bytes, one.peak_bytes + two.peak_bytes);
}

TEST_F(CompanionFile, AMemoryLimitHoldsForBothTogether) {
  DiscoverOptions options = with(both());
  const DiscoverPlan free = plan_discover(80, 5, options);
  options.max_memory = free.peak_bytes;
  EXPECT_LE(plan_discover(80, 5, options).peak_bytes, options.max_memory);
  options.max_memory = load_for_discover(options).weight_bytes() / 2;
  EXPECT_THROW(plan_discover(80, 5, options), UsageError);
}

// The companion may be the one that needs more; the message is about the limit that was given.
TEST_F(CompanionFile, AMemoryLimitThatOnlyTheCompanionBreaksIsNamedAsItWasGiven) {
  const PairNetwork member = PairNetwork::random(static_cast<int>(kPairInputs), 4, 1, 0);
  const StackedModel stage(std::vector<float>(kPairInputs, 0.0f), std::vector<float>(kPairInputs, 1.0f),
                           {member});
  ModelConfig config;
  config.blocks = 1;
  config.embed_dim = 64;
  config.heads = 4;
  config.ffn_dim = 64;
  test::write_random_model(folder_ / "large.safetensors", config);
  write_with_stacking(own(), folder_ / "large.safetensors", stage, {}, folder_ / "uneven.safetensors");
  DiscoverOptions options = with(folder_ / "uneven.safetensors");
  const LoadedModel loaded = load_for_discover(options);
  const auto least = [&](const core::Network& network) { return network.memory(80, 5, 1, 1).least; };
  ASSERT_LT(least(*loaded.network), least(*loaded.companion->network));
  options.threads = 1;
  options.max_memory = loaded.weight_bytes() + least(*loaded.network) + 16;
  try {
    settle(options, loaded, 80, 5);
    ADD_FAILURE() << "the limit was not kept";
  } catch (const UsageError& error) {
    const std::string given = format_byte_size(static_cast<std::uint64_t>(options.max_memory));
    EXPECT_NE(std::string(error.what()).find("--max-memory " + given + " is too little"), std::string::npos)
        << error.what();
  }
  // What the message asks for is enough.
  options.max_memory = (loaded.weight_bytes() + least(*loaded.companion->network)) / 200 * 201 + 200;
  EXPECT_LE(plan_discover(80, 5, options, loaded).peak_bytes, options.max_memory);
}

// What is known goes into the answer by the rule for probabilities, whatever a network could make of it.
TEST_F(CompanionFile, KnowledgeChangesNoOtherPair) {
  const Dataset dataset = simulated();
  DiscoverOptions options = with(both());
  const Matrix<double> before = discover(dataset, options).probabilities;
  options.knowledge.forbidden = {{0, 1}};
  const Matrix<double> after = discover(dataset, options).probabilities;
  EXPECT_EQ(after(0, 1), 0.0);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      if (std::min(i, j) > 0 || std::max(i, j) > 1) EXPECT_EQ(after(i, j), before(i, j)) << i << " " << j;
}

TEST_F(CompanionFile, AnotherSecondStageLeavesNothingOfIt) {
  const StackedModel stage(std::vector<float>(kPairInputs, 0.0f), std::vector<float>(kPairInputs, 1.0f),
                           {PairNetwork::random(static_cast<int>(kPairInputs), 4, 1, 0)});
  write_with_stacking(both(), {}, stage, {}, folder_ / "again.safetensors");
  EXPECT_EQ(load_for_discover(with(folder_ / "again.safetensors")).companion, nullptr);
  const SafetensorsFile file(folder_ / "again.safetensors");
  EXPECT_TRUE(companion_metadata(file.content().metadata).empty());
}

TEST_F(CompanionFile, DamageIsNamed) {
  const SafetensorsFile file(both());
  const auto failure = [&](const auto& damage) -> std::string {
    SafetensorsContent content = file.content();
    damage(content);
    write_safetensors(folder_ / "damaged.safetensors", content);
    try {
      load_for_discover(with(folder_ / "damaged.safetensors"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  const std::string missing = failure([](SafetensorsContent& content) {
    std::erase_if(content.tensors, [](const TensorView& tensor) {
      return tensor.name == "stacking.network.encoder.embed_data.weight";
    });
  });
  EXPECT_NE(missing.find("stacking.network.encoder.embed_data.weight"), std::string::npos) << missing;
  const std::string views =
      failure([](SafetensorsContent& content) { content.metadata["stacking_network_views"] = "four"; });
  EXPECT_NE(views.find("network of the second stage: metadata key 'views' is 'four'"), std::string::npos)
      << views;
}

}  // namespace
}  // namespace causcale

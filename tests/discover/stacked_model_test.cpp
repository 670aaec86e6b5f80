#include "discover/stacking/stacked_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "causcale/error.h"
#include "data/standardize.h"
#include "discover/stacking/fit_stacking.h"
#include "discover/stacking/stacking_examples.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

PairStatistics random_statistics(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  PairStatistics statistics(n);
  for (auto* values : {&statistics.directed.values(), &statistics.nodes.values(), &statistics.table})
    for (float& value : *values) value = normal(random);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      for (std::size_t s = 0; s < kNumberOf<SymmetricStatistic>; ++s)
        statistics.set(static_cast<SymmetricStatistic>(s), i, j, normal(random));
  return statistics;
}

Matrix<double> random_answer(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 0.5);
  Matrix<double> network(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j) network(i, j) = uniform(random);
  return network;
}

StackedModel random_model(bool fresh) {
  std::vector<PairNetwork> members;
  std::mt19937 random(4);
  std::normal_distribution<float> normal(0.0f, 0.2f);
  for (std::uint32_t k = 0; k < 2; ++k) {
    members.push_back(PairNetwork::random(static_cast<int>(kPairInputs), 5, 1, k));
    if (!fresh)
      for (const auto block : members.back().blocks())
        for (float& weight : block) weight += normal(random);
  }
  return {std::vector<float>(kPairInputs, 0.1f), std::vector<float>(kPairInputs, 2.0f), std::move(members)};
}

double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a.data()[k] - b.data()[k]));
  return largest;
}

TEST(StackedModel, WithNothingToAddTheNetworksAnswerStays) {
  const Matrix<double> network = random_answer(4, 1);
  const StackedAnswer answer = random_model(true).answer(random_statistics(4, 2), {network, {}, {}}, 1);
  // Edges both ways, which the network cannot tell, take one in a thousand.
  EXPECT_LT(largest_difference(answer.probabilities, network), 2e-3);
  EXPECT_NEAR(answer.feedback(0, 1), 1e-3, 1e-4);
  EXPECT_NEAR(answer.confounded(0, 1), 0.02, 1e-3);
  EXPECT_EQ(answer.probabilities(2, 2), 0.0);
  EXPECT_EQ(answer.feedback(2, 2), 0.0);
}

// What a network tells of feedback and hidden causes stays, too.
TEST(StackedModel, WithNothingToAddFeedbackAndHiddenCausesStay) {
  const std::size_t n = 4;
  core::PairProbabilities network{random_answer(n, 1), Matrix<double>(n, n), Matrix<double>(n, n)};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      network.feedback(i, j) = 0.1 * static_cast<double>(1 + std::min(i, j));
      network.edges(i, j) = 0.5 * network.edges(i, j) + network.feedback(i, j);
      network.confounded(i, j) = 0.05 * static_cast<double>(1 + i + j);
    }
  const StackedAnswer answer = random_model(true).answer(random_statistics(n, 2), network, 1);
  // Probabilities go through single precision as logarithms.
  EXPECT_LT(largest_difference(answer.probabilities, network.edges), 1e-5);
  EXPECT_LT(largest_difference(answer.feedback, network.feedback), 1e-5);
  EXPECT_LT(largest_difference(answer.confounded, network.confounded), 1e-5);
}

TEST(StackedModel, AnswersFollowTheColumnsAndStayProbabilities) {
  const std::size_t n = 4, order[] = {3, 0, 2, 1};
  const PairStatistics statistics = random_statistics(n, 2);
  const Matrix<double> network = random_answer(n, 1);
  PairStatistics moved(n);
  Matrix<double> moved_network(n, n);
  moved.table = statistics.table;
  for (std::size_t a = 0; a < n; ++a) {
    std::ranges::copy(statistics.nodes.row(order[a]), moved.nodes.row(a).begin());
    for (std::size_t b = 0; b < n; ++b) {
      std::ranges::copy(statistics.directed.row(order[a] * n + order[b]),
                        moved.directed.row(a * n + b).begin());
      std::ranges::copy(statistics.symmetric.row(order[a] * n + order[b]),
                        moved.symmetric.row(a * n + b).begin());
      moved_network(a, b) = network(order[a], order[b]);
    }
  }
  const StackedModel model = random_model(false);
  const StackedAnswer one = model.answer(statistics, {network, {}, {}}, 1),
                      two = model.answer(moved, {moved_network, {}, {}}, 2);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      EXPECT_NEAR(two.probabilities(a, b), one.probabilities(order[a], order[b]), 1e-6);
      EXPECT_NEAR(two.confounded(a, b), one.confounded(order[a], order[b]), 1e-6);
      if (a == b) continue;
      EXPECT_GE(one.feedback(a, b), 0.0);
      EXPECT_LE(one.feedback(a, b), std::min(one.probabilities(a, b), one.probabilities(b, a)) + 1e-12);
      EXPECT_LE(one.probabilities(a, b) + one.probabilities(b, a) - one.feedback(a, b), 1.0 + 1e-9);
      EXPECT_EQ(one.confounded(a, b), one.confounded(b, a));
    }
  EXPECT_GT(largest_difference(one.probabilities, network), 0.05);
}

class StackedFile : public testing::Test {
 protected:
  void SetUp() override {
    ModelConfig config = test::small_config();
    test::write_random_model(plain(), config, {{"stacking_seed", "7"}});
  }
  std::filesystem::path plain() const { return folder_ / "plain.safetensors"; }
  std::filesystem::path stacked() const { return folder_ / "stacked.safetensors"; }

  test::TempFolder folder_;

  std::string failure(const std::function<void(SafetensorsContent&)>& damage) {
    const SafetensorsFile file(stacked());
    SafetensorsContent content = file.content();
    damage(content);
    const auto damaged = folder_ / "damaged.safetensors";
    write_safetensors(damaged, content);
    try {
      core::WeightFile weights(damaged);
      read_stacked_model(weights);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was refused";
  }
};

TEST_F(StackedFile, ComesBackAsItWas) {
  const StackedModel model = random_model(false);
  write_with_stacking(plain(), {}, model, {{"seed", "3"}}, stacked());
  core::WeightFile weights(stacked());
  EXPECT_EQ(weights.metadata().at("stacking_seed"), "3");
  const auto read = read_stacked_model(weights);
  ASSERT_TRUE(read.has_value());
  const PairStatistics statistics = random_statistics(5, 2);
  const core::PairProbabilities network{random_answer(5, 1), {}, {}};
  EXPECT_EQ(read->answer(statistics, network, 1).probabilities,
            model.answer(statistics, network, 1).probabilities);
  core::read_weights(weights);  // the rest is the network, none missing and none left over

  // Another second stage takes the place of the first.
  const auto again = folder_ / "again.safetensors";
  write_with_stacking(stacked(), {}, random_model(true), {}, again);
  core::WeightFile replaced(again);
  EXPECT_FALSE(replaced.metadata().contains("stacking_seed"));
  EXPECT_EQ(read_stacked_model(replaced)->members().size(), 2u);
}

TEST_F(StackedFile, AModelWithoutOneHasNone) {
  core::WeightFile weights(plain());
  EXPECT_FALSE(read_stacked_model(weights).has_value());
}

TEST_F(StackedFile, DamageIsNamed) {
  write_with_stacking(plain(), {}, random_model(false), {}, stacked());
  EXPECT_NE(failure([](auto& content) { content.metadata["stacking"] = "99"; }).find("\"99\""),
            std::string::npos);
  EXPECT_NE(failure([](auto& content) {
              std::erase_if(content.tensors, [](const auto& t) { return t.name == "stacking.1.last"; });
            }).find("stacking.1.last"),
            std::string::npos);
  EXPECT_NE(failure([](auto& content) {
              std::erase_if(content.tensors, [](const auto& t) {
                return t.name.starts_with("stacking.") && t.name != "stacking.mean" &&
                       t.name != "stacking.scale";
              });
            }).find("stacking.0.first"),
            std::string::npos);
  const std::vector<float> bad(kPairInputs, std::nanf("")), zero(kPairInputs, 0.0f);
  const auto replace = [](SafetensorsContent& content, const std::string& name,
                          const std::vector<float>& with) {
    for (TensorView& tensor : content.tensors)
      if (tensor.name == name) tensor.bytes = std::as_bytes(std::span(with));
  };
  EXPECT_NE(failure([&](auto& content) { replace(content, "stacking.mean", bad); }).find("not finite"),
            std::string::npos);
  EXPECT_NE(failure([&](auto& content) { replace(content, "stacking.scale", zero); }).find("not positive"),
            std::string::npos);
}

// The network is undecided everywhere; one statistic tells the truth.
std::vector<StackingExample> told_by_shifts(int tables) {
  std::vector<StackingExample> examples;
  std::mt19937 random(8);
  for (int t = 0; t < tables; ++t) {
    const std::size_t n = 4;
    StackingExample example{"test",
                            random_statistics(n, static_cast<unsigned>(t)),
                            {Matrix<double>(n, n, 0.2), {}, {}},
                            Matrix<std::uint8_t>(n, n),
                            Matrix<std::uint8_t>(n, n)};
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) {
        const bool forward = random() % 2 != 0;
        example.adjacency(forward ? i : j, forward ? j : i) = 1;
        example.statistics.at(DirectedStatistic::kShiftSize, i, j) = forward ? 2.0f : 0.0f;
        example.statistics.at(DirectedStatistic::kShiftSize, j, i) = forward ? 0.0f : 2.0f;
      }
    examples.push_back(std::move(example));
  }
  return examples;
}

TEST(FitStacking, LearnsWhichStatisticTells) {
  const std::vector<StackingExample> examples = told_by_shifts(60);
  StackingFit fit;
  fit.members = 2;
  fit.hidden = 8;
  fit.epochs = 40;
  fit.batch = 32;
  fit.learning_rate = 0.01;
  const StackedModel model = fit_stacking(std::span(examples).first(50), fit, 1);
  const auto held = std::span(examples).subspan(50);
  const StackingScore before = stacking_score(held, nullptr, 1), after = stacking_score(held, &model, 1);
  EXPECT_NEAR(before.loss, -std::log(0.2), 0.01);
  EXPECT_LT(after.loss, 0.3);
  EXPECT_GT(after.average_precision, 0.95);
  EXPECT_EQ(after.tables, 10u);

  const StackedModel again = fit_stacking(std::span(examples).first(50), fit, 2);
  EXPECT_EQ(again.members()[1].first, model.members()[1].first);
}

class StackingFiles : public testing::Test {
 protected:
  test::TempFolder folder_;
};

TEST_F(StackingFiles, AnExampleComesBackAsItWas) {
  StackingExample example = told_by_shifts(1).front();
  example.network.confounded = Matrix<double>(4, 4, 0.1);
  write_stacking_example(example, folder_ / "one.safetensors");
  const StackingExample read = read_stacking_example(folder_ / "one.safetensors");
  EXPECT_EQ(read.world, "test");
  EXPECT_EQ(read.network, example.network);
  EXPECT_EQ(read.adjacency, example.adjacency);
  EXPECT_EQ(read.statistics.directed, example.statistics.directed);
  EXPECT_EQ(read.statistics.table, example.statistics.table);
}

TEST_F(StackingFiles, ARecipeThatIsNestedTooDeeplyIsRefused) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  const auto path = folder_.write("deep.json", "{\"parts\": [" + deep + "]}");
  EXPECT_NE(
      test::error_of([&] { read_stacking_recipe(path); }).find("line 1: JSON that is nested too deeply"),
      std::string::npos);
}

TEST(StackingRecipeText, AListOfSeedsIsAsManyPartsAndTheFirstAloneHasHeldOutTables) {
  const std::string sizes = R"("nodes": 5, "rows": 50)";
  const auto recipe = [&](const std::string& seeds, const std::string& others) {
    return parse_stacking_recipe(R"({"parts": [{"worlds": "synthetic", )" + sizes +
                                     R"(, "held_out": 7, "seed": )" + seeds + R"(}, {"worlds": "nothing", )" +
                                     sizes + R"(, "seed": )" + others + "}]}",
                                 "r.json");
  };
  const StackingRecipe read = recipe("[3, 13]", "4");
  ASSERT_EQ(read.parts.size(), 3u);
  EXPECT_EQ(read.parts[0].seed, 3u);
  EXPECT_EQ(read.parts[1].seed, 4u);  // what the longer list adds comes last
  EXPECT_EQ(read.parts[2].seed, 13u);
  EXPECT_EQ(read.parts[0].held_out, 7);
  EXPECT_EQ(read.parts[2].held_out, 0);
  EXPECT_NE(draw_stacking_table(read.parts[0], 0).dataset.table.values,
            draw_stacking_table(read.parts[2], 0).dataset.table.values);
  for (const char* wrong : {"[]", "[3, 3]", "-1", "[1, \"2\"]", "1.5"})
    EXPECT_NE(test::error_of([&] { recipe(wrong, "4"); }).find("r.json, part 1, key \"seed\": found"),
              std::string::npos)
        << wrong;
}

}  // namespace
}  // namespace causcale

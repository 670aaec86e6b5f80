#include "discover/block_estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "data/standardize.h"
#include "metrics/average_precision.h"
#include "simulate/synthetic.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

Simulation simulated(int nodes, int rows) {
  SyntheticOptions options;
  options.nodes = nodes;
  options.rows = rows;
  return simulate_synthetic(options, 11, 0);
}

DiscoverOptions plain(std::size_t block_columns) {
  DiscoverOptions options;
  options.precision = Precision::kFloat32;
  options.device = Device::kCpu;
  options.stacking = StackingRule::kOff;
  options.views = 1;
  options.threads = 1;
  options.block_columns = block_columns;
  return options;
}

TEST(TakeColumns, KeepsWhatConcernsThem) {
  Dataset dataset;
  dataset.table.names = {"a", "b", "c"};
  dataset.table.values = Matrix<double>(4, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  dataset.table.kinds = {ColumnKind::kBinary, ColumnKind::kContinuous, ColumnKind::kCount};
  dataset.interventions.regimes = {{}, {0, 2}, {1}, {2}};
  dataset.interventions.regime_of_row = {0, 1, 2, 3};
  const std::vector<int> columns = {2, 0};
  const Dataset taken = take_columns(dataset, columns);
  EXPECT_EQ(taken.table.names, (std::vector<std::string>{"c", "a"}));
  EXPECT_EQ(taken.table.values, Matrix<double>(4, 2, {3, 1, 6, 4, 9, 7, 12, 10}));
  EXPECT_EQ(taken.table.kinds, (std::vector<ColumnKind>{ColumnKind::kCount, ColumnKind::kBinary}));
  // What was done to b alone is nothing here.
  EXPECT_EQ(taken.interventions.regimes, (std::vector<std::vector<int>>{{}, {0, 1}, {0}}));
  EXPECT_EQ(taken.interventions.regime_of_row, (std::vector<int>{0, 1, 0, 2}));
}

// Against the definition: the mean over the blocks with either end at the core, the least for the others.
void expect_mean_of_blocks(const DiscoverOptions& options, const Dataset& table) {
  const std::size_t n = table.table.cols();
  const LoadedModel loaded = load_for_discover(options);
  const Settings settings = settle(options, loaded, table.table.rows(), n);
  ASSERT_EQ(settings.block_columns, options.block_columns);
  std::vector<double> told;
  const Estimate found = estimate_in_blocks(settings, table, 0, [&](double pass) { told.push_back(pass); });
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_LE(told.back(), settings.passes());

  std::map<std::pair<int, int>, std::pair<double, int>> edges, feedback;
  double least = 1.0, least_feedback = 1.0;
  const Neighbours neighbours = likely_neighbours(table.table.values, 64, 0, 1);
  const std::vector<Block> blocks = cover_columns(neighbours, settings.block_columns, settings.block_core);
  EXPECT_EQ(blocks.size(), settings.blocks(n));
  for (const Block& block : blocks) {
    const Dataset part = take_columns(table, block.members);
    const std::vector<float> prior =
        make_priors(settings, {&part, 1}, {.scale = settings.prior_scale, .rows = {}});
    const core::PairProbabilities said = scaled_answers(settings, {&part, 1}, prior, 0).front();
    for (std::size_t a = 0; a < block.members.size(); ++a)
      for (std::size_t b = 0; b < block.members.size(); ++b) {
        if (a == b || (a >= block.core && b >= block.core)) continue;
        const std::pair pair(block.members[a], block.members[b]);
        edges[pair].first += said.edges(a, b);
        ++edges[pair].second;
        least = std::min(least, said.edges(a, b));
        if (said.feedback.empty()) continue;
        feedback[pair].first += said.feedback(a, b);
        ++feedback[pair].second;
        least_feedback = std::min(least_feedback, said.feedback(a, b));
      }
  }
  int alone = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const std::pair pair(static_cast<int>(i), static_cast<int>(j));
      const auto expected = [&](const auto& sums, double floor) {
        const auto sum = sums.find(pair);
        return i == j ? 0.0 : sum == sums.end() ? floor : sum->second.first / sum->second.second;
      };
      EXPECT_NEAR(found.probabilities(i, j), expected(edges, least), 1e-12) << i << " " << j;
      alone += i != j && !edges.contains(pair);
      if (feedback.empty()) continue;
      EXPECT_NEAR(found.feedback(i, j), expected(feedback, least_feedback), 1e-12);
      EXPECT_LE(found.feedback(i, j), found.probabilities(i, j));
    }
  EXPECT_GT(alone, 0);  // or the floor was not tested
  EXPECT_EQ(found.feedback.empty(), feedback.empty());
}

TEST(BlockEstimate, IsTheMeanOfBlocks) {
  expect_mean_of_blocks(plain(20), in_canonical_order(simulated(34, 40).dataset, 1));
}

TEST(BlockEstimate, OfModelsThatTellFeedback) {
  const test::TempFolder folder;
  ModelConfig model = test::small_config();
  model.outputs = {PairOutput::kFeedback, PairOutput::kConfounded};
  test::write_random_model(folder / "m.safetensors", model);
  DiscoverOptions options = plain(20);
  options.model = (folder / "m.safetensors").string();
  expect_mean_of_blocks(options, in_canonical_order(simulated(34, 40).dataset, 1));
}

TEST(BlockEstimate, FindsWhatTheWholeTableTells) {
  const Simulation simulation = simulated(60, 300);
  DiscoverOptions options = plain(40);
  options.evidence = EvidenceRule::kOff;
  const DiscoverResult in_blocks = discover(simulation.dataset, options);
  EXPECT_GT(average_precision(in_blocks.probabilities, simulation.graph), 0.95);
  EXPECT_TRUE(std::ranges::any_of(in_blocks.applicability,
                                  [](const Remark& remark) { return remark.code == "blocks"; }));
  options.block_columns = 60;  // as many as there are: as a whole
  const DiscoverResult whole = discover(simulation.dataset, options);
  options.block_columns = kNoBlocks;
  EXPECT_EQ(whole.probabilities, discover(simulation.dataset, options).probabilities);
  EXPECT_NE(whole.probabilities, in_blocks.probabilities);
  options.block_columns = 40;
  options.threads = 3;
  EXPECT_EQ(discover(simulation.dataset, options).probabilities, in_blocks.probabilities);
}

TEST(BlockEstimate, KnowledgeAndBootstrapAreThoseOfTheWholeTable) {
  const Simulation simulation = simulated(24, 60);
  DiscoverOptions options = plain(20);
  options.bootstrap = 2;
  options.knowledge.required = {{0, 23}};
  options.knowledge.forbidden = {{5, 6}, {6, 5}};
  const DiscoverResult result = discover(simulation.dataset, options);
  EXPECT_EQ(result.probabilities(0, 23), 1.0);
  EXPECT_EQ(result.probabilities(5, 6) + result.probabilities(6, 5), 0.0);
  EXPECT_EQ(result.bootstrap_mean(0, 23), 1.0);
  EXPECT_EQ(result.bootstrap_mean(6, 5), 0.0);
}

TEST(BlockSettings, AreChosenByTheColumnsOfTraining) {
  const LoadedModel general = load_for_discover(plain(kAutoBlocks));
  const auto plan = [&](std::size_t columns, std::size_t blocks) {
    return plan_discover(500, columns, plain(blocks), general);
  };
  const auto trained = static_cast<std::size_t>(general.card->ranges.at("columns").high);
  EXPECT_EQ(plan(2 * trained, kAutoBlocks).block_columns, 0u);
  EXPECT_EQ(plan(2 * trained, kAutoBlocks).blocks, 1u);
  const DiscoverPlan wide = plan(2 * trained + 1, kAutoBlocks);
  EXPECT_EQ(wide.block_columns, 500u);
  EXPECT_EQ(wide.blocks, (2 * trained + 1 + 24) / 25);
  EXPECT_EQ(plan(2 * trained + 1, kNoBlocks).block_columns, 0u);
  EXPECT_EQ(plan(600, 300).blocks, 40u);
  // A pass needs the memory of a block.
  EXPECT_LT(wide.peak_bytes, plan(2 * trained + 1, kNoBlocks).peak_bytes / 4);
  EXPECT_EQ(wide.peak_bytes, plan(500, kNoBlocks).peak_bytes);
}

TEST(BlockSettings, AModelThatClaimsAnyNumberOfColumnsSeesTheTableAsAWhole) {
  const test::TempFolder folder;
  ModelConfig model = test::small_config();
  DiscoverOptions options = plain(kAutoBlocks);
  for (const auto& [claim, blocks] :
       {std::pair("10 1e300", false), std::pair("10 5000", false), std::pair("-1e300 -5", true)}) {
    const auto file = folder / "m.safetensors";
    test::write_random_model(file, model, {{"trained_columns", claim}});
    options.model = file.string();
    EXPECT_EQ(plan_discover(50, 4000, options).block_columns > 0, blocks) << claim;
  }
}

}  // namespace
}  // namespace causcale

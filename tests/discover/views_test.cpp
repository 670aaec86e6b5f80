#include "discover/views.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "causcale/error.h"
#include "discover/estimate.h"
#include "simulate/synthetic.h"

namespace causcale {
namespace {

Dataset simulated(int nodes, int rows) {
  SyntheticOptions options;
  options.nodes = nodes;
  options.rows = rows;
  return simulate_synthetic(options, 4, 0).dataset;
}

TEST(ViewSigns, TheFirstViewIsTheTableAndOthersMirrorAboutHalfOfIt) {
  const Table table = simulated(60, 300).table;
  EXPECT_EQ(view_signs(table, 0), std::vector<float>(60, 1.0f));
  for (int view = 1; view < 6; ++view) {
    const std::vector<float> signs = view_signs(table, view);
    const auto turned = std::ranges::count(signs, -1.0f);
    EXPECT_GT(turned, 15) << view;
    EXPECT_LT(turned, 45) << view;
    EXPECT_EQ(std::ranges::count(signs, 1.0f), 60 - turned);
    EXPECT_NE(signs, view_signs(table, view - 1));
  }
}

TEST(ViewSigns, GoWithTheColumnAndNotWithItsPlaceOrUnit) {
  const Table table = simulated(20, 100).table;
  Table other = table;
  for (std::size_t c = 0; c < 20; ++c)
    for (std::size_t r = 0; r < table.rows(); ++r) other.values(r, c) = 1e-3 * table.values(r, 19 - c);
  std::vector<float> signs = view_signs(other, 3);
  std::ranges::reverse(signs);
  EXPECT_EQ(signs, view_signs(table, 3));
}

TEST(ViewSigns, RelatedColumnsAreMirroredIndependently) {
  // A column and a noisy copy of it: alike in half of all views, not in most.
  const Table table = simulated(2, 500).table;
  Table pair = table;
  for (std::size_t r = 0; r < pair.rows(); ++r)
    pair.values(r, 1) = table.values(r, 0) + 0.5 * table.values((r + 1) % pair.rows(), 0);
  int alike = 0;
  for (int view = 1; view <= 400; ++view) {
    const std::vector<float> signs = view_signs(pair, view);
    alike += signs[0] == signs[1];
  }
  EXPECT_GT(alike, 150);
  EXPECT_LT(alike, 280);
}

TEST(Mirrored, TurnsValuesAndPriorsButNoFlags) {
  const Dataset dataset = simulated(12, 80);
  const ModelInput input{at::randn({1, 80, 12, 2}), at::randn({1, 12, 12}), {}, {}};
  const ModelInput turned = mirrored(input, std::span(&dataset, 1), std::array{2});
  const std::vector<float> signs = view_signs(dataset.table, 2);
  ASSERT_GT(std::ranges::count(signs, -1.0f), 0);
  const at::Tensor sign = at::tensor(signs);
  EXPECT_TRUE(at::equal(turned.data.select(3, 0), input.data.select(3, 0) * sign));
  EXPECT_TRUE(at::equal(turned.data.select(3, 1), input.data.select(3, 1)));
  EXPECT_TRUE(at::equal(turned.prior, input.prior * sign.view({12, 1}) * sign.view({1, 12})));
}

TEST(Mirrored, ViewsOfSeveralTablesStandOneAfterTheOther) {
  const std::array<Dataset, 2> tables{simulated(5, 40), simulated(5, 41)};
  const ModelInput input{at::randn({2, 40, 5, 2}), at::randn({2, 5, 5}), {}, {}};
  const ModelInput all = mirrored(input, tables, std::array{0, 3, 1});
  ASSERT_EQ(all.data.size(0), 6);
  int place = 0;
  for (const int view : {0, 3, 1}) {
    const ModelInput one = mirrored(input, tables, std::array{view});
    EXPECT_TRUE(at::equal(all.data.narrow(0, place, 2), one.data));
    EXPECT_TRUE(at::equal(all.prior.narrow(0, place, 2), one.prior));
    place += 2;
  }
}

TEST(MeanProbabilities, AverageOverViewsAndParts) {
  const Dataset dataset = simulated(6, 90);
  const std::span<const Dataset> table(&dataset, 1);
  DiscoverOptions options;
  options.views = 3;
  options.ensemble = 2;
  options.max_samples = 45;
  const LoadedModel loaded = load_for_discover(options);
  const Settings settings = settle(options, loaded, 90, 6);
  EXPECT_EQ(settings.parts, 2);
  EXPECT_EQ(settings.views, 2);  // three views need two rounds over both parts
  EXPECT_EQ(settings.passes(), 4);
  const at::Tensor prior = prior_input(table, {.scale = settings.prior_scale, .rows = {}});
  std::vector<int> counted;
  const at::Tensor mean =
      mean_probabilities(settings, table, prior, 0, [&](int pass) { counted.push_back(pass); });
  EXPECT_EQ(counted, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_TRUE(at::isfinite(mean).all().item<bool>());
  Settings together = settings;
  together.views_at_once = 2;
  counted.clear();
  const at::Tensor at_once =
      mean_probabilities(together, table, prior, 0, [&](int pass) { counted.push_back(pass); });
  EXPECT_EQ(counted, (std::vector<int>{0, 2}));
  EXPECT_LT((at_once - mean).abs().max().item<double>(), 1e-5);

  // One part: the mean of what the network says to each view of all rows.
  options.ensemble = 1;
  options.max_samples = 90;
  const Settings whole = settle(options, loaded, 90, 6);
  EXPECT_EQ(whole.views, 3);
  Settings single = whole;
  single.views = single.different_views = 1;
  at::Tensor expected = mean_probabilities(single, table, prior, 0, [](int) {});
  for (int view = 1; view < 3; ++view) {
    Dataset turned = dataset;
    const std::vector<float> signs = view_signs(dataset.table, view);
    for (std::size_t r = 0; r < 90; ++r)
      for (std::size_t c = 0; c < 6; ++c) turned.table.values(r, c) *= signs[c];
    const std::span<const Dataset> shown(&turned, 1);
    expected = expected + mean_probabilities(single, shown,
                                             prior_input(shown, {.scale = settings.prior_scale, .rows = {}}),
                                             0, [](int) {});
  }
  const at::Tensor found = mean_probabilities(whole, table, prior, 0, [](int) {});
  EXPECT_LT((found - expected / 3).abs().max().item<double>(), 1e-5);
  together = whole;
  together.views_at_once = 2;  // and one more
  const at::Tensor in_two = mean_probabilities(together, table, prior, 0, [](int) {});
  EXPECT_LT((in_two - expected / 3).abs().max().item<double>(), 1e-5);
}

TEST(Settle, MoreViewsThanOneOnlyWhereTheyAreCheapUnlessAskedFor) {
  DiscoverOptions options;
  options.model = "general";
  const LoadedModel loaded = load_for_discover(options);
  ASSERT_EQ(usual_views(*loaded.model), 4);
  EXPECT_EQ(settle(options, loaded, 1000, 20).passes(), 4);
  EXPECT_EQ(settle(options, loaded, 1000, 500).passes(), 1);
  EXPECT_EQ(settle(options, loaded, 4000, 20).passes(), 4);  // four parts, each seen in its own way
  EXPECT_EQ(settle(options, loaded, 4000, 20).views, 1);
  options.views = 3;
  EXPECT_EQ(settle(options, loaded, 1000, 500).passes(), 3);
  options.views = -1;
  EXPECT_THROW(settle(options, loaded, 1000, 20), UsageError);
}

}  // namespace
}  // namespace causcale

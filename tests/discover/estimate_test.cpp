#include "discover/estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "causcale/error.h"
#include "core/input.h"
#include "core/views.h"
#include "simulate/synthetic.h"

namespace causcale {
namespace {

Dataset simulated(int nodes, int rows) {
  SyntheticOptions options;
  options.nodes = nodes;
  options.rows = rows;
  return simulate_synthetic(options, 4, 0).dataset;
}

double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a.data()[k] - b.data()[k]));
  return largest;
}

TEST(MeanProbabilities, AverageOverViewsAndParts) {
  const Dataset dataset = simulated(6, 90);
  const std::span<const Dataset> table(&dataset, 1);
  DiscoverOptions options;
  options.precision = Precision::kFloat32;
  options.views = 3;
  options.ensemble = 2;
  options.max_samples = 45;
  const LoadedModel loaded = load_for_discover(options);
  const Settings settings = settle(options, loaded, 90, 6);
  EXPECT_EQ(settings.parts, 2);
  EXPECT_EQ(settings.views, 2);  // three views need two rounds over both parts
  EXPECT_EQ(settings.passes(), 4);
  const std::vector<float> prior = prior_input(table, {.scale = settings.prior_scale, .rows = {}});
  std::vector<double> told;
  const Matrix<double> mean =
      mean_probabilities(settings, table, prior, 0, [&](double passes) { told.push_back(passes); }).front();
  EXPECT_EQ(told.front(), 0.0);
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_LT(told.back(), 4.0);
  Settings together = settings;
  together.views_at_once = 2;
  EXPECT_LT(largest_difference(mean_probabilities(together, table, prior, 0).front(), mean), 1e-12);

  // One part: the mean of what the network says to each view of all rows.
  options.ensemble = 1;
  options.max_samples = 90;
  const Settings whole = settle(options, loaded, 90, 6);
  EXPECT_EQ(whole.views, 3);
  Settings single = whole;
  single.views = single.different_views = 1;
  Matrix<double> expected = mean_probabilities(single, table, prior, 0).front();
  for (int view = 1; view < 3; ++view) {
    Dataset turned = dataset;
    const std::vector<float> signs = view_signs(dataset.table, view);
    for (std::size_t r = 0; r < 90; ++r)
      for (std::size_t c = 0; c < 6; ++c) turned.table.values(r, c) *= signs[c];
    const std::span<const Dataset> shown(&turned, 1);
    const Matrix<double> answer =
        mean_probabilities(single, shown, prior_input(shown, {.scale = settings.prior_scale, .rows = {}}), 0)
            .front();
    for (std::size_t k = 0; k < answer.size(); ++k) expected.data()[k] += answer.data()[k];
  }
  for (double& value : expected.values()) value /= 3;
  EXPECT_LT(largest_difference(mean_probabilities(whole, table, prior, 0).front(), expected), 1e-5);
  together = whole;
  together.views_at_once = 2;  // and one more
  EXPECT_LT(largest_difference(mean_probabilities(together, table, prior, 0).front(), expected), 1e-5);
}

TEST(Settle, MoreViewsThanOneOnlyWhereTheyAreCheapUnlessAskedFor) {
  DiscoverOptions options;
  options.model = "general";
  const LoadedModel loaded = load_for_discover(options);
  ASSERT_EQ(loaded.card->views, 4);
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

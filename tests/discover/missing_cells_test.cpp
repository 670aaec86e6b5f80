// Tables with gaps through the whole pipeline of the network.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "causcale/discover.h"
#include "data/standardize.h"
#include "methods/imputation.h"
#include "simulate/synthetic.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

Dataset table_with_gaps(double share) {
  SyntheticOptions options;
  options.nodes = 6;
  options.rows = 150;
  options.edges_per_node = 1.5;
  Dataset data = simulate_synthetic(options, 11, 0).dataset;
  RandomStream random(3, 0, 0);
  for (double& value : data.table.values.values())
    if (random.coin(share)) value = std::numeric_limits<double>::quiet_NaN();
  return data;
}

TEST(MissingCells, AreFilledInAndSaidSo) {
  const Dataset gaps = table_with_gaps(0.08);
  const DiscoverResult found = discover(gaps);
  for (const double probability : found.probabilities.values()) EXPECT_TRUE(std::isfinite(probability));
  EXPECT_GT(found.missing_cells, 20u);
  EXPECT_TRUE(test::contains(found.missing_rule, "filled in by regression"));
  EXPECT_TRUE(std::ranges::any_of(found.applicability,
                                  [](const Remark& remark) { return remark.code == "missing_filled"; }));
  EXPECT_EQ(found.probabilities, discover(with_imputed_cells(gaps, 0, 1)).probabilities);
}

TEST(MissingCells, ShuffledRowsGiveTheIdenticalAnswer) {
  const Dataset gaps = table_with_gaps(0.08);
  std::vector<std::size_t> order;
  for (std::size_t r = gaps.table.rows(); r-- > 0;) order.push_back(r);
  DiscoverOptions options;
  options.bootstrap = 2;
  const DiscoverResult once = discover(gaps, options), again = discover(take_rows(gaps, order), options);
  EXPECT_EQ(once.probabilities, again.probabilities);
  EXPECT_EQ(once.selection_frequency, again.selection_frequency);
}

TEST(MissingCells, NoneLeaveNoTrace) {
  const DiscoverResult found = discover(table_with_gaps(0.0));
  EXPECT_EQ(found.missing_cells, 0u);
  EXPECT_EQ(found.missing_rule, "");
}

TEST(MissingCells, AColumnOfNothingElseIsNamed) {
  Dataset gaps = table_with_gaps(0.05);
  for (std::size_t r = 0; r < gaps.table.rows(); ++r)
    gaps.table.values(r, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(test::contains(test::error_of([&] { discover(gaps); }),
                             "\"" + gaps.table.names[2] + "\" has no value in any row"));
}

}  // namespace
}  // namespace causcale

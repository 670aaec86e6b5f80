#include "effects/extra_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace causcale {
namespace {

// c acts on a and b; a acts on b by `strength`.
Dataset table_of(std::size_t rows, double strength) {
  Dataset dataset;
  dataset.table.names = {"a", "b", "c"};
  dataset.table.values = Matrix<double>(rows, 3);
  RandomStream random(9, 0, 0);
  for (std::size_t r = 0; r < rows; ++r) {
    const double c = random.normal(), a = c + random.normal();
    const double values[] = {a, 2.0 * c + strength * a + random.normal(), c};
    std::ranges::copy(values, dataset.table.values.row(r).begin());
  }
  return dataset;
}

TEST(ExtraRows, FollowFromThePartialCorrelation) {
  const Dataset dataset = table_of(20000, 0.1);
  const RowsNeeded needed = rows_needed(EffectTable(dataset), Digraph(3, {{2, 0}, {2, 1}}), 0, 1);
  EXPECT_EQ(needed.given, std::vector<int>{2});
  EXPECT_EQ(needed.rows, 20000u);
  const double correlation = 0.1 / std::sqrt(1.01);
  EXPECT_NEAR(needed.correlation, correlation, 0.02);
  // ((1.96 + 1.28) / atanh(r))^2 + 3 + 1 given
  EXPECT_NEAR(needed.needed, std::pow(3.2415 / std::atanh(needed.correlation), 2) + 4.0, 0.5);
}

TEST(ExtraRows, LeaveOutRowsWithEitherIntervenedOn) {
  Dataset dataset = table_of(300, 1.0);
  dataset.interventions.regimes = {{}, {0}, {2}};
  for (int r = 0; r < 300; ++r) dataset.interventions.regime_of_row.push_back(r % 3);
  const RowsNeeded needed = rows_needed(EffectTable(dataset), Digraph(3), 0, 1);
  EXPECT_EQ(needed.rows, 200u);
  EXPECT_LT(needed.needed, 20.0);
}

TEST(ExtraRows, CannotBeToldOfAConstantOrOfTooFewRows) {
  Dataset dataset = table_of(50, 1.0);
  for (std::size_t r = 0; r < 50; ++r) dataset.table.values(r, 0) = 1.0;
  EXPECT_TRUE(std::isnan(rows_needed(EffectTable(dataset), Digraph(3), 0, 1).needed));
  const Dataset few = table_of(4, 1.0);
  EXPECT_TRUE(std::isnan(rows_needed(EffectTable(few), Digraph(3, {{2, 0}, {2, 1}}), 0, 1).needed));
}

}  // namespace
}  // namespace causcale

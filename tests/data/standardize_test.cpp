#include "data/standardize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "data/interventions.h"

namespace causcale {
namespace {

Dataset example(std::size_t rows, std::size_t cols, bool discrete = false) {
  RandomStream random(5, 0, 0);
  Dataset data;
  data.table.values = Matrix<double>(rows, cols);
  for (double& value : data.table.values.values()) value = discrete ? random.below(3) : random.normal();
  for (std::size_t c = 0; c < cols; ++c) data.table.names.push_back("v" + std::to_string(c));
  std::vector<std::vector<int>> targets(rows);
  for (auto& list : targets)
    if (random.coin(0.6)) list = {static_cast<int>(random.below(static_cast<std::uint32_t>(cols)))};
  data.interventions = canonical_interventions(targets);
  return data;
}

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  RandomStream random(seed, 0, 1);
  for (std::size_t k = count; k > 1; --k)
    std::swap(order[k - 1], order[random.below(static_cast<std::uint32_t>(k))]);
  return order;
}

// Column c of the result is column order[c] of the data.
Dataset take_columns(const Dataset& data, const std::vector<std::size_t>& order) {
  Dataset result = data;
  std::vector<int> place(order.size());
  for (std::size_t c = 0; c < order.size(); ++c) {
    place[order[c]] = static_cast<int>(c);
    result.table.names[c] = data.table.names[order[c]];
    for (std::size_t r = 0; r < data.table.rows(); ++r)
      result.table.values(r, c) = data.table.values(r, order[c]);
  }
  std::vector<std::vector<int>> targets;
  for (const int regime : data.interventions.regime_of_row) {
    targets.push_back(data.interventions.regimes[static_cast<std::size_t>(regime)]);
    for (int& target : targets.back()) target = place[static_cast<std::size_t>(target)];
  }
  result.interventions = canonical_interventions(targets);
  return result;
}

TEST(Standardize, DivisorIsTheNumberOfRows) {
  const Matrix<double> result = standardize(Matrix<double>(4, 2, {1, 5, 2, 5, 3, 5, 6, 5}));
  const double deviation = std::sqrt(3.5);  // mean 3, squares 4 1 0 9
  EXPECT_DOUBLE_EQ(result(0, 0), -2 / deviation);
  EXPECT_DOUBLE_EQ(result(3, 0), 3 / deviation);
  for (std::size_t r = 0; r < 4; ++r) EXPECT_EQ(result(r, 1), 0.0);
}

TEST(Standardize, AConstantThatIsNoExactSumIsStillConstant) {
  const Matrix<double> values(1000, 1, 0.1);
  EXPECT_EQ(column_moments(values).deviation[0], 1.0);
  EXPECT_EQ(standardize(values), Matrix<double>(1000, 1, 0.0));
}

TEST(CanonicalRowOrder, IsAPermutationGroupedByRegime) {
  const Dataset data = example(200, 4);
  const auto order = canonical_row_order(data);
  std::vector<std::size_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t r = 0; r < sorted.size(); ++r) ASSERT_EQ(sorted[r], r);
  const Dataset ordered = take_rows(data, order);
  std::size_t changes = 0;
  const auto& regime = ordered.interventions.regime_of_row;
  EXPECT_EQ(regime[0], 0);
  for (std::size_t r = 1; r < regime.size(); ++r) changes += regime[r] != regime[r - 1];
  EXPECT_EQ(changes + 1, ordered.interventions.regimes.size());
}

TEST(CanonicalRowOrder, ForgetsTheOrderOfRowsAndColumnsAndTheUnits) {
  for (const bool discrete : {false, true}) {
    const Dataset data = example(300, 6, discrete);
    const Dataset reference = take_rows(data, canonical_row_order(data));
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Dataset mixed = take_rows(data, shuffled(300, seed));
      const Dataset again = take_rows(mixed, canonical_row_order(mixed, 2));
      ASSERT_EQ(again.table.values, reference.table.values);
      ASSERT_EQ(again.interventions.regime_of_row, reference.interventions.regime_of_row);

      const auto columns = shuffled(6, seed);
      Dataset turned = take_columns(mixed, columns);
      const Dataset turned_back = take_rows(turned, canonical_row_order(turned));
      ASSERT_EQ(turned_back.table.values, take_columns(reference, columns).table.values);

      Dataset scaled = mixed;
      for (std::size_t r = 0; r < 300; ++r) scaled.table.values(r, 2) = 1000 * scaled.table.values(r, 2) + 5;
      const auto order = canonical_row_order(scaled);
      ASSERT_EQ(take_rows(mixed, order).table.values, reference.table.values);
    }
  }
}

TEST(CanonicalRowOrder, NeighboursAreNoMoreAlikeThanOthers) {
  Dataset data = example(2000, 3);
  data.interventions = {};
  const Dataset ordered = take_rows(data, canonical_row_order(data));
  for (std::size_t c = 0; c < 3; ++c) {
    double product = 0.0;
    for (std::size_t r = 1; r < 2000; ++r)
      product += ordered.table.values(r, c) * ordered.table.values(r - 1, c);
    EXPECT_LT(std::abs(product / 2000), 0.1);  // 4.5 standard errors
  }
}

}  // namespace
}  // namespace causcale

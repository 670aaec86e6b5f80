#include "methods/imputation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "data/standardize.h"
#include "methods/column_codes.h"
#include "methods/method.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

// x, y = x + noise, a word that follows x, a count and a constant.
Dataset mixed_table(std::size_t rows) {
  Dataset data;
  data.table.names = {"x", "y", "word", "count", "same"};
  data.table.kinds = {ColumnKind::kContinuous, ColumnKind::kContinuous, ColumnKind::kUnordered,
                      ColumnKind::kCount, ColumnKind::kConstant};
  data.table.values = Matrix<double>(rows, 5);
  RandomStream random(4, 0, 1);
  for (std::size_t r = 0; r < rows; ++r) {
    const double x = random.normal();
    data.table.values(r, 0) = x;
    data.table.values(r, 1) = 3.0 + 2.0 * (0.95 * x + std::sqrt(1 - 0.95 * 0.95) * random.normal());
    data.table.values(r, 2) = x + 0.3 * random.normal() > 0.5 ? 2.0 : random.coin(0.5) ? 1.0 : 0.0;
    data.table.values(r, 3) = std::floor(std::exp(1.0 + 0.5 * x) + 3 * random.uniform());
    data.table.values(r, 4) = 7.0;
  }
  return data;
}

Dataset with_gaps(Dataset data, double share, std::uint64_t seed) {
  RandomStream random(seed, 0, 2);
  for (double& value : data.table.values.values())
    if (random.coin(share)) value = kGap;
  return data;
}

double correlation(const Matrix<double>& values, std::size_t a, std::size_t b) {
  const Matrix<double> z = standardize(values);
  double sum = 0.0;
  for (std::size_t r = 0; r < z.rows(); ++r) sum += z(r, a) * z(r, b);
  return sum / static_cast<double>(z.rows());
}

TEST(Imputation, FillsGapsAndNothingElse) {
  const Dataset gaps = with_gaps(mixed_table(400), 0.15, 1);
  const Dataset filled = with_imputed_cells(gaps, 0, 1);
  EXPECT_EQ(missing_cells(filled.table), 0u);
  for (std::size_t k = 0; k < gaps.table.values.size(); ++k)
    if (!std::isnan(gaps.table.values.data()[k]))
      EXPECT_EQ(filled.table.values.data()[k], gaps.table.values.data()[k]);
  for (std::size_t r = 0; r < 400; ++r) {
    const double word = filled.table.values(r, 2), count = filled.table.values(r, 3);
    EXPECT_TRUE(word == 0.0 || word == 1.0 || word == 2.0) << word;
    EXPECT_EQ(count, std::floor(count));
    EXPECT_EQ(filled.table.values(r, 4), 7.0);
  }
  EXPECT_EQ(with_imputed_cells(gaps, 0, 2).table.values, filled.table.values);  // threads
  EXPECT_NE(with_imputed_cells(gaps, 1, 1).table.values, filled.table.values);
  EXPECT_TRUE(contains(imputation_sentence(gaps), "missing cells: filled in by regression"));
}

TEST(Imputation, KeepsRelationsAsTheyAre) {
  const Dataset whole = mixed_table(3000);
  const double truth = correlation(whole.table.values, 0, 1);
  const Dataset filled = with_imputed_cells(with_gaps(whole, 0.3, 2), 0, 1);
  EXPECT_NEAR(correlation(filled.table.values, 0, 1), truth, 0.02);  // means in the gaps: 0.67
  // The word goes with x in the filled cells as well: large x has the last word.
  double large = 0.0, last = 0.0;
  for (std::size_t r = 0; r < 3000; ++r)
    if (filled.table.values(r, 0) > 1.0) {
      ++large;
      last += filled.table.values(r, 2) == 2.0;
    }
  EXPECT_GT(last / large, 0.85);
}

TEST(Imputation, KnowsNeitherTheOrderOfRowsNorThatOfColumns) {
  const Dataset gaps = with_gaps(mixed_table(200), 0.1, 3);
  const Dataset filled = with_imputed_cells(gaps, 0, 1);
  std::vector<std::size_t> order(200);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  EXPECT_EQ(with_imputed_cells(take_rows(gaps, order), 0, 1).table.values,
            take_rows(filled, order).table.values);
  Dataset turned = gaps;
  for (std::size_t c = 0; c < 5; ++c) {
    turned.table.kinds[c] = gaps.table.kinds[4 - c];
    for (std::size_t r = 0; r < 200; ++r) turned.table.values(r, c) = gaps.table.values(r, 4 - c);
  }
  const Dataset again = with_imputed_cells(turned, 0, 1);
  for (std::size_t r = 0; r < 200; ++r)
    for (std::size_t c = 0; c < 5; ++c)
      EXPECT_NEAR(again.table.values(r, c), filled.table.values(r, 4 - c), 1e-9);
}

TEST(Imputation, ColumnsWithNextToNothing) {
  Dataset data = mixed_table(50);
  for (std::size_t r = 1; r < 50; ++r) data.table.values(r, 1) = kGap;
  const Dataset filled = with_imputed_cells(data, 0, 1);
  EXPECT_EQ(filled.table.values(30, 1), data.table.values(0, 1));
  data.table.values(0, 1) = kGap;
  EXPECT_TRUE(contains(error_of([&] { with_imputed_cells(data, 0, 1); }), "\"y\" has no value in any row"));
}

// Whatever a method can do by itself, a table with gaps is not an obstacle, and the log says what became of
// them.
TEST(Imputation, EveryMethodTakesGaps) {
  Dataset continuous = mixed_table(200);
  continuous.table.names = {"x", "y", "z"};
  continuous.table.kinds = {};
  Matrix<double> values(200, 3);
  for (std::size_t r = 0; r < 200; ++r) {
    values(r, 0) = continuous.table.values(r, 0);
    values(r, 1) = continuous.table.values(r, 1);
    values(r, 2) = continuous.table.values(r, 1) - values(r, 0) + 0.01 * static_cast<double>(r % 17);
  }
  continuous.table.values = values;
  Dataset gaps = with_gaps(continuous, 0.08, 5);
  gaps.interventions.regimes = {{}, {0}};
  for (std::size_t r = 0; r < 200; ++r) gaps.interventions.regime_of_row.push_back(r < 150 ? 0 : 1);
  for (const Method& method : classical_methods()) {
    SCOPED_TRACE(method.name);
    const MethodResult found = run_method(method, gaps, {});
    const bool mentioned = std::ranges::any_of(
        found.log, [](const std::string& line) { return line.find(" missing cell") != std::string::npos; });
    EXPECT_TRUE(mentioned);
  }
}

}  // namespace
}  // namespace causcale

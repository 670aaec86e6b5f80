#include "core/input.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/views.h"
#include "data/standardize.h"
#include "simulate/synthetic.h"

namespace causcale {
namespace {

Dataset simulated(int nodes, int rows, std::uint32_t index = 0) {
  SyntheticOptions options;
  options.nodes = nodes;
  options.rows = rows;
  return simulate_synthetic(options, 4, index).dataset;
}

TEST(WriteData, StandardisesTheGivenRowsAndFlagsTheirTargets) {
  const Dataset dataset = simulated(5, 60);
  const std::vector<std::size_t> rows = {50, 3, 17, 4, 44};
  std::vector<float> out(rows.size() * 5 * 2);
  write_data(dataset.table.values, dataset.interventions, rows, true, {}, out.data());
  const Dataset part = take_rows(dataset, rows);
  const Matrix<double> expected = standardize(part.table.values);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < 5; ++c) {
      EXPECT_EQ(out[2 * (r * 5 + c)], static_cast<float>(expected(r, c)));
      const auto& targets =
          part.interventions.regimes[static_cast<std::size_t>(part.interventions.regime_of_row[r])];
      const bool target = std::ranges::find(targets, static_cast<int>(c)) != targets.end();
      EXPECT_EQ(out[2 * (r * 5 + c) + 1], target ? 1.0f : 0.0f);
    }
  write_data(dataset.table.values, dataset.interventions, rows, false, {}, out.data());
  for (std::size_t k = 1; k < out.size(); k += 2) EXPECT_EQ(out[k], 0.0f);
}

// Rounding must not turn a constant into a variable: 0.1 and 4.2 are not whole numbers, and their sums are
// not multiples of them.
TEST(WriteData, AConstantColumnIsZero) {
  for (const double value : {0.1, 4.2, -1e9 / 3, 7.0}) {
    Matrix<double> values(13, 2);
    for (std::size_t r = 0; r < 13; ++r) {
      values(r, 0) = value;
      values(r, 1) = static_cast<double>(r);
    }
    std::vector<std::size_t> rows(13);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::vector<float> out(13 * 4);
    write_data(values, {}, rows, true, {}, out.data());
    for (std::size_t r = 0; r < 13; ++r) EXPECT_EQ(out[4 * r], 0.0f) << value;
  }
}

// Standardised by what is there; the gaps are zeros, and a channel says where they are.
TEST(WriteData, MissingCellsAreZeroAndFlagged) {
  constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
  const Matrix<double> values(4, 3, {1.0, 0.1, kGap, kGap, 0.1, kGap, 3.0, kGap, kGap, 5.0, 0.1, kGap});
  const std::vector<std::size_t> rows = {0, 1, 2, 3};
  const InputChannels channels{{DataChannel::kMissing}, {}};
  std::vector<float> out(4 * 3 * 3, -1.0f);
  write_data(values, {}, rows, true, channels, out.data());
  const float step = static_cast<float>(2 / std::sqrt(8.0 / 3));  // 1, 3, 5
  const std::array<float, 4> first = {-step, 0.0f, 0.0f, step};
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_FLOAT_EQ(out[9 * r], first[r]);
    EXPECT_EQ(out[9 * r + 3], 0.0f);  // constant
    EXPECT_EQ(out[9 * r + 6], 0.0f);  // nothing there
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(out[9 * r + 3 * c + 1], 0.0f);
      EXPECT_EQ(out[9 * r + 3 * c + 2], std::isnan(values(r, c)) ? 1.0f : 0.0f);
    }
  }
  std::vector<float> plain(4 * 3 * 2);
  write_data(values, {}, rows, true, {}, plain.data());
  for (std::size_t token = 0; token < 12; ++token) EXPECT_EQ(plain[2 * token], out[3 * token]);
}

TEST(WritePrior, MissingCellsCountAsTheMean) {
  Dataset dataset = simulated(4, 50);
  Matrix<double> filled = dataset.table.values;
  double mean = 0.0;
  for (std::size_t r = 1; r < 50; ++r) mean += filled(r, 2) / 49;
  filled(0, 2) = mean;
  dataset.table.values(0, 2) = std::numeric_limits<double>::quiet_NaN();
  std::vector<float> prior(16), expected(16);
  write_prior(dataset.table.values, {}, prior.data());
  write_prior(filled, {}, expected.data());
  for (std::size_t k = 0; k < 16; ++k) EXPECT_NEAR(prior[k], expected[k], 1e-5 * std::abs(expected[k]));
}

// Small and large: what a matrix leaves behind in freed memory differs between them.
TEST(PriorInput, HoldsThePriorOfEveryTable) {
  for (const int nodes : {5, 400}) {
    const std::array<Dataset, 2> tables = {simulated(nodes, 60, 0), simulated(nodes, 60, 1)};
    const PriorOptions options{.scale = PriorScale::kStandardized, .rows = {}};
    const std::vector<float> priors = prior_input(tables, options);
    auto at = priors.begin();
    for (const Dataset& table : tables) {
      const Matrix<double> expected = precision_prior(table.table.values, options);
      for (const double value : expected.values()) ASSERT_EQ(*at++, static_cast<float>(value)) << nodes;
    }
    EXPECT_EQ(at, priors.end());
  }
}

TEST(NetworkInput, ViewsOfSeveralTablesStandOneAfterTheOther) {
  const std::array<Dataset, 2> tables = {simulated(6, 40, 0), simulated(6, 40, 1)};
  const std::vector<float> priors(2 * 36, 0.5f);
  const std::vector<std::size_t> rows = {0, 5, 9};
  const core::NetworkInput input = network_input(tables, priors, rows, std::array{0, 3});
  EXPECT_EQ(input.tables, 2);
  EXPECT_EQ(input.rows, 3);
  EXPECT_EQ(input.columns, 6);
  EXPECT_EQ(input.views, 2);
  EXPECT_EQ(input.data.size(), 2u * 3 * 6 * 2);
  std::vector<float> expected;
  for (const int view : {0, 3})
    for (const Dataset& table : tables) {
      const std::vector<float> signs = view_signs(table.table, view);
      expected.insert(expected.end(), signs.begin(), signs.end());
    }
  EXPECT_EQ(input.signs, expected);
}

}  // namespace
}  // namespace causcale

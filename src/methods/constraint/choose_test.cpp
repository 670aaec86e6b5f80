#include "methods/constraint/choose_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "causcale/error.h"
#include "data/normal_scores.h"
#include "methods/column_codes.h"
#include "methods/constraint/conditional_gaussian_test.h"
#include "methods/constraint/contingency_test.h"
#include "methods/constraint/degenerate_gaussian_test.h"
#include "methods/constraint/fisher_z.h"
#include "methods/constraint/random_feature_test.h"
#include "methods/correlation_matrix.h"

namespace causcale {
namespace {

const std::vector<std::string>& test_names() {
  static const std::vector<std::string> names{
      "auto", "fisher-z", "chi-square", "g2", "conditional-gaussian", "degenerate-gaussian", "rank", "rcit"};
  return names;
}

// The smallest number of rows that two columns have in common.
std::size_t fewest_common_rows(const Table& table) {
  std::size_t fewest = table.rows();
  for (std::size_t a = 0; a < table.cols(); ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      std::size_t both = 0;
      for (std::size_t r = 0; r < table.rows(); ++r)
        both += !std::isnan(table.values(r, a)) && !std::isnan(table.values(r, b));
      fewest = std::min(fewest, both);
    }
  return fewest;
}

std::unique_ptr<IndependenceTest> gaussian_test(const Table& table, double alpha, bool pairwise) {
  const std::vector<char> none(table.cols(), 0);
  if (missing_cells(table) == 0)
    return std::make_unique<FisherZ>(correlation_matrix(standard_columns(table.values)), table.rows(), alpha);
  WidenedColumns columns = widened_columns(table, none);
  if (!pairwise) return std::make_unique<DegenerateGaussianTest>(std::move(columns), alpha);
  const std::size_t rows = fewest_common_rows(table);
  if (rows < 4)
    throw InputError(fmt::format(
        "missing=pairwise: two columns have only {} rows in common, Fisher's z needs at least 4", rows));
  const Matrix<double> narrow = widened_correlations(columns);
  Matrix<double> correlations(table.cols(), table.cols());
  for (std::size_t a = 0; a < table.cols(); ++a)
    for (std::size_t b = 0; b < table.cols(); ++b) {
      const ColumnBlock &of_a = columns.blocks[a], &of_b = columns.blocks[b];
      correlations(a, b) = a == b                               ? 1.0
                           : of_a.width == 0 || of_b.width == 0 ? 0.0
                                                                : narrow(of_a.begin, of_b.begin);
    }
  return std::make_unique<FisherZ>(std::move(correlations), rows, alpha);
}

std::unique_ptr<IndependenceTest> contingency_test(const Table& table, const std::string& name, double alpha,
                                                   int threads) {
  std::vector<CodedColumn> columns;
  for (std::size_t c = 0; c < table.cols(); ++c) columns.push_back(coded_column(table, c, "test=" + name));
  return std::make_unique<ContingencyTest>(
      std::move(columns),
      name == "g2" ? ContingencyStatistic::kLikelihoodRatio : ContingencyStatistic::kChiSquare, alpha,
      threads);
}

}  // namespace

std::vector<MethodSetting> test_settings() {
  return {
      {"test", "auto",
       "auto: by the kinds of the columns; fisher-z (linear, Gaussian); chi-square, g2 (discrete); "
       "conditional-gaussian, degenerate-gaussian (mixed); rank (monotone); rcit (any form, slow)"},
      {"alpha", "0.05", "significance level of the test, between 0 and 1"},
      {"missing", "test-wise",
       "missing values: test-wise (a test uses the rows that have all its variables); pairwise (correlations "
       "of the rows that a pair has; fisher-z and rank)"}};
}

ChosenTest choose_test(const Table& table, const MethodOptions& options) {
  const double alpha = number_setting(options, "alpha", 0.05, 1e-300, 1.0 - 1e-12);
  const std::vector<std::string> ways{"test-wise", "pairwise"};
  const bool pairwise = text_setting(options, "missing", "test-wise", ways) == "pairwise";
  std::string name = text_setting(options, "test", "auto", test_names());
  if (table.rows() < 4)
    throw InputError(fmt::format("Fisher's z needs at least 4 rows, the table has {}", table.rows()));
  ChosenTest result;
  if (name == "auto") {
    const TableKind kind = table_kind(table);
    name = kind == TableKind::kContinuous ? "fisher-z"
           : kind == TableKind::kDiscrete ? "chi-square"
                                          : "conditional-gaussian";
    if (kind != TableKind::kContinuous)
      result.log.push_back(fmt::format(
          "test {}: {} (setting test)", name,
          kind == TableKind::kDiscrete ? "all columns are discrete" : "some columns are discrete, some not"));
  } else {
    result.log.push_back("test " + name);
  }
  const std::size_t missing = missing_cells(table);
  if (pairwise && missing > 0 && name != "fisher-z" && name != "rank")
    throw UsageError(fmt::format("setting missing: pairwise goes with test fisher-z or rank, not {}", name));
  if (missing > 0)
    result.log.push_back(
        fmt::format("{} missing cells: {}", missing,
                    pairwise ? "correlations are over the rows that a pair of columns has (pairwise)"
                             : "every test uses the rows that have all its variables (test-wise deletion)"));

  if (name == "fisher-z") {
    result.test = gaussian_test(table, alpha, pairwise);
  } else if (name == "rank") {
    result.test = gaussian_test(with_normal_scores(table), alpha, pairwise);
  } else if (name == "chi-square" || name == "g2") {
    result.test = contingency_test(table, name, alpha, options.threads);
  } else if (name == "conditional-gaussian") {
    result.test = std::make_unique<ConditionalGaussianTest>(mixed_columns(table, discrete_columns(table)),
                                                            alpha, options.threads);
  } else if (name == "degenerate-gaussian") {
    result.test =
        std::make_unique<DegenerateGaussianTest>(widened_columns(table, discrete_columns(table)), alpha);
  } else {
    result.test = std::make_unique<RandomFeatureTest>(widened_columns(table, discrete_columns(table)), alpha,
                                                      options.seed);
  }
  return result;
}

}  // namespace causcale

// Independence tests for mixed tables, for missing values and for dependence of any form.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "base/distributions.h"
#include "discrete_models.h"
#include "methods/constraint/choose_test.h"
#include "methods/constraint/conditional_gaussian_test.h"
#include "methods/constraint/contingency_test.h"
#include "methods/constraint/degenerate_gaussian_test.h"
#include "methods/constraint/fisher_z.h"
#include "methods/constraint/random_feature_test.h"
#include "methods/correlation_matrix.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

constexpr double kCritical = 1.959963984540054;

// a (3 values) -> x, a -> y (2 values), x -> z, y -> z: columns a, x, y, z.
Table mixed_table(int rows, std::uint32_t number) {
  RandomStream random(6, number, 0);
  Table table;
  table.names = {"a", "x", "y", "z"};
  table.values = Matrix<double>(rows, 4);
  for (int r = 0; r < rows; ++r) {
    const int a = static_cast<int>(random.below(3));
    const double x = 1.5 * a + random.normal();
    const bool y = random.coin(a == 1 ? 0.8 : 0.25);
    table.values(r, 0) = a;
    table.values(r, 1) = x;
    table.values(r, 2) = y;
    table.values(r, 3) = (y ? 1.0 : -0.5) * x + 2.0 * y + random.normal();
  }
  return table;
}

Table linear_table(int rows, std::uint32_t number) {
  const Digraph dag = test::random_dag(6, 0.4, number);
  return test::drawn_dataset(test::random_linear_model(dag, number), rows, number,
                             [](RandomStream& random) { return random.normal(); })
      .table;
}

// Residual sum of squares of a column on others and an intercept, over some rows.
double residual_squares(const Table& table, int target, const std::vector<int>& on,
                        const std::vector<int>& rows) {
  Eigen::MatrixXd design(rows.size(), on.size() + 1);
  Eigen::VectorXd value(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    design(r, 0) = 1.0;
    for (std::size_t k = 0; k < on.size(); ++k) design(r, k + 1) = table.values(rows[r], on[k]);
    value(r) = table.values(rows[r], target);
  }
  const Eigen::VectorXd fit = design * design.colPivHouseholderQr().solve(value);
  return (value - fit).squaredNorm();
}

TEST(DegenerateGaussian, OfContinuousColumnsIsFishersZ) {
  const Table table = linear_table(300, 1);
  const std::vector<char> none(6, 0);
  const DegenerateGaussianTest test(widened_columns(table, none), 0.05);
  const FisherZ fisher(correlation_matrix(standard_columns(table.values)), 300, 0.05);
  for (unsigned set = 0; set < 16; ++set) {
    std::vector<int> given;
    for (int v = 0; v < 4; ++v)
      if (set >> v & 1) given.push_back(v + 2);
    EXPECT_NEAR(test.strength(0, 1, given), fisher.strength(0, 1, given), 1e-9);
  }
}

// The likelihood ratio as determinants of residual covariances of the indicators.
TEST(DegenerateGaussian, IsARatioOfDeterminants) {
  const Table table = mixed_table(500, 2);
  const std::vector<char> discrete{1, 0, 1, 0};
  const WidenedColumns wide = widened_columns(table, discrete);
  ASSERT_EQ(wide.width(), 5);
  Eigen::MatrixXd values(500, 5);
  for (int r = 0; r < 500; ++r)
    for (int c = 0; c < 5; ++c) values(r, c) = wide.values(r, c);
  const DegenerateGaussianTest test(wide, 0.05);
  // a (columns 0, 1) with z (4) given x (2) and y (3).
  const Eigen::MatrixXd given = values.middleCols(2, 2);
  Eigen::MatrixXd rest(500, 3);
  rest << values.leftCols(2), values.rightCols(1);
  rest -= given * (given.transpose() * given).ldlt().solve(given.transpose() * rest);
  const Eigen::MatrixXd s = rest.transpose() * rest;
  const double ratio = s.determinant() / (s.topLeftCorner(2, 2).determinant() * s(2, 2));
  const double statistic = -(500.0 - 2 - 1 - 0.5 * (2 + 1 + 1)) * std::log(ratio);
  EXPECT_NEAR(test.strength(0, 3, std::vector<int>{1, 2}),
              normal_of_log_p(log_chi_square_tail(statistic, 2.0)) / kCritical, 1e-8);
  EXPECT_NEAR(test.strength(0, 3, std::vector<int>{1, 2}), test.strength(3, 0, std::vector<int>{2, 1}), 1e-9);
}

// With missing values every test is that of the complete rows alone.
TEST(MissingValues, AreLeftOutTestByTest) {
  Table table = mixed_table(400, 3);
  RandomStream random(7, 0, 0);
  for (double& value : table.values.values())
    if (random.coin(0.15)) value = NAN;
  // z with a given y: complete rows of those three.
  Table complete;
  complete.names = {"a", "y", "z"};
  std::vector<double> values;
  for (std::size_t r = 0; r < table.rows(); ++r)
    if (!std::isnan(table.values(r, 0) + table.values(r, 2) + table.values(r, 3)))
      values.insert(values.end(), {table.values(r, 0), table.values(r, 2), table.values(r, 3)});
  complete.values = Matrix<double>(values.size() / 3, 3, values);
  const std::vector<char> of_four{1, 0, 1, 0}, of_three{1, 1, 0}, none(4, 0);
  EXPECT_NEAR(
      DegenerateGaussianTest(widened_columns(table, of_four), 0.05).strength(0, 3, std::vector<int>{2}),
      DegenerateGaussianTest(widened_columns(complete, of_three), 0.05).strength(0, 2, std::vector<int>{1}),
      1e-8);
  const MixedValue found =
      ConditionalGaussianTest(mixed_columns(table, of_four), 0.05).value(0, 3, std::vector<int>{2});
  const MixedValue expected =
      ConditionalGaussianTest(mixed_columns(complete, of_three), 0.05).value(0, 2, std::vector<int>{1});
  EXPECT_NEAR(found.statistic, expected.statistic, 1e-8);
  EXPECT_EQ(found.degrees, expected.degrees);
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_NEAR(DegenerateGaussianTest(widened_columns(table, none), 0.05).strength(0, 3, std::vector<int>{2}),
              FisherZ(correlation_matrix(standard_columns(complete.values)), complete.rows(), 0.05)
                  .strength(0, 2, std::vector<int>{1}),
              1e-8);
}

TEST(ConditionalGaussian, OfDiscreteColumnsIsG2) {
  const Table table = test::drawn_from_tables(test::random_dag(5, 0.5, 3), {2, 3, 2, 3, 2}, 700, 5).table;
  std::vector<CodedColumn> columns;
  for (std::size_t c = 0; c < 5; ++c) columns.push_back(coded_column(table, c, "a test"));
  const ContingencyTest g2(columns, ContingencyStatistic::kLikelihoodRatio, 0.05);
  const ConditionalGaussianTest test(mixed_columns(table, std::vector<char>(5, 1)), 0.05);
  for (const std::vector<int>& given : {std::vector<int>{}, {2}, {2, 3}, {2, 3, 4}}) {
    EXPECT_NEAR(test.value(0, 1, given).statistic, g2.value(0, 1, given).statistic, 1e-7);
    EXPECT_EQ(test.value(0, 1, given).degrees, g2.value(0, 1, given).degrees);
    EXPECT_NEAR(test.strength(0, 1, given), g2.strength(0, 1, given), 1e-7);
  }
}

// One regression for each combination of values against fewer of them.
TEST(ConditionalGaussian, IsARatioOfRegressions) {
  const Table table = mixed_table(600, 4);
  const ConditionalGaussianTest test(mixed_columns(table, std::vector<char>{1, 0, 1, 0}), 0.05);
  const auto rows_with = [&](int a, int y) {
    std::vector<int> rows;
    for (int r = 0; r < 600; ++r)
      if ((a < 0 || table.values(r, 0) == a) && (y < 0 || table.values(r, 2) == y)) rows.push_back(r);
    return rows;
  };
  const auto twice_likelihood = [&](const std::vector<int>& rows, const std::vector<int>& on) {
    const double n = static_cast<double>(rows.size());
    return -n * std::log(residual_squares(table, 3, on, rows) / n);
  };
  // z with a given x and y: slopes, intercepts and variances by (a, y) against by y.
  double statistic = 0.0;
  for (int y = 0; y < 2; ++y) {
    for (int a = 0; a < 3; ++a) statistic += twice_likelihood(rows_with(a, y), {1});
    statistic -= twice_likelihood(rows_with(-1, y), {1});
  }
  const MixedValue found = test.value(3, 0, std::vector<int>{1, 2});
  EXPECT_NEAR(found.statistic, statistic, 1e-6);
  EXPECT_EQ(found.degrees, 2 * 2 * 3);
  EXPECT_EQ(found.rows, 600);
  // z with x given a and y: a slope in each of the six combinations.
  statistic = 0.0;
  for (int y = 0; y < 2; ++y)
    for (int a = 0; a < 3; ++a)
      statistic += twice_likelihood(rows_with(a, y), {1}) - twice_likelihood(rows_with(a, y), {});
  EXPECT_NEAR(test.value(1, 3, std::vector<int>{0, 2}).statistic, statistic, 1e-6);
  EXPECT_EQ(test.value(1, 3, std::vector<int>{0, 2}).degrees, 6);
}

TEST(ConditionalGaussian, LeavesOutCombinationsWithFewRows) {
  Table table = mixed_table(300, 5);
  for (int r = 0; r < 4; ++r) table.values(r, 0) = 9;  // a value of four rows
  const ConditionalGaussianTest test(mixed_columns(table, std::vector<char>{1, 0, 1, 0}), 0.05);
  EXPECT_EQ(test.value(1, 3, std::vector<int>{0}).rows, 296);
  EXPECT_EQ(test.value(1, 3, std::vector<int>{0}).degrees, 3);
}

// All tests of mixed data: level where there is nothing, power where there is something.
TEST(MixedTests, TellIndependenceFromDependence) {
  constexpr int kTimes = 60;
  for (const char* name : {"conditional-gaussian", "degenerate-gaussian", "rcit", "rank"}) {
    SCOPED_TRACE(name);
    int wrong = 0, right = 0;
    for (int k = 0; k < kTimes; ++k) {
      const Table table = mixed_table(300, 100 + k);
      MethodOptions options;
      options.threads = 1;
      options.settings["test"] = name;
      const auto test = choose_test(table, options).test;
      wrong += !test->independent(1, 2, std::vector<int>{0});  // x and y given a
      right += !test->independent(0, 1, {}) + !test->independent(1, 3, std::vector<int>{2}) +
               !test->independent(2, 3, std::vector<int>{0, 1});
    }
    EXPECT_LT(wrong,
              std::string(name) == "rank" ? kTimes : 10);  // it takes a for a number, which misleads it
    EXPECT_GT(right, 2 * kTimes);
  }
}

TEST(RandomFeatures, SeesWhatCorrelationDoesNot) {
  constexpr int kTimes = 40;
  int wrong = 0, squares = 0, by_fisher = 0;
  for (int k = 0; k < kTimes; ++k) {
    RandomStream random(8, k, 0);
    Table table;
    table.names = {"x", "z", "y", "w"};  // x -> z -> y, all curved; w = x^2
    table.values = Matrix<double>(400, 4);
    for (int r = 0; r < 400; ++r) {
      const double x = random.normal(), z = std::sin(2.0 * x) + 0.5 * random.normal();
      table.values(r, 0) = x;
      table.values(r, 1) = z;
      table.values(r, 2) = z * z + 0.5 * random.normal();
      table.values(r, 3) = x * x + 0.5 * random.normal();
    }
    const RandomFeatureTest test(widened_columns(table, std::vector<char>(4, 0)), 0.05, 1);
    const FisherZ fisher(correlation_matrix(standard_columns(table.values)), 400, 0.01);
    wrong += !test.independent(0, 2, std::vector<int>{1});
    squares += !test.independent(0, 3, {});
    by_fisher += !fisher.independent(0, 3, {});
  }
  EXPECT_LT(wrong, 8);
  EXPECT_GT(squares, 38);
  EXPECT_LT(by_fisher, 30);
}

TEST(ChooseTest, ByTheKindsOfTheColumns) {
  const auto log_of = [](const Table& table, std::map<std::string, std::string> settings = {}) {
    MethodOptions options;
    options.settings = std::move(settings);
    std::string text;
    for (const std::string& line : choose_test(table, options).log) text += line + "\n";
    return text;
  };
  EXPECT_EQ(log_of(linear_table(50, 1)), "");
  EXPECT_NE(log_of(mixed_table(50, 1)).find("-gaussian"), std::string::npos);
  Table discrete = test::drawn_from_tables(test::random_dag(4, 0.5, 1), {2, 2, 3, 2}, 100, 1).table;
  EXPECT_NE(log_of(discrete).find("chi-square"), std::string::npos);
  discrete.kinds.assign(4, ColumnKind::kContinuous);  // told, not guessed
  EXPECT_EQ(log_of(discrete), "");
  EXPECT_NE(log_of(discrete, {{"test", "g2"}}).find("g2"), std::string::npos);
  Table wide = linear_table(300, 2);
  EXPECT_THROW(log_of(wide, {{"test", "g2"}}), InputError);
  EXPECT_THROW(log_of(wide, {{"test", "t"}}), UsageError);
  wide.values(3, 2) = NAN;
  EXPECT_NE(log_of(wide).find("test-wise"), std::string::npos);
  EXPECT_NE(log_of(wide, {{"missing", "pairwise"}}).find("pairwise"), std::string::npos);
  EXPECT_THROW(log_of(wide, {{"missing", "pairwise"}, {"test", "rcit"}}), UsageError);
}

// Pairwise correlations of complete columns are the plain ones.
TEST(ChooseTest, PairwiseAgreesWithTestWiseOnPairs) {
  Table table = linear_table(500, 3);
  for (int r = 0; r < 60; ++r) table.values(r, 0) = NAN;
  MethodOptions pairwise, test_wise;
  pairwise.settings["missing"] = "pairwise";
  const auto a = choose_test(table, pairwise).test, b = choose_test(table, test_wise).test;
  EXPECT_NEAR(a->strength(0, 1, {}), b->strength(0, 1, {}), 1e-9);
  EXPECT_NEAR(a->strength(0, 3, {}), b->strength(0, 3, {}), 1e-9);
}

}  // namespace
}  // namespace causcale

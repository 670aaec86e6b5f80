#include "methods/constraint/contingency_test.h"

#include <gtest/gtest.h>

#include <set>

#include "base/distributions.h"
#include "discrete_models.h"
#include "graph/cpdag.h"
#include "methods/method.h"
#include "separation_oracle.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

using test::counted;
using test::drawn_from_tables;

ContingencyTest test_of(const Table& table, ContingencyStatistic statistic) {
  std::vector<CodedColumn> columns;
  for (std::size_t c = 0; c < table.cols(); ++c) columns.push_back(coded_column(table, c, "a test"));
  return ContingencyTest(std::move(columns), statistic, 0.05);
}

// Textbook sums over observed and expected counts.
ContingencyValue textbook(const Table& table, int x, int y, std::vector<int> given,
                          ContingencyStatistic statistic) {
  std::vector<int> all = given;
  all.push_back(x);
  all.push_back(y);
  std::map<std::vector<int>, std::map<std::pair<int, int>, double>> strata;
  for (const auto& [key, count] : counted(table, all))
    strata[{key.begin(), key.end() - 2}][{key[key.size() - 2], key.back()}] += count;
  ContingencyValue value;
  for (const auto& [key, cells] : strata) {
    std::map<int, double> of_x, of_y;
    double whole = 0.0;
    for (const auto& [cell, count] : cells) {
      of_x[cell.first] += count;
      of_y[cell.second] += count;
      whole += count;
    }
    for (const auto& [a, count_a] : of_x)
      for (const auto& [b, count_b] : of_y) {
        const auto found = cells.find({a, b});
        const double observed = found == cells.end() ? 0.0 : found->second;
        const double expected = count_a * count_b / whole;
        value.statistic += statistic == ContingencyStatistic::kChiSquare
                               ? (observed - expected) * (observed - expected) / expected
                           : observed > 0.0 ? 2.0 * observed * std::log(observed / expected)
                                            : 0.0;
      }
    value.degrees += static_cast<double>((of_x.size() - 1) * (of_y.size() - 1));
    value.rows += static_cast<std::size_t>(whole);
    ++value.strata;
  }
  return value;
}

TEST(ContingencyTest, TheTableOfATextbook) {
  // 20, 30 / 40, 10: expected 30, 20 / 30, 20.
  Table table;
  table.names = {"x", "y"};
  std::vector<double> values;
  for (const auto& [x, y, count] : {std::array{0, 0, 20}, {0, 1, 30}, {1, 0, 40}, {1, 1, 10}})
    for (int k = 0; k < count; ++k) values.insert(values.end(), {double(x), double(y)});
  table.values = Matrix<double>(100, 2, std::move(values));
  const ContingencyValue value = test_of(table, ContingencyStatistic::kChiSquare).value(0, 1, {});
  EXPECT_NEAR(value.statistic, 100.0 / 30 + 100.0 / 20 + 100.0 / 30 + 100.0 / 20, 1e-10);
  EXPECT_EQ(value.degrees, 1.0);
  const double p = std::erfc(std::sqrt(value.statistic / 2.0));
  EXPECT_NEAR(test_of(table, ContingencyStatistic::kChiSquare).strength(0, 1, {}),
              normal_of_log_p(std::log(p)) / 1.959963984540054, 1e-9);
}

// Few and many cells, empty ones, missing values.
TEST(ContingencyTest, StatisticsAreThoseOfTheFormulas) {
  std::size_t sparse = 0;
  for (std::uint32_t k = 0; k < 12; ++k) {
    const Digraph dag = test::random_dag(6, 0.4, k);
    Table table = drawn_from_tables(dag, {2, 3, 2, 4, 5, 2}, k % 3 == 0 ? 60 : 900, k).table;
    if (k % 2 == 1) {
      RandomStream random(3, k, 0);
      for (double& value : table.values.values())
        if (random.coin(0.1)) value = NAN;
    }
    for (const auto statistic : {ContingencyStatistic::kChiSquare, ContingencyStatistic::kLikelihoodRatio}) {
      const ContingencyTest test = test_of(table, statistic);
      for (unsigned set = 0; set < 16; ++set) {
        std::vector<int> given;
        for (int v = 0; v < 4; ++v)
          if (set >> v & 1) given.push_back(v + 2);
        const ContingencyValue expected = textbook(table, 0, 1, given, statistic);
        const ContingencyValue found = test.value(1, 0, given);
        EXPECT_NEAR(found.statistic, expected.statistic, 1e-8 * (1.0 + expected.statistic));
        EXPECT_EQ(found.degrees, expected.degrees);
        EXPECT_EQ(found.rows, expected.rows);
        EXPECT_EQ(found.strata, expected.strata);
        sparse += expected.strata * 2 > expected.rows;
      }
    }
  }
  EXPECT_GT(sparse, 4u);
}

TEST(ContingencyTest, SearchFindsWhatSingleTestsFind) {
  std::size_t separated = 0;
  for (std::uint32_t k = 0; k < 8; ++k) {
    const Table table =
        drawn_from_tables(test::random_dag(8, 0.35, 40 + k), std::vector<int>(8, 3), 400, k).table;
    const ContingencyTest test = test_of(table, ContingencyStatistic::kLikelihoodRatio);
    const std::vector<int> fresh{2, 3, 4}, other{5, 6, 7};
    for (int size = 0; size <= 4; ++size) {
      const SubsetRequest request{fresh, other, size, -1};
      const SubsetSearch found = test.search(0, 1, request);
      const SubsetSearch plain = test.IndependenceTest::search(0, 1, request);
      ASSERT_EQ(found.separated, plain.separated);
      if (!found.separated) {
        EXPECT_EQ(found.tests, plain.tests);
        EXPECT_NEAR(found.weakest, plain.weakest, 1e-10);
        const SubsetSearch cut = test.search(0, 1, {fresh, other, size, 0});
        EXPECT_FALSE(cut.complete);
      } else {
        ++separated;
        EXPECT_NEAR(test.strength(0, 1, found.separator), found.weakest, 1e-10);
        EXPECT_LE(found.weakest, 1.0);
      }
    }
  }
  EXPECT_GT(separated, 3u);
  EXPECT_LT(separated, 40u);
}

TEST(ContingencyTest, DeterminedAndConstantVariables) {
  Table table;
  table.names = {"a", "b", "or", "constant", "child"};
  table.values = Matrix<double>(400, 5);
  RandomStream random(4, 0, 0);
  for (int r = 0; r < 400; ++r) {
    const bool a = random.coin(), b = random.coin();
    table.values(r, 0) = a;
    table.values(r, 1) = b;
    table.values(r, 2) = a || b;
    table.values(r, 3) = 3;
    table.values(r, 4) = random.coin(a || b ? 0.8 : 0.3);
  }
  const ContingencyTest test = test_of(table, ContingencyStatistic::kChiSquare);
  EXPECT_TRUE(std::isinf(test.strength(2, 4, std::vector<int>{0, 1})));  // undecidable, never a separation
  EXPECT_EQ(test.strength(3, 4, {}), 0.0);
  EXPECT_GT(test.strength(2, 4, {}), 1.0);
}

// Under independence the p values are even: 5 % below 0.05.
TEST(ContingencyTest, HoldsItsLevel) {
  int rejected = 0;
  constexpr int kTimes = 400;
  for (int k = 0; k < kTimes; ++k) {
    // x <- z -> y
    const Digraph dag(3, {{2, 0}, {2, 1}});
    const Table table = drawn_from_tables(dag, {3, 3, 2}, 500, 1000 + k).table;
    rejected += test_of(table, ContingencyStatistic::kChiSquare).strength(0, 1, std::vector<int>{2}) > 1.0;
  }
  EXPECT_GT(rejected, 6);
  EXPECT_LT(rejected, 36);
}

TEST(ContingencyTest, PcRecoversLargeNetworksOfTables) {
  int exact = 0, wrong_pairs = 0;
  for (std::uint32_t k = 0; k < 6; ++k) {
    const Digraph dag = test::random_dag(8, 0.25, 200 + k);
    const Dataset data = drawn_from_tables(dag, {2, 3, 2, 3, 2, 2, 3, 2}, 30000, k);
    MethodOptions options;
    options.settings = {{"alpha", "0.001"}, {"test", k % 2 ? "g2" : "chi-square"}};
    const MixedGraph found = run_method(pc_method(), data, options).graph;
    const Cpdag truth = cpdag_of(dag);
    MixedGraph expected(truth.directed);
    for (const Edge& edge : truth.undirected)
      expected.set(edge.source, edge.target, Mark::kTail, Mark::kTail);
    exact += found == expected;
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < a; ++b) wrong_pairs += found.adjacent(a, b) != expected.adjacent(a, b);
  }
  EXPECT_GE(exact, 3);  // some drawn tables have an effect too weak for any number of rows
  EXPECT_LE(wrong_pairs, 6);
}

}  // namespace
}  // namespace causcale

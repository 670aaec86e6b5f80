#include "discover/applicability_warnings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "simulate/synthetic.h"

namespace causcale {
namespace {

template <class Cell>
Dataset table_of(std::size_t rows, std::size_t columns, Cell cell) {
  RandomStream random(4, 0, 0);
  Dataset dataset;
  dataset.table.values = Matrix<double>(rows, columns);
  for (std::size_t c = 0; c < columns; ++c) dataset.table.names.push_back("v" + std::to_string(c));
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) dataset.table.values(r, c) = cell(random, r, c);
  return dataset;
}

std::vector<std::string> codes(const Dataset& dataset, const TrainingRanges& ranges = training_ranges({})) {
  std::vector<std::string> found;
  for (const Remark& remark : table_warnings(dataset, ranges)) {
    found.push_back(remark.code);
    EXPECT_FALSE(remark.hint.empty()) << remark.code;
  }
  return found;
}
using Codes = std::vector<std::string>;

TEST(ApplicabilityWarnings, SimulatedTablesRaiseNone) {
  for (std::uint32_t index = 0; index < 20; ++index) {
    SyntheticOptions options;
    options.nodes = 10 + 2 * static_cast<int>(index % 4);
    options.rows = 500;
    options.mechanism = index % 2 ? Mechanism::kNeural : Mechanism::kLinear;
    options.interventions.coverage = index % 3 ? 1.0 : 0.0;
    EXPECT_EQ(codes(simulate_synthetic(options, 23, index).dataset), Codes{}) << index;
  }
}

TEST(ApplicabilityWarnings, KindsOfColumns) {
  const auto binary = [](RandomStream& random, std::size_t, std::size_t) { return double(random.below(2)); };
  EXPECT_EQ(codes(table_of(200, 4, binary)), Codes{"binary_table"});
  EXPECT_EQ(
      codes(table_of(200, 4,
                     [](RandomStream& random, std::size_t, std::size_t) { return double(random.below(4)); })),
      Codes{"discrete_table"});
  EXPECT_EQ(codes(table_of(200, 4,
                           [](RandomStream& random, std::size_t, std::size_t c) {
                             return c < 2 ? double(random.below(2)) : random.normal();
                           })),
            Codes{"mixed_table"});
  EXPECT_EQ(codes(table_of(200, 4, binary), training_ranges({{"trained_integer_columns", "0.95 1"}})),
            Codes{});
  // A kind that was told counts for more than the look of the values.
  Dataset told = table_of(200, 2, [](RandomStream& random, std::size_t, std::size_t) {
    return std::floor(10 * random.normal());
  });
  told.table.kinds = {ColumnKind::kOrdered, ColumnKind::kOrdered};
  EXPECT_EQ(codes(told), Codes{"discrete_table"});
}

TEST(ApplicabilityWarnings, ConstantsAndSums) {
  Dataset dataset =
      table_of(100, 5, [](RandomStream& random, std::size_t, std::size_t) { return random.normal(); });
  for (std::size_t r = 0; r < 100; ++r) {
    dataset.table.values(r, 0) = 3;
    dataset.table.values(r, 4) = dataset.table.values(r, 1) + dataset.table.values(r, 2);
  }
  EXPECT_EQ(codes(dataset), (Codes{"constant_columns", "sum_of_columns"}));
  const auto remarks = table_warnings(dataset, training_ranges({}));
  EXPECT_NE(remarks[0].message.find("v0"), std::string::npos);
  EXPECT_NE(remarks[1].message.find("v4"), std::string::npos);

  DiscoverResult result;
  result.probabilities = result.bootstrap_mean = Matrix<double>(5, 5, 0.6);
  Knowledge knowledge;
  knowledge.required = {{1, 0}};
  clear_constants(dataset.table, knowledge, result);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 5; ++j) {
      const double expected = (i == 0 || j == 0) && !(i == 1 && j == 0) ? 0.0 : 0.6;
      EXPECT_EQ(result.probabilities(i, j), expected);
      EXPECT_EQ(result.bootstrap_mean(i, j), expected);
    }
}

TEST(ApplicabilityWarnings, OrderAndNumberOfRows) {
  double level = 0;
  const auto walk = [&](RandomStream& random, std::size_t, std::size_t c) {
    return c == 0 ? (level = 0.98 * level + random.normal()) : random.normal();
  };
  EXPECT_EQ(codes(table_of(1000, 3, walk)), Codes{"autocorrelated_rows"});
  const auto in_order = [](RandomStream& random, std::size_t r, std::size_t c) {
    return c == 0 ? double(r) : random.normal();
  };
  EXPECT_EQ(codes(table_of(100, 3, in_order)), Codes{"row_number_column"});
  const auto shuffled = [](RandomStream& random, std::size_t r, std::size_t c) {
    return c == 0 ? double(r * 37 % 101) : random.normal();
  };
  EXPECT_EQ(codes(table_of(101, 3, shuffled)), Codes{"row_number_column"});
  const auto normal = [](RandomStream& random, std::size_t, std::size_t) { return random.normal(); };
  EXPECT_EQ(codes(table_of(29, 3, normal)), Codes{"very_few_rows"});
  EXPECT_EQ(codes(table_of(30, 3, normal)), Codes{});
}

TEST(ApplicabilityWarnings, UniformValuesAreToldFromOthers) {
  RandomStream random(8, 0, 0);
  int uniform = 0, normal = 0, triangle = 0;
  for (int repetition = 0; repetition < 100; ++repetition) {
    std::vector<double> u, n, t;
    for (int k = 0; k < 800; ++k) {
      u.push_back(7 + 3 * random.uniform());
      n.push_back(random.normal());
      t.push_back(random.uniform() + random.uniform());
    }
    uniform += looks_uniform(u);
    normal += looks_uniform(n);
    triangle += looks_uniform(t);
  }
  EXPECT_GE(uniform, 95);
  EXPECT_EQ(normal + triangle, 0);
}

TEST(ApplicabilityWarnings, UniformColumnsAreNamedWhereTheirArrowsWereStruckOut) {
  const Dataset dataset = table_of(800, 3, [](RandomStream& random, std::size_t, std::size_t c) {
    return c == 0 ? random.uniform() : random.normal();
  });
  DiscoverResult result;
  warn_of_uniform_columns(dataset, result);
  EXPECT_TRUE(result.applicability.empty());
  result.struck_edges = {{{0, 1}, 0.9}};
  warn_of_uniform_columns(dataset, result);
  ASSERT_EQ(result.applicability.size(), 1u);
  EXPECT_EQ(result.applicability[0].code, "uniform_column");
  EXPECT_NE(result.applicability[0].message.find("v0"), std::string::npos);
  EXPECT_EQ(result.applicability[0].message.find("v1"), std::string::npos);
}

}  // namespace
}  // namespace causcale

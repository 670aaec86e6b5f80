// What must not change a method's answer, whatever the answer is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "gaussian_models.h"
#include "methods/method.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

// Uniform noise, so that methods that need noise of no bell shape have some; rows enough that no p-value lies
// at alpha by rounding.
Dataset table_of(std::uint32_t number, int nodes = 6, std::size_t rows = 500) {
  const Digraph dag = test::random_dag(nodes, 0.35, number);
  const test::LinearModel model = test::random_linear_model(dag, number);
  const Eigen::MatrixXd a = test::mixing(model, {});
  Dataset dataset;
  dataset.table.names = test::column_names(nodes);
  dataset.table.values = Matrix<double>(rows, nodes);
  RandomStream random(41, number, 0);
  for (std::size_t r = 0; r < rows; ++r) {
    Eigen::VectorXd noise(nodes);
    for (int v = 0; v < nodes; ++v) noise(v) = std::sqrt(3.0) * random.uniform(-1.0, 1.0);
    const Eigen::VectorXd row = a * noise;
    for (int v = 0; v < nodes; ++v) dataset.table.values(r, v) = row(v);
  }
  return dataset;
}

MethodResult run(const std::string& name, const Dataset& dataset,
                 std::map<std::string, std::string> settings = {}) {
  MethodOptions options;
  options.threads = 1;
  options.settings = std::move(settings);
  return run_method(method_named(name), dataset, options);
}

// Methods whose graph comes from correlations or ranks, and DirectLiNGAM, which standardises.
constexpr const char* kUnitFree[] = {"corr", "invcov", "pc", "fci", "rfci", "ges", "boss", "direct-lingam"};

TEST(MethodsMetamorphic, UnitsOriginsAndSignsDoNotMatter) {
  for (std::uint32_t number = 0; number < 3; ++number) {
    const Dataset dataset = table_of(number);
    Dataset other = dataset;
    for (std::size_t j = 0; j < other.table.cols(); ++j)
      for (std::size_t r = 0; r < other.table.rows(); ++r) {
        double& value = other.table.values(r, j);
        value = (j % 2 ? -1.0 : 1.0) * std::ldexp(value, static_cast<int>(j) - 2) + static_cast<double>(j);
      }
    for (const char* name : kUnitFree)
      EXPECT_EQ(run(name, dataset).graph, run(name, other).graph) << name << " " << number;
  }
}

// Methods that use interventions, and the order by explained variance: one more row in every regime than
// columns, so that all of them have something to say.
TEST(MethodsMetamorphic, UnitsAndOriginsDoNotMatterWithInterventions) {
  Dataset dataset = table_of(4);
  dataset.interventions.regimes = {{}, {0}, {3}};
  for (std::size_t r = 0; r < dataset.table.rows(); ++r) {
    const int regime = static_cast<int>(r % 3);
    dataset.interventions.regime_of_row.push_back(regime);
    if (regime > 0) dataset.table.values(r, regime == 1 ? 0 : 3) += 2.0;
  }
  Dataset other = dataset;
  for (std::size_t j = 0; j < other.table.cols(); ++j)
    for (std::size_t r = 0; r < other.table.rows(); ++r) {
      double& value = other.table.values(r, j);
      value = (j % 2 ? -1.0 : 1.0) * std::ldexp(value, 3 - static_cast<int>(j)) - static_cast<double>(j);
    }
  for (const char* name : {"gies", "mean-shift", "r2-sort-n-regress"})
    EXPECT_EQ(run(name, dataset).graph, run(name, other).graph) << name;
}

// Values whose squares are not numbers: an error that says so, of every method, and no score that is none.
TEST(MethodsMetamorphic, ValuesOutOfRangeAreRefused) {
  for (const double unit : {1e200, 1e307, 1e-200}) {
    Dataset dataset = table_of(5, 4, 60);
    for (std::size_t r = 0; r < dataset.table.rows(); ++r) dataset.table.values(r, 2) *= unit;
    for (const Method& method : classical_methods())
      EXPECT_THROW(run(method.name, dataset), InputError) << method.name << " " << unit;
  }
  // Far from ordinary units, but not beyond: the same graph.
  const Dataset dataset = table_of(5);
  for (const double unit : {std::ldexp(1.0, 400), std::ldexp(1.0, -400)}) {
    Dataset other = dataset;
    for (std::size_t r = 0; r < other.table.rows(); ++r)
      for (std::size_t c = 0; c < other.table.cols(); c += 2) other.table.values(r, c) *= unit;
    for (const char* name : kUnitFree)
      EXPECT_EQ(run(name, dataset).graph, run(name, other).graph) << name << " " << unit;
  }
}

TEST(MethodsMetamorphic, OrderOfRowsDoesNotMatter) {
  const Dataset dataset = table_of(7);
  Dataset other = dataset;
  const std::size_t rows = dataset.table.rows();
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < dataset.table.cols(); ++j)
      other.table.values(r, j) = dataset.table.values((r * 7 + 3) % rows, j);
  for (const char* name : kUnitFree) EXPECT_EQ(run(name, dataset).graph, run(name, other).graph) << name;
}

TEST(MethodsMetamorphic, NamesAreOnlyNames) {
  const Dataset dataset = table_of(8);
  Dataset other = dataset;
  for (std::size_t j = 0; j < other.table.cols(); ++j)
    other.table.names[j] = std::to_string(other.table.cols() - j) + ";\n";
  for (const char* name : kUnitFree) {
    const MethodResult before = run(name, dataset), after = run(name, other);
    EXPECT_EQ(before.graph, after.graph) << name;
    EXPECT_EQ(before.scores, after.scores) << name;
  }
}

TEST(MethodsMetamorphic, OrderOfColumnsDoesNotMatter) {
  const Dataset dataset = table_of(9);
  const std::vector<std::size_t> order{3, 5, 0, 4, 2, 1};
  Dataset other = dataset;
  for (std::size_t r = 0; r < dataset.table.rows(); ++r)
    for (std::size_t j = 0; j < order.size(); ++j)
      other.table.values(r, j) = dataset.table.values(r, order[j]);
  for (const std::string name : kUnitFree) {
    if (name == "boss") continue;  // begins with the order of the columns, and may end in another optimum
    const MixedGraph before = run(name, dataset).graph, after = run(name, other).graph;
    for (int a = 0; a < 6; ++a)
      for (int b = 0; b < 6; ++b)
        if (a != b) {
          EXPECT_EQ(after.mark(a, b), before.mark(static_cast<int>(order[a]), static_cast<int>(order[b])))
              << name;
        }
  }
}

// Twenty tables of independent columns: 15 pairs each. Tests at alpha = 0.01 leave about three of the 300
// pairs joined; BIC is stricter.
TEST(MethodsMetamorphic, NullTablesGiveHardlyAnEdge) {
  for (const std::string name : {"pc", "fci", "rfci", "ges", "boss"}) {
    const bool tests = name != "ges" && name != "boss";
    const std::map<std::string, std::string> settings =
        tests ? std::map<std::string, std::string>{{"alpha", "0.01"}} : std::map<std::string, std::string>{};
    std::size_t edges = 0;
    for (std::uint32_t number = 0; number < 20; ++number) {
      Dataset dataset;
      dataset.table.names = test::column_names(6);
      dataset.table.values = Matrix<double>(300, 6);
      RandomStream random(43, number, 0);
      for (double& value : dataset.table.values.values()) value = random.normal();
      edges += run(name, dataset, settings).graph.edge_count();
    }
    EXPECT_LE(edges, 9u) << name;
  }
}

// A copy of a column and its original can be exchanged.
TEST(MethodsMetamorphic, ACopyOfAColumnEndsInAnAnswer) {
  const Dataset dataset = table_of(10);
  Dataset copied = dataset;
  copied.table.names.push_back("copy");
  copied.table.values = Matrix<double>(dataset.table.rows(), 7);
  for (std::size_t r = 0; r < dataset.table.rows(); ++r)
    for (std::size_t j = 0; j < 7; ++j) copied.table.values(r, j) = dataset.table.values(r, j % 6);
  for (const char* name : kUnitFree) {
    const MethodResult found = run(name, copied);
    for (const double score : found.scores.values()) EXPECT_TRUE(std::isfinite(score)) << name;
    EXPECT_EQ(found.graph.nodes(), 7) << name;
  }
}

}  // namespace
}  // namespace causcale

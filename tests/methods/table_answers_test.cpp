// What an answer from a finite table must hold although its tests contradict each other, as they do in every
// comparison with another program: 10 variables, linear with Laplace noise, 1000 rows, alpha 0.05.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "gaussian_models.h"
#include "methods/constraint/fci_search.h"
#include "methods/constraint/fisher_z.h"
#include "methods/constraint/pag_rules.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

constexpr int kNodes = 10;
constexpr std::size_t kRows = 1000;

FisherZ test_of_table(std::uint32_t number) {
  const test::LinearModel model =
      test::random_linear_model(test::random_dag(kNodes, 0.22, 300 + number), 300 + number);
  const Eigen::MatrixXd a = test::mixing(model, {});
  RandomStream random(51, number, 0);
  Eigen::MatrixXd noise(kNodes, kRows);
  for (Eigen::Index k = 0; k < noise.size(); ++k) {
    const double u = random.uniform(-1.0, 1.0);
    noise.data()[k] = -std::copysign(std::log(1.0 - std::abs(u)), u) / std::sqrt(2.0);
  }
  Eigen::MatrixXd values = a * noise;
  values.colwise() -= values.rowwise().mean().eval();
  const Eigen::MatrixXd covariance = values * values.transpose();
  Matrix<double> correlations(kNodes, kNodes);
  for (int i = 0; i < kNodes; ++i)
    for (int j = 0; j < kNodes; ++j)
      correlations(i, j) = i == j ? 1.0 : covariance(i, j) / std::sqrt(covariance(i, i) * covariance(j, j));
  return FisherZ(std::move(correlations), kRows, 0.05);
}

FciOptions one_thread() {
  FciOptions options;
  options.skeleton.threads = 1;
  options.skeleton.pool = SeparatorPool::kPossibleAncestors;
  return options;
}

// Every pair that is not adjacent has a set that its test takes for separating; no set of final neighbours
// separates a pair that is. So a program that keeps more edges has tried fewer sets, and one that keeps fewer
// has tried others.
void expect_edges_as_tested(const FisherZ& test, const FciResult& found) {
  for (int x = 0; x < kNodes; ++x)
    for (int y = x + 1; y < kNodes; ++y) {
      if (!found.graph.adjacent(x, y)) {
        EXPECT_TRUE(test.independent(x, y, found.skeleton.separators.of(x, y))) << x << " " << y;
        continue;
      }
      for (const auto& [from, other] : {Edge{x, y}, Edge{y, x}}) {
        std::vector<int> pool;
        for (int v = 0; v < kNodes; ++v)
          if (v != other && v != from && found.graph.adjacent(from, v)) pool.push_back(v);
        for (unsigned set = 0; set < 1u << pool.size(); ++set) {
          std::vector<int> given;
          for (std::size_t k = 0; k < pool.size(); ++k)
            if (set >> k & 1) given.push_back(pool[k]);
          EXPECT_FALSE(test.independent(x, y, given)) << x << " " << y;
        }
      }
    }
}

// The rules have nothing left to say, and the reading of each unshielded triple stands where marks do not
// contradict it: a middle outside the separating set has arrowheads.
void expect_marks_as_ruled(const FciResult& found) {
  MixedGraph again = found.graph;
  PagRules(found.skeleton, again).run();
  EXPECT_EQ(again, found.graph);
  for (int z = 0; z < kNodes; ++z)
    for (int x = 0; x < kNodes; ++x)
      for (int y = x + 1; y < kNodes; ++y) {
        if (x == z || y == z || found.graph.adjacent(x, y) || !found.graph.adjacent(x, z) ||
            !found.graph.adjacent(y, z) || found.skeleton.separators.contains(x, y, z))
          continue;
        EXPECT_EQ(found.graph.mark(x, z), Mark::kArrow) << x << " " << z << " " << y;
        EXPECT_EQ(found.graph.mark(y, z), Mark::kArrow) << x << " " << z << " " << y;
      }
}

TEST(AnswersFromTables, FciKeepsAnEdgeExactlyWhereItsTestsDo) {
  for (std::uint32_t number = 0; number < 12; ++number) {
    SCOPED_TRACE(number);
    const FisherZ test = test_of_table(number);
    const FciResult found = fci_search(test, {}, one_thread());
    expect_edges_as_tested(test, found);
    expect_marks_as_ruled(found);
  }
}

TEST(AnswersFromTables, RfciKeepsAnEdgeExactlyWhereItsTestsDo) {
  for (std::uint32_t number = 0; number < 12; ++number) {
    SCOPED_TRACE(number);
    const FisherZ test = test_of_table(number);
    expect_edges_as_tested(test, rfci_search(test, {}, one_thread()));
  }
}

}  // namespace
}  // namespace causcale

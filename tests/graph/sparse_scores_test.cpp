#include "graph/sparse_scores.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "causcale/error.h"
#include "graph/convert.h"
#include "graph/ranked_edges.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;

// Many equal scores, zeros and negative ones among them.
Matrix<double> coarse_scores(int n, std::uint32_t number) {
  RandomStream random(8, number, 0);
  Matrix<double> scores(n, n);
  for (double& score : scores.values()) score = (static_cast<int>(random.below(9)) - 2) / 6.0;
  for (int i = 0; i < n; ++i) scores(i, i) = 0.0;
  return scores;
}

TEST(SparseScores, HoldsWhatTheMatrixHasFromTheFloorOn) {
  for (const int n : {0, 1, 2, 7, 23})
    for (const double least : {-1.0, 0.0, 0.5, 2.0}) {
      const Matrix<double> matrix = coarse_scores(n, n);
      const SparseScores sparse = scores_at_least(matrix, least);
      const Matrix<double> back = dense_scores(sparse);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          EXPECT_EQ(back(i, j), matrix(i, j) >= least ? matrix(i, j) : 0.0);
          EXPECT_EQ(sparse.at(i, j), back(i, j));
          EXPECT_EQ(sparse.find(i, j) != nullptr, back(i, j) != 0.0);
        }
      EXPECT_EQ(sparse_scores(n, {sparse.entries.rbegin(), sparse.entries.rend()}), sparse);
    }
}

TEST(SparseScores, GraphAboveAThresholdIsThatOfTheMatrix) {
  for (const double threshold : {0.0, 0.4, 0.5, 5.0}) {
    const Matrix<double> matrix = coarse_scores(15, 3);
    const SparseScores sparse = scores_at_least(matrix, -9);
    const Digraph graph = graph_above(sparse, threshold);
    EXPECT_EQ(graph, graph_above(matrix, threshold));
    const std::vector<double> scores = scores_of_edges(sparse, graph);
    ASSERT_EQ(scores.size(), graph.edge_count());
    for (std::size_t k = 0; k < scores.size(); ++k)
      EXPECT_EQ(scores[k], matrix(graph.edges()[k].source, graph.edges()[k].target));
  }
}

TEST(SparseScores, RefusesWhatNoMatrixHas) {
  EXPECT_TRUE(contains(error_of([] { sparse_scores(3, {{{0, 3}, 1.0}}); }), "0 -> 3 among 3"));
  EXPECT_TRUE(contains(error_of([] { sparse_scores(3, {{{-1, 0}, 1.0}}); }), "-1 -> 0"));
  EXPECT_TRUE(contains(error_of([] { sparse_scores(3, {{{2, 2}, 1.0}}); }), "variable 2 with itself"));
  EXPECT_TRUE(contains(error_of([] { sparse_scores(3, {{{0, 1}, 1.0}, {{0, 1}, 0.5}}); }), "given twice"));
  EXPECT_TRUE(contains(error_of([] { graph_above(SparseScores{2, {}}, -0.1); }), "must not be negative"));
  EXPECT_TRUE(contains(error_of([] { scores_at_least(Matrix<double>(2, 3), 0); }), "2 x 3"));
}

TEST(SurestEdges, AreTheFirstOfTheWholeRanking) {
  for (const int n : {0, 1, 2, 9, 60})
    for (const double least : {-1.0, 0.0, 0.3}) {
      const Matrix<double> matrix = coarse_scores(n, 40 + n);
      const std::vector<ScoredEdge> all = ranked_edges(matrix, least);
      for (const std::size_t count : {0, 1, 2, 50, 1300, 100000}) {
        std::vector<ScoredEdge> first = all;
        if (first.size() > count) first.resize(count);
        EXPECT_EQ(surest_edges(matrix, count, least), first) << n << " " << count;
      }
    }
}

}  // namespace
}  // namespace causcale

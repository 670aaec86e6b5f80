#include "graph/convert.h"

#include <gtest/gtest.h>

#include "causcale/error.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

TEST(Convert, ThresholdIsStrictAndTheDiagonalIgnored) {
  const Matrix<double> scores(2, 2, std::vector<double>{9.0, 0.5, 0.51, 9.0});
  EXPECT_EQ(graph_above(scores, 0.5), Digraph(2, {{1, 0}}));
  EXPECT_THROW(graph_above(Matrix<double>(2, 3), 0.5), InputError);
}

TEST(Convert, NamedEdgesComeHighestFirstAndBack) {
  const std::vector<std::string> names{"a", "b", "c"};
  const Matrix<double> scores(3, 3, std::vector<double>{1.0, 0.2, 0.9, 0.7, 1.0, 0.7, 0.0, 0.1, 1.0});
  const auto edges = named_edges(scores, names, 0.1);
  EXPECT_EQ(edges,
            (std::vector<NamedEdge>{{"a", "c", 0.9}, {"b", "a", 0.7}, {"b", "c", 0.7}, {"a", "b", 0.2}}));
  Matrix<double> expected = scores;
  for (std::size_t i = 0; i < 3; ++i) expected(i, i) = 0.0;
  expected(2, 1) = 0.0;
  EXPECT_EQ(score_matrix(edges, names), expected);
  EXPECT_THROW(named_edges(scores, std::vector<std::string>{"a"}, 0.5), InputError);
}

TEST(Convert, GraphRoundTrip) {
  for (std::uint32_t k = 0; k < 20; ++k) {
    const Digraph graph = test::random_digraph(15, 0.2, k);
    EXPECT_EQ(graph_above(score_matrix(graph), 0.5), graph);
    const auto names = default_names(15);
    EXPECT_EQ(graph_above(score_matrix(named_edges(score_matrix(graph), names, 0.0), names), 0.5), graph);
  }
  EXPECT_EQ(default_names(2), (std::vector<std::string>{"X0", "X1"}));
}

TEST(Convert, RejectsBadEdgeLists) {
  const std::vector<std::string> names{"a", "b"};
  EXPECT_THROW(score_matrix(std::vector<NamedEdge>{{"a", "z", 1.0}}, names), InputError);
  EXPECT_THROW(score_matrix(std::vector<NamedEdge>{{"a", "a", 1.0}}, names), InputError);
  EXPECT_THROW(score_matrix(std::vector<NamedEdge>{{"a", "b", 1.0}, {"a", "b", 0.5}}, names), InputError);
  EXPECT_THROW(score_matrix(std::vector<NamedEdge>{}, std::vector<std::string>{"a", "a"}), InputError);
}

}  // namespace
}  // namespace causcale

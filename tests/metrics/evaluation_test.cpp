// What must hold of the whole evaluation, whatever the graphs: relations between answers, and what a list
// that leaves pairs out can tell.
#include "metrics/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "base/random.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

Matrix<double> random_scores(int n, std::uint32_t number) {
  RandomStream random(5, number, 0);
  Matrix<double> scores(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j) scores(i, j) = random.uniform();
  return scores;
}

Matrix<double> transposed(const Matrix<double>& matrix) {
  Matrix<double> result(matrix.cols(), matrix.rows());
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    for (std::size_t j = 0; j < matrix.cols(); ++j) result(j, i) = matrix(i, j);
  return result;
}

Digraph transposed(const Digraph& graph) {
  std::vector<Edge> edges;
  for (const Edge& edge : graph.edges()) edges.push_back({edge.target, edge.source});
  return Digraph(graph.nodes(), edges);
}

std::vector<int> random_places(int n, std::uint32_t number) {
  std::vector<int> places(n);
  std::iota(places.begin(), places.end(), 0);
  RandomStream random(6, number, 0);
  for (int k = n - 1; k > 0; --k) std::swap(places[k], places[random.below(k + 1)]);
  return places;
}

nlohmann::json measured(const Matrix<double>& scores, const Digraph& truth, double threshold = 0.7) {
  return to_json(evaluate(scores, truth, threshold));
}

void expect_same(const nlohmann::json& a, const nlohmann::json& b, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    if (a[key].is_number_float())
      EXPECT_NEAR(a[key].get<double>(), b[key].get<double>(), 1e-12) << key;
    else
      EXPECT_EQ(a[key], b[key]) << key;
  }
}

TEST(Evaluation, DoesNotDependOnTheOrderOfVariables) {
  for (std::uint32_t k = 0; k < 20; ++k) {
    const Digraph truth = test::random_dag(4 + k % 7, 0.4, k);
    const int n = truth.nodes();
    if (truth.edge_count() == 0) continue;
    const Matrix<double> scores = random_scores(n, k);
    const std::vector<int> places = random_places(n, k);
    Matrix<double> moved_scores(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) moved_scores(places[i], places[j]) = scores(i, j);
    std::vector<Edge> moved_edges;
    for (const Edge& edge : truth.edges()) moved_edges.push_back({places[edge.source], places[edge.target]});
    const nlohmann::json a = measured(scores, truth), b = measured(moved_scores, Digraph(n, moved_edges));
    expect_same(a, b,
                {"average_precision", "auc", "orientation_accuracy", "shd", "skeleton", "direction", "cyclic",
                 "nodes_on_cycles", "edges_on_cycles", "removed_edges", "shd_acyclic", "aid", "sid"});
  }
}

TEST(Evaluation, TurningEveryArrowOfBothGraphsRoundChangesNoCount) {
  for (std::uint32_t k = 0; k < 20; ++k) {
    const Digraph truth = test::random_dag(4 + k % 7, 0.4, k);
    if (truth.edge_count() == 0) continue;
    const Matrix<double> scores = random_scores(truth.nodes(), k);
    expect_same(measured(scores, truth), measured(transposed(scores), transposed(truth)),
                {"average_precision", "auc", "orientation_accuracy", "shd", "skeleton", "direction", "cyclic",
                 "nodes_on_cycles", "edges_on_cycles", "removed_edges", "shd_acyclic"});
  }
}

TEST(Evaluation, RanksAreAllThatRankingMeasuresSee) {
  for (std::uint32_t k = 0; k < 20; ++k) {
    const Digraph truth = test::random_dag(4 + k % 7, 0.4, k);
    if (truth.edge_count() == 0) continue;
    const Matrix<double> scores = random_scores(truth.nodes(), k);
    Matrix<double> stretched = scores;
    for (double& score : stretched.values()) score = std::exp(3 * score) - 5;
    // The threshold goes through the same function, so the graph is the same, too.
    expect_same(measured(scores, truth), measured(stretched, truth, std::exp(3 * 0.7) - 5),
                {"average_precision", "auc", "orientation_accuracy", "shd", "skeleton", "direction", "aid"});
  }
}

TEST(Evaluation, TheTruthItselfIsPerfect) {
  for (std::uint32_t k = 0; k < 10; ++k) {
    const Digraph truth = test::random_dag(4 + k, 0.4, k);
    if (truth.edge_count() == 0) continue;
    Matrix<double> scores(truth.nodes(), truth.nodes());
    for (const Edge& edge : truth.edges()) scores(edge.source, edge.target) = 1;
    const Evaluation e = evaluate(scores, truth);
    EXPECT_EQ(e.average_precision, 1.0);
    EXPECT_EQ(e.auc, 1.0);
    EXPECT_EQ(e.orientation_accuracy, 1.0);
    EXPECT_EQ(e.shd, 0u);
    EXPECT_EQ(e.sid, 0u);
  }
}

std::string list_of(const Matrix<double>& scores, double above, bool with_reverse, bool backwards = false) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t j = 0; j < scores.cols(); ++j) {
      if (i == j || !(scores(i, j) > above)) continue;
      std::string line =
          "v" + std::to_string(i) + ",v" + std::to_string(j) + "," + std::to_string(scores(i, j));
      if (with_reverse) line += "," + std::to_string(scores(j, i));
      lines.push_back(line + "\n");
    }
  if (backwards) std::reverse(lines.begin(), lines.end());
  std::string text =
      with_reverse ? "source,target,probability,probability_reverse\n" : "source,target,probability\n";
  for (const std::string& line : lines) text += line;
  return text;
}

// A matrix with names, which says which variables there are.
std::string matrix_of(const Digraph& truth) {
  std::string text;
  for (int i = 0; i < truth.nodes(); ++i) text += ",v" + std::to_string(i);
  text += "\n";
  for (int i = 0; i < truth.nodes(); ++i) {
    text += "v" + std::to_string(i);
    for (int j = 0; j < truth.nodes(); ++j) text += truth.has_edge(i, j) ? ",1" : ",0";
    text += "\n";
  }
  return text;
}

Matrix<double> six_digits(Matrix<double> scores) {
  for (double& score : scores.values()) score = std::stod(std::to_string(score));
  return scores;
}

TEST(Evaluation, AListOfEveryPairIsTheMatrix) {
  for (std::uint32_t k = 0; k < 10; ++k) {
    const Digraph truth = test::random_dag(3 + k % 6, 0.5, k);
    const Matrix<double> scores = six_digits(random_scores(truth.nodes(), k));
    const GraphFile true_file = parse_graph_text(matrix_of(truth), "truth");
    for (const bool with_reverse : {false, true})
      for (const bool backwards : {false, true}) {
        const GraphPair pair =
            match_graphs(parse_graph_text(list_of(scores, -1, with_reverse, backwards), "list"), true_file);
        EXPECT_FALSE(pair.partial);
        EXPECT_EQ(pair.prediction.values(), scores.values());
      }
  }
}

// Each pair once, with the probability of both directions.
TEST(Evaluation, AListOfHalfThePairsWithTheirReverseIsTheMatrix) {
  const Matrix<double> scores = six_digits(random_scores(5, 3));
  std::string text = "from,to,score,score_reverse\n";
  for (int i = 0; i < 5; ++i)
    for (int j = i + 1; j < 5; ++j)
      text += "v" + std::to_string(i) + ",v" + std::to_string(j) + "," + std::to_string(scores(i, j)) + "," +
              std::to_string(scores(j, i)) + "\n";
  const GraphFile truth = parse_graph_text(matrix_of(test::random_dag(5, 0.5, 3)), "truth");
  const GraphPair pair = match_graphs(parse_graph_text(text, "list"), truth);
  EXPECT_FALSE(pair.partial);
  EXPECT_EQ(pair.prediction.values(), scores.values());
}

TEST(Evaluation, ACutListTellsTheGraphButNoRanking) {
  for (std::uint32_t k = 0; k < 20; ++k) {
    const Digraph truth = test::random_dag(5 + k % 6, 0.5, k);
    if (truth.edge_count() == 0) continue;
    const Matrix<double> scores = six_digits(random_scores(truth.nodes(), k));
    const GraphFile true_file = parse_graph_text(matrix_of(truth), "truth");
    const nlohmann::json full = measured(scores, truth);
    for (const bool with_reverse : {false, true}) {
      const GraphPair pair =
          match_graphs(parse_graph_text(list_of(scores, 0.7, with_reverse), "list"), true_file);
      ASSERT_TRUE(pair.partial);
      const Evaluation cut = evaluate_partial(pair.prediction, *pair.partial, truth, 0.7);
      EXPECT_TRUE(std::isnan(cut.average_precision));
      EXPECT_TRUE(std::isnan(cut.auc));
      EXPECT_FALSE(cut.calibration);
      ASSERT_TRUE(cut.listed);
      EXPECT_EQ(cut.listed->all, static_cast<std::size_t>(truth.nodes() * (truth.nodes() - 1)));
      const nlohmann::json json = to_json(cut);
      for (const char* key : {"average_precision", "auc", "calibration"}) EXPECT_TRUE(json[key].is_null());
      expect_same(json, full,
                  {"predicted_edges", "shd", "skeleton", "direction", "cyclic", "removed_edges",
                   "shd_acyclic", "aid", "sid"});
      // Whatever the list says about a true edge's direction is what the matrix says.
      std::size_t listed = 0, oriented = 0;
      for (const auto& [a, b] : truth.edges()) {
        if (!(scores(a, b) > 0.7 || scores(b, a) > 0.7)) continue;
        ++listed;
        oriented += scores(a, b) > scores(b, a);
      }
      EXPECT_EQ(cut.listed->true_edges, listed);
      EXPECT_EQ(cut.listed->oriented, oriented);
      if (listed < truth.edge_count()) {
        EXPECT_TRUE(std::isnan(cut.orientation_accuracy));
      } else {
        EXPECT_NEAR(cut.orientation_accuracy, full["orientation_accuracy"].get<double>(), 1e-12);
      }
    }
  }
}

// The reverse score of a listed edge ranks, but makes no edge: breaking cycles may have taken it out.
TEST(Evaluation, ReverseScoresMakeNoEdges) {
  const GraphFile truth = parse_graph_text("source,target\na,b\nb,c\n", "truth");
  const GraphPair pair = match_graphs(
      parse_graph_text("source,target,probability,probability_reverse\nb,a,0.4,0.6\nb,c,0.9,0.1\n", "list"),
      truth);
  ASSERT_TRUE(pair.partial);
  EXPECT_EQ(pair.prediction(1, 0) + pair.prediction(0, 1), 0.4);
  const Evaluation e = evaluate_partial(pair.prediction, *pair.partial, Digraph(3, {{1, 0}, {0, 2}}), 0.3);
  EXPECT_EQ(e.predicted_edges, 2u);
  EXPECT_EQ(e.listed->oriented, 2u);
  EXPECT_EQ(e.orientation_accuracy, 1.0);
}

// Without scores a list is a graph: every pair has the score 0 or 1.
TEST(Evaluation, AListWithoutScoresIsAGraph) {
  const GraphFile list = parse_graph_text("source,target\na,b\nb,c\n", "list");
  EXPECT_FALSE(match_graphs(list, list).partial);
}

}  // namespace
}  // namespace causcale

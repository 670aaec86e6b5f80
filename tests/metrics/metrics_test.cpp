// The plain metrics by hand and against brute force; the reference numbers are in reference_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "causcale/error.h"
#include "graph/convert.h"
#include "metrics/auc.h"
#include "metrics/average_precision.h"
#include "metrics/evaluation.h"
#include "metrics/orientation_accuracy.h"
#include "metrics/shd.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

Matrix<double> random_scores(int n, int levels, std::uint32_t number) {
  RandomStream random(3, number, 0);
  Matrix<double> scores(n, n);
  for (double& score : scores.values())
    score = levels ? random.below(levels + 1) / double(levels) : random.uniform();
  return scores;
}

struct Pairs {
  std::vector<double> edges, others;
};

Pairs split(const Matrix<double>& scores, const Digraph& truth) {
  Pairs pairs;
  for (int i = 0; i < truth.nodes(); ++i)
    for (int j = 0; j < truth.nodes(); ++j)
      if (i != j) (truth.has_edge(i, j) ? pairs.edges : pairs.others).push_back(scores(i, j));
  return pairs;
}

TEST(Metrics, AucIsTheShareOfOrderedPairsInOrder) {
  for (std::uint32_t k = 0; k < 60; ++k) {
    const Digraph truth = test::random_dag(3 + k % 15, 0.4, k);
    if (truth.edge_count() == 0) continue;
    const auto scores = random_scores(truth.nodes(), k % 2 ? 5 : 0, k);
    const Pairs pairs = split(scores, truth);
    double wins = 0.0;
    for (double edge : pairs.edges)
      for (double other : pairs.others) wins += edge > other ? 1.0 : edge == other ? 0.5 : 0.0;
    EXPECT_NEAR(roc_auc(scores, truth), wins / (pairs.edges.size() * pairs.others.size()), 1e-13);
  }
}

TEST(Metrics, SkeletonAveragePrecisionTakesEveryPairOnceByTheSumOfItsDirections) {
  // Sums: 0-1 0.9, 0-2 0.8 (its surer direction is the highest of all), 1-2 1.0, 0-3 0.1, 1-3 0.2, 2-3 0.3.
  Matrix<double> scores(4, 4);
  const auto set = [&](int i, int j, double forward, double back) {
    scores(i, j) = forward;
    scores(j, i) = back;
  };
  set(0, 1, 0.4, 0.5), set(0, 2, 0.8, 0.0), set(1, 2, 0.5, 0.5);
  set(0, 3, 0.1, 0.0), set(1, 3, 0.0, 0.2), set(2, 3, 0.1, 0.2);
  // True pairs are ranked 1, 2 and 4 of six; the one with edges both ways counts once.
  EXPECT_NEAR(skeleton_average_precision(scores, Digraph(4, {{1, 0}, {1, 2}, {2, 1}, {3, 2}})),
              (1.0 + 1.0 + 3.0 / 4) / 3, 1e-12);
  EXPECT_TRUE(std::isnan(skeleton_average_precision(scores, Digraph(4, {}))));
  // That 0-1 and 1-2 act on each other counts once: 0.5 and 0.6 are left, and 0-2 comes first.
  Matrix<double> feedback(4, 4);
  feedback(0, 1) = feedback(1, 0) = feedback(1, 2) = feedback(2, 1) = 0.4;
  EXPECT_NEAR(skeleton_average_precision(scores, Digraph(4, {{1, 0}, {1, 2}, {2, 1}, {3, 2}}), feedback),
              (1.0 / 2 + 2.0 / 3 + 3.0 / 4) / 3, 1e-12);
}

TEST(Metrics, AveragePrecisionSumsOverDistinctThresholds) {
  for (std::uint32_t k = 0; k < 60; ++k) {
    const Digraph truth = test::random_dag(3 + k % 15, 0.4, k);
    if (truth.edge_count() == 0) continue;
    const auto scores = random_scores(truth.nodes(), k % 2 ? 5 : 0, k);
    const Pairs pairs = split(scores, truth);
    std::vector<double> thresholds = pairs.edges;
    thresholds.insert(thresholds.end(), pairs.others.begin(), pairs.others.end());
    std::sort(thresholds.rbegin(), thresholds.rend());
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    double expected = 0.0, last_recall = 0.0;
    for (double threshold : thresholds) {
      const auto reached = [&](double score) { return score >= threshold; };
      const double found = std::count_if(pairs.edges.begin(), pairs.edges.end(), reached);
      const double wrong = std::count_if(pairs.others.begin(), pairs.others.end(), reached);
      const double recall = found / pairs.edges.size();
      expected += (recall - last_recall) * found / (found + wrong);
      last_recall = recall;
    }
    EXPECT_NEAR(average_precision(scores, truth), expected, 1e-13);
  }
}

TEST(Metrics, ShdByHand) {
  const Digraph truth(4, {{0, 1}, {1, 2}, {2, 3}});
  EXPECT_EQ(structural_hamming_distance(truth, truth), 0u);
  EXPECT_EQ(structural_hamming_distance(truth, Digraph(4)), 3u);
  EXPECT_EQ(structural_hamming_distance(truth, Digraph(4, {{1, 0}, {1, 2}, {2, 3}})), 1u);  // reversed
  EXPECT_EQ(structural_hamming_distance(truth, Digraph(4, {{0, 1}, {1, 0}, {1, 2}, {2, 3}})), 1u);  // extra
  EXPECT_EQ(structural_hamming_distance(Digraph(4), Digraph(4, {{0, 1}, {1, 0}})), 2u);
  EXPECT_THROW(structural_hamming_distance(truth, Digraph(3)), InputError);
  for (std::uint32_t k = 0; k < 50; ++k) {
    const Digraph a = test::random_digraph(8, 0.3, k), b = test::random_digraph(8, 0.3, k + 500);
    EXPECT_EQ(structural_hamming_distance(a, b), structural_hamming_distance(b, a));
  }
}

TEST(Metrics, OrientationAccuracyCountsTiesAsWrong) {
  const Digraph truth(3, {{0, 1}, {1, 2}});
  Matrix<double> scores(3, 3);
  scores(0, 1) = 0.2;
  scores(1, 0) = 0.1;
  EXPECT_EQ(orientation_accuracy(scores, truth), 0.5);
  EXPECT_TRUE(std::isnan(orientation_accuracy(scores, Digraph(3))));
}

TEST(Metrics, PrecisionAndRecall) {
  const Digraph truth(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  const Digraph guess(5, {{0, 1}, {2, 1}, {0, 4}, {3, 2}, {2, 3}});
  const PrecisionRecall direction = direction_precision_recall(truth, guess);
  EXPECT_EQ(direction.true_positives, 2u);
  EXPECT_EQ(direction.false_positives, 3u);
  EXPECT_EQ(direction.false_negatives, 2u);
  EXPECT_DOUBLE_EQ(direction.precision(), 0.4);
  EXPECT_DOUBLE_EQ(direction.recall(), 0.5);
  EXPECT_DOUBLE_EQ(direction.f1(), 4.0 / 9.0);
  const PrecisionRecall skeleton = skeleton_precision_recall(truth, guess);
  EXPECT_EQ(skeleton.true_positives, 3u);  // the pair 2 - 3 is predicted both ways and counts once
  EXPECT_EQ(skeleton.false_positives, 1u);
  EXPECT_EQ(skeleton.false_negatives, 1u);
  EXPECT_TRUE(std::isnan(direction_precision_recall(truth, Digraph(5)).precision()));
  EXPECT_EQ(direction_precision_recall(truth, Digraph(5)).recall(), 0.0);
}

TEST(Metrics, Cyclicity) {
  EXPECT_EQ(cyclicity(Digraph(3, {{0, 1}, {1, 2}})), Cyclicity{});
  EXPECT_EQ(cyclicity(Digraph(5, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}})), (Cyclicity{true, 3, 3}));
}

TEST(Metrics, CalibrationByHand) {
  // Pairs: one edge at 0.95, one non-edge at 0.95, four non-edges at 0.05.
  const Digraph truth(3, {{0, 1}});
  Matrix<double> scores(3, 3, 0.05);
  scores(0, 1) = scores(1, 2) = 0.95;
  const Calibration result = calibration(scores, truth);
  ASSERT_EQ(result.bins.size(), 10u);
  EXPECT_EQ(result.bins[0].pairs, 4u);
  EXPECT_EQ(result.bins[9].pairs, 2u);
  EXPECT_NEAR(result.bins[9].mean_probability, 0.95, 1e-15);
  EXPECT_EQ(result.bins[9].frequency, 0.5);
  EXPECT_NEAR(result.expected_error, (4 * 0.05 + 2 * 0.45) / 6, 1e-14);
  EXPECT_NEAR(result.maximum_error, 0.45, 1e-14);
  EXPECT_NEAR(result.brier, (4 * 0.0025 + 0.0025 + 0.9025) / 6, 1e-14);
  scores(0, 1) = 1.0;  // belongs to the last bin
  EXPECT_EQ(calibration(scores, truth).bins[9].pairs, 2u);
  scores(0, 1) = 1.1;
  EXPECT_THROW(calibration(scores, truth), InputError);
  EXPECT_THROW(calibration(scores, truth, 0), UsageError);
}

TEST(Metrics, CalibratedProbabilitiesHaveLittleError) {
  const int n = 300;
  RandomStream random(8, 0, 0);
  Matrix<double> scores(n, n);
  std::vector<Edge> edges;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      scores(i, j) = random.uniform();
      if (i != j && random.coin(scores(i, j))) edges.push_back({i, j});
    }
  const Digraph truth(n, edges);
  EXPECT_LT(calibration(scores, truth).expected_error, 0.01);
  for (double& score : scores.values()) score = 1.0 - score;
  EXPECT_GT(calibration(scores, truth).expected_error, 0.4);
}

TEST(Evaluation, PerfectScoresArePerfect) {
  const Digraph truth = test::random_dag(30, 0.1, 2);
  const Evaluation result = evaluate(score_matrix(truth), truth);
  EXPECT_EQ(result.average_precision, 1.0);
  EXPECT_EQ(result.auc, 1.0);
  EXPECT_EQ(result.orientation_accuracy, 1.0);
  EXPECT_EQ(result.shd, 0u);
  EXPECT_EQ(result.direction.f1(), 1.0);
  EXPECT_EQ(result.skeleton.f1(), 1.0);
  EXPECT_EQ(result.calibration->expected_error, 0.0);
  EXPECT_EQ(result.aid->oset->count + result.aid->ancestor.count + result.aid->parent.count, 0u);
  EXPECT_EQ(result.sid, 0u);
}

TEST(Evaluation, SaysWhatIsUndefined) {
  const Evaluation empty = evaluate(Matrix<double>(3, 3, 2.0), Digraph(3));
  EXPECT_TRUE(std::isnan(empty.average_precision));
  EXPECT_FALSE(empty.calibration);
  const auto json = to_json(empty);
  EXPECT_TRUE(json["average_precision"].is_null());
  EXPECT_TRUE(json["calibration"].is_null());
  EXPECT_TRUE(json["cyclic"].get<bool>());
  EXPECT_NE(to_table(empty).find("undefined"), std::string::npos);

  const Evaluation cyclic_truth = evaluate(Matrix<double>(2, 2), Digraph(2, {{0, 1}, {1, 0}}));
  EXPECT_FALSE(cyclic_truth.aid);
  EXPECT_TRUE(to_json(cyclic_truth)["sid"].is_null());
  EXPECT_EQ(evaluate(Matrix<double>(1, 1), Digraph(1)).shd, 0u);
}

TEST(Evaluation, ThresholdIsStrictAndScoresAreChecked) {
  const Digraph truth(2, {{0, 1}});
  Matrix<double> scores(2, 2);
  scores(0, 1) = 0.3;
  EXPECT_EQ(evaluate(scores, truth, 0.3).predicted_edges, 0u);
  EXPECT_EQ(evaluate(scores, truth, 0.29).predicted_edges, 1u);
  EXPECT_THROW(evaluate(scores, Digraph(3)), InputError);
  scores(0, 1) = NAN;
  EXPECT_THROW(evaluate(scores, truth), InputError);
}

}  // namespace
}  // namespace causcale

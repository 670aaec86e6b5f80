// Scores of some pairs are judged as the whole matrix with zeros elsewhere.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "causcale/error.h"
#include "metrics/evaluation.h"
#include "support/random_graphs.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

SparseScores random_sparse(int n, double share, double low, std::uint32_t number) {
  RandomStream random(15, number, 0);
  SparseScores scores{n, {}};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j && random.coin(share))
        scores.entries.push_back({{i, j}, low + (1 - low) * static_cast<double>(random.below(20)) / 19});
  return scores;
}

TEST(SparseEvaluation, EqualsThatOfTheWholeMatrix) {
  for (const int n : {1, 2, 3, 12, 31})
    for (const double share : {0.0, 0.1, 0.6, 1.0})
      for (const double low : {0.0, -0.5}) {
        const SparseScores scores = random_sparse(n, share, low, n);
        const Digraph truth = test::random_dag(n, 0.2, n);
        for (const double threshold : {0.0, 0.5}) {
          nlohmann::json sparse = to_json(evaluate(scores, truth, threshold));
          EXPECT_EQ(sparse["stored_pairs"], scores.entries.size());
          sparse.erase("stored_pairs");
          const nlohmann::json whole = to_json(evaluate(dense_scores(scores), truth, threshold));
          for (const char* const rounded : {"average_precision", "auc"}) {
            ASSERT_EQ(sparse[rounded].is_null(), whole[rounded].is_null());
            if (!sparse[rounded].is_null())
              EXPECT_NEAR(sparse[rounded].get<double>(), whole[rounded].get<double>(), 1e-12);
            sparse[rounded] = whole[rounded];
          }
          ASSERT_EQ(sparse["calibration"].is_null(), whole["calibration"].is_null());
          if (!sparse["calibration"].is_null())
            for (const char* const key : {"expected_error", "brier"})
              EXPECT_NEAR(sparse["calibration"][key].get<double>(), whole["calibration"][key].get<double>(),
                          1e-12);
          sparse["calibration"] = whole["calibration"];
          EXPECT_EQ(sparse, whole) << n << " " << share;
        }
      }
}

TEST(SparseEvaluation, OfListedPairsEqualsThatOfTheWholeMatrix) {
  const int n = 14;
  const Digraph truth = test::random_dag(n, 0.3, 7);
  const SparseScores known = random_sparse(n, 0.4, 0.0, 3);
  SparseScores scores = known;
  std::erase_if(scores.entries, [](const ScoredEdge& entry) { return entry.score < 0.3; });
  PartialScores whole{dense_scores(known), Matrix<std::uint8_t>(n, n)};
  for (const auto& [edge, score] : known.entries) whole.is_known(edge.source, edge.target) = 1;
  EXPECT_EQ(to_json(evaluate_partial(scores, known, truth)),
            to_json(evaluate_partial(dense_scores(scores), whole, truth)));
}

TEST(AncestralPairs, AreThoseOfDirectedPaths) {
  EXPECT_EQ(ancestral_pairs(Digraph(0), 9), 0u);
  EXPECT_EQ(ancestral_pairs(Digraph(4, {{0, 1}, {1, 2}, {0, 2}, {3, 2}}), 9), 4u);
  std::vector<Edge> chain;
  for (int k = 0; k + 1 < 4000; ++k) chain.push_back({k, k + 1});
  const Digraph line(4000, chain);
  EXPECT_EQ(ancestral_pairs(line, 99'000'000), 3999u * 4000 / 2);
  EXPECT_GT(ancestral_pairs(line, 10'000), 10'000u);
  const Evaluation far = evaluate(SparseScores{4000, {}}, line);
  EXPECT_TRUE(far.aid->oset.has_value());  // an empty guess joins nothing
  SparseScores all{4000, {}};
  for (const Edge& edge : chain) all.entries.push_back({edge, 1.0});
  const Evaluation same = evaluate(all, line);
  EXPECT_FALSE(same.aid->oset.has_value());
  EXPECT_EQ(same.aid->parent.count, 0u);
  EXPECT_TRUE(test::contains(to_table(same), "pairs on directed paths"));
}

TEST(SparseEvaluation, MistakesAreExplained) {
  const Digraph truth(3, {{0, 1}});
  EXPECT_THROW(evaluate(SparseScores{4, {}}, truth), InputError);
  EXPECT_THROW(evaluate(SparseScores{3, {{{0, 1}, std::nan("")}}}, truth), InputError);
  EXPECT_THROW(evaluate(SparseScores{3, {}}, truth, -1.0), InputError);
  EXPECT_TRUE(test::contains(to_table(evaluate(SparseScores{3, {{{0, 1}, 0.75}}}, truth)),
                             "all other pairs count as 0"));
}

}  // namespace
}  // namespace causcale

#include "graph/apply_knowledge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/random.h"

namespace causcale {
namespace {

// Each pair's forward, reverse and absent edge drawn at random, some of them certain or nearly so.
Matrix<double> random_probabilities(int n, std::uint32_t number) {
  RandomStream random(11, number, 0);
  Matrix<double> probabilities(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      double weight[3];
      for (double& w : weight) w = random.below(5) == 0 ? 1e-12 * random.uniform() : random.uniform();
      const double sum = weight[0] + weight[1] + weight[2];
      probabilities(i, j) = weight[0] / sum;
      probabilities(j, i) = weight[1] / sum;
    }
  return probabilities;
}

std::vector<Edge> random_edges(int n, int count, std::uint32_t number) {
  RandomStream random(12, number, 0);
  std::vector<Edge> edges;
  while (static_cast<int>(edges.size()) < count) {
    const int a = static_cast<int>(random.below(n)), b = static_cast<int>(random.below(n));
    if (a != b) edges.push_back({a, b});
  }
  return edges;
}

Matrix<double> applied(const Knowledge& knowledge, Matrix<double> probabilities) {
  apply_knowledge(knowledge, probabilities);
  return probabilities;
}

// The definition: a table of three possibilities, excluded ones struck out, the rest made to sum to 1.
void strike_out(const Knowledge& knowledge, Matrix<double>& p) {
  const int n = static_cast<int>(p.rows());
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      const bool no_forward = knowledge.forbids({i, j}), no_reverse = knowledge.forbids({j, i});
      if (!no_forward && !no_reverse) continue;
      const double absent = 1 - p(i, j) - p(j, i);
      const double forward = no_forward ? 0 : p(i, j), reverse = no_reverse ? 0 : p(j, i);
      p(i, j) = forward / (forward + reverse + absent);
      p(j, i) = reverse / (forward + reverse + absent);
    }
  for (const Edge& edge : knowledge.required) {
    p(edge.source, edge.target) = 1;
    p(edge.target, edge.source) = 0;
  }
}

TEST(ApplyKnowledge, AForbiddenDirectionHandsItsProbabilityToWhatIsLeft) {
  Matrix<double> probabilities(2, 2);
  probabilities(0, 1) = 0.888;
  probabilities(1, 0) = 0.110;
  Knowledge knowledge;
  knowledge.forbidden = {{0, 1}};
  Matrix<double> left = applied(knowledge, probabilities);
  EXPECT_EQ(left(0, 1), 0.0);
  EXPECT_NEAR(left(1, 0), 0.110 / 0.112, 1e-12);

  knowledge.forbidden = {{1, 0}};
  left = applied(knowledge, probabilities);
  EXPECT_EQ(left(1, 0), 0.0);
  EXPECT_NEAR(left(0, 1), 0.888 / 0.890, 1e-12);

  knowledge.forbidden = {{1, 0}, {0, 1}};
  left = applied(knowledge, probabilities);
  EXPECT_EQ(left(0, 1), 0.0);
  EXPECT_EQ(left(1, 0), 0.0);
}

TEST(ApplyKnowledge, StaysAProbabilityAtTheEdges) {
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  for (const double excluded : {0.0, 0.5, 1 - 1e-16, 1.0, 1 + 1e-12})
    for (const double p : {0.0, kTiny, 1e-300, 1e-9, 0.5, 1.0}) {
      const double left = given_excluded(p, excluded);
      EXPECT_GE(left, p) << p << " " << excluded;  // never NaN, never less
      EXPECT_LE(left, 1.0) << p << " " << excluded;
    }
  EXPECT_EQ(given_excluded(0.0, 1.0), 0.0);
  EXPECT_EQ(given_excluded(1e-9, 1.0), 1.0);
  EXPECT_EQ(given_excluded(0.25, 0.0), 0.25);
  EXPECT_NEAR(given_excluded(2e-10, 1 - 4e-10), 0.5, 1e-6);
}

TEST(ApplyKnowledge, IsConditioningPairByPair) {
  for (std::uint32_t k = 0; k < 40; ++k) {
    const int n = 3 + k % 8;
    Knowledge knowledge;
    if (k % 2) knowledge.forbidden = random_edges(n, n, k);
    if (k % 3) {
      RandomStream random(13, k, 0);
      for (int v = 0; v < n; ++v) knowledge.tier_of.push_back(static_cast<int>(random.below(4)) - 1);
      if (k % 4 == 0) knowledge.closed_tiers = {1};
    }
    if (k % 5 == 0) {  // an edge that nothing forbids
      const std::vector<Edge> wanted = random_edges(n, 20, k + 1000);
      const auto free = std::ranges::find_if(wanted, [&](Edge e) { return !knowledge.forbids(e); });
      if (free != wanted.end()) knowledge.required = {*free};
    }
    const Matrix<double> before = random_probabilities(n, k);
    Matrix<double> expected = before;
    strike_out(knowledge, expected);
    const Matrix<double> after = applied(knowledge, before);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        // 1e-12 beside 1 leaves four digits of the sum in the definition.
        EXPECT_NEAR(after(i, j), expected(i, j), 1e-3) << k << " " << i << " " << j;
        if (!knowledge.forbids({i, j}) && !knowledge.forbids({j, i}) && knowledge.required.empty()) {
          EXPECT_EQ(after(i, j), before(i, j));
        }
        if (i < j) {
          EXPECT_LE(after(i, j) + after(j, i), 1 + 1e-12);
        }
      }
  }
}

TEST(ApplyKnowledge, TwiceIsOnceAndInAnyOrder) {
  for (std::uint32_t k = 0; k < 20; ++k) {
    const int n = 4 + k % 5;
    Knowledge all, first, second;
    all.forbidden = random_edges(n, 2 * n, k);
    first.forbidden.assign(all.forbidden.begin(), all.forbidden.begin() + n);
    second.forbidden.assign(all.forbidden.begin() + n, all.forbidden.end());
    const Matrix<double> before = random_probabilities(n, k);
    const Matrix<double> once = applied(all, before);
    const auto expect_once = [&](const Matrix<double>& other) {
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) EXPECT_NEAR(other(i, j), once(i, j), 1e-12);
    };
    expect_once(applied(all, once));
    expect_once(applied(second, applied(first, before)));
    expect_once(applied(first, applied(second, before)));
  }
}

// Tiers say nothing else than the edges against them, one by one.
TEST(ApplyKnowledge, TiersAreListsOfForbiddenEdges) {
  Knowledge tiers, list;
  tiers.tier_of = {0, 1, -1, 1, 2, 0};
  tiers.closed_tiers = {1};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      if (i != j && tiers.forbids({i, j})) list.forbidden.push_back({i, j});
  ASSERT_FALSE(list.forbidden.empty());
  const Matrix<double> before = random_probabilities(6, 5);
  EXPECT_EQ(applied(tiers, before).values(), applied(list, before).values());
}

TEST(ApplyKnowledge, FollowsAReorderingOfTheVariables) {
  const int n = 7;
  const std::vector<int> place = {3, 0, 6, 1, 5, 2, 4};
  Knowledge knowledge, moved;
  knowledge.forbidden = random_edges(n, 6, 3);
  knowledge.tier_of = {0, 0, 1, 1, 2, -1, 2};
  moved.tier_of.resize(n);
  for (int v = 0; v < n; ++v) moved.tier_of[place[v]] = knowledge.tier_of[v];
  for (const Edge& edge : knowledge.forbidden)
    moved.forbidden.push_back({place[edge.source], place[edge.target]});
  const Matrix<double> before = random_probabilities(n, 9);
  Matrix<double> before_moved(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) before_moved(place[i], place[j]) = before(i, j);
  const Matrix<double> after = applied(knowledge, before), after_moved = applied(moved, before_moved);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) EXPECT_EQ(after_moved(place[i], place[j]), after(i, j));
}

TEST(ApplyKnowledge, RequiredEdgesTakeAll) {
  Matrix<double> probabilities = random_probabilities(3, 1);
  const double other = probabilities(1, 2);
  Knowledge knowledge;
  knowledge.required = {{2, 0}};
  apply_knowledge(knowledge, probabilities);
  EXPECT_EQ(probabilities(2, 0), 1.0);
  EXPECT_EQ(probabilities(0, 2), 0.0);
  EXPECT_EQ(probabilities(1, 2), other);
}

// Both ways 0.3, forward alone 0.2, reverse alone 0.1, none 0.4.
TEST(ApplyKnowledge, FeedbackGoesWithTheForbiddenDirection) {
  Matrix<double> probabilities(3, 3), feedback(3, 3);
  probabilities(0, 1) = 0.5, probabilities(1, 0) = 0.4;
  feedback(0, 1) = feedback(1, 0) = 0.3;
  probabilities(0, 2) = probabilities(2, 0) = 0.6;
  feedback(0, 2) = feedback(2, 0) = 0.4;
  Knowledge knowledge;
  knowledge.forbidden = {{0, 1}};
  knowledge.required = {{2, 0}};
  apply_knowledge(knowledge, probabilities, &feedback);
  EXPECT_EQ(probabilities(0, 1), 0.0);
  EXPECT_DOUBLE_EQ(probabilities(1, 0), 0.1 / (0.1 + 0.4));
  EXPECT_EQ(feedback(0, 1), 0.0);
  EXPECT_EQ(feedback(1, 0), 0.0);
  EXPECT_EQ(probabilities(2, 0), 1.0);
  EXPECT_EQ(feedback(0, 2), 0.0);
}

}  // namespace
}  // namespace causcale

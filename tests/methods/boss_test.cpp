#include "methods/score/boss_search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gaussian_models.h"
#include "graph/cpdag.h"
#include "methods/method.h"
#include "methods/score/gaussian_score.h"
#include "methods/score/grow_shrink_tree.h"
#include "support/random_graphs.h"
#include "thread_counts.h"

namespace causcale {
namespace {

// Growing and shrinking without memory.
std::vector<int> plain_parents(const LocalScore& score, int target, const std::vector<char>& available) {
  std::vector<int> parents;
  const auto with = [&](int v) {
    std::vector<int> more = parents;
    more.push_back(v);
    return score.local(target, more);
  };
  const auto without = [&](int v) {
    std::vector<int> fewer = parents;
    std::erase(fewer, v);
    return score.local(target, fewer);
  };
  while (true) {
    int best = -1;
    for (int v = 0; v < score.nodes(); ++v)
      if (available[v] && v != target && std::ranges::find(parents, v) == parents.end() &&
          with(v) > score.local(target, parents) + 1e-9 && (best < 0 || with(v) > with(best)))
        best = v;
    if (best < 0) break;
    parents.push_back(best);
  }
  while (true) {
    int worst = -1;
    for (const int v : parents)
      if (without(v) > score.local(target, parents) + 1e-9 && (worst < 0 || without(v) > without(worst)))
        worst = v;
    if (worst < 0) break;
    std::erase(parents, worst);
  }
  std::ranges::sort(parents);
  return parents;
}

TEST(GrowShrinkTree, FindsWhatGrowingAndShrinkingAnewFinds) {
  for (std::uint32_t k = 0; k < 5; ++k) {
    const Digraph dag = test::random_dag(9, 0.4, k);
    const GaussianScore score(test::exact_covariance(test::random_linear_model(dag, k)), 200.0, 1.0);
    const EdgePermissions all(9, {});
    GrowShrinkTree tree(score, all, 4);
    RandomStream random(1, k, 0);
    for (int round = 0; round < 60; ++round) {
      std::vector<char> available(9);
      for (char& value : available) value = random.coin();
      available[4] = 0;
      const std::vector<int> expected = plain_parents(score, 4, available);
      EXPECT_EQ(tree.parents(available), expected);
      EXPECT_NEAR(tree.score(available), score.local(4, expected), 1e-8);
    }
  }
}

// Exact covariances of as many rows as one likes: the true class.
TEST(Boss, ReturnsTheTrueClassGivenTheTruth) {
  std::size_t right = 0, all = 0;
  for (std::uint32_t k = 0; k < 40; ++k) {
    const Digraph dag = test::random_dag(8, 0.3, 60 + k);
    const Dataset data = test::exact_dataset(test::random_linear_model(dag, k), {{}}, 2000);
    const Cpdag truth = cpdag_of(dag);
    MixedGraph expected(truth.directed);
    for (const Edge& edge : truth.undirected)
      expected.set(edge.source, edge.target, Mark::kTail, Mark::kTail);
    right += run_method(boss_method(), data, {}).graph == expected;
    ++all;
  }
  EXPECT_GE(right, all - 4);  // the search is greedy
}

TEST(Boss, NeverScoresBelowTheOrderItBeganWith) {
  const Digraph dag = test::random_dag(12, 0.3, 5);
  const Dataset data = test::drawn_dataset(test::random_linear_model(dag, 5), 300, 5,
                                           [](RandomStream& random) { return random.normal(); });
  const GaussianScore score(data.table, {}, 2.0);
  const EdgePermissions all(12, {});
  const BossResult found = boss_search(score, all, 3, 0, {});
  double sum = 0.0, empty = 0.0;
  for (int v = 0; v < 12; ++v) {
    const std::vector<int> parents(found.dag.parents(v).begin(), found.dag.parents(v).end());
    sum += score.local(v, parents);
    empty += score.local(v, {});
  }
  EXPECT_NEAR(found.score, sum, 1e-6);
  EXPECT_GT(sum, empty);
  EXPECT_TRUE(topological_order(found.dag).has_value());
}

TEST(Boss, KeepsToKnowledge) {
  for (std::uint32_t k = 0; k < 10; ++k) {
    const Digraph dag = test::random_dag(8, 0.4, 80 + k);
    const Dataset data = test::drawn_dataset(test::random_linear_model(dag, k), 300, k,
                                             [](RandomStream& random) { return random.normal(); });
    MethodOptions options;
    options.knowledge.required = {{0, 7}, {7, 3}};
    options.knowledge.forbidden = {{1, 2}, {2, 1}};
    const MixedGraph found = run_method(boss_method(), data, options).graph;
    EXPECT_TRUE(found.directed(0, 7));
    EXPECT_TRUE(found.directed(7, 3));
    EXPECT_FALSE(found.adjacent(1, 2));
  }
}

TEST(Boss, AwkwardTablesAndThreads) {
  const Dataset awkward = test::awkward_dataset();
  EXPECT_NO_THROW(run_method(boss_method(), awkward, {}));
  test::expect_same_for_any_thread_count(boss_method(), awkward);
}

}  // namespace
}  // namespace causcale

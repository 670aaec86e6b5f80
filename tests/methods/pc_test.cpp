#include "methods/constraint/pc_search.h"

#include <gtest/gtest.h>

#include <numeric>

#include "graph/cpdag.h"
#include "graph/order.h"
#include "methods/method.h"
#include "separation_oracle.h"
#include "simulate/synthetic.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

using test::DagOracle;

MixedGraph as_mixed(const Cpdag& cpdag) {
  MixedGraph result(cpdag.directed);
  for (const Edge& edge : cpdag.undirected) result.set(edge.source, edge.target, Mark::kTail, Mark::kTail);
  return result;
}

MixedGraph search(const IndependenceTest& test, const EdgeRules& rules, ColliderRule collider_rule) {
  SkeletonOptions options;
  options.threads = 1;
  return orient_pc(stable_skeleton(test, rules, options), test, rules, collider_rule, 1).graph;
}

TEST(Pc, ReturnsTheTrueCpdagGivenTheTruth) {
  std::size_t directed = 0, undirected = 0;
  for (std::uint32_t k = 0; k < 400; ++k) {
    SCOPED_TRACE(k);
    const Digraph dag = test::random_dag(3 + static_cast<int>(k % 8), 0.15 + 0.1 * (k % 5), k);
    const Cpdag truth = cpdag_of(dag);
    directed += truth.directed.edge_count();
    undirected += truth.undirected.size();
    for (const ColliderRule rule :
         {ColliderRule::kPlain, ColliderRule::kMajority, ColliderRule::kConservative})
      ASSERT_EQ(search(DagOracle(dag), {}, rule), as_mixed(truth));
  }
  EXPECT_GT(directed, 500u);
  EXPECT_GT(undirected, 300u);
}

TEST(Pc, ReturnsTheTrueCpdagOfALargerSparseGraph) {
  for (std::uint32_t k = 0; k < 10; ++k) {
    const Digraph dag = test::random_dag(40, 0.07, 100 + k);
    ASSERT_EQ(search(DagOracle(dag), {}, ColliderRule::kPlain), as_mixed(cpdag_of(dag)));
  }
}

// Knowledge directs more edges; all of them must be true ones, and all that the knowledge implies.
TEST(Pc, TrueKnowledgeIsUsed) {
  std::size_t gained = 0;
  for (std::uint32_t k = 0; k < 150; ++k) {
    SCOPED_TRACE(k);
    const int n = 7;
    const Digraph dag = test::random_dag(n, 0.4, 700 + k);
    Knowledge knowledge;
    for (std::size_t e = 0; e < dag.edge_count(); e += 5) knowledge.required.push_back(dag.edges()[e]);
    const auto order = *topological_order(dag);
    knowledge.tier_of.assign(n, -1);
    if (k % 2)
      for (int place = 0; place < n; ++place) knowledge.tier_of[order[place]] = place / 4;
    for (int v = 0; v + 1 < n; ++v)
      if (!dag.has_edge(v, v + 1)) knowledge.forbidden.push_back({v, v + 1});
    const MixedGraph found = search(DagOracle(dag), EdgeRules(knowledge, n), ColliderRule::kPlain);
    const MixedGraph without = as_mixed(cpdag_of(dag));
    for (const Edge& edge : knowledge.required) EXPECT_TRUE(found.directed(edge.source, edge.target));
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b) {
        if (a == b) continue;
        EXPECT_EQ(found.adjacent(a, b), without.adjacent(a, b));
        if (found.directed(a, b)) {
          EXPECT_TRUE(dag.has_edge(a, b));
        }
        if (without.directed(a, b)) {
          EXPECT_TRUE(found.directed(a, b));
        }
        gained += found.directed(a, b) && !without.directed(a, b);
      }
  }
  EXPECT_GT(gained, 100u);
}

TEST(Pc, KnowledgeAgainstTheDataWins) {
  const Digraph dag(3, {{0, 1}, {1, 2}});
  Knowledge knowledge;
  knowledge.required = {{2, 0}};
  knowledge.forbidden = {{0, 1}, {1, 0}, {1, 2}};
  const MixedGraph found = search(DagOracle(dag), EdgeRules(knowledge, 3), ColliderRule::kPlain);
  EXPECT_TRUE(found.directed(2, 0));
  EXPECT_FALSE(found.adjacent(0, 1));
  EXPECT_TRUE(found.directed(2, 1));
}

Simulation linear_data(int nodes, double edges_per_node, int rows, std::uint32_t index) {
  SyntheticOptions options;
  options.nodes = nodes;
  options.edges_per_node = edges_per_node;
  options.rows = rows;
  options.interventions.effect = InterventionEffect::kNone;
  return simulate_synthetic(options, 11, index);
}

TEST(Pc, FindsMostOfALinearGraph) {
  const Simulation simulation = linear_data(30, 1.0, 5000, 0);
  MethodOptions options;
  options.settings["alpha"] = "0.001";
  const MethodResult result = run_method(pc_method(), simulation.dataset, options);
  std::size_t joined = 0;
  for (const Edge& edge : simulation.graph.edges()) joined += result.graph.adjacent(edge.source, edge.target);
  EXPECT_GT(joined, simulation.graph.edge_count() * 8 / 10);
  EXPECT_LT(result.graph.edge_count(), simulation.graph.edge_count() * 12 / 10);
}

// The same answer whatever the order of the columns and the number of threads; bit by bit.
TEST(ConstraintMethods, DependNeitherOnColumnOrderNorOnThreads) {
  const Simulation simulation = linear_data(40, 2.0, 400, 1);
  const int n = 40;
  std::vector<int> permutation(n);
  for (int k = 0; k < n; ++k) permutation[k] = (k * 17 + 5) % n;
  Dataset shuffled = simulation.dataset;
  for (int k = 0; k < n; ++k) {
    shuffled.table.names[permutation[k]] = simulation.dataset.table.names[k];
    for (std::size_t r = 0; r < shuffled.table.rows(); ++r)
      shuffled.table.values(r, permutation[k]) = simulation.dataset.table.values(r, k);
  }
  for (const Method& method : {pc_method(), fci_method(), rfci_method()})
    for (const char* rule : {"plain", "majority"}) {
      SCOPED_TRACE(method.name);
      MethodOptions options;
      if (method.name == "pc") options.settings["colliders"] = rule;
      options.threads = 1;
      const MethodResult one = run_method(method, simulation.dataset, options);
      options.threads = 5;
      const MethodResult many = run_method(method, shuffled, options);
      EXPECT_GT(one.graph.edge_count(), 20u);
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b) {
          ASSERT_EQ(one.graph.mark(a, b), many.graph.mark(permutation[a], permutation[b]));
          ASSERT_EQ(one.scores(a, b), many.scores(permutation[a], permutation[b]));
        }
    }
}

// The promise of the stable search itself, without the canonical order of columns.
TEST(Skeleton, DoesNotDependOnTheNumbering) {
  // An oracle that contradicts itself, as finite data do: independence by a hash of names.
  class Fickle final : public IndependenceTest {
   public:
    explicit Fickle(std::vector<int> name) : name_(std::move(name)) {}
    int variables() const override { return static_cast<int>(name_.size()); }
    int largest_set() const override { return 3; }
    double strength(int x, int y, std::span<const int> given) const override {
      std::uint64_t sum = mix(name_[x]) + mix(name_[y]);
      for (const int v : given) sum += 3 * mix(name_[v] + 100);
      return mix(sum) % 100 < (given.empty() ? 40 : 4) ? 0.5 : 1.5;
    }

   private:
    static std::uint64_t mix(std::uint64_t v) {
      v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u + 0x9e3779b97f4a7c15u;
      v = (v ^ v >> 27) * 0x94d049bb133111ebu;
      return v ^ v >> 31;
    }
    std::vector<int> name_;
  };
  const int n = 16;
  std::vector<int> names(n), other(n);
  std::iota(names.begin(), names.end(), 0);
  for (int k = 0; k < n; ++k) other[k] = (k * 5 + 3) % n;
  const Skeleton one = stable_skeleton(Fickle(names), {}, {});
  const Skeleton two = stable_skeleton(Fickle(other), {}, {});
  EXPECT_GT(one.edge_count(), 5u);
  EXPECT_LT(one.edge_count(), 60u);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) EXPECT_EQ(two.adjacent(a, b), one.adjacent(other[a], other[b]));
}

// All depends on all, whatever is given: every size takes all tests that it can.
TEST(Skeleton, BeginsNoSizeThatCouldTakeTooManyTests) {
  class Dependent final : public IndependenceTest {
   public:
    int variables() const override { return 10; }
    int largest_set() const override { return 8; }
    double strength(int, int, std::span<const int>) const override { return 2.0; }
  };
  const auto searched = [](std::int64_t max_tests, int threads) {
    SkeletonOptions options;
    options.max_conditioning = 2;
    options.max_tests = max_tests;
    options.threads = threads;
    return stable_skeleton(Dependent(), {}, options);
  };
  constexpr std::int64_t kAll = 45 + 45 * 2 * 8 + 45 * 2 * 28;  // of pairs, with one and two of the others
  const Skeleton whole = searched(0, 1);
  EXPECT_EQ(whole.deepest, 2);
  EXPECT_EQ(searched(kAll, 1).tests, whole.tests);
  for (const int threads : {1, 3})
    for (const std::int64_t few : {std::int64_t{1}, whole.tests - 1}) {
      const Skeleton cut = searched(few, threads);
      EXPECT_EQ(cut.deepest, 1) << few;  // single variables are always tried
      EXPECT_LT(cut.tests, whole.tests);
      EXPECT_EQ(cut.edge_count(), 45u);
    }
}

TEST(Pc, DirectedEdgesAreAcyclicAndScoresFollowTheMarks) {
  for (std::uint32_t k = 0; k < 5; ++k) {
    const Simulation simulation = linear_data(40, 3.0, 150, 20 + k);
    for (const char* rule : {"plain", "majority", "conservative"}) {
      MethodOptions options;
      options.settings = {{"colliders", rule}, {"alpha", "0.1"}};
      const MethodResult result = run_method(pc_method(), simulation.dataset, options);
      std::vector<Edge> directed;
      for (int a = 0; a < 40; ++a)
        for (int b = 0; b < 40; ++b) {
          if (result.graph.directed(a, b)) {
            directed.push_back({a, b});
            EXPECT_GT(result.scores(a, b), 0.5);
            EXPECT_LT(result.scores(b, a), 0.26);
          } else if (!result.graph.adjacent(a, b)) {
            EXPECT_LE(result.scores(a, b), 0.25);
          } else if (result.graph.undirected(a, b)) {
            EXPECT_EQ(result.scores(a, b), result.scores(b, a));
          }
        }
      EXPECT_GT(directed.size(), 10u);
      EXPECT_TRUE(is_acyclic(Digraph(40, directed)));
    }
  }
}

}  // namespace
}  // namespace causcale

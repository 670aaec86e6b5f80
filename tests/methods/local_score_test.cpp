// Scores of discrete and mixed tables: textbook formulas, equivalence, recovery.
#include "methods/score/local_score.h"

#include <gtest/gtest.h>

#include "discrete_models.h"
#include "graph/cpdag.h"
#include "methods/method.h"
#include "methods/score/choose_score.h"
#include "methods/score/discrete_score.h"
#include "methods/score/gaussian_score.h"
#include "methods/score/mixed_scores.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

using test::counted;
using test::drawn_from_tables;

std::unique_ptr<LocalScore> score_named(const std::string& name, const Dataset& data,
                                        std::map<std::string, std::string> settings = {}) {
  MethodOptions options;
  options.settings = std::move(settings);
  options.settings["score"] = name;
  return choose_score(data.table, data.interventions, options).score;
}

double total(const LocalScore& score, const Digraph& dag) {
  double sum = 0.0;
  for (int v = 0; v < dag.nodes(); ++v) {
    const std::vector<int> parents(dag.parents(v).begin(), dag.parents(v).end());
    sum += score.local(v, parents);
  }
  return sum;
}

// Every third column discrete by rounding.
Dataset mixed_dataset(const Digraph& dag, int rows, std::uint32_t number) {
  Dataset data = test::drawn_dataset(test::random_linear_model(dag, number), rows, number,
                                     [](RandomStream& random) { return random.normal(); });
  for (std::size_t c = 0; c < data.table.cols(); c += 3)
    for (std::size_t r = 0; r < data.table.rows(); ++r)
      data.table.values(r, c) = std::clamp(std::round(data.table.values(r, c)), -1.0, 1.0);
  return data;
}

TEST(DiscreteScore, IsThatOfTheFormulas) {
  const Dataset data = drawn_from_tables(test::random_dag(4, 0.6, 2), {2, 3, 3, 2}, 300, 2);
  const auto bic = score_named("discrete-bic", data, {{"penalty", "1"}});
  const auto bdeu = score_named("bdeu", data, {{"sample-size", "4"}, {"expected-parents", "0"}});
  const std::vector<int> parents{1, 3};
  const auto joint = counted(data.table, {1, 3, 2}), above = counted(data.table, {1, 3});
  double likelihood = 0.0, marginal = 0.0;
  for (const auto& [key, count] : joint) likelihood += count * std::log(count / above.at({key[0], key[1]}));
  EXPECT_NEAR(bic->local(2, parents), likelihood - 0.5 * std::log(300.0) * 2 * 6, 1e-8);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 2; ++b) {
      const auto at = [](const auto& counts, const std::vector<int>& key) {
        const auto found = counts.find(key);
        return found == counts.end() ? 0.0 : found->second;
      };
      marginal += std::lgamma(4.0 / 6) - std::lgamma(4.0 / 6 + at(above, {a, b}));
      for (int c = 0; c < 3; ++c)
        marginal += std::lgamma(4.0 / 18 + at(joint, {a, b, c})) - std::lgamma(4.0 / 18);
    }
  EXPECT_NEAR(bdeu->local(2, parents), marginal, 1e-8);
  EXPECT_EQ(bdeu->local(2, std::vector<int>{3, 1}), bdeu->local(2, parents));
  // One expected parent among three others: odds of an edge 1 to 2.
  const auto with_prior = score_named("bdeu", data, {{"sample-size", "4"}});
  EXPECT_NEAR(with_prior->local(2, parents), marginal + 2.0 * std::log(0.5), 1e-8);
}

// All DAGs of a class, found among random ones of the same graph with edges turned.
TEST(Scores, EquivalentGraphsScoreAlike) {
  std::size_t compared = 0;
  for (std::uint32_t k = 0; k < 60; ++k) {
    const Digraph dag = test::random_dag(5, 0.5, 300 + k);
    const Cpdag own = cpdag_of(dag);
    if (own.undirected.empty()) continue;
    const Dataset discrete = drawn_from_tables(dag, {2, 3, 2, 2, 3}, 200, k);
    const Dataset mixed = mixed_dataset(dag, 200, k);
    // Turn one edge of the DAG and see whether the class stays.
    for (const Edge& edge : dag.edges()) {
      std::vector<Edge> edges;
      for (const Edge& other : dag.edges())
        edges.push_back(other == edge ? Edge{edge.target, edge.source} : other);
      const Digraph turned(5, edges);
      if (!topological_order(turned) || !(cpdag_of(turned) == own)) continue;
      ++compared;
      for (const char* name : {"bdeu", "discrete-bic"}) {
        const auto score = score_named(name, discrete);
        EXPECT_NEAR(total(*score, dag), total(*score, turned), 1e-7) << name;
      }
      for (const char* name : {"conditional-gaussian-bic", "degenerate-gaussian-bic", "gaussian-bic"}) {
        const auto score = score_named(name, mixed);
        EXPECT_NEAR(total(*score, dag), total(*score, turned), 1e-6) << name;
      }
    }
  }
  EXPECT_GT(compared, 20u);
}

// On continuous columns the mixed scores rank as the Gaussian one, on discrete ones as the discrete BIC.
TEST(MixedScores, AgreeWithTheirSpecialCases) {
  const Digraph dag = test::random_dag(5, 0.5, 9);
  const Dataset linear = test::drawn_dataset(test::random_linear_model(dag, 9), 400, 9,
                                             [](RandomStream& random) { return random.normal(); });
  const auto gaussian = score_named("gaussian-bic", linear, {{"penalty", "1"}});
  for (const char* name : {"degenerate-gaussian-bic", "conditional-gaussian-bic"}) {
    const auto score = score_named(name, linear, {{"penalty", "1"}});
    const std::vector<int> few{1}, many{1, 2, 4};
    EXPECT_NEAR(score->local(0, many) - score->local(0, few),
                gaussian->local(0, many) - gaussian->local(0, few), 1e-6)
        << name;
  }
  const Dataset discrete = drawn_from_tables(dag, {2, 3, 2, 2, 3}, 400, 9);
  const auto bic = score_named("discrete-bic", discrete),
             mixed = score_named("conditional-gaussian-bic", discrete, {{"penalty", "1"}});
  EXPECT_NEAR(mixed->local(0, std::vector<int>{1, 3}), bic->local(0, std::vector<int>{1, 3}), 1e-6);
}

TEST(Scores, RowsOfANodesOwnInterventionsAreLeftOut) {
  Dataset data = mixed_dataset(test::random_dag(5, 0.5, 12), 300, 12);
  Dataset kept = data;  // the rows without intervention on node 1
  data.interventions.regimes = {{}, {1}};
  data.interventions.regime_of_row.assign(300, 0);
  std::vector<double> values;
  for (std::size_t r = 0; r < 300; ++r) {
    data.interventions.regime_of_row[r] = r % 3 == 0;
    if (r % 3 == 0) continue;
    values.insert(values.end(), data.table.values.row(r).begin(), data.table.values.row(r).end());
  }
  kept.table.values = Matrix<double>(200, 5, values);
  const double penalty = 1e-3;  // log(m) differs
  for (const char* name : {"conditional-gaussian-bic", "degenerate-gaussian-bic"}) {
    const auto all = score_named(name, data, {{"penalty", "0.001"}}),
               part = score_named(name, kept, {{"penalty", "0.001"}});
    const std::vector<int> parents{0, 2};
    EXPECT_NEAR(all->local(1, parents) - all->local(1, {}), part->local(1, parents) - part->local(1, {}),
                40 * penalty * std::log(300.0 / 200.0))
        << name;
  }
}

TEST(Scores, MissingValues) {
  Dataset data = drawn_from_tables(Digraph(3, {{0, 1}, {1, 2}}), {2, 3, 2}, 2000, 4);
  const auto whole = score_named("discrete-bic", data);
  RandomStream random(5, 5, 0);
  for (double& value : data.table.values.values())
    if (random.coin(0.1)) value = NAN;
  const auto part = score_named("discrete-bic", data);
  const std::vector<int> parent{0};
  EXPECT_NEAR(part->local(1, parent), whole->local(1, parent), 0.05 * std::abs(whole->local(1, parent)));
  EXPECT_THROW(score_named("bdeu", data), InputError);
  EXPECT_NO_THROW(score_named("auto", data));
  Dataset linear = test::drawn_dataset(test::random_linear_model(Digraph(3, {{0, 1}, {1, 2}}), 4), 1000, 4,
                                       [](RandomStream& stream) { return stream.normal(); });
  const MixedGraph expected = run_method(ges_method(), linear, {}).graph;
  for (double& value : linear.table.values.values())
    if (random.coin(0.1)) value = NAN;
  const MethodResult found = run_method(ges_method(), linear, {});
  EXPECT_EQ(found.graph, expected);
  EXPECT_TRUE(std::ranges::any_of(
      found.log, [](const std::string& line) { return line.find("missing") != std::string::npos; }));
  linear.interventions.regimes = {{}, {1}};
  linear.interventions.regime_of_row.assign(1000, 0);
  for (int r = 0; r < 50; ++r) linear.interventions.regime_of_row[r] = 1;
  EXPECT_NE(run_method(gies_method(), linear, {}).log.front().find("filled in by regression"),
            std::string::npos);
}

TEST(Scores, SearchesRecoverNetworksOfTables) {
  int exact_ges = 0, exact_boss = 0;
  for (std::uint32_t k = 0; k < 5; ++k) {
    const Digraph dag = test::random_dag(7, 0.3, 500 + k);
    const Dataset data = drawn_from_tables(dag, {2, 3, 2, 3, 2, 2, 3}, 20000, 50 + k);
    const Cpdag truth = cpdag_of(dag);
    MixedGraph expected(truth.directed);
    for (const Edge& edge : truth.undirected)
      expected.set(edge.source, edge.target, Mark::kTail, Mark::kTail);
    exact_ges += run_method(ges_method(), data, {}).graph == expected;
    exact_boss += run_method(boss_method(), data, {}).graph == expected;
  }
  EXPECT_GE(exact_ges, 3);
  EXPECT_GE(exact_boss, 3);
}

}  // namespace
}  // namespace causcale

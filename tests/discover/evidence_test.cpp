#include "discover/evidence.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "discover/evidence_tests.h"
#include "simulate/synthetic.h"

namespace causcale {
namespace {

template <class Row>
Dataset table_of(std::size_t rows, std::size_t columns, std::uint64_t seed, Row row) {
  RandomStream random(seed, 0, 0);
  Dataset dataset;
  dataset.table.values = Matrix<double>(rows, columns);
  for (std::size_t c = 0; c < columns; ++c) dataset.table.names.push_back("v" + std::to_string(c));
  for (std::size_t r = 0; r < rows; ++r) row(random, dataset.table.values.row(r));
  return dataset;
}

double pair_p(const Dataset& dataset) {
  const std::vector<Edge> edge{{0, 1}};
  return edge_evidence(dataset, edge, 1).front().p;
}

template <class Effect>
double p_of(Effect effect, bool binary_cause = false) {
  return pair_p(table_of(400, 2, 3, [&](RandomStream& random, auto row) {
    row[0] = binary_cause ? static_cast<double>(random.below(2)) : random.normal();
    row[1] = effect(row[0], random);
  }));
}

TEST(EdgeEvidence, EveryKindOfDependenceIsSeen) {
  EXPECT_LT(p_of([](double x, RandomStream& random) { return 0.4 * x + random.normal(); }), 1e-6);
  EXPECT_LT(p_of([](double x, RandomStream& random) { return x * x + random.normal(); }), 1e-6);
  EXPECT_LT(p_of([](double x, RandomStream& random) { return x * random.normal(); }), 1e-6);
  EXPECT_LT(p_of([](double x, RandomStream& random) { return std::sin(4 * x) + 0.3 * random.normal(); }),
            1e-6);
  EXPECT_LT(p_of([](double x, RandomStream& random) { return x + random.normal(); }, true), 1e-6);
  EXPECT_LT(p_of([](double x, RandomStream& random) { return (1 + 2 * x) * random.normal(); }, true), 1e-6);
  EXPECT_LT(p_of([](double x, RandomStream& random) { return random.below(4) == 0 ? 1 - x : x; }, true),
            1e-6);
}

// Under independence the p value is at most alpha in at most alpha of the tables, up to what chance adds.
TEST(EdgeEvidence, IndependentColumnsSeldomLookDependent) {
  for (int kind = 0; kind < 5; ++kind) {
    int small = 0;
    constexpr int kTables = 400;
    for (int t = 0; t < kTables; ++t) {
      const Dataset dataset = table_of(150, 2, 100 + t, [&](RandomStream& random, auto row) {
        const auto cell = [&](int which) -> double {
          if (which == 0) return random.normal();
          if (which == 1) return random.below(2);
          if (which == 2) return random.below(5);
          return std::pow(random.normal(), 5);
        };
        constexpr int kPairs[5][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 2}, {3, 0}};
        row[0] = cell(kPairs[kind][0]);
        row[1] = cell(kPairs[kind][1]);
      });
      small += pair_p(dataset) <= 0.05;
    }
    EXPECT_LE(small, 0.05 * kTables + 3 * std::sqrt(0.05 * 0.95 * kTables)) << "kind " << kind;
  }
}

TEST(EdgeEvidence, InterventionsOnTheTargetDoNotCountAndThoseOnTheSourceDo) {
  Dataset dataset = table_of(300, 2, 7, [](RandomStream& random, auto row) {
    row[0] = random.normal();
    row[1] = random.normal();
  });
  dataset.interventions.regimes = {{}, {0}, {1}};
  dataset.interventions.regime_of_row.assign(300, 0);
  for (std::size_t r = 100; r < 300; ++r) {
    const int regime = r < 200 ? 1 : 2;
    dataset.interventions.regime_of_row[r] = regime;
    if (regime == 1) dataset.table.values(r, 1) += 2;                              // moved by the source
    if (regime == 2) dataset.table.values(r, 1) = 5 * dataset.table.values(r, 0);  // set by the experiment
  }
  const std::vector<Edge> edges{{0, 1}, {1, 0}};
  const auto found = edge_evidence(dataset, edges, 1);
  EXPECT_EQ(found[0].rows, 200u);
  EXPECT_GT(found[0].p, 0.01);
  EXPECT_LT(found[0].shift_q, 1e-6);
  EXPECT_FALSE(found[0].struck);
  EXPECT_GT(found[1].shift_p, 0.05);
}

TEST(EdgeEvidence, TooFewRowsAreNoReasonToStrike) {
  const Dataset dataset = table_of(9, 2, 7, [](RandomStream& random, auto row) {
    row[0] = random.normal();
    row[1] = random.normal();
  });
  const auto found = edge_evidence(dataset, std::vector<Edge>{{0, 1}}, 1);
  EXPECT_TRUE(std::isnan(found[0].q));
  EXPECT_FALSE(found[0].struck);
}

TEST(EdgeEvidence, FalseDiscoveryRates) {
  const double none = std::nan("");
  const auto q = false_discovery_rates(std::vector<double>{0.01, none, 0.04, 0.03, 0.5});
  EXPECT_DOUBLE_EQ(q[0], 0.04);
  EXPECT_TRUE(std::isnan(q[1]));
  EXPECT_DOUBLE_EQ(q[2], 0.04 * 4 / 3);
  EXPECT_DOUBLE_EQ(q[3], 0.04 * 4 / 3);
  EXPECT_DOUBLE_EQ(q[4], 0.5);
}

TEST(EdgeEvidence, StruckEdgesLeaveTheGraphUnlessRequiredOrSwitchedOff) {
  const Dataset dataset = table_of(300, 4, 2, [](RandomStream& random, auto row) {
    row[0] = random.normal();
    row[1] = row[0] + random.normal();
    row[2] = random.normal();
    row[3] = random.normal();
  });
  DiscoverResult result;
  result.names = dataset.table.names;
  result.probabilities = Matrix<double>(4, 4);
  result.probabilities(0, 1) = 0.8;
  result.probabilities(1, 2) = 0.9;
  result.probabilities(2, 0) = 0.85;  // with the two others a cycle
  result.probabilities(2, 3) = 0.7;
  DiscoverOptions options;
  options.acyclic = true;
  options.knowledge.required = {{2, 3}};
  select_graph_with_evidence(dataset, options, result);
  EXPECT_EQ(result.graph, Digraph(4, {{0, 1}, {2, 3}}));
  EXPECT_EQ(result.struck_edges, (std::vector<ScoredEdge>{{{1, 2}, 0.9}, {{2, 0}, 0.85}}));
  EXPECT_TRUE(result.removed_edges.empty());
  EXPECT_EQ(result.probabilities(1, 2), 0.9);
  EXPECT_EQ(result.evidence.size(), 4u);
  ASSERT_EQ(result.applicability.size(), 1u);
  EXPECT_EQ(result.applicability[0].code, "edges_without_dependence");

  options.top = 2;  // nothing untested takes the place of what was struck out
  options.knowledge = {};
  select_graph_with_evidence(dataset, options, result);
  EXPECT_EQ(result.graph.edge_count(), 0u);

  options = {};
  options.evidence = EvidenceRule::kOff;
  select_graph_with_evidence(dataset, options, result);
  EXPECT_EQ(result.graph.edge_count(), 4u);
  EXPECT_TRUE(result.evidence.empty());
}

// Residual sum of squares of the target on cubic terms of some columns.
double left_over(const Dataset& dataset, const std::vector<std::size_t>& rows, std::span<const int> from,
                 int target) {
  const auto m = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd terms(m, 1 + 3 * std::ssize(from));
  Eigen::VectorXd y(m);
  for (Eigen::Index r = 0; r < m; ++r) {
    const auto row = dataset.table.values.row(rows[static_cast<std::size_t>(r)]);
    y(r) = row[static_cast<std::size_t>(target)];
    terms(r, 0) = 1;
    for (Eigen::Index k = 0; k < std::ssize(from); ++k) {
      const double x = row[static_cast<std::size_t>(from[static_cast<std::size_t>(k)])];
      terms.block(r, 1 + 3 * k, 1, 3) << x, x * x, x * x * x;
    }
  }
  return (y - terms * terms.householderQr().solve(y)).squaredNorm();
}

// The share of the target's variance, as the other parents leave it, that the source explains.
double strength(const Simulation& simulation, const Edge& edge) {
  const Interventions& interventions = simulation.dataset.interventions;
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < simulation.dataset.table.rows(); ++r)
    if (interventions.regime_of_row.empty() ||
        !std::ranges::binary_search(interventions.regimes[interventions.regime_of_row[r]], edge.target))
      rows.push_back(r);
  const auto all = simulation.graph.parents(edge.target);
  std::vector<int> others(all.begin(), all.end());
  std::erase(others, edge.source);
  return 1 - left_over(simulation.dataset, rows, all, edge.target) /
                 left_over(simulation.dataset, rows, others, edge.target);
}

// The share of true edges that would be struck out if the network named just these.
TEST(EdgeEvidence, TrueEdgesOfSimulatedTablesStay) {
  std::size_t edges = 0, struck = 0;
  for (const Mechanism mechanism : {Mechanism::kLinear, Mechanism::kNeural, Mechanism::kNeuralAdditive})
    for (const bool interventions : {false, true})
      for (std::uint32_t index = 0; index < 6; ++index) {
        SyntheticOptions options;
        options.nodes = 20;
        options.rows = 1000;
        options.edges_per_node = 1;
        options.mechanism = mechanism;
        if (!interventions) options.interventions.coverage = 0;
        const Simulation simulation = simulate_synthetic(options, 17, index);
        const auto found = edge_evidence(simulation.dataset, simulation.graph.edges(), 1);
        for (const EdgeEvidence& entry : found) {
          if (strength(simulation, entry.edge) < 0.05) continue;
          ++edges;
          struck += entry.struck;
        }
      }
  EXPECT_GT(edges, 500u);
  // What is left hides behind other parents of the same target, which a test of pairs cannot look past.
  EXPECT_LT(100 * struck, 3 * edges) << struck << " of " << edges;
}

}  // namespace
}  // namespace causcale

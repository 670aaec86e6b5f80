// The worlds genes, boolean_hill, knockout_sergio and feedback.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>

#include "graph/order.h"
#include "simulate/worlds/cyclic_graph.h"
#include "simulate/worlds/feedback_system.h"
#include "simulate/worlds/gene_network.h"
#include "world_checks.h"

namespace causcale {
namespace {

using test::sample_of;

Digraph random_dag(int nodes, double edges_per_node, RandomStream& random) {
  GraphOptions options;
  options.nodes = nodes;
  options.edges_per_node = edges_per_node;
  return sample_graph(options, random).graph;
}

// How far an intervention on i moves the mean of j, in deviations of j over all rows.
Matrix<double> mean_shifts(const WorldSample& sample) {
  const Table& table = sample.dataset.table;
  const Interventions& done = sample.dataset.interventions;
  const std::size_t n = table.cols();
  Matrix<double> shifts(n, n), rows(n, 1);
  std::vector<double> mean(n, 0.0), deviation(n);
  double free_rows = 0;
  for (std::size_t c = 0; c < n; ++c) {
    const std::vector<double> column = test::column_of(sample, c);
    deviation[c] = std::sqrt(test::covariance_of(column, column)) + 1e-12;
  }
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::vector<int>& targets = done.regimes[done.regime_of_row[r]];
    if (targets.empty()) ++free_rows;
    for (std::size_t c = 0; c < n; ++c)
      if (targets.empty()) mean[c] += table.values(r, c);
  }
  for (double& m : mean) m /= free_rows;
  for (std::size_t r = 0; r < table.rows(); ++r)
    for (const int target : done.regimes[done.regime_of_row[r]]) {
      rows(target, 0) += 1;
      for (std::size_t c = 0; c < n; ++c) shifts(target, c) += (table.values(r, c) - mean[c]) / deviation[c];
    }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      shifts(i, j) = i == j || rows(i, 0) == 0 ? 0.0 : std::abs(shifts(i, j)) / rows(i, 0);
  return shifts;
}

test::MeanPrecision by_mean_shift(const std::string& world, int nodes, int rows,
                                  const test::Settings& settings, int sets) {
  test::MeanPrecision mean;
  for (int index = 0; index < sets; ++index) {
    const WorldSample sample = sample_of(world, nodes, rows, settings, static_cast<std::uint32_t>(index));
    mean.add(average_precision(mean_shifts(sample), Digraph::from_adjacency(sample.adjacency)),
             test::edge_share(sample.adjacency));
  }
  return mean;
}

TEST(GeneNetworks, SteadyStatesAreFixedPointsOfTheEquations) {
  int settled = 0;
  for (std::uint32_t trial = 0; trial < 60; ++trial) {
    RandomStream random(1, trial, 94);
    const Digraph graph = with_feedback(random_dag(12, 1.5, random), 0.3, random);
    GeneNetwork network = draw_gene_network(graph, 1, 4, random);
    std::vector<double> factors(12, 1.0);
    factors[random.below(12)] = 0.0;
    factors[random.below(12)] = 0.5;
    GeneState state;
    state.protein.assign(12, 0.1);
    const bool first = settle(network, factors, state);
    settled += first;
    for (int round = 0; !first && round < 60; ++round) {
      soften(network);
      if (settle(network, factors, state)) break;
    }
    const GeneState rates = rates_of(network, factors, state);
    for (int gene = 0; gene < 12; ++gene) {
      EXPECT_NEAR(rates.mrna[gene], 0, 1e-6);
      EXPECT_NEAR(rates.protein[gene], 0, 1e-6);
      EXPECT_GE(state.mrna[gene], 0);
      if (factors[gene] == 0) {
        EXPECT_NEAR(state.mrna[gene], 0, 1e-8);
      }
    }
  }
  EXPECT_GT(settled, 40);
}

TEST(GeneNetworks, ActivatorsRaiseAndRepressorsLower) {
  RandomStream random(2, 0, 94);
  const GeneNetwork network = draw_gene_network(random_dag(10, 2, random), 1, 4, random);
  std::vector<double> protein(10, 0.5);
  for (int gene = 0; gene < 10; ++gene)
    for (const GeneRegulator& regulator : network.regulators[gene]) {
      const double before = activation_of(network, gene, protein);
      protein[regulator.gene] = 0.8;
      const double after = activation_of(network, gene, protein);
      protein[regulator.gene] = 0.5;
      if (regulator.activates) {
        EXPECT_GT(after, before);
      } else {
        EXPECT_LT(after, before);
      }
      EXPECT_TRUE(before >= 0 && before <= 1 && after >= 0 && after <= 1);
    }
}

TEST(WorldGenes, MeanShiftFindsCausesFromOneRowPerKnockOut) {
  const test::MeanPrecision mean = by_mean_shift("genes", 20, 30,
                                                 {{"perturbations", "knockout"},
                                                  {"treated", "1"},
                                                  {"rows_per_target", "1"},
                                                  {"design", "wild_type"},
                                                  {"noise", "0.01"},
                                                  {"intrinsic", "0.01"},
                                                  {"residual", "0"}},
                                                 15);
  EXPECT_GT(mean.precision, 0.4);
  EXPECT_LT(mean.chance, 0.15);
}

TEST(WorldGenes, KnockedOutGenesAreSilentAndSomeTruthsHaveCycles) {
  int cyclic = 0;
  for (std::uint32_t index = 0; index < 15; ++index) {
    const WorldSample sample = sample_of("genes", 10, 60,
                                         {{"perturbations", "knockout"},
                                          {"residual", "0"},
                                          {"noise", "0"},
                                          {"transform", "raw"},
                                          {"feedback", "0.3"}},
                                         index);
    cyclic += !is_acyclic(Digraph::from_adjacency(sample.adjacency));
    const Interventions& done = sample.dataset.interventions;
    for (std::size_t r = 0; r < 60; ++r)
      for (const int target : done.regimes[done.regime_of_row[r]])
        EXPECT_EQ(sample.dataset.table.values(r, target), 0) << index;
  }
  EXPECT_GT(cyclic, 8);
}

// Conditions set the genes that nothing regulates, and everything else follows from these: a gene with one
// regulator is a monotone function of it.
TEST(WorldGenes, ConditionsSetGenesWithoutRegulators) {
  const auto ranks_of = [](const std::vector<double>& values) {
    std::vector<double> ranks;
    for (const double x : values)
      ranks.push_back(static_cast<double>(std::ranges::count_if(values, [&](double y) { return y < x; })));
    return ranks;
  };
  int roots = 0, children = 0;
  for (std::uint32_t index = 0; index < 6; ++index) {
    const WorldSample sample = sample_of("genes", 12, 400,
                                         {{"perturbations", "none"},
                                          {"design", "conditions"},
                                          {"intrinsic", "0"},
                                          {"noise", "0"},
                                          {"feedback", "0"},
                                          {"measured", "mrna"},
                                          {"transform", "raw"}},
                                         index);
    const Digraph graph = Digraph::from_adjacency(sample.adjacency);
    for (int gene = 0; gene < 12; ++gene) {
      const std::vector<double> column = test::column_of(sample, gene);
      const double deviation = std::sqrt(test::covariance_of(column, column));
      if (graph.parents(gene).empty()) {
        // Uniform from 0.02 to 2: deviation / mean = (1.98 / sqrt(12)) / 1.01 = 0.566.
        const double mean = std::accumulate(column.begin(), column.end(), 0.0) / 400.0;
        EXPECT_NEAR(deviation / mean, 0.566, 0.08);
        ++roots;
      } else if (graph.parents(gene).size() == 1 && deviation > 1e-3) {
        const std::vector<double> own = ranks_of(column);
        const std::vector<double> cause = ranks_of(test::column_of(sample, graph.parents(gene)[0]));
        const double correlation =
            test::covariance_of(own, cause) /
            std::sqrt(test::covariance_of(own, own) * test::covariance_of(cause, cause));
        EXPECT_GT(std::abs(correlation), 0.98) << index << ", gene " << gene;
        ++children;
      }
    }
  }
  EXPECT_GT(roots, 5);
  EXPECT_GT(children, 5);
}

TEST(WorldBooleanHill, MeanShiftFindsCauses) {
  const test::MeanPrecision mean = by_mean_shift("boolean_hill", 10, 300,
                                                 {{"perturbations", "knockout"},
                                                  {"treated", "1"},
                                                  {"rows_per_target", "20"},
                                                  {"bursts", "20:60"},
                                                  {"measured", "levels"},
                                                  {"feedback", "0:0.2"}},
                                                 12);
  EXPECT_GT(mean.precision, 0.4);
  EXPECT_LT(mean.chance, 0.25);
}

TEST(WorldBooleanHill, CountsAreCounts) {
  const WorldSample sample = sample_of("boolean_hill", 6, 80, {{"measured", "counts"}}, 1);
  for (std::size_t c = 0; c < 6; ++c) {
    EXPECT_EQ(sample.dataset.table.kinds[c], ColumnKind::kCount);
    for (const double x : test::column_of(sample, c)) EXPECT_TRUE(x >= 0 && x == std::round(x));
  }
}

TEST(WorldKnockoutSergio, MeanShiftFindsCauses) {
  const test::MeanPrecision mean = by_mean_shift("knockout_sergio", 10, 400,
                                                 {{"profile", "none"},
                                                  {"treated", "1"},
                                                  {"residual", "0"},
                                                  {"measured", "counts"},
                                                  {"wild_type", "0.3"}},
                                                 10);
  EXPECT_GT(mean.precision, 0.4);
  EXPECT_LT(mean.chance, 0.4);
}

TEST(Feedback, EquilibriaSolveTheEquationsWhateverIsHeld) {
  for (const bool saturating : {false, true})
    for (std::uint32_t trial = 0; trial < 20; ++trial) {
      RandomStream random(3, trial, 94);
      const Digraph graph = with_feedback(random_dag(8, 1.5, random), 0.4, random);
      ASSERT_FALSE(is_acyclic(graph));
      FeedbackSystem system = draw_feedback_system(graph, saturating, random);
      limit_radius(system, 0.8);
      // No eigenvalue of the matrix of sizes is larger than asked for.
      Eigen::MatrixXd sizes = Eigen::MatrixXd::Zero(8, 8);
      for (int node = 0; node < 8; ++node)
        for (std::size_t p = 0; p < system.weights[node].size(); ++p)
          sizes(node, graph.parents(node)[p]) = std::abs(system.weights[node][p]);
      EXPECT_LE(sizes.eigenvalues().cwiseAbs().maxCoeff(), 0.8 + 1e-9);
      Columns input(8, std::vector<double>(20)), share(8, std::vector<double>(20, 1.0));
      for (std::vector<double>& column : input)
        for (double& x : column) x = random.normal();
      share[2].assign(20, 0.0);
      const Columns x = solve_feedback(system, input, share);
      for (int node = 0; node < 8; ++node)
        for (std::size_t r = 0; r < 20; ++r) {
          double sum = 0;
          for (std::size_t p = 0; p < system.weights[node].size(); ++p)
            sum += system.weights[node][p] * feedback_response(saturating, x[graph.parents(node)[p]][r]);
          EXPECT_NEAR(x[node][r], share[node][r] * sum + input[node][r], 1e-8);
        }
      EXPECT_EQ(x[2], input[2]);
    }
}

TEST(WorldFeedback, TruthsHaveCyclesAndBothDirections) {
  int cyclic = 0, both = 0;
  for (std::uint32_t index = 0; index < 20; ++index) {
    const WorldSample sample = sample_of("feedback", 8, 50, {{"edges_per_node", "1:2"}}, index);
    cyclic += !is_acyclic(Digraph::from_adjacency(sample.adjacency));
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 0; j < i; ++j) both += sample.adjacency(i, j) && sample.adjacency(j, i);
  }
  EXPECT_EQ(cyclic, 20);
  EXPECT_GT(both, 8);
}

TEST(WorldFeedback, MeanShiftFindsCauses) {
  const test::MeanPrecision mean = by_mean_shift("feedback", 8, 1000,
                                                 {{"interventions", "hard"},
                                                  {"treated", "1"},
                                                  {"targets", "1"},
                                                  {"rows_per_target", "80"},
                                                  {"responses", "linear"},
                                                  {"radius", "0.6:0.8"},
                                                  {"edges_per_node", "1"}},
                                                 15);
  EXPECT_GT(mean.precision, 0.55);
  EXPECT_LT(mean.chance, 0.3);
}

}  // namespace
}  // namespace causcale

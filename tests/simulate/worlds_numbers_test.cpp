// The worlds nothing, linear_gaussian and strength.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "methods/method.h"
#include "world_checks.h"

namespace causcale {
namespace {

using test::column_of;
using test::sample_of;

std::vector<int> parents_of(const WorldSample& sample, std::size_t node) {
  std::vector<int> parents;
  for (std::size_t i = 0; i < sample.adjacency.rows(); ++i)
    if (sample.adjacency(i, node)) parents.push_back(static_cast<int>(i));
  return parents;
}

// Share of a column's variance that a linear regression on others explains.
double explained_by(const WorldSample& sample, std::size_t node, const std::vector<int>& others) {
  const auto rows = static_cast<Eigen::Index>(sample.dataset.table.rows());
  Eigen::MatrixXd x(rows, static_cast<Eigen::Index>(others.size()) + 1);
  Eigen::VectorXd y(rows);
  for (Eigen::Index r = 0; r < rows; ++r) {
    y(r) = sample.dataset.table.values(r, node);
    x(r, 0) = 1;
    for (std::size_t k = 0; k < others.size(); ++k)
      x(r, static_cast<Eigen::Index>(k) + 1) = sample.dataset.table.values(r, others[k]);
  }
  const Eigen::VectorXd residual = y - x * x.colPivHouseholderQr().solve(y);
  return 1 - residual.squaredNorm() / (y.array() - y.mean()).matrix().squaredNorm();
}

TEST(WorldNothing, HasNoEdgeAndNoDependence) {
  int pairs = 0, far = 0;
  for (std::uint32_t index = 0; index < 40; ++index) {
    const WorldSample sample =
        sample_of("nothing", 8, 400, {{"empty", "yes"}, {"interventions", "none"}}, index);
    EXPECT_EQ(test::edge_share(sample.adjacency), 0);
    const Matrix<double> dependence = test::dependences(sample);
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = i + 1; j < 8; ++j) {
        ++pairs;
        far += dependence(i, j) > 4;
      }
  }
  EXPECT_GT(pairs, 900);
  EXPECT_LT(far, pairs / 50);
}

TEST(WorldNothing, InterventionsOnIndependentColumnsMoveNoOther) {
  int moved = 0, compared = 0;
  for (std::uint32_t index = 0; index < 20; ++index) {
    const WorldSample sample = sample_of("nothing", 5, 400,
                                         {{"empty", "yes"},
                                          {"interventions", "hard"},
                                          {"rows_per_target", "60"},
                                          {"targets", "1"},
                                          {"treated", "1"}},
                                         index);
    const Interventions& done = sample.dataset.interventions;
    for (std::size_t k = 0; k < done.regimes.size(); ++k) {
      if (done.regimes[k].empty()) continue;
      for (int c = 0; c < 5; ++c) {
        if (c == done.regimes[k][0]) continue;
        std::vector<double> inside, outside;
        for (std::size_t r = 0; r < 400; ++r) {
          const std::vector<int>& targets = done.regimes[done.regime_of_row[r]];
          if (!targets.empty() && targets[0] == c) continue;
          (done.regime_of_row[r] == static_cast<int>(k) ? inside : outside)
              .push_back(sample.dataset.table.values(r, c));
        }
        const double error = std::sqrt(test::covariance_of(inside, inside) / inside.size() +
                                       test::covariance_of(outside, outside) / outside.size());
        ++compared;
        moved += error > 0 && std::abs(test::mean_of(inside) - test::mean_of(outside)) > 4 * error;
      }
    }
  }
  EXPECT_GT(compared, 300);
  EXPECT_LE(moved, compared / 50);
}

TEST(WorldNothing, HasOneRowNumberAtMostAndConstants) {
  const test::Settings settings{{"empty", "yes"}, {"units", "1"}, {"interventions", "none"}};
  std::vector<double> rows(50);
  std::iota(rows.begin(), rows.end(), 0.0);
  int constants = 0, tables = 0;
  for (std::uint32_t index = 0; index < 60; ++index) {
    const WorldSample sample = sample_of("nothing", 6, 50, settings, index);
    int numbered = 0;
    for (std::size_t c = 0; c < 6; ++c) {
      numbered += std::abs(test::correlation_of(column_of(sample, c), rows)) > 0.99;
      constants += sample.dataset.table.kinds[c] == ColumnKind::kConstant;
    }
    EXPECT_LE(numbered, 1);
    tables += numbered;
  }
  EXPECT_GT(tables, 5);
  EXPECT_GT(constants, 5);
}

TEST(WorldLinearGaussian, LinksShowAndDirectionsDoNot) {
  // Two variables: nothing but a coin tells which is the cause.
  int right = 0, larger = 0, links = 0;
  for (std::uint32_t index = 0; index < 150; ++index) {
    const WorldSample sample =
        sample_of("linear_gaussian", 2, 300,
                  {{"edges_per_node", "0.5"}, {"graph", "er"}, {"interventions", "none"}}, index);
    if (test::edge_share(sample.adjacency) == 0) continue;
    const int cause = sample.adjacency(0, 1) ? 0 : 1;
    MethodOptions options;
    options.threads = 1;
    const MethodResult found = run_method(method_named("direct-lingam"), sample.dataset, options);
    ++links;
    right += found.scores(cause, 1 - cause) > found.scores(1 - cause, cause);
    larger += test::covariance_of(column_of(sample, 1 - cause), column_of(sample, 1 - cause)) >
              test::covariance_of(column_of(sample, cause), column_of(sample, cause));
  }
  ASSERT_GT(links, 100);
  EXPECT_NEAR(right / static_cast<double>(links), 0.5, 0.13);
  EXPECT_NEAR(larger / static_cast<double>(links), 0.5, 0.13);
}

TEST(WorldLinearGaussian, SkeletonComesFromTheInverseCovariance) {
  test::MeanPrecision mean;
  for (std::uint32_t index = 0; index < 25; ++index) {
    const WorldSample sample =
        sample_of("linear_gaussian", 10, 1000, {{"interventions", "none"}, {"edges_per_node", "1"}}, index);
    MethodOptions options;
    options.threads = 1;
    const MethodResult found = run_method(method_named("invcov"), sample.dataset, options);
    mean.add(skeleton_average_precision(found.scores, Digraph::from_adjacency(sample.adjacency)),
             2 * test::edge_share(sample.adjacency));
  }
  EXPECT_GT(mean.precision, 0.75);
  EXPECT_LT(mean.chance, 0.35);
}

TEST(WorldStrength, CausesExplainTheShareThatWasAskedFor) {
  for (const double share : {0.05, 0.5, 0.95, 0.999}) {
    int checked = 0;
    for (std::uint32_t index = 0; index < 6; ++index) {
      const WorldSample sample = sample_of("strength", 8, 2000,
                                           {{"explained", std::to_string(share)},
                                            {"drawn_per", "graph"},
                                            {"exact", "0"},
                                            {"functions", "linear"},
                                            {"noise", "normal,uniform,laplace"},
                                            {"interventions", "none"}},
                                           index);
      for (std::size_t node = 0; node < 8; ++node) {
        const std::vector<int> parents = parents_of(sample, node);
        if (parents.empty()) continue;
        EXPECT_NEAR(explained_by(sample, node, parents), share,
                    4 * (1 - share) * std::sqrt(share / 1000) + 0.01);
        ++checked;
      }
    }
    EXPECT_GT(checked, 10);
  }
}

TEST(WorldStrength, SharesReachBothEndsByThemselves) {
  double least = 1, most = 0;
  for (std::uint32_t index = 0; index < 40; ++index) {
    const WorldSample sample = sample_of(
        "strength", 4, 500, {{"exact", "0"}, {"functions", "linear"}, {"interventions", "none"}}, index);
    for (std::size_t node = 0; node < 4; ++node) {
      const std::vector<int> parents = parents_of(sample, node);
      if (parents.empty()) continue;
      const double share = explained_by(sample, node, parents);
      least = std::min(least, share);
      most = std::max(most, share);
    }
  }
  EXPECT_LT(least, 0.06);
  EXPECT_GT(most, 0.99);
}

TEST(WorldStrength, ExactColumnsAreExactFunctions) {
  int checked = 0;
  for (std::uint32_t index = 0; index < 10; ++index) {
    const WorldSample sample = sample_of(
        "strength", 8, 100, {{"exact", "1"}, {"exact_forms", "sum"}, {"interventions", "none"}}, index);
    for (std::size_t node = 0; node < 8; ++node) {
      const std::vector<int> parents = parents_of(sample, node);
      if (parents.empty()) continue;
      ++checked;
      for (std::size_t r = 0; r < 100; ++r) {
        double sum = 0, size = 1;
        for (const int parent : parents) {
          sum += sample.dataset.table.values(r, parent);
          size += std::abs(sample.dataset.table.values(r, parent));
        }
        ASSERT_NEAR(sample.dataset.table.values(r, node), sum, 1e-6 * size);
      }
    }
  }
  EXPECT_GT(checked, 20);
}

TEST(WorldStrength, DirectLingamFindsStrongNonGaussianEffects) {
  test::MeanPrecision mean;
  for (std::uint32_t index = 0; index < 12; ++index) {
    const WorldSample sample = sample_of("strength", 6, 1000,
                                         {{"explained", "0.8"},
                                          {"exact", "0"},
                                          {"functions", "linear"},
                                          {"noise", "uniform"},
                                          {"interventions", "none"},
                                          {"graph", "er"},
                                          {"edges_per_node", "1"}},
                                         index);
    MethodOptions options;
    options.threads = 1;
    const MethodResult found = run_method(method_named("direct-lingam"), sample.dataset, options);
    mean.add(average_precision(found.scores, Digraph::from_adjacency(sample.adjacency)),
             test::edge_share(sample.adjacency));
  }
  EXPECT_GT(mean.precision, 0.9);
  EXPECT_LT(mean.chance, 0.35);
}

}  // namespace
}  // namespace causcale

// The worlds hidden, selection, populations, batches, functions, sensors, censoring and duplicates.
#include <gtest/gtest.h>

#include "world_checks.h"

namespace causcale {
namespace {

using test::column_of;
using test::sample_of;

double pairs_in(const Matrix<std::uint8_t>& symmetric) {
  double count = 0;
  for (const std::uint8_t entry : symmetric.values()) count += entry;
  return count / 2;
}

TEST(WorldHidden, ConfoundedPairsDependWithoutAnEdge) {
  test::MeanPrecision mean;
  for (std::uint32_t index = 0; index < 20; ++index) {
    const WorldSample sample = sample_of("hidden", 10, 1000,
                                         {{"edges_per_node", "0"},
                                          {"graph", "er"},
                                          {"hidden_as", "confounders"},
                                          {"hidden", "0.2"},
                                          {"interventions", "none"},
                                          {"functions", "linear"},
                                          {"couplings", "additive"},
                                          {"explained", "0.7"}},
                                         index);
    EXPECT_EQ(test::edge_share(sample.adjacency), 0);
    EXPECT_GE(pairs_in(sample.confounded), 1);
    mean.add(
        skeleton_average_precision(test::dependences(sample), Digraph::from_adjacency(sample.confounded)),
        test::edge_share(sample.confounded));
  }
  EXPECT_GT(mean.precision, 0.9);
  EXPECT_LT(mean.chance, 0.4);
}

TEST(WorldHidden, HasConfoundedPairsOnMostGraphs) {
  int with = 0;
  for (std::uint32_t index = 0; index < 40; ++index)
    with += pairs_in(sample_of("hidden", 10, 20, {}, index).confounded) > 0;
  EXPECT_GT(with, 25);
}

TEST(WorldSelection, MakesItsReasonsDependent) {
  double far = 0;
  for (std::uint32_t index = 0; index < 20; ++index) {
    const WorldSample sample = sample_of("selection", 2, 1000,
                                         {{"edges_per_node", "0"},
                                          {"graph", "er"},
                                          {"reasons", "2"},
                                          {"sharpness", "4"},
                                          {"interventions", "none"},
                                          {"noise", "normal"}},
                                         index);
    EXPECT_EQ(test::edge_share(sample.adjacency), 0);
    far += std::abs(test::correlation_of(column_of(sample, 0), column_of(sample, 1))) > 0.15;
  }
  EXPECT_GT(far, 17);
}

TEST(WorldPopulations, AreAHiddenCauseOfWhatDiffersBetweenThem) {
  double dependent = 0, pairs = 0;
  for (std::uint32_t index = 0; index < 10; ++index) {
    const WorldSample sample = sample_of("populations", 6, 1000,
                                         {{"edges_per_node", "0"},
                                          {"graph", "er"},
                                          {"affected", "1"},
                                          {"distance", "3"},
                                          {"interventions", "none"}},
                                         index);
    EXPECT_EQ(test::edge_share(sample.adjacency), 0);
    EXPECT_EQ(pairs_in(sample.confounded), 15);
    const Matrix<double> dependence = test::dependences(sample);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < i; ++j, ++pairs) dependent += dependence(i, j) > 4;
  }
  EXPECT_GT(dependent / pairs, 0.85);
}

TEST(WorldBatches, ShiftBlocksOfRowsAndNoneThatAreNotAffected) {
  for (const bool affected : {false, true}) {
    double runs = 0;
    for (std::uint32_t index = 0; index < 10; ++index) {
      const WorldSample sample = sample_of("batches", 5, 400,
                                           {{"edges_per_node", "0"},
                                            {"graph", "er"},
                                            {"affected", affected ? "1" : "0"},
                                            {"shift", "2"},
                                            {"batches", "4:6"},
                                            {"interventions", "none"}},
                                           index);
      EXPECT_EQ(test::edge_share(sample.adjacency), 0);
      EXPECT_EQ(pairs_in(sample.confounded), affected ? 10 : 0);
      for (std::size_t c = 0; c < 5; ++c) {
        const std::vector<double> x = column_of(sample, c);
        runs += test::correlation_of({x.begin(), x.end() - 1}, {x.begin() + 1, x.end()}) / 50;
      }
    }
    if (affected) {
      EXPECT_GT(runs, 0.4);
    } else {
      EXPECT_NEAR(runs, 0, 0.03);
    }
  }
}

TEST(WorldFunctions, DependenceFindsTheLinksOfEveryFunction) {
  for (const char* function : {"linear", "tree", "steps", "product", "periodic", "saturating", "polynomial",
                               "network", "extremes"}) {
    test::MeanPrecision mean;
    for (std::uint32_t index = 0; index < 12; ++index) {
      const WorldSample sample = sample_of("functions", 8, 1500,
                                           {{"functions", function},
                                            {"couplings", "additive"},
                                            {"graph", "er"},
                                            {"edges_per_node", "1"},
                                            {"explained", "0.8"},
                                            {"interventions", "none"}},
                                           index);
      mean.add(
          skeleton_average_precision(test::dependences(sample), Digraph::from_adjacency(sample.adjacency)),
          2 * test::edge_share(sample.adjacency));
    }
    EXPECT_GT(mean.precision, mean.chance + 0.35) << function;
  }
}

TEST(WorldFunctions, SpreadOfHeteroscedasticNoiseFollowsTheCause) {
  double follows = 0, links = 0;
  for (std::uint32_t index = 0; index < 40; ++index) {
    const WorldSample sample = sample_of("functions", 2, 2000,
                                         {{"functions", "linear"},
                                          {"couplings", "heteroscedastic"},
                                          {"graph", "er"},
                                          {"edges_per_node", "0.5"},
                                          {"explained", "0.1"},
                                          {"noise", "normal"},
                                          {"interventions", "none"}},
                                         index);
    if (test::edge_share(sample.adjacency) == 0) continue;
    const int cause = sample.adjacency(0, 1) ? 0 : 1;
    const std::vector<double> x = column_of(sample, cause), y = column_of(sample, 1 - cause);
    const double slope = test::covariance_of(x, y) / test::covariance_of(x, x);
    std::vector<double> squares;
    for (std::size_t r = 0; r < x.size(); ++r) {
      const double rest = y[r] - test::mean_of(y) - slope * (x[r] - test::mean_of(x));
      squares.push_back(std::log(rest * rest + 1e-30));
    }
    ++links;
    follows += std::abs(test::correlation_of(x, squares)) > 0.1;
  }
  ASSERT_GT(links, 25);
  EXPECT_GT(follows / links, 0.7);
}

TEST(WorldSensors, HaveTheAutocorrelationThatWasAskedFor) {
  for (const double asked : {0.0, 0.6, 0.95}) {
    double mean = 0;
    for (std::uint32_t index = 0; index < 10; ++index) {
      const WorldSample sample = sample_of("sensors", 4, 1000,
                                           {{"edges_per_node", "0"},
                                            {"graph", "er"},
                                            {"interventions", "none"},
                                            {"autocorrelation", std::to_string(asked)}},
                                           index);
      for (std::size_t c = 0; c < 4; ++c) {
        const std::vector<double> x = column_of(sample, c);
        mean += test::correlation_of({x.begin(), x.end() - 1}, {x.begin() + 1, x.end()}) / 40;
      }
    }
    EXPECT_NEAR(mean, asked, 0.04);
  }
}

TEST(WorldCensoring, ValuesPileUpAtTheLimits) {
  for (std::uint32_t index = 0; index < 10; ++index) {
    const WorldSample sample = sample_of(
        "censoring", 5, 400,
        {{"columns", "1"}, {"censored", "0.4"}, {"rounded", "0"}, {"interventions", "none"}}, index);
    for (std::size_t c = 0; c < 5; ++c) {
      std::vector<double> x = column_of(sample, c);
      std::sort(x.begin(), x.end());
      const auto at_ends =
          std::count(x.begin(), x.end(), x.front()) + std::count(x.begin(), x.end(), x.back());
      EXPECT_NEAR(static_cast<double>(at_ends), 160, 5);
    }
  }
}

TEST(WorldDuplicates, CopiesAreLabelledAsWhatTheyAre) {
  for (const bool twins : {false, true})
    for (std::uint32_t index = 0; index < 10; ++index) {
      const WorldSample sample = sample_of("duplicates", 6, 300,
                                           {{"edges_per_node", "0"},
                                            {"graph", "er"},
                                            {"copies", "0.5"},
                                            {"form", twins ? "twins" : "copy"},
                                            {"error", "0.05"},
                                            {"interventions", "none"}},
                                           index);
      const Matrix<std::uint8_t>& labels = twins ? sample.confounded : sample.adjacency;
      EXPECT_NEAR(test::edge_share(sample.adjacency), twins ? 0 : 3.0 / 30, 1e-12);
      EXPECT_EQ(pairs_in(sample.confounded), twins ? 3 : 0);
      for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 6; ++j) {
          if (i == j) continue;
          const double r = std::abs(test::correlation_of(column_of(sample, i), column_of(sample, j)));
          if (labels(i, j)) {
            EXPECT_GT(r, 0.99);
          } else if (!labels(j, i)) {
            EXPECT_LT(r, 0.5);
          }
        }
    }
}

}  // namespace
}  // namespace causcale

#include "discover/stacking/pair_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "data/standardize.h"
#include "simulate/worlds/world.h"

namespace causcale {
namespace {

constexpr std::size_t kRows = 600;

float directed(const PairStatistics& statistics, DirectedStatistic s, std::size_t i, std::size_t j) {
  return statistics.directed(i * statistics.columns + j, static_cast<std::size_t>(s));
}
float symmetric(const PairStatistics& statistics, SymmetricStatistic s, std::size_t i, std::size_t j) {
  return statistics.symmetric(i * statistics.columns + j, static_cast<std::size_t>(s));
}
float node(const PairStatistics& statistics, NodeStatistic s, std::size_t v) {
  return statistics.nodes(v, static_cast<std::size_t>(s));
}

// a -> c <- b with uniform noise, and d, which has nothing to do with them.
Dataset collider() {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Dataset dataset;
  dataset.table.names = {"a", "b", "c", "d"};
  dataset.table.values = Matrix<double>(kRows, 4);
  for (std::size_t r = 0; r < kRows; ++r) {
    const double a = uniform(random), b = uniform(random);
    for (const auto& [column, value] :
         {std::pair{0, a}, std::pair{1, b}, std::pair{2, a - b + 0.5 * uniform(random)},
          std::pair{3, uniform(random)}})
      dataset.table.values(r, static_cast<std::size_t>(column)) = value;
  }
  return in_canonical_order(dataset, 1);
}

Matrix<double> even_answer(std::size_t n) {
  Matrix<double> network(n, n, 0.3);
  for (std::size_t v = 0; v < n; ++v) network(v, v) = 0.0;
  return network;
}

TEST(PairStatistics, SayWhatTheNetworkSaid) {
  const Dataset dataset = collider();
  Matrix<double> network = even_answer(4);
  network(0, 2) = 0.9;
  network(2, 0) = 0.05;
  const PairStatistics statistics = pair_statistics(dataset, {{network, {}, {}}, {}}, 1);
  EXPECT_NEAR(directed(statistics, DirectedStatistic::kNetwork, 0, 2), std::log(9.0), 1e-5);
  EXPECT_NEAR(directed(statistics, DirectedStatistic::kNetwork, 2, 0), std::log(0.05 / 0.95), 1e-5);
  EXPECT_NEAR(symmetric(statistics, SymmetricStatistic::kNetworkLink, 2, 0), std::log(0.95 / 0.05), 1e-5);
  EXPECT_NEAR(node(statistics, NodeStatistic::kNetworkOut, 0), 0.9 + 0.6, 1e-5);
  EXPECT_NEAR(node(statistics, NodeStatistic::kNetworkIn, 0), 0.05 + 0.6, 1e-5);
}

TEST(PairStatistics, SayWhatTheNetworkThinksOfWaysAround) {
  Matrix<double> network = even_answer(4);
  network(0, 1) = 0.8;
  network(1, 2) = 0.7;
  network(3, 0) = 0.95;
  network(3, 2) = 0.6;
  Matrix<double> disagreement(4, 4);
  disagreement(2, 1) = -1.5;
  const PairStatistics statistics = pair_statistics(collider(), {{network, {}, {}}, disagreement}, 1);
  // 0 -> 1 -> 2, and 0 <- 3 -> 2.
  EXPECT_NEAR(directed(statistics, DirectedStatistic::kNetworkBypass, 0, 2), std::log(0.7 / 0.3), 1e-5);
  EXPECT_NEAR(directed(statistics, DirectedStatistic::kNetworkBypass, 2, 0), std::log(0.3 / 0.7), 1e-5);
  EXPECT_NEAR(symmetric(statistics, SymmetricStatistic::kNetworkCause, 2, 0), std::log(0.6 / 0.4), 1e-5);
  EXPECT_EQ(directed(statistics, DirectedStatistic::kDisagreement, 2, 1), -1.5f);
  EXPECT_EQ(directed(statistics, DirectedStatistic::kDisagreement, 1, 2), 0.0f);
}

TEST(PairStatistics, ACorrelationIsThatOfTheColumns) {
  const Dataset dataset = collider();
  const PairStatistics statistics = pair_statistics(dataset, {{even_answer(4), {}, {}}, {}}, 1);
  const Matrix<double> x = standardize(dataset.table.values);
  double r = 0.0;
  for (std::size_t k = 0; k < kRows; ++k) r += x(k, 0) * x(k, 2) / kRows;
  EXPECT_NEAR(symmetric(statistics, SymmetricStatistic::kCorrelation, 0, 2), std::abs(r), 1e-5);
  EXPECT_EQ(symmetric(statistics, SymmetricStatistic::kCorrelation, 2, 0),
            symmetric(statistics, SymmetricStatistic::kCorrelation, 0, 2));
  // Given their common effect, independent causes depend on each other.
  EXPECT_LT(symmetric(statistics, SymmetricStatistic::kCorrelation, 0, 1), 0.15);
  EXPECT_GT(symmetric(statistics, SymmetricStatistic::kPartial, 0, 1), 0.5);
}

TEST(PairStatistics, AColliderIsFoundAndItsShapeSpeaksForIt) {
  const PairStatistics statistics = pair_statistics(collider(), {{even_answer(4), {}, {}}, {}}, 1);
  for (const std::size_t cause : {0u, 1u}) {
    EXPECT_EQ(directed(statistics, DirectedStatistic::kClassArrow, cause, 2), 1.0f);
    EXPECT_EQ(directed(statistics, DirectedStatistic::kClassArrow, 2, cause), 0.0f);
    EXPECT_GT(directed(statistics, DirectedStatistic::kLingamRatio, cause, 2), 0.0f);
    EXPECT_EQ(directed(statistics, DirectedStatistic::kLingamRatio, 2, cause),
              -directed(statistics, DirectedStatistic::kLingamRatio, cause, 2));
    EXPECT_GT(directed(statistics, DirectedStatistic::kLingamWeight, cause, 2), 0.3f);
    EXPECT_EQ(symmetric(statistics, SymmetricStatistic::kClassLink, cause, 2), 1.0f);
    EXPECT_EQ(directed(statistics, DirectedStatistic::kSeparationArrow, cause, 2), 1.0f);
    EXPECT_EQ(directed(statistics, DirectedStatistic::kSeparationArrow, 2, cause), 0.0f);
    EXPECT_EQ(symmetric(statistics, SymmetricStatistic::kSeparationLink, cause, 2), 1.0f);
    EXPECT_GT(symmetric(statistics, SymmetricStatistic::kSeparationWeakest, cause, 2),
              symmetric(statistics, SymmetricStatistic::kSeparationWeakest, cause, 3) + 1.0f);
    EXPECT_GT(symmetric(statistics, SymmetricStatistic::kClassGain, cause, 2), 1.0f);
  }
  for (const std::size_t other : {0u, 1u, 2u}) {
    EXPECT_EQ(symmetric(statistics, SymmetricStatistic::kClassLink, other, 3), 0.0f);
    EXPECT_EQ(symmetric(statistics, SymmetricStatistic::kSeparationLink, other, 3), 0.0f);
  }
  EXPECT_EQ(node(statistics, NodeStatistic::kClassDegree, 2), 2.0f);
}

TEST(PairStatistics, AKnockOutMovesWhatItActsOn) {
  Dataset dataset = collider();
  dataset.interventions.regimes = {{}, {0}};
  dataset.interventions.regime_of_row.assign(kRows, 0);
  for (std::size_t r = kRows - 20; r < kRows; ++r) {
    dataset.interventions.regime_of_row[r] = 1;
    dataset.table.values(r, 2) += 5.0 - dataset.table.values(r, 0);
    dataset.table.values(r, 0) = 5.0;
  }
  const PairStatistics statistics = pair_statistics(dataset, {{even_answer(4), {}, {}}, {}}, 1);
  for (const DirectedStatistic s :
       {DirectedStatistic::kShiftT, DirectedStatistic::kShiftSize, DirectedStatistic::kShiftDistribution,
        DirectedStatistic::kShiftWithinSource}) {
    EXPECT_GT(directed(statistics, s, 0, 2), directed(statistics, s, 0, 1) + 0.3f);
    EXPECT_EQ(directed(statistics, s, 2, 0), 0.0f);  // nobody touched c
  }
  EXPECT_EQ(node(statistics, NodeStatistic::kTargeted, 0), 1.0f);
  EXPECT_NEAR(node(statistics, NodeStatistic::kIntervenedRows, 0), 20.0 / kRows, 1e-6);
  EXPECT_EQ(node(statistics, NodeStatistic::kTargeted, 2), 0.0f);
}

TEST(PairStatistics, FollowTheColumnsAndIgnoreUnits) {
  const Dataset dataset = collider();
  // Of a tie, the first column goes first.
  Matrix<double> network = even_answer(4);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j) network(i, j) += 0.05 + 0.02 * static_cast<double>(i + j);
  const std::size_t order[] = {2, 0, 3, 1};
  const double unit[] = {1e3, 1e-4, 7.0, 0.3};
  Dataset other = dataset;
  Matrix<double> permuted = even_answer(4);
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t r = 0; r < kRows; ++r)
      other.table.values(r, a) = unit[a] * dataset.table.values(r, order[a]) + 4.0 * unit[a];
    for (std::size_t b = 0; b < 4; ++b) permuted(a, b) = network(order[a], order[b]);
  }
  const PairStatistics one = pair_statistics(dataset, {{network, {}, {}}, {}}, 1),
                       two = pair_statistics(other, {{permuted, {}, {}}, {}}, 2);
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < 4; ++b) {
      if (a == b) continue;
      std::vector<float> expected(kPairInputs), found(kPairInputs);
      write_pair_inputs(one, order[a], order[b], expected.data());
      write_pair_inputs(two, a, b, found.data());
      for (std::size_t f = 0; f < kPairInputs; ++f) EXPECT_NEAR(found[f], expected[f], 2e-3) << f;
    }
}

TEST(PairStatistics, AreFiniteForEveryWorldAndForConstants) {
  for (const World& world : worlds()) {
    const WorldSample sample = draw_world(world, {.nodes = 5, .rows = 60, .settings = {}}, 11, 0);
    const PairStatistics statistics =
        pair_statistics(in_canonical_order(sample.dataset, 1), {{even_answer(5), {}, {}}, {}}, 1);
    for (const auto* values : {&statistics.directed.values(), &statistics.symmetric.values(),
                               &statistics.nodes.values(), &statistics.table})
      EXPECT_TRUE(std::ranges::all_of(*values, [](float v) { return std::isfinite(v) && std::abs(v) < 100; }))
          << world.name;
  }
  Dataset constant = collider();
  for (std::size_t r = 0; r < kRows; ++r) constant.table.values(r, 3) = 0.1;
  const PairStatistics statistics = pair_statistics(constant, {{even_answer(4), {}, {}}, {}}, 1);
  for (const SymmetricStatistic s : {SymmetricStatistic::kCorrelation, SymmetricStatistic::kPartial,
                                     SymmetricStatistic::kDependence, SymmetricStatistic::kClassLink})
    EXPECT_EQ(symmetric(statistics, s, 0, 3), 0.0f);
}

// Tests of tables with states look at every row, and so at 3000 at most; those of continuous ones at all.
TEST(PairStatistics, SeparationsOfLongTablesWithStates) {
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  Dataset dataset;
  dataset.table.names = {"a", "b", "c"};
  dataset.table.values = Matrix<double>(3000, 3);
  for (std::size_t r = 0; r < 3000; ++r) {
    const double a = normal(random), b = 0.3 * a + normal(random), c = 0.3 * b + normal(random);
    for (const auto& [column, value] : {std::pair{0, a}, std::pair{1, b}, std::pair{2, c}})
      dataset.table.values(r, static_cast<std::size_t>(column)) = value;
  }
  const auto weakest = [](const Dataset& table) {
    const PairStatistics statistics = pair_statistics(table, {{even_answer(3), {}, {}}, {}}, 1);
    return symmetric(statistics, SymmetricStatistic::kSeparationWeakest, 0, 1);
  };
  const auto each_row_twice = [](const Dataset& table) {
    Dataset longer = table;
    longer.table.values = Matrix<double>(6000, 3);
    for (std::size_t r = 0; r < 6000; ++r)
      for (std::size_t c = 0; c < 3; ++c) longer.table.values(r, c) = table.table.values(r / 2, c);
    return longer;
  };
  EXPECT_GT(weakest(each_row_twice(dataset)), weakest(dataset) + 0.1f);
  for (std::size_t r = 0; r < 3000; ++r) dataset.table.values(r, 2) = dataset.table.values(r, 2) > 0.0;
  EXPECT_EQ(weakest(each_row_twice(dataset)), weakest(dataset));
}

// A search over graphs or sets asks on its way, not only when it is done.
TEST(PairStatistics, SearchesCanBeInterrupted) {
  const Dataset dataset = collider();
  for (const int threads : {1, 3})
    for (const double stage : {0.2, 0.5}) {
      int asked = 0;
      const auto end_within = [&](double share) {
        if (share == stage && ++asked == 2) throw 7;
      };
      EXPECT_THROW(pair_statistics(dataset, {{even_answer(4), {}, {}}, {}}, threads, end_within), int)
          << stage;
      EXPECT_EQ(asked, 2);
    }
}

}  // namespace
}  // namespace causcale

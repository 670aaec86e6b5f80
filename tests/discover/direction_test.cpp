#include "discover/direction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/random.h"

namespace causcale {
namespace {

using Row = std::span<double>;

Dataset table_of(std::size_t rows, std::size_t columns, std::uint64_t seed,
                 const std::function<void(RandomStream&, Row)>& fill) {
  RandomStream random(seed, 0, 0);
  Dataset dataset;
  dataset.table.values = Matrix<double>(rows, columns);
  for (std::size_t c = 0; c < columns; ++c) dataset.table.names.push_back("v" + std::to_string(c));
  for (std::size_t r = 0; r < rows; ++r) fill(random, dataset.table.values.row(r));
  return dataset;
}

DiscoverResult result_of(const Dataset& dataset, std::vector<Edge> edges) {
  DiscoverResult result;
  result.names = dataset.table.names;
  const std::size_t n = result.names.size();
  result.graph = Digraph(static_cast<int>(n), std::move(edges));
  result.probabilities = Matrix<double>(n, n);
  for (const Edge& edge : result.graph.edges()) result.probabilities(edge.source, edge.target) = 0.9;
  return result;
}

std::vector<DirectionEvidence> look(const Dataset& dataset, std::vector<Edge> edges,
                                    const Knowledge& knowledge = {}) {
  return direction_evidence(dataset, knowledge, result_of(dataset, std::move(edges)), 1);
}

DirectionBasis basis_of(const Dataset& dataset, Edge edge) {
  return look(dataset, {edge}).front().basis;
}

// In a linear Gaussian chain every direction is possible, whatever the sizes.
TEST(Direction, LinearGaussianChainsTellNothing) {
  int told = 0;
  constexpr int kTables = 100;
  for (int t = 0; t < kTables; ++t) {
    const Dataset dataset = table_of(400, 3, 10 + t, [&](RandomStream& random, Row row) {
      row[0] = random.normal();
      row[1] = (0.4 + 0.015 * t) * row[0] + random.normal();
      row[2] = -0.8 * row[1] + 0.7 * random.normal();
    });
    for (const DirectionEvidence& entry : look(dataset, {{0, 1}, {1, 2}})) {
      EXPECT_NE(entry.basis, DirectionBasis::kUntested);
      told += entry.basis != DirectionBasis::kNone;
    }
  }
  EXPECT_LE(told, 8);  // 200 tests at one per cent on both sides: 4 in the mean, 2 of deviation
}

TEST(Direction, NoiseThatIsNotGaussianTells) {
  const auto pair = [](std::uint64_t seed) {
    return table_of(500, 2, seed, [](RandomStream& random, Row row) {
      row[0] = random.uniform(-1.0, 1.0);
      row[1] = 0.8 * row[0] + random.uniform(-1.0, 1.0);
    });
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(basis_of(pair(seed), {0, 1}), DirectionBasis::kShape) << seed;
    EXPECT_EQ(basis_of(pair(seed), {1, 0}), DirectionBasis::kReverse) << seed;
  }
}

TEST(Direction, BentFunctionsTell) {
  const Dataset dataset = table_of(600, 3, 5, [](RandomStream& random, Row row) {
    row[2] = random.normal();
    row[0] = 0.7 * row[2] + random.normal();
    row[1] = std::tanh(2 * row[0]) + 0.5 * row[2] + 0.4 * random.normal();
  });
  const auto found = look(dataset, {{0, 1}, {2, 0}, {2, 1}});
  EXPECT_EQ(found[0].basis, DirectionBasis::kShape);
  EXPECT_GT(found[0].shape_z, 3.0);
}

// Noise whose spread depends on the cause fits neither direction with independent noise, which 800 rows do
// not always show: three of these tables pass for the reverse.
TEST(Direction, UnevenNoiseSeldomSpeaksForTheReverse) {
  int reversed = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Dataset dataset = table_of(800, 2, seed, [](RandomStream& random, Row row) {
      row[0] = random.normal();
      row[1] = row[0] + 0.5 * std::exp(0.5 * row[0]) * random.normal();
    });
    reversed += basis_of(dataset, {0, 1}) == DirectionBasis::kReverse;
  }
  EXPECT_LE(reversed, 4);
}

TEST(Direction, CollidersTellAndSoDoesWhatFollows) {
  const Dataset dataset = table_of(800, 4, 3, [](RandomStream& random, Row row) {
    row[0] = random.normal();
    row[1] = random.normal();
    row[2] = row[0] + row[1] + random.normal();
    row[3] = row[2] + random.normal();
  });
  for (const DirectionEvidence& entry : look(dataset, {{0, 2}, {1, 2}, {2, 3}}))
    EXPECT_EQ(entry.basis, DirectionBasis::kStructure) << entry.edge.source << " -> " << entry.edge.target;
  // The same columns with a collider that is none: 2 is the cause of 0 and 3.
  for (const DirectionEvidence& entry : look(dataset, {{0, 2}, {3, 2}})) {
    EXPECT_EQ(entry.basis, DirectionBasis::kNone) << entry.edge.source << " -> " << entry.edge.target;
    EXPECT_LT(entry.structure_z, 0.0);
  }
}

TEST(Direction, LinksThroughOtherCausesAreSeen) {
  const Dataset dataset = table_of(600, 3, 4, [](RandomStream& random, Row row) {
    row[0] = random.normal();
    row[1] = row[0] + random.normal();
    row[2] = row[1] + random.normal();
  });
  const auto found = look(dataset, {{0, 1}, {0, 2}, {1, 2}});
  EXPECT_LT(found[0].given_p, 1e-6);
  EXPECT_GT(found[1].given_p, 0.01);  // 0 acts on 2 through 1 alone
  EXPECT_LT(found[2].given_p, 1e-6);
}

TEST(Direction, InterventionsAndKnowledgeComeFirst) {
  const Dataset dataset = table_of(300, 2, 6, [](RandomStream& random, Row row) {
    row[0] = random.normal();
    row[1] = row[0] + random.normal();
  });
  DiscoverResult result = result_of(dataset, {{0, 1}});
  result.evidence = {{{0, 1}, 300, 1e-9, 1e-9, 1e-4, 1e-4, false}};
  EXPECT_EQ(direction_evidence(dataset, {}, result, 1).front().basis, DirectionBasis::kIntervention);
  Knowledge knowledge;
  knowledge.forbidden = {{1, 0}};
  EXPECT_EQ(direction_evidence(dataset, knowledge, result, 1).front().basis, DirectionBasis::kKnowledge);
}

TEST(Direction, WhatCannotBeTestedIsSaidSo) {
  const auto fill = [](RandomStream& random, Row row) {
    row[0] = static_cast<double>(random.below(2));
    row[1] = random.below(4) == 0 ? 1.0 - row[0] : row[0];
  };
  const auto few = look(table_of(40, 2, 1,
                                 [](RandomStream& random, Row row) {
                                   row[0] = random.normal();
                                   row[1] = row[0] + random.normal();
                                 }),
                        {{0, 1}});
  EXPECT_TRUE(std::isnan(few.front().shape_z));
  const auto discrete = look(table_of(400, 2, 1, fill), {{0, 1}});
  EXPECT_TRUE(std::isnan(discrete.front().shape_z));
  EXPECT_EQ(discrete.front().basis, DirectionBasis::kNone);  // no collider is near
  EXPECT_LT(discrete.front().given_p, 1e-6);
}

// Feedback, copies, constants, missing cells: values or none, no failure.
TEST(Direction, AwkwardTables) {
  Dataset dataset = table_of(300, 4, 8, [](RandomStream& random, Row row) {
    row[0] = random.normal();
    row[1] = row[0];
    row[2] = 7.0;
    row[3] = random.normal();
  });
  for (std::size_t r = 0; r < 300; r += 3) dataset.table.values(r, 3) = std::nan("");
  const auto found = look(dataset, {{0, 1}, {1, 0}, {2, 3}, {3, 0}, {1, 3}});
  ASSERT_EQ(found.size(), 5u);
  for (const DirectionEvidence& entry : found)
    EXPECT_FALSE(std::isinf(entry.shape_z) || std::isinf(entry.structure_z)) << entry.edge.source;
}

TEST(Direction, ThreadsDoNotMatter) {
  const Dataset dataset = table_of(400, 6, 9, [](RandomStream& random, Row row) {
    for (std::size_t c = 0; c < 6; ++c) row[c] = random.uniform(0, 1) + (c > 0 ? 0.5 * row[c - 1] : 0.0);
  });
  const DiscoverResult result = result_of(dataset, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}});
  const auto one = direction_evidence(dataset, {}, result, 1),
             two = direction_evidence(dataset, {}, result, 2);
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_EQ(one[k].shape_z, two[k].shape_z);
    EXPECT_EQ(one[k].given_p, two[k].given_p);
    EXPECT_EQ(one[k].basis, two[k].basis);
  }
}

}  // namespace
}  // namespace causcale

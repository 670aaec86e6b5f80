// Tables that a network trained on connected continuous graphs answers wrongly when it is alone: what the
// model that is used unless told says about them as a whole, without the tests that strike edges out.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>

#include "base/random.h"
#include "causcale/discover.h"
#include "discover/loaded_model.h"

namespace causcale {
namespace {

const LoadedModel& model() {
  static const LoadedModel loaded = load_for_discover({});
  return loaded;
}

DiscoverResult answer(const Dataset& dataset) {
  return discover(dataset, {.evidence = EvidenceRule::kOff}, model());
}

using Row = std::span<double>;

Dataset table_of(std::size_t rows, std::size_t columns, std::uint32_t number,
                 const std::function<void(RandomStream&, Row)>& draw) {
  Dataset dataset;
  dataset.table.values = Matrix<double>(rows, columns);
  for (std::size_t j = 0; j < columns; ++j) dataset.table.names.push_back("v" + std::to_string(j));
  RandomStream random(63, number, 0);
  for (std::size_t r = 0; r < rows; ++r) draw(random, dataset.table.values.row(r));
  return dataset;
}

void expect_hardly_an_edge(const char* what, const std::function<double(RandomStream&)>& first,
                           const std::function<double(RandomStream&)>& others, std::size_t most = 1) {
  std::size_t edges = 0;
  for (std::uint32_t number = 0; number < 3; ++number)
    edges += answer(table_of(500, 5, number, [&](RandomStream& random, Row row) {
               for (std::size_t j = 0; j < row.size(); ++j) row[j] = j == 0 ? first(random) : others(random);
             })).graph.edge_count();
  EXPECT_LE(edges, most) << what << ", 30 pairs";
}

TEST(HardTables, IndependentColumnsOfAnyKindHaveHardlyAnEdge) {
  const auto normal = [](RandomStream& random) { return random.normal(); };
  const auto uniform = [](RandomStream& random) { return random.uniform(); };
  const auto rare = [](RandomStream& random) { return random.uniform() < 0.1 ? 1.0 : 0.0; };
  const auto count = [](RandomStream& random) {
    double sum = 0.0;
    for (int k = 0; k < 20; ++k) sum += random.uniform() < 0.1;
    return sum;
  };
  const auto tails = [](RandomStream& random) {
    double squares = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double z = random.normal();
      squares += z * z;
    }
    return random.normal() / std::sqrt(squares / 3.0);
  };
  // Evenly distributed values among others look as if set by an intervention; the network alone finds a
  // dozen.
  expect_hardly_an_edge("one uniform column, others normal", uniform, normal, 4);
  expect_hardly_an_edge("uniform columns", uniform, uniform);
  expect_hardly_an_edge("rare zeros and ones", rare, rare);
  expect_hardly_an_edge("counts", count, count);
  expect_hardly_an_edge("heavy tails", tails, tails);
}

// a -> b -> d <- c: only the arrows into d can be told.
TEST(HardTables, AnArrowThatALinearGaussianTableCannotTellIsNearOneHalf) {
  constexpr int kTables = 6;
  double forward = 0.0, reverse = 0.0;
  for (std::uint32_t number = 0; number < kTables; ++number) {
    const Matrix<double> p = answer(table_of(300, 4, 20 + number, [](RandomStream& random, Row row) {
                               row[0] = random.normal();
                               row[1] = 0.7 * (row[0] + random.normal());
                               row[2] = random.normal();
                               row[3] = 0.6 * (row[1] + row[2] + random.normal());
                             })).probabilities;
    forward += p(0, 1) / kTables;
    reverse += p(1, 0) / kTables;
    EXPECT_LT(p(0, 1), 0.85) << number;
    EXPECT_LT(p(1, 0), 0.85) << number;
  }
  EXPECT_GT(forward, 0.3);
  EXPECT_GT(reverse, 0.3);
}

TEST(HardTables, LinksAmongBinaryColumnsAreFound) {
  std::size_t found = 0;
  constexpr std::size_t kTables = 3, kLinks = 4;
  for (std::uint32_t number = 0; number < kTables; ++number) {
    const Dataset dataset = table_of(2000, 5, 40 + number, [](RandomStream& random, Row row) {
      const auto with = [&](double share) { return random.uniform() < share ? 1.0 : 0.0; };
      row[0] = with(0.1);
      row[1] = with(0.3);
      row[2] = with(row[0] > 0 && row[1] > 0 ? 0.5 : row[1] > 0 ? 0.3 : row[0] > 0 ? 0.2 : 0.01);
      row[3] = with(row[2] > 0 ? 0.9 : 0.2);
      row[4] = with(row[2] > 0 ? 0.65 : 0.3);
    });
    const Digraph graph = answer(dataset).graph;
    for (const Edge& link : {Edge{0, 2}, Edge{1, 2}, Edge{2, 3}, Edge{2, 4}})
      found += graph.has_edge(link.source, link.target) || graph.has_edge(link.target, link.source);
  }
  EXPECT_GE(found, kTables * kLinks - 2);
}

}  // namespace
}  // namespace causcale

#include <gtest/gtest.h>

#include <cmath>

#include "methods/gaussian_models.h"
#include "methods/method.h"
#include "methods/order/lingam_measure.h"
#include "methods/thread_counts.h"
#include "metrics/shd.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

double uniform_noise(RandomStream& random) {
  return random.uniform(-std::sqrt(3.0), std::sqrt(3.0));
}

double laplace_noise(RandomStream& random) {
  return (random.coin() ? 1 : -1) * random.exponential() / std::sqrt(2.0);
}

TEST(LingamMeasure, AgreesWithDoublePrecision) {
  RandomStream random(9, 0, 0);
  std::vector<float> a(1003), b(1003);
  for (std::size_t r = 0; r < a.size(); ++r) {
    a[r] = static_cast<float>(laplace_noise(random));
    b[r] = static_cast<float>(random.normal());
  }
  double log_cosh = 0.0, gauss = 0.0;
  for (std::size_t r = 0; r < a.size(); ++r) {
    const double u = 1.25 * (a[r] - 0.6 * b[r]);
    log_cosh += std::log(std::cosh(u)) / 1003;
    gauss += u * std::exp(-0.5 * u * u) / 1003;
  }
  const double expected =
      0.5 * (1 + std::log(2 * M_PI)) - 79.047 * std::pow(log_cosh - 0.37457, 2) - 7.4129 * gauss * gauss;
  const ResidualEntropies found = residual_entropies(a.data(), b.data(), 0.6f, 1.25f, a.size());
  EXPECT_NEAR(found.of_a, expected, 2e-5);
  EXPECT_EQ(found.of_a, residual_entropies(b.data(), a.data(), 0.6f, 1.25f, a.size()).of_b);
}

double plain_entropy(const std::vector<double>& u) {
  double log_cosh = 0.0, gauss = 0.0;
  for (const double value : u) {
    log_cosh += std::log(std::cosh(value)) / static_cast<double>(u.size());
    gauss += value * std::exp(-0.5 * value * value) / static_cast<double>(u.size());
  }
  return -79.047 * std::pow(log_cosh - 0.37457, 2) - 7.4129 * gauss * gauss;
}

void standardise(std::vector<double>& u) {
  double mean = 0.0, square = 0.0;
  for (const double value : u) mean += value / static_cast<double>(u.size());
  for (double& value : u) square += (value - mean) * (value - mean) / static_cast<double>(u.size());
  for (double& value : u) value = (value - mean) / std::sqrt(square);
}

std::vector<double> plain_residual(const std::vector<double>& u, const std::vector<double>& cause) {
  double slope = 0.0;
  for (std::size_t r = 0; r < u.size(); ++r) slope += u[r] * cause[r] / static_cast<double>(u.size());
  std::vector<double> rest = u;
  for (std::size_t r = 0; r < u.size(); ++r) rest[r] -= slope * cause[r];
  standardise(rest);
  return rest;
}

// Every candidate completed, everything in double precision, nothing kept from step to step.
std::vector<int> plain_order(const Table& table) {
  std::vector<std::vector<double>> columns(table.cols());
  std::vector<int> open, order;
  for (std::size_t v = 0; v < table.cols(); ++v) {
    for (std::size_t r = 0; r < table.rows(); ++r) columns[v].push_back(table.values(r, v));
    standardise(columns[v]);
    open.push_back(static_cast<int>(v));
  }
  while (!open.empty()) {
    int chosen = open.front();
    double least = INFINITY;
    for (const int j : open) {
      double measure = 0.0;
      for (const int i : open) {
        if (i == j) continue;
        const double difference =
            plain_entropy(columns[i]) + plain_entropy(plain_residual(columns[j], columns[i])) -
            plain_entropy(columns[j]) - plain_entropy(plain_residual(columns[i], columns[j]));
        measure += std::pow(std::min(0.0, difference), 2);
      }
      if (measure < least) least = measure, chosen = j;
    }
    order.push_back(chosen);
    std::erase(open, chosen);
    for (const int v : open) columns[v] = plain_residual(columns[v], columns[chosen]);
  }
  return order;
}

TEST(DirectLingam, FindsTheOrderOfThePlainProcedure) {
  for (std::uint32_t number = 0; number < 6; ++number) {
    const auto model = test::random_linear_model(test::random_dag(12, 0.3, number), number);
    const auto noise = number % 3 == 0   ? uniform_noise
                       : number % 3 == 1 ? laplace_noise
                                         : +[](RandomStream& random) { return random.normal(); };
    const Dataset data = test::drawn_dataset(model, 301, number, noise);
    MethodOptions options;
    options.settings["penalty"] = "0";  // every predecessor becomes a parent, which shows the whole order
    const MethodResult result = direct_lingam_method().run(data, options);
    std::vector<int> found(12, -1);
    for (int v = 0; v < 12; ++v) {
      int parents = 0;
      for (int u = 0; u < 12; ++u) parents += result.graph.directed(u, v);
      found[parents] = v;
    }
    EXPECT_EQ(found, plain_order(data.table)) << number;
  }
}

TEST(DirectLingam, RecoversGraphsWithNonGaussianNoise) {
  std::size_t distance = 0, edges = 0;
  for (std::uint32_t number = 0; number < 10; ++number) {
    const Digraph dag = test::random_dag(10, 0.25, number);
    const auto model = test::random_linear_model(dag, number);
    const Dataset data = test::drawn_dataset(model, 3000, number, number % 2 ? uniform_noise : laplace_noise);
    const MethodResult result = direct_lingam_method().run(data, {});
    distance += structural_hamming_distance(dag, test::directed_part(result.graph));
    edges += dag.edge_count();
  }
  EXPECT_LE(distance, edges / 25);
}

TEST(DirectLingam, DoesNotDependOnUnitsOrThreads) {
  const auto model = test::random_linear_model(test::random_dag(40, 0.08, 2), 2);
  Dataset data = test::drawn_dataset(model, 1000, 2, uniform_noise);
  const MethodResult a = test::expect_same_for_any_thread_count(direct_lingam_method(), data);
  for (std::size_t r = 0; r < 1000; ++r) data.table.values(r, 3) *= 1024.0;
  EXPECT_EQ(a.graph, direct_lingam_method().run(data, {}).graph);
}

TEST(DirectLingam, KeepsToKnowledge) {
  const auto model = test::random_linear_model(Digraph(3, {{0, 1}, {1, 2}}), 4);
  const Dataset data = test::drawn_dataset(model, 1000, 4, uniform_noise);
  MethodOptions options;
  options.knowledge.required = {{2, 0}};
  options.knowledge.tier_of = {1, 1, 0};
  options.knowledge.forbidden = {{1, 0}};
  const MethodResult result = direct_lingam_method().run(data, options);
  EXPECT_TRUE(result.graph.directed(2, 0));
  EXPECT_FALSE(result.graph.directed(1, 2));
  EXPECT_FALSE(result.graph.directed(1, 0));
}

TEST(DirectLingam, SurvivesConstantCollinearAndWideTables) {
  const MethodResult result = direct_lingam_method().run(test::awkward_dataset(), {});
  EXPECT_FALSE(result.log.empty());
  for (int v = 0; v < 24; ++v) EXPECT_FALSE(result.graph.adjacent(4, v));
  for (double score : result.scores.values()) EXPECT_TRUE(std::isfinite(score));
}

}  // namespace
}  // namespace causcale

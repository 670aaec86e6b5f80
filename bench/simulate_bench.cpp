// How many data sets a second does one core simulate?
//
// simulate_bench [SECONDS per line, default 1]. Time is processor time of this one thread, so that other work
// on the machine does not blur it.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <functional>

#include "simulate/batch_random.h"
#include "simulate/names.h"

namespace causcale {
namespace {

// Mean seconds of processor time a call.
double time_of(double budget, const std::function<void(std::uint32_t)>& work) {
  work(0);
  const std::clock_t start = std::clock();
  std::uint32_t calls = 0;
  double spent = 0;
  do {
    work(++calls);
    spent = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  } while (spent < budget);
  return spent / calls;
}

void synthetic_table(double budget) {
  fmt::print("synthetic, Erdos-Renyi, interventions on every node, one core\n");
  fmt::print("{:<16} {:>6} {:>6} {:>6} {:>12} {:>14}\n", "mechanism", "n", "edges", "rows", "ms/data set",
             "data sets/s");
  for (const auto& [mechanism, name] : kMechanismNames)
    for (const int nodes : {100, 500}) {
      SyntheticOptions options;
      options.nodes = nodes;
      options.edges_per_node = 4;
      options.mechanism = mechanism;
      const double seconds = time_of(budget, [&](std::uint32_t i) { simulate_synthetic(options, 1, i); });
      fmt::print("{:<16} {:>6} {:>6} {:>6} {:>12.2f} {:>14.1f}\n", name, nodes, 4 * nodes, options.rows,
                 1e3 * seconds, 1 / seconds);
    }
}

void sergio_table(double budget) {
  fmt::print("\nSERGIO, Erdos-Renyi, every gene knocked out, 10x-chromium, one core\n");
  fmt::print("{:>6} {:>6} {:>6} {:>12}\n", "n", "edges", "rows", "s/data set");
  const int sizes[][3] = {{10, 2, 5000},  {50, 4, 1000},  {100, 4, 1000},  {200, 4, 1000}, {50, 4, 5000},
                          {100, 4, 5000}, {200, 4, 5000}, {100, 4, 20000}, {200, 2, 20000}};
  for (const auto& [nodes, degree, rows] : sizes) {
    SergioOptions options;
    options.graph.nodes = nodes;
    options.graph.edges_per_node = degree;
    options.rows = rows;
    const double seconds = time_of(budget, [&](std::uint32_t i) { simulate_sergio(options, 1, i); });
    fmt::print("{:>6} {:>6} {:>6} {:>12.3f}\n", nodes, degree * nodes, rows, seconds);
  }
}

void random_table(double budget) {
  fmt::print("\nrandom numbers, columns of 1000\n");
  std::vector<float> column(1000);
  const double normal = time_of(budget, [&](std::uint32_t i) {
    fill_normal({1, 0, Purpose::kNoise, i}, column);
  });
  const double uniform = time_of(budget, [&](std::uint32_t i) {
    fill_uniform({1, 0, Purpose::kNoise, i}, column);
  });
  fmt::print("normal {:.2f} ns, uniform {:.2f} ns each\n", 1e6 * normal, 1e6 * uniform);
}

}  // namespace
}  // namespace causcale

int main(int argc, char** argv) {
  const double budget = argc > 1 ? std::atof(argv[1]) : 1.0;
  causcale::synthetic_table(budget);
  causcale::sergio_table(budget);
  causcale::random_table(budget);
}

// How many data sets of each world does one core draw in a second?
//
// worlds_bench [SECONDS per line, default 0.5]. Time is processor time of this one thread.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "simulate/worlds/world.h"

int main(int argc, char** argv) {
  using namespace causcale;
  const double budget = argc > 1 ? std::atof(argv[1]) : 0.5;
  fmt::print("{:<18} {:>14} {:>14} {:>14}\n", "data sets/s", "10 x 200", "20 x 500", "100 x 1000");
  for (const World& world : worlds()) {
    fmt::print("{:<18}", world.name);
    for (const auto& [nodes, rows] : {std::pair(10, 200), std::pair(20, 500), std::pair(100, 1000)}) {
      const std::clock_t start = std::clock();
      std::uint32_t sets = 0;
      double spent = 0;
      do {
        draw_world(world, {nodes, rows, {}}, 1, sets++);
        spent = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      } while (spent < budget);
      fmt::print(" {:>14.1f}", sets / spent);
    }
    fmt::print("\n");
  }
}

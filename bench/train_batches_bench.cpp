// How much processor time do the data of a training configuration take, and which batches take most? Where
// the cores of a machine make fewer data sets per second than its GPU trains on, the GPU waits.
//
// train_batches_bench CONFIG [BATCHES, default 200 [FIRST, default 0]]. One thread.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <vector>

#include "learn/config/config.h"
#include "learn/data/batches.h"

int main(int argc, char** argv) {
  using namespace causcale;
  if (argc < 2) {
    fmt::print(stderr, "usage: train_batches_bench CONFIG [BATCHES [FIRST]]\n");
    return 2;
  }
  const TrainConfig config = read_train_config(argv[1]);
  const int batches = argc > 2 ? std::atoi(argv[2]) : 200;
  const ExampleSource examples(config.stages.front(), 1);
  struct Made {
    BatchPlan plan;
    double seconds;
  };
  std::vector<Made> made;
  double seconds = 0.0;
  std::int64_t graphs = 0;
  std::uint64_t next = 0;
  const int first = argc > 3 ? std::atoi(argv[3]) : 0;
  for (int step = 0; step < first; ++step)
    next += static_cast<std::uint64_t>(plan_batch(config, examples, config.seed, 0, step, next).graphs);
  for (int step = first; step < first + batches; ++step) {
    const BatchPlan plan = plan_batch(config, examples, config.seed, 0, step, next);
    const std::clock_t start = std::clock();
    next = make_batch(examples, plan, config.seed, false).next_dataset;
    made.push_back({plan, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC});
    seconds += made.back().seconds;
    graphs += plan.graphs;
  }
  fmt::print("{} data sets in {} batches, {:.1f} s: {:.1f} per second and core\n\n{:>8} {:>8} {:>8} {:>8}\n",
             graphs, batches, seconds, static_cast<double>(graphs) / seconds, "graphs", "n", "m", "s");
  std::ranges::sort(made, std::greater(), &Made::seconds);
  for (std::size_t k = 0; k < std::min<std::size_t>(15, made.size()); ++k)
    fmt::print("{:>8} {:>8} {:>8} {:>8.2f}\n", made[k].plan.graphs, made[k].plan.nodes, made[k].plan.rows,
               made[k].seconds);
}

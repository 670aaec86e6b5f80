// How long do the neural competitors take beside the figures that the paper gives for their Python versions?
//
//   neural_baselines_bench [METHOD NODES ...]    without arguments: sdcd 100, notears-mlp 100, diffan 100
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "baselines/method.h"
#include "baselines/to_result.h"
#include "metrics/auc.h"
#include "metrics/average_precision.h"
#include "metrics/orientation_accuracy.h"
#include "metrics/shd.h"
#include "simulate/synthetic.h"

namespace {

struct Case {
  std::string method;
  int nodes;
};

// Seconds per data set in the paper's tables (one H200); "-" where it gives none.
std::string paper_seconds(const Case& one) {
  if (one.method == "sdcd" && one.nodes == 100) return "67.4";
  if (one.method == "sdcd" && one.nodes == 1000) return "65.4";
  if (one.method == "diffan" && one.nodes == 100) return "1973.4";
  return "-";
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Case> cases;
  for (int k = 1; k + 1 < argc; k += 2) cases.push_back({argv[k], std::atoi(argv[k + 1])});
  if (cases.empty()) cases = {{"sdcd", 100}, {"notears-mlp", 100}, {"diffan", 100}};
  fmt::print("{:>12} {:>6} {:>6} {:>10} {:>12} {:>12} {:>7} {:>6} {:>7} {:>7}\n", "method", "n", "m",
             "seconds", "CPU seconds", "paper's", "mAP", "SHD", "AUC", "OA");
  for (const Case& one : cases) {
    causcale::SyntheticOptions options;
    options.nodes = one.nodes;
    options.edges_per_node = 4;
    options.rows = 1000;
    const causcale::Simulation simulation = causcale::simulate_synthetic(options, 1, 0);
    const std::clock_t cpu_start = std::clock();
    const auto start = std::chrono::steady_clock::now();
    const causcale::MethodResult result =
        causcale::run_method(causcale::method_named(one.method), simulation.dataset, {});
    const double cpu_seconds = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print(
        "{:>12} {:>6} {:>6} {:>10.1f} {:>12.1f} {:>12} {:>7.3f} {:>6} {:>7.3f} {:>7.3f}\n", one.method,
        one.nodes, 1000, seconds, cpu_seconds, paper_seconds(one),
        causcale::average_precision(result.scores, simulation.graph),
        causcale::structural_hamming_distance(simulation.graph, causcale::possible_directions(result.graph)),
        causcale::roc_auc(result.scores, simulation.graph),
        causcale::orientation_accuracy(result.scores, simulation.graph));
    for (const std::string& line : result.log)
      if (line.size() < 200) fmt::print("{:>12} {}\n", "", line);
    std::fflush(stdout);
  }
}

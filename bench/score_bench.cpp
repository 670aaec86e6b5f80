// Time, memory and accuracy of the score-based and continuous-optimisation methods on the paper's two sizes
// of linear data, beside the seconds that the paper reports for NOTEARS.
//
//   score_bench [METHOD ...] [n=SIZE] [setting=value ...]
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "baselines/method.h"
#include "metrics/average_precision.h"
#include "metrics/shd.h"
#include "simulate/synthetic.h"

namespace {

using namespace causcale;

// Undirected edges count as right when the truth has them in either direction: they are given the true one.
Digraph best_reading(const MixedGraph& graph, const Digraph& truth) {
  std::vector<Edge> edges;
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = a + 1; b < graph.nodes(); ++b) {
      if (!graph.adjacent(a, b)) continue;
      const bool forward = graph.undirected(a, b) ? !truth.has_edge(b, a) : graph.directed(a, b);
      edges.push_back(forward ? Edge{a, b} : Edge{b, a});
    }
  return Digraph(graph.nodes(), edges);
}

void measure(const Method& method, const MethodOptions& options, int nodes, double edges_per_node) {
  SyntheticOptions synthetic;
  synthetic.nodes = nodes;
  synthetic.edges_per_node = edges_per_node;
  synthetic.rows = 1000;
  const Simulation simulation = simulate_synthetic(synthetic, 2024, 0);
  const auto start = std::chrono::steady_clock::now();
  const MethodResult result = method.run(simulation.dataset, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double processor = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  std::string paper = "-";
  if (method.name == "notears" && nodes == 100) paper = fmt::format("2170 ({:.0f}x)", 2170 / seconds);
  if (method.name == "notears" && nodes == 1000) paper = fmt::format("10896 ({:.0f}x)", 10896 / seconds);
  fmt::print("{:>14} {:>6} {:>7} {:>10.2f} {:>10.2f} {:>8} {:>7} {:>6} {:>7.3f}  {}\n", method.name, nodes,
             simulation.graph.edge_count(), seconds, processor, usage.ru_maxrss / 1024,
             result.graph.edge_count(),
             structural_hamming_distance(simulation.graph, best_reading(result.graph, simulation.graph)),
             average_precision(result.scores, simulation.graph), paper);
  for (const std::string& line : result.log) fmt::print("               {}\n", line);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> wanted;
  MethodOptions options;
  int only_size = 0;
  for (int a = 1; a < count; ++a) {
    const std::string argument = arguments[a];
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos)
      wanted.push_back(argument);
    else if (argument.starts_with("n="))
      only_size = std::stoi(argument.substr(2));
    else
      options.settings[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  fmt::print("{:>14} {:>6} {:>7} {:>10} {:>10} {:>8} {:>7} {:>6} {:>7}  {}\n", "method", "n", "edges",
             "seconds", "CPU s", "MiB", "found", "SHD", "mAP", "paper's seconds");
  std::fflush(stdout);
  for (const auto& [nodes, edges_per_node] : {std::pair{100, 4.0}, {1000, 2.0}}) {
    if (only_size != 0 && only_size != nodes) continue;
    for (const Method& method :
         {notears_method(), dagma_method(), direct_lingam_method(), ges_method(), gies_method()}) {
      if (!wanted.empty() && std::ranges::find(wanted, method.name) == wanted.end()) continue;
      // A process each, so that the peak memory is the method's own.
      const pid_t child = fork();
      if (child == 0) {
        measure(method, options, nodes, edges_per_node);
        std::_Exit(0);
      }
      waitpid(child, nullptr, 0);
    }
  }
}

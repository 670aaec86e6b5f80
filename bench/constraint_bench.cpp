// How fast and how good are the classical and constraint-based methods beside the figures of the paper?
//
// Linear Erdos-Renyi data sets as in the paper (one intervention a node, rows pooled). Every run has a
// process of its own, so that the peak of memory is that of one method. SHD: edges a --> b and a o-> b count
// as a -> b, the matrices keep as many entries as the true graph has edges.
//   constraint_bench [METHOD [KEY=VALUE ...]]
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "baselines/method.h"
#include "metrics/auc.h"
#include "metrics/average_precision.h"
#include "metrics/orientation_accuracy.h"
#include "metrics/shd.h"
#include "simulate/synthetic.h"

namespace {

using causcale::Mark;

struct Setting {
  int nodes;
  double edges_per_node;
  // Of the paper's table, linear data: seconds, mAP, SHD by method.
  std::map<std::string, std::array<double, 3>> paper;
};

struct Figures {
  double seconds, cpu_seconds, peak_mb, map, auc, shd, oa, edges;
};

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

causcale::Digraph directed_part(const causcale::MethodResult& result) {
  std::vector<causcale::Edge> edges;
  const causcale::MixedGraph& graph = result.graph;
  const bool symmetric = result.graph_class == causcale::GraphClass::kUndirected;
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = 0; b < graph.nodes(); ++b)
      if (graph.adjacent(a, b) &&
          (symmetric || (graph.mark(a, b) == Mark::kArrow && graph.mark(b, a) != Mark::kArrow)))
        edges.push_back({a, b});
  return {graph.nodes(), edges};
}

Figures measure(const causcale::Method& method, const Setting& setting,
                std::map<std::string, std::string> settings, std::uint32_t index) {
  causcale::SyntheticOptions synthetic;
  synthetic.nodes = setting.nodes;
  synthetic.edges_per_node = setting.edges_per_node;
  const causcale::Simulation simulation = causcale::simulate_synthetic(synthetic, 2026, index);
  causcale::MethodOptions options;
  options.settings = std::move(settings);
  if (method.graph_class == causcale::GraphClass::kUndirected)
    options.settings["edges"] = std::to_string(simulation.graph.edge_count());
  const double cpu_start = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  const causcale::MethodResult result = causcale::run_method(method, simulation.dataset, options);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  const double cpu = cpu_seconds() - cpu_start;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  if (index == 0)
    for (const std::string& line : result.log) fmt::print("    {}\n", line);
  std::fflush(stdout);
  const causcale::Digraph guess = directed_part(result);
  return {passed.count(),
          cpu,
          static_cast<double>(usage.ru_maxrss) / 1024,
          100 * causcale::average_precision(result.scores, simulation.graph),
          100 * causcale::roc_auc(result.scores, simulation.graph),
          static_cast<double>(causcale::structural_hamming_distance(simulation.graph, guess)),
          100 * causcale::orientation_accuracy(result.scores, simulation.graph),
          static_cast<double>(result.graph.edge_count())};
}

// In a child process; the figures come back through a pipe.
Figures measured_alone(const causcale::Method& method, const Setting& setting,
                       const std::map<std::string, std::string>& settings, std::uint32_t index) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(3);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const Figures figures = measure(method, setting, settings, index);
    const bool sent = write(ends[1], &figures, sizeof figures) == sizeof figures;
    _exit(sent ? 0 : 1);
  }
  Figures figures{};
  close(ends[1]);
  const bool received = read(ends[0], &figures, sizeof figures) == sizeof figures;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!received || status != 0) std::exit(3);
  return figures;
}

}  // namespace

int main(int argc, char** argv) {
  const Setting settings[] = {
      {100,
       4,
       {{"corr", {0.0008, 20.1, 578.0}}, {"invcov", {0.0275, 34.1, 491.2}}, {"fci", {84.987, 12.4, 372.0}}}},
      {1000,
       2,
       {{"corr", {0.0455, 34.3, 2376.6}},
        {"invcov", {0.4412, 46.7, 1996.6}},
        {"fci", {2005.2, 32.9, 1309.0}}}}};
  std::map<std::string, std::string> given;
  for (int k = 2; k < argc; ++k) {
    const std::string text = argv[k];
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos) {
      fmt::print(stderr, "{} is not KEY=VALUE\n", text);
      return 2;
    }
    given[text.substr(0, sign)] = text.substr(sign + 1);
  }
  const causcale::Method all[] = {causcale::correlation_method(),
                                  causcale::inverse_covariance_method(),
                                  causcale::var_sort_regress_method(),
                                  causcale::r2_sort_regress_method(),
                                  causcale::pc_method(),
                                  causcale::rfci_method(),
                                  causcale::fci_method()};
  constexpr int kGraphs = 3;
  for (const Setting& setting : settings) {
    fmt::print("n = {}, |E| = {}, m = 1000, linear; mean of {} graphs; in brackets: the paper\n",
               setting.nodes, setting.nodes * setting.edges_per_node, kGraphs);
    fmt::print("{:<20} {:>9} {:>8} {:>9} {:>8} {:>7} {:>7} {:>5} {:>5} {:>8} {:>9} {:>6}\n", "method",
               "seconds", "CPU s", "(paper)", "peak MB", "mAP", "(paper)", "AUC", "OA", "SHD", "(paper)",
               "edges");
    for (const causcale::Method& method : all) {
      if (argc > 1 && method.name != argv[1]) continue;
      Figures sum{};
      for (int k = 0; k < kGraphs; ++k) {
        const Figures one = measured_alone(method, setting, given, static_cast<std::uint32_t>(k));
        sum.seconds += one.seconds / kGraphs;
        sum.cpu_seconds += one.cpu_seconds / kGraphs;
        sum.peak_mb = std::max(sum.peak_mb, one.peak_mb);
        sum.map += one.map / kGraphs;
        sum.auc += one.auc / kGraphs;
        sum.shd += one.shd / kGraphs;
        sum.oa += one.oa / kGraphs;
        sum.edges += one.edges / kGraphs;
      }
      const auto paper = setting.paper.find(method.name);
      const auto quoted = [&](int which) {
        return paper == setting.paper.end() ? std::string() : fmt::format("({})", paper->second[which]);
      };
      fmt::print(
          "{:<20} {:>9.3f} {:>8.3f} {:>9} {:>8.0f} {:>7.1f} {:>7} {:>5.1f} {:>5.1f} {:>8.1f} {:>9} "
          "{:>6.0f}\n",
          method.name, sum.seconds, sum.cpu_seconds, quoted(0), sum.peak_mb, sum.map, quoted(1), sum.auc,
          sum.oa, sum.shd, quoted(2), sum.edges);
      std::fflush(stdout);
    }
  }
}

// How fast and how good is a competing method beside the figures of the paper?
//
// Erdos-Renyi data sets as in the paper (m = 1000, a perfect intervention on every node, rows pooled). Every
// data set has a process of its own, so that the peak of memory is that of one run. What counts as an edge
// for SHD: a --> b and a o-> b; an undirected edge of a CPDAG, in the true direction where there is one; for
// the methods without directions, both directions of the strongest pairs, as many as the truth has edges.
//
//   method_bench METHOD [n=100] [edges=4] [graphs=1] [mechanism=linear] [limit=CPU seconds] [setting=value
//   ...] method_bench header
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>

#include "causcale/error.h"
#include "methods/method.h"
#include "metrics/auc.h"
#include "metrics/average_precision.h"
#include "metrics/orientation_accuracy.h"
#include "metrics/shd.h"
#include "simulate/synthetic.h"

namespace {

using namespace causcale;

struct Job {
  std::string method;
  SyntheticOptions synthetic;
  int graphs = 1;
  double limit = 0;  // processor seconds a data set; 0: none
  std::map<std::string, std::string> settings;
};

// Shared with the child, so that a run that was ended still says how far it came.
struct Figures {
  bool finished;
  double share;
  char stage[64];
  double seconds, cpu_seconds, peak_mib, map, auc, oa, shd, edges;
};

// Seconds, mAP and SHD of the paper's table for linear data.
std::string paper_figures(const std::string& method, int nodes) {
  static const std::map<std::pair<std::string, int>, std::string> known = {
      {{"corr", 100}, "0.0008, 20.1, 578.0"},   {{"corr", 1000}, "0.0455, 34.3, 2376.6"},
      {{"invcov", 100}, "0.0275, 34.1, 491.2"}, {{"invcov", 1000}, "0.4412, 46.7, 1996.6"},
      {{"fci", 100}, "85.0, 12.4, 372.0"},      {{"fci", 1000}, "2005, 32.9, 1309.0"},
      {{"notears", 100}, "2170, 29.4, 300.8"},  {{"notears", 1000}, "10896, 30.5, 1388.6"},
      {{"sdcd", 100}, "67.4, 42.3, 400.2"},     {{"sdcd", 1000}, "65.4, 54.1, 1793.2"},
      {{"diffan", 100}, "1973, 10.6, 475.4"}};
  const auto found = known.find({method, nodes});
  return found == known.end() ? "-" : found->second;
}

// Threads that have ended count too.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Digraph read_as_directed(const MethodResult& result, const Digraph& truth) {
  std::vector<Edge> edges;
  const MixedGraph& graph = result.graph;
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = 0; b < graph.nodes(); ++b) {
      if (a == b || !graph.adjacent(a, b)) continue;
      if (result.graph_class == GraphClass::kUndirected) {
        edges.push_back({a, b});
      } else if (result.graph_class == GraphClass::kCpdag && graph.undirected(a, b)) {
        if (truth.has_edge(a, b) || (a < b && !truth.has_edge(b, a))) edges.push_back({a, b});
      } else if (graph.mark(a, b) == Mark::kArrow && graph.mark(b, a) != Mark::kArrow) {
        edges.push_back({a, b});
      }
    }
  return {graph.nodes(), edges};
}

void measure(const Job& job, std::uint32_t index, Figures& figures) {
  const Simulation simulation = simulate_synthetic(job.synthetic, 2026, index);
  const Method& method = method_named(job.method);
  MethodOptions options;
  options.settings = job.settings;
  if (method.graph_class == GraphClass::kUndirected)
    options.settings["edges"] = std::to_string(simulation.graph.edge_count());
  options.progress = [&](const std::string& stage, double share) {
    figures.share = share;
    std::snprintf(figures.stage, sizeof figures.stage, "%s", stage.c_str());
  };
  const double cpu_start = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  if (job.limit > 0) {
    const auto end = static_cast<rlim_t>(std::ceil(cpu_start + job.limit));
    const rlimit limit{end, end + 5};
    setrlimit(RLIMIT_CPU, &limit);
  }
  const MethodResult result = run_method(method, simulation.dataset, options);
  figures.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  figures.cpu_seconds = cpu_seconds() - cpu_start;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  figures.peak_mib = static_cast<double>(usage.ru_maxrss) / 1024;
  figures.map = 100 * average_precision(result.scores, simulation.graph);
  figures.auc = 100 * roc_auc(result.scores, simulation.graph);
  figures.oa = 100 * orientation_accuracy(result.scores, simulation.graph);
  figures.shd = structural_hamming_distance(simulation.graph, read_as_directed(result, simulation.graph));
  figures.edges = static_cast<double>(result.graph.edge_count());
  if (index == 0) {
    for (const std::string& line : result.log)
      if (line.size() < 200) fmt::print(stderr, "    {}\n", line);
    for (const auto& [stage, seconds] : result.seconds)
      fmt::print(stderr, "    {}: {:.2f} s\n", stage, seconds);
  }
  figures.finished = true;
}

Figures measured_alone(const Job& job, std::uint32_t index) {
  void* memory = mmap(nullptr, sizeof(Figures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error("no memory to share with the run");
  Figures* shared = new (memory) Figures{};
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    try {
      measure(job, index, *shared);
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  Figures figures = *shared;
  munmap(memory, sizeof(Figures));
  if (!figures.finished) {
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGXCPU) throw Error(job.method + " failed");
    figures.peak_mib = static_cast<double>(usage.ru_maxrss) / 1024;
  }
  return figures;
}

Job read_arguments(int count, char** arguments) {
  static const std::map<std::string, Mechanism> mechanisms = {{"linear", Mechanism::kLinear},
                                                              {"nn", Mechanism::kNeural},
                                                              {"sigmoid", Mechanism::kSigmoidAdditive},
                                                              {"polynomial", Mechanism::kPolynomial}};
  Job job;
  job.method = arguments[1];
  job.synthetic.nodes = 100;
  job.synthetic.edges_per_node = 4;
  for (int k = 2; k < count; ++k) {
    const std::string text = arguments[k];
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos) throw UsageError(text + " is not KEY=VALUE");
    const std::string key = text.substr(0, sign), value = text.substr(sign + 1);
    if (key == "n")
      job.synthetic.nodes = std::stoi(value);
    else if (key == "edges")
      job.synthetic.edges_per_node = std::stod(value);
    else if (key == "graphs")
      job.graphs = std::stoi(value);
    else if (key == "mechanism")
      job.synthetic.mechanism = mechanisms.at(value);
    else if (key == "limit")
      job.limit = std::stod(value);
    else
      job.settings[key] = value;
  }
  return job;
}

void print_row(const Job& job) {
  Figures mean{};
  const int nodes = job.synthetic.nodes;
  for (int k = 0; k < job.graphs; ++k) {
    const Figures one = measured_alone(job, static_cast<std::uint32_t>(k));
    if (!one.finished) {
      fmt::print("{:<20} {:>5} not finished within {:g} CPU s: {:.0f} % ({}), {:.0f} MiB; paper {}\n",
                 job.method, nodes, job.limit, 100 * one.share, one.stage, one.peak_mib,
                 paper_figures(job.method, nodes));
      return;
    }
    const double share = 1.0 / job.graphs;
    mean.peak_mib = std::max(mean.peak_mib, one.peak_mib);
    mean.seconds += share * one.seconds;
    mean.cpu_seconds += share * one.cpu_seconds;
    mean.map += share * one.map;
    mean.auc += share * one.auc;
    mean.oa += share * one.oa;
    mean.shd += share * one.shd;
    mean.edges += share * one.edges;
  }
  fmt::print("{:<20} {:>5} {:>9.3f} {:>9.3f} {:>8.0f} {:>6.1f} {:>8.1f} {:>6.1f} {:>6.1f} {:>7.0f}  {}\n",
             job.method, nodes, mean.seconds, mean.cpu_seconds, mean.peak_mib, mean.map, mean.shd, mean.auc,
             mean.oa, mean.edges, paper_figures(job.method, nodes));
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    fmt::print(stderr,
               "method_bench METHOD [n=] [edges=] [graphs=] [mechanism=] [limit=] [setting=value ...]\n");
    return 2;
  }
  if (std::strcmp(arguments[1], "header") == 0) {
    fmt::print("{:<20} {:>5} {:>9} {:>9} {:>8} {:>6} {:>8} {:>6} {:>6} {:>7}  {}\n", "method", "n", "wall s",
               "CPU s", "peak MiB", "mAP", "SHD", "AUC", "OA", "edges", "paper: s, mAP, SHD");
    return 0;
  }
  try {
    print_row(read_arguments(count, arguments));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

// How fast are the methods for discrete and mixed tables on one core, and does a degenerate Gaussian keep up
// with Fisher's z on the widened table?
//
// Networks of conditional probability tables with the sizes of alarm (37 variables, 46 edges) and win95pts
// (76, 112), two to four values each, 10,000 rows; linear Gaussian data for boss. Processor seconds.
//
//   discrete_bench [rows=10000]
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "graph/order.h"
#include "methods/method.h"
#include "methods/widened_columns.h"
#include "simulate/graph_model.h"

namespace {

using namespace causcale;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

struct Example {
  Digraph graph;
  Dataset dataset;
};

Digraph sparse_graph(int nodes, double edges_per_node) {
  RandomStream random(17, static_cast<std::uint32_t>(nodes), 1);
  GraphOptions options;
  options.nodes = nodes;
  options.edges_per_node = edges_per_node;
  return sample_graph(options, random).graph;
}

Example table_network(int nodes, double edges_per_node, std::size_t rows) {
  RandomStream random(17, static_cast<std::uint32_t>(nodes), 2);
  Example example{sparse_graph(nodes, edges_per_node), {}};
  std::vector<std::uint32_t> levels(nodes);
  for (std::uint32_t& count : levels) count = 2 + random.below(3);
  std::vector<std::map<std::vector<double>, std::vector<double>>> shares(nodes);
  Table& table = example.dataset.table;
  for (int v = 0; v < nodes; ++v) table.names.push_back(fmt::format("V{}", v));
  table.values = Matrix<double>(rows, nodes);
  const std::vector<int> order = *topological_order(example.graph);
  for (std::size_t r = 0; r < rows; ++r)
    for (const int v : order) {
      std::vector<double> key;
      for (const int parent : example.graph.parents(v)) key.push_back(table.values(r, parent));
      std::vector<double>& share = shares[v][key];
      if (share.empty()) {
        double sum = 0.0;
        for (std::uint32_t k = 0; k < levels[v]; ++k) {
          share.push_back(0.02 + std::pow(random.uniform(), 3.0));
          sum += share.back();
        }
        for (double& value : share) value /= sum;
      }
      double left = random.uniform();
      std::uint32_t value = 0;
      while (value + 1 < levels[v] && left >= share[value]) left -= share[value++];
      table.values(r, v) = value;
    }
  return example;
}

Example linear_network(int nodes, double edges_per_node, std::size_t rows) {
  Example example{sparse_graph(nodes, edges_per_node), {}};
  RandomStream random(17, static_cast<std::uint32_t>(nodes), 3);
  Table& table = example.dataset.table;
  for (int v = 0; v < nodes; ++v) table.names.push_back(fmt::format("V{}", v));
  table.values = Matrix<double>(rows, nodes);
  std::map<std::pair<int, int>, double> weight;
  for (const Edge& edge : example.graph.edges())
    weight[{edge.source, edge.target}] = (random.coin() ? 1 : -1) * random.uniform(0.5, 1.5);
  const std::vector<int> order = *topological_order(example.graph);
  for (std::size_t r = 0; r < rows; ++r)
    for (const int v : order) {
      double value = random.normal();
      for (const int parent : example.graph.parents(v))
        value += weight[{parent, v}] * table.values(r, parent);
      table.values(r, v) = value;
    }
  return example;
}

double skeleton_f1(const MixedGraph& found, const Digraph& truth) {
  double both = 0.0, of_found = 0.0;
  for (int a = 0; a < truth.nodes(); ++a)
    for (int b = 0; b < a; ++b) {
      const bool joined = found.adjacent(a, b), real = truth.has_edge(a, b) || truth.has_edge(b, a);
      both += joined && real;
      of_found += joined;
    }
  return 2.0 * both / std::max(1.0, of_found + static_cast<double>(truth.edge_count()));
}

double measure(const std::string& what, const Example& example, const std::string& method,
               const std::map<std::string, std::string>& settings, bool with_truth = true) {
  MethodOptions options;
  options.threads = 1;
  options.settings = settings;
  options.seconds = 120.0;
  const double start = cpu_seconds();
  try {
    const MethodResult result = run_method(method_named(method), example.dataset, options);
    const double seconds = cpu_seconds() - start;
    fmt::print("{:<44} {:>4} {:>7} {:>9.3f} {:>8}\n", what, example.dataset.table.cols(),
               example.dataset.table.rows(), seconds,
               with_truth ? fmt::format("{:.2f}", skeleton_f1(result.graph, example.graph)) : "-");
    return seconds;
  } catch (const OutOfTime& error) {
    fmt::print("{:<44} {}\n", what, error.what());
    return std::nan("");
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string given = count > 1 ? arguments[1] : "rows=10000";
  const std::size_t rows = std::stoul(given.substr(given.find('=') + 1));
  fmt::print("{:<44} {:>4} {:>7} {:>9} {:>8}\n", "method", "n", "rows", "CPU s", "skel. F1");
  for (const auto& [nodes, density] : {std::pair{37, 46.0 / 37}, {76, 112.0 / 76}}) {
    const Example example = table_network(nodes, density, rows);
    measure("pc, g2", example, "pc", {{"test", "g2"}});
    measure("pc, chi-square", example, "pc", {{"test", "chi-square"}});
    measure("fci, chi-square", example, "fci", {{"test", "chi-square"}});
    const double degenerate =
        measure("pc, degenerate-gaussian", example, "pc", {{"test", "degenerate-gaussian"}});
    Example wide{example.graph, {}};
    wide.dataset.table.values =
        widened_columns(example.dataset.table, std::vector<char>(example.dataset.table.cols(), 1)).values;
    for (std::size_t c = 0; c < wide.dataset.table.values.cols(); ++c)
      wide.dataset.table.names.push_back(fmt::format("W{}", c));
    const double fisher =
        measure("pc, fisher-z on the widened table", wide, "pc", {{"test", "fisher-z"}}, false);
    fmt::print("  degenerate Gaussian / Fisher's z: {:.2f}\n", degenerate / fisher);
    measure("ges, bdeu", example, "ges", {{"score", "bdeu"}});
    measure("ges, discrete-bic", example, "ges", {{"score", "discrete-bic"}});
    measure("boss, bdeu", example, "boss", {{"score", "bdeu"}});
  }
  const Example linear = linear_network(100, 2.0, 1000);
  measure("boss, gaussian-bic", linear, "boss", {});
  measure("ges, gaussian-bic", linear, "ges", {});
  return 0;
}

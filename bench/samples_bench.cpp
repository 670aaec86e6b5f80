// How long do 1000 graphs take? Sparse probabilities, as a network is sure of most pairs, and doubtful ones,
// where nearly every independent draw has cycles; one core, with the probability of ancestry for all pairs,
// and with what causcale next says.
//
//   samples_bench [graphs]
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "base/random.h"
#include "causcale/samples.h"

namespace causcale {
namespace {

// `degree` edges per node that are probable, along a random order; `noise` edges per node that are not, all
// over the table.
Matrix<double> probabilities(int nodes, double degree, double sure, double noise) {
  RandomStream random(1, 0, 0);
  Matrix<double> p(nodes, nodes);
  for (int i = 0; i < nodes; ++i)
    for (int j = 0; j < nodes; ++j) {
      if (i == j) continue;
      const bool edge = i < j && random.coin(2 * degree / (nodes - 1));
      p(i, j) = edge ? sure + (1 - sure) * 0.9 * random.uniform() : noise * random.uniform() * 2 / nodes;
    }
  for (int i = 0; i < nodes; ++i)
    for (int j = i + 1; j < nodes; ++j)
      if (p(i, j) >= sure) p(j, i) = (1 - p(i, j)) * random.uniform();
  return p;
}

// Of the processor, not of the clock: the work has one thread, and other programs do not matter.
double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void measure(const char* what, int nodes, const Matrix<double>& p, int count) {
  double start = processor_seconds();
  const GraphSamples samples = sample_graphs(p, {.count = count, .seed = 1, .threads = 1});
  const double drawing = processor_seconds() - start;
  start = processor_seconds();
  const Matrix<double> ancestry = ancestor_probabilities(samples, 1);
  const double counting = processor_seconds() - start;
  start = processor_seconds();
  const InterventionRanking ranking = rank_interventions(samples, 1);
  observation_gain(samples, 1);
  const double advising = processor_seconds() - start;
  double edges = 0;
  for (const Digraph& graph : samples.graphs) edges += static_cast<double>(graph.edge_count()) / count;
  fmt::print("{:>5}  {:<9}  {:>7.1f}  {:<18}  {:>10.3f}  {:>9.3f}  {:>7.3f}  {:>9.0f}  {:>7.3f}  {:>8.1f}\n",
             nodes, what, edges, samples.method, drawing, counting, advising, samples.effective,
             samples.scale_reduction, ranking.doubt);
}

}  // namespace
}  // namespace causcale

int main(int argc, char** argv) {
  using causcale::measure;
  using causcale::probabilities;
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  fmt::print("{} graphs, one thread\n", count);
  fmt::print("{:>5}  {:<9}  {:>7}  {:<18}  {:>10}  {:>9}  {:>7}  {:>9}  {:>7}  {:>8}\n", "nodes", "table",
             "edges", "method", "drawing s", "ancestry s", "next s", "effective", "R-hat", "bits");
  for (const int nodes : {8, 20, 50, 100}) {
    measure("sure", nodes, probabilities(nodes, 1.0, 0.9, 0.02), count);
    measure("doubtful", nodes, probabilities(nodes, 1.5, 0.5, 0.5), count);
    measure("vague", nodes, probabilities(nodes, 2.0, 0.2, 2.0), count);
  }
  measure("sure", 1000, probabilities(1000, 1.0, 0.9, 0.002), count);
  measure("doubtful", 1000, probabilities(1000, 1.0, 0.6, 0.3), count);
}

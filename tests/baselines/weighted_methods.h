// What the tests of NOTEARS and DAGMA share: the papers' easy setting and awkward tables.
#pragma once

#include "baselines/gaussian_models.h"
#include "baselines/method.h"
#include "metrics/shd.h"
#include "simulate/graph_model.h"

namespace causcale::test {

struct LinearSetting {
  int nodes = 20;
  double edges_per_node = 2.0;
  int rows = 1000;
};

// An Erdos-Renyi graph, weights +-[0.5, 2], unit noise.
struct LinearExample {
  Digraph graph;
  Dataset dataset;
};
inline LinearExample linear_example(const LinearSetting& setting, std::uint32_t number) {
  RandomStream random(80, number, 0);
  GraphOptions options;
  options.nodes = setting.nodes;
  options.edges_per_node = setting.edges_per_node;
  const Digraph dag = sample_graph(options, random).graph;
  const LinearModel model = random_linear_model(dag, number, 0.5, 2.0, true);
  return {dag, drawn_dataset(model, setting.rows, number, [](RandomStream& s) { return s.normal(); })};
}

// Structural Hamming distance of what the method finds.
inline std::size_t easy_distance(const Method& method, const LinearSetting& setting, std::uint32_t number) {
  const LinearExample example = linear_example(setting, number);
  return structural_hamming_distance(example.graph, directed_part(method.run(example.dataset, {}).graph));
}

// Fewer rows than columns, a constant column (4) and exact multiples (5 and 6).
inline Dataset awkward_dataset() {
  RandomStream random(81, 0, 0);
  Dataset data;
  data.table.names = column_names(24);
  data.table.values = Matrix<double>(10, 24);
  for (std::size_t r = 0; r < 10; ++r) {
    for (std::size_t c = 0; c < 24; ++c) data.table.values(r, c) = random.normal();
    data.table.values(r, 4) = 7.0;
    data.table.values(r, 6) = 2.0 * data.table.values(r, 5);
  }
  return data;
}

}  // namespace causcale::test

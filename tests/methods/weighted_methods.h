// What the tests of NOTEARS and DAGMA share: the papers' easy setting.
#pragma once

#include "methods/gaussian_models.h"
#include "methods/method.h"
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

}  // namespace causcale::test

// What the tests of NOTEARS and DAGMA share: the papers' easy setting and awkward tables.
#pragma once

#include "baselines/gaussian_models.h"
#include "baselines/method.h"
#include "metrics/shd.h"
#include "simulate/graph_model.h"

namespace causcale::test {

// Structural Hamming distance on an Erdos-Renyi graph of two edges a node, weights +-[0.5, 2], unit noise,
// 1000 rows.
inline std::size_t easy_distance(const Method& method, int nodes, std::uint32_t number) {
  RandomStream random(80, number, 0);
  GraphOptions options;
  options.nodes = nodes;
  options.edges_per_node = 2.0;
  const Digraph dag = sample_graph(options, random).graph;
  const LinearModel model = random_linear_model(dag, number, 0.5, 2.0, true);
  const Dataset data =
      drawn_dataset(model, 1000, number, [](RandomStream& stream) { return stream.normal(); });
  return structural_hamming_distance(dag, directed_part(method.run(data, {}).graph));
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

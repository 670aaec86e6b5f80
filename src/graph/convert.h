// Between matrices of edge scores, graphs and lists of named edges.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "causcale/graph.h"
#include "causcale/matrix.h"

namespace causcale {

struct NamedEdge {
  std::string source;
  std::string target;
  double score = 1.0;
  bool operator==(const NamedEdge&) const = default;
};

// Edges i -> j, i != j, with scores(i, j) > threshold.
Digraph graph_above(const Matrix<double>& scores, double threshold);

// 1 where the graph has an edge, else 0.
Matrix<double> score_matrix(const Digraph& graph);

// The entries i != j with scores(i, j) > threshold, highest score first, then by row and column.
std::vector<NamedEdge> named_edges(const Matrix<double>& scores, std::span<const std::string> names,
                                   double threshold);

// The matrix over `names` with the edges' scores, 0 elsewhere. Unknown names, self-loops and repeated edges
// throw InputError.
Matrix<double> score_matrix(std::span<const NamedEdge> edges, std::span<const std::string> names);

// "X0", "X1", ...: what variables are called that came without names.
std::vector<std::string> default_names(std::size_t count);

}  // namespace causcale

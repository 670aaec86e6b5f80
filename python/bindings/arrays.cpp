#include "arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "causcale/error.h"
#include "data/interventions.h"

namespace causcale::python {

Matrix<double> matrix_from(const DoubleArray& array) {
  if (array.ndim() != 2)
    throw InputError(fmt::format("a table has two dimensions, rows and columns; found {}", array.ndim()));
  const auto rows = static_cast<std::size_t>(array.shape(0)), cols = static_cast<std::size_t>(array.shape(1));
  return {rows, cols, std::vector<double>(array.data(), array.data() + rows * cols)};
}

py::array_t<double> array_from(const Matrix<double>& matrix) {
  py::array_t<double> array({matrix.rows(), matrix.cols()});
  std::copy_n(matrix.data(), matrix.size(), array.mutable_data());
  return array;
}

std::vector<Edge> edges_from(const EdgePairs& pairs) {
  std::vector<Edge> edges;
  for (const auto& [source, target] : pairs) edges.push_back({source, target});
  return edges;
}

EdgePairs pairs_from(const Digraph& graph) {
  EdgePairs pairs;
  for (const Edge& edge : graph.edges()) pairs.emplace_back(edge.source, edge.target);
  return pairs;
}

Dataset dataset_from(const DoubleArray& values, std::vector<std::string> names,
                     const std::optional<RowTargets>& targets) {
  Dataset dataset{{std::move(names), matrix_from(values)}, {}};
  const Table& table = dataset.table;
  if (table.names.size() != table.cols())
    throw InputError(fmt::format("there are {} names for {} columns", table.names.size(), table.cols()));
  if (!targets) return dataset;
  if (targets->size() != table.rows())
    throw InputError(
        fmt::format("interventions are given for {} rows; the table has {}", targets->size(), table.rows()));
  dataset.interventions = canonical_interventions(*targets);
  return dataset;
}

RowTargets row_targets(const Interventions& interventions, std::size_t rows) {
  RowTargets targets(rows);
  for (std::size_t r = 0; r < interventions.regime_of_row.size(); ++r)
    targets[r] = interventions.regimes[static_cast<std::size_t>(interventions.regime_of_row[r])];
  return targets;
}

py::dict dict_from(const Dataset& dataset) {
  py::dict result;
  result["values"] = array_from(dataset.table.values);
  result["names"] = dataset.table.names;
  result["targets"] = row_targets(dataset.interventions, dataset.table.rows());
  return result;
}

}  // namespace causcale::python

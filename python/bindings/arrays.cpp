#include "arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "causcale/error.h"
#include "data/columns.h"
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

Dataset dataset_from(const py::dict& given) {
  Dataset dataset;
  Table& table = dataset.table;
  table.names = py::cast<std::vector<std::string>>(given["names"]);
  table.values = matrix_from(py::cast<DoubleArray>(given["values"]));
  if (table.names.size() != table.cols())
    throw InputError(fmt::format("there are {} names for {} columns", table.names.size(), table.cols()));
  for (const std::string& kind : py::cast<std::vector<std::string>>(given["kinds"]))
    table.kinds.push_back(choice_named(kColumnKindNames, kind, "kinds"));
  table.levels = py::cast<std::vector<std::vector<std::string>>>(given["levels"]);
  if ((!table.kinds.empty() && table.kinds.size() != table.cols()) ||
      (!table.levels.empty() && table.levels.size() != table.cols()))
    throw InputError(fmt::format("kinds and levels are given for other than {} columns", table.cols()));
  const auto targets = py::cast<std::optional<RowTargets>>(given["targets"]);
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
  std::vector<std::string> kinds;
  for (const ColumnKind kind : dataset.table.kinds) kinds.push_back(name_of(kColumnKindNames, kind));
  result["kinds"] = kinds;
  result["levels"] = dataset.table.levels;
  return result;
}

}  // namespace causcale::python

// Labels of interventions, knowledge files and files of graphs.
#include <cmath>
#include <limits>
#include <tuple>

#include "arrays.h"
#include "data/interventions.h"
#include "exchange/formats.h"
#include "exchange/knowledge_graph.h"
#include "found.h"
#include "graph/graph_file.h"
#include "read_options.h"
#include "topics.h"

namespace causcale::python {
namespace {

py::tuple targets_of_labels(const std::vector<std::string>& labels, const std::vector<std::string>& names,
                            const std::optional<std::vector<std::string>>& controls,
                            const std::string& unknown, const std::string& source) {
  InterventionOptions options;
  if (controls) options.control_labels = *controls;
  options.unknown = choice_named(kUnknownTargetNames, unknown, "unknown_targets");
  const ParsedInterventions parsed = interventions_from_labels(labels, target_names(names), options, source);
  RowTargets targets = row_targets(parsed.interventions, labels.size());
  return py::make_tuple(std::move(targets), parsed.dropped_rows, parsed.unknown_targets);
}

py::dict knowledge_of_file(const std::filesystem::path& path, const std::vector<std::string>& names) {
  Knowledge knowledge;
  read_knowledge_file(path, names, knowledge);
  return dict_from(knowledge);
}

// `ranking`: scores count, as of a prediction; otherwise the edges alone.
py::tuple graph_of_file(const std::filesystem::path& path, bool ranking) {
  const GraphFile file = with_whole_matrix(read_any_graph_file(path, ranking));
  const std::size_t n = file.names.size();
  // A list of scored edges says nothing about other pairs; one without scores says that they are not edges.
  Matrix<double> scores(n, n, file.has_scores ? std::numeric_limits<double>::quiet_NaN() : 0.0);
  if (file.is_edge_list) {
    for (std::size_t v = 0; v < n; ++v) scores(v, v) = 0.0;
    for (const StoredEdge& edge : file.edges)
      scores(static_cast<std::size_t>(edge.source), static_cast<std::size_t>(edge.target)) = edge.score;
  } else {
    scores = file.matrix;
  }
  return py::make_tuple(file.names, array_from(scores), file.is_edge_list);
}

// (what it is called in messages, whether it is an edge list, names, scores); an edge list with scores has
// NaN where it says nothing
using GraphTuple = std::tuple<std::string, bool, std::vector<std::string>, DoubleArray>;

GraphFile graph_from(const GraphTuple& tuple) {
  const auto& [what, is_list, names, scores] = tuple;
  GraphFile graph;
  graph.path = what;
  graph.is_edge_list = is_list;
  graph.named = has_names(is_list, names);
  graph.names = names;
  graph.matrix = matrix_from(scores);
  for (std::size_t i = 0; is_list && i < graph.matrix.rows(); ++i)
    for (std::size_t j = 0; j < graph.matrix.cols(); ++j)
      if (std::isnan(graph.matrix(i, j)))
        graph.has_scores = true;
      else if (i != j)
        graph.edges.push_back({static_cast<int>(i), static_cast<int>(j), graph.matrix(i, j)});
  return graph;
}

// (scores, truth, known): known is None where every pair has a score, else the scores that are known, NaN
// elsewhere.
py::tuple match_pair(const GraphTuple& prediction, const GraphTuple& truth) {
  const GraphPair pair = match_graphs(graph_from(prediction), graph_from(truth));
  py::object known = py::none();
  if (pair.partial) {
    Matrix<double> scores = pair.partial->scores;
    for (std::size_t k = 0; k < scores.size(); ++k)
      if (!pair.partial->is_known.values()[k]) scores.values()[k] = std::numeric_limits<double>::quiet_NaN();
    known = array_from(scores);
  }
  return py::make_tuple(array_from(pair.prediction), array_from(pair.truth), known);
}

}  // namespace

void add_data(py::module_& module) {
  using namespace py::literals;
  module.def("targets_of_labels", &targets_of_labels, "labels"_a, "names"_a, "controls"_a, "unknown"_a,
             "source"_a);
  module.def("knowledge_of_file", &knowledge_of_file, "path"_a, "names"_a);
  module.def("graph_of_file", &graph_of_file, "path"_a, "ranking"_a);
  module.def("match_graphs", &match_pair, "prediction"_a, "truth"_a);
}

}  // namespace causcale::python

// Files, labels of interventions, knowledge files and the audit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "arrays.h"
#include "causcale/error.h"
#include "data/audit.h"
#include "data/interventions.h"
#include "data/reader.h"
#include "graph/graph_file.h"
#include "graph/knowledge_file.h"
#include "topics.h"

namespace causcale::python {
namespace {

template <class T>
T choice(const std::map<std::string, T>& choices, const std::string& word, const char* option) {
  if (const auto found = choices.find(word); found != choices.end()) return found->second;
  std::string accepted;
  for (const auto& entry : choices) accepted += (accepted.empty() ? "" : ", ") + entry.first;
  throw UsageError(fmt::format("{}='{}' is not known; accepted: {}", option, word, accepted));
}

UnknownTargets unknown_policy(const std::string& word) {
  return choice<UnknownTargets>({{"error", UnknownTargets::kError},
                                 {"ignore", UnknownTargets::kIgnore},
                                 {"drop", UnknownTargets::kDrop}},
                                word, "unknown_targets");
}

MissingPolicy missing_policy(const std::string& word) {
  return choice<MissingPolicy>(
      {{"error", MissingPolicy::kError}, {"drop", MissingPolicy::kDrop}, {"mean", MissingPolicy::kMean}},
      word, "missing");
}

py::tuple targets_of_labels(const std::vector<std::string>& labels, const std::vector<std::string>& names,
                            const std::optional<std::vector<std::string>>& controls,
                            const std::string& unknown, const std::string& source) {
  InterventionOptions options;
  if (controls) options.control_labels = *controls;
  options.unknown = unknown_policy(unknown);
  const ParsedInterventions parsed = interventions_from_labels(labels, target_names(names), options, source);
  RowTargets targets = row_targets(parsed.interventions, labels.size());
  return py::make_tuple(std::move(targets), parsed.dropped_rows, parsed.unknown_targets);
}

py::list list_from(const AuditReport& report) {
  py::list result;
  for (const Finding& finding : report.findings) {
    py::dict entry;
    entry["severity"] = std::string(severity_name(finding.severity));
    entry["code"] = finding.code;
    entry["columns"] = finding.columns;
    entry["message"] = finding.message;
    entry["hint"] = finding.hint;
    result.append(entry);
  }
  return result;
}

// With `faults_stay` cells that are no numbers become NaN and are listed among the findings, as errors.
py::dict read(const std::filesystem::path& path, const std::filesystem::path& interventions,
              const std::string& label_column, const std::optional<std::vector<std::string>>& controls,
              bool mask_inverted, const std::string& unknown, const std::string& missing,
              const std::vector<std::string>& select, const std::vector<std::string>& exclude, bool header,
              bool transpose, const std::string& layer, bool faults_stay) {
  ReadOptions options;
  options.header = header;
  options.select = select;
  options.exclude = exclude;
  options.transpose = transpose;
  options.missing = missing_policy(missing);
  options.label_column = label_column;
  options.interventions.file = interventions;
  options.interventions.inverted = mask_inverted;
  if (controls) options.interventions.control_labels = *controls;
  options.interventions.unknown = unknown_policy(unknown);
  options.h5ad_layer = layer;
  options.threads = 0;
  Dataset dataset;
  AuditReport report;
  {
    py::gil_scoped_release unlocked;
    ReadNotes notes;
    dataset = read_dataset(path, options, &notes);
    report = audit_reading(dataset, path.string(), notes);
  }
  if (!faults_stay) report.throw_if_errors();
  py::dict result = dict_from(dataset);
  result["findings"] = list_from(report);
  return result;
}

py::list findings(const DoubleArray& values, const std::vector<std::string>& names,
                  const std::optional<RowTargets>& targets) {
  const Dataset dataset = dataset_from(values, names, targets);
  AuditReport report;
  {
    py::gil_scoped_release unlocked;
    report = audit(dataset, "the table");
  }
  return list_from(report);
}

py::dict knowledge_of_file(const std::filesystem::path& path, const std::vector<std::string>& names) {
  Knowledge knowledge;
  read_tetrad_knowledge(path, names, knowledge);
  const auto pairs = [](const std::vector<Edge>& edges) {
    EdgePairs result;
    for (const Edge& edge : edges) result.emplace_back(edge.source, edge.target);
    return result;
  };
  py::dict result;
  result["required"] = pairs(knowledge.required);
  result["forbidden"] = pairs(knowledge.forbidden);
  result["tiers"] = knowledge.tier_of;
  result["closed_tiers"] = knowledge.closed_tiers;
  return result;
}

py::tuple graph_of_file(const std::filesystem::path& path) {
  const GraphFile file = read_graph_file(path);
  const std::size_t n = file.names.size();
  // A list of scored edges says nothing about other pairs; one without scores says that they are no edges.
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
  module.def("read", &read, "path"_a, "interventions"_a, "label_column"_a, "controls"_a, "mask_inverted"_a,
             "unknown"_a, "missing"_a, "select"_a, "exclude"_a, "header"_a, "transpose"_a, "layer"_a,
             "faults_stay"_a);
  module.def("findings", &findings, "values"_a, "names"_a, "targets"_a);
  module.def("knowledge_of_file", &knowledge_of_file, "path"_a, "names"_a);
  module.def("graph_of_file", &graph_of_file, "path"_a);
  module.def("match_graphs", &match_pair, "prediction"_a, "truth"_a);
}

}  // namespace causcale::python

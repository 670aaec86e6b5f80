// The result of discover in every format; another graph of the same probabilities; storing it.
#include "results.h"

#include <map>

#include "discover/direction.h"
#include "discover/select.h"
#include "discover_options.h"
#include "found.h"
#include "report/sparse_output.h"
#include "samples.h"
#include "topics.h"
#include "wording.h"

namespace causcale::python {
namespace {

// [n, n] each, by the name of the column they become.
py::dict stability_of(const DiscoverResult& result) {
  py::dict matrices;
  for (const auto& [name, values] : bootstrap_figures(result)) matrices[name] = array_from(*values);
  return matrices;
}

// What a user should know before trusting the result: (code, message, hint).
py::list remarks_of(const DiscoverResult& result) {
  py::list remarks;
  for (const Remark& remark : result.applicability)
    remarks.append(
        py::make_tuple(remark.code, in_python_words(remark.message), in_python_words(remark.hint)));
  return remarks;
}

py::dict info_of(const DiscoverResult& result) {
  py::dict info;
  info["model"] = result.model_name;
  info["model_sha256"] = result.model_sha256;
  info["device"] = result.device;
  info["precision"] = result.precision;
  info["prior_scale"] = result.prior_scale;
  info["transform"] = result.transform;
  info["rows"] = result.rows;
  info["rows_per_pass"] = result.rows_per_pass;
  info["passes"] = result.passes;
  info["views"] = result.views;
  info["temperature"] = result.temperature;
  info["offset"] = result.offset;
  info["bootstrap"] = result.bootstrap;
  info["missing_cells"] = result.missing_cells;
  info["missing_rule"] = result.missing_rule;
  info["traits"] = std::map<std::string, double>(result.traits.begin(), result.traits.end());
  py::dict price;
  price["removed_log_odds"] = result.acyclic_price.removed_log_odds;
  price["greedy_log_odds"] = result.acyclic_price.greedy_log_odds;
  price["exact"] = result.acyclic_price.exact;
  info["acyclic_price"] = price;
  info["seconds"] = seconds_from(result);
  return info;
}

// The graph that the probabilities give by another threshold, number of edges or rule about cycles.
Found at(const Found& found, const py::dict& given, const std::string& command,
         const std::string& options_json) {
  DiscoverOptions options = options_from(given);
  options.knowledge = found.record.knowledge;
  Found other = found;
  other.record.command = command;
  other.record.options_json = options_json;
  // The rows are not at hand: nothing is tested again, and nothing struck out.
  other.result.evidence.clear();
  other.result.directions.clear();
  other.result.struck_edges.clear();
  other.result.effects.clear();
  py::gil_scoped_release unlocked;
  select_graph(options, other.result);
  return other;
}

// (data, indices, indptr), rows compressed; without a floor that of sparse files.
py::tuple sparse_of(const Found& found, std::optional<double> least) {
  const SparseScores scores =
      least ? scores_at_least(found.result.probabilities, *least) : scores_above_floor(found.result);
  py::array_t<double> data(static_cast<py::ssize_t>(scores.entries.size()));
  py::array_t<std::int32_t> indices(static_cast<py::ssize_t>(scores.entries.size()));
  py::array_t<std::int64_t> begins(scores.nodes + 1);
  std::fill_n(begins.mutable_data(), scores.nodes + 1, 0);
  for (std::size_t k = 0; k < scores.entries.size(); ++k) {
    const auto& [edge, score] = scores.entries[k];
    data.mutable_data()[k] = score;
    indices.mutable_data()[k] = edge.target;
    ++begins.mutable_data()[edge.source + 1];
  }
  for (int i = 0; i < scores.nodes; ++i) begins.mutable_data()[i + 1] += begins.data()[i];
  return py::make_tuple(data, indices, begins);
}

// Of which the text holds some pairs only, by the names under which a pickle keeps them whole.
std::vector<std::pair<const char*, Matrix<double> DiscoverResult::*>> sparse_matrices() {
  return {{"probabilities", &DiscoverResult::probabilities},
          {"bootstrap_mean", &DiscoverResult::bootstrap_mean},
          {"bootstrap_deviation", &DiscoverResult::bootstrap_deviation},
          {"selection_frequency", &DiscoverResult::selection_frequency},
          {"ancestry", &DiscoverResult::ancestry}};
}

py::object left_out_matrices(const DiscoverResult& result) {
  if (!holds_pairs(result)) return py::none();
  py::dict matrices;
  for (const auto& [name, member] : sparse_matrices())
    if ((result.*member).rows() > 0) matrices[name] = array_from(result.*member);
  return matrices;
}

// Pickles of earlier releases hold the probabilities alone.
void put_matrices(const py::object& stored, DiscoverResult& result) {
  if (!py::isinstance<py::dict>(stored)) {
    result.probabilities = matrix_from(py::cast<DoubleArray>(stored));
    return;
  }
  const py::dict matrices = py::cast<py::dict>(stored);
  for (const auto& [name, member] : sparse_matrices())
    if (matrices.contains(name)) result.*member = matrix_from(py::cast<DoubleArray>(matrices[name]));
}

// One entry per selected edge, those without any dependence included.
py::list evidence_of(const DiscoverResult& result) {
  py::list entries;
  for (const EdgeEvidence& evidence : result.evidence) {
    py::dict entry;
    entry["source"] = result.names[evidence.edge.source];
    entry["target"] = result.names[evidence.edge.target];
    entry["rows"] = evidence.rows;
    entry["p"] = evidence.p;
    entry["q"] = evidence.q;
    entry["shift_p"] = evidence.shift_p;
    entry["shift_q"] = evidence.shift_q;
    entry["struck_out"] = evidence.struck;
    const DirectionEvidence* direction = find_direction(result, evidence.edge);
    entry["told_by"] =
        direction ? py::object(py::str(name_of(kDirectionNames, direction->basis))) : py::none();
    entry["given_p"] = direction ? direction->given_p : kNoNumber;
    entry["shape_z"] = direction ? direction->shape_z : kNoNumber;
    entry["structure_z"] = direction ? direction->structure_z : kNoNumber;
    entries.append(entry);
  }
  return entries;
}

}  // namespace

void add_results(py::module_& module) {
  using namespace py::literals;
  py::class_<Found>(module, "Found")
      .def_property_readonly("names", [](const Found& found) { return found.result.names; })
      .def_property_readonly("probabilities",
                             [](const Found& found) { return array_from(found.result.probabilities); })
      .def_property_readonly("feedback", [](const Found& found) { return array_from(found.result.feedback); })
      .def_property_readonly("confounded",
                             [](const Found& found) { return array_from(found.result.confounded); })
      .def_property_readonly("edges", [](const Found& found) { return triples(graph_edges(found.result)); })
      .def_property_readonly("removed",
                             [](const Found& found) { return triples(found.result.removed_edges); })
      .def_property_readonly("stability", [](const Found& found) { return stability_of(found.result); })
      .def_property_readonly("evidence", [](const Found& found) { return evidence_of(found.result); })
      .def_property_readonly("remarks", [](const Found& found) { return remarks_of(found.result); })
      .def_property_readonly("info", [](const Found& found) { return info_of(found.result); })
      .def("dot", [](const Found& found) { return format_dot(found.result); })
      .def("gml", [](const Found& found) { return format_gml(found.result); })
      .def("graphml", [](const Found& found) { return format_graphml(found.result); })
      .def("tetrad", [](const Found& found) { return format_tetrad(found.result); })
      .def("json", [](const Found& found) { return format_json(found.result, found.record); })
      .def("text",
           [](const Found& found, std::size_t most) { return format_terminal(found.result, most, true); })
      .def("svg", [](const Found& found) { return format_svg(found.result, found.record.knowledge); })
      .def("png", [](const Found& found) { return png_of(found.result, found.record.knowledge); })
      .def("html", [](const Found& found) { return format_html(found.result, found.record); })
      .def("save", [](const Found& found,
                      const std::filesystem::path& path) { write_result(path, found.result, found.record); })
      .def("save_matrix",
           [](const Found& found, const std::filesystem::path& path) {
             check_matrix_name(path);
             write_matrix(path, found.result);
           })
      .def("sparse", &sparse_of, "least"_a)
      .def_property_readonly("options", [](const Found& found) { return found.record.options_json; })
      .def_property_readonly("variables", [](const Found& found) { return found.record.variables_json; })
      .def_property_readonly("audit", [](const Found& found) { return found.record.audit_json; })
      .def_property_readonly("knowledge",
                             [](const Found& found) { return dict_from(found.record.knowledge); })
      .def("with_knowledge",
           [](const Found& found, const py::dict& knowledge) {
             Found other = found;
             other.record.knowledge = knowledge_from(knowledge);
             return other;
           })
      .def("at", &at, "options"_a, "command"_a, "record"_a)
      .def(py::pickle(
          [](const Found& found) {
            return py::make_tuple(format_json(found.result, found.record), dict_from(found.record.knowledge),
                                  left_out_matrices(found.result));
          },
          [](const py::tuple& state) {
            Found found = found_from_json(py::cast<std::string>(state[0]), "a stored result");
            found.record.knowledge = knowledge_from(py::cast<py::dict>(state[1]));
            if (state.size() > 2 && !state[2].is_none()) put_matrices(state[2], found.result);
            return found;
          }));
  add_samples(module);
  module.def("found_from_json", &found_from_json, "text"_a, "source"_a);
}

}  // namespace causcale::python

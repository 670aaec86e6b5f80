// The main job, the installed models, and the result in every format.
#include "causcale/discover.h"

#include <fmt/format.h>

#include <map>

#include "arrays.h"
#include "base/safetensors.h"
#include "causcale/error.h"
#include "core/installed.h"
#include "core/option_names.h"
#include "found.h"
#include "interruptible.h"
#include "topics.h"

namespace causcale::python {
namespace {

struct Found {
  DiscoverResult result;
  RunRecord record;
};

template <class Choice, std::size_t N>
Choice choice(const py::dict& options, const char* option, const NameTable<Choice, N>& table) {
  const auto word = py::cast<std::string>(options[option]);
  if (const auto found = find_choice(table, word)) return *found;
  throw UsageError(fmt::format("{}='{}' is not known; accepted: {}", option, word, list_names(table)));
}

// The package passes every one of these, checked for its kind.
DiscoverOptions options_from(const py::dict& given) {
  DiscoverOptions options;
  options.model = py::cast<std::string>(given["model"]);
  options.device = choice(given, "device", kDeviceNames);
  options.precision = choice(given, "precision", kPrecisionNames);
  options.prior_units = choice(given, "prior_scale", kPriorUnitNames);
  options.transform = choice(given, "transform", kTransformNames);
  options.threshold = py::cast<double>(given["threshold"]);
  options.top = py::cast<std::size_t>(given["top"]);
  options.acyclic = py::cast<bool>(given["dag"]);
  options.max_samples = py::cast<std::size_t>(given["max_samples"]);
  options.ensemble = py::cast<int>(given["ensemble"]);
  options.views = py::cast<int>(given["views"]);
  options.max_memory = py::cast<std::int64_t>(given["max_memory"]);
  options.threads = py::cast<int>(given["threads"]);
  options.seed = py::cast<std::uint64_t>(given["seed"]);
  options.bootstrap = py::cast<int>(given["bootstrap"]);
  options.acyclic_rule = choice(given, "acyclic_rule", kAcyclicRuleNames);
  return options;
}

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
    remarks.append(py::make_tuple(remark.code, remark.message, remark.hint));
  return remarks;
}

std::unique_ptr<Found> run(const DoubleArray& values, const std::vector<std::string>& names,
                           const std::optional<RowTargets>& targets, const py::dict& given,
                           const py::dict& knowledge, const py::dict& record, const py::object& progress) {
  const Dataset dataset = dataset_from(values, names, targets);
  DiscoverOptions options = options_from(given);
  options.knowledge = knowledge_from(knowledge);
  options.progress = [&](const std::string& stage, double share) { step(progress, stage, share); };
  auto found = std::make_unique<Found>(Found{{}, record_from(record, options.knowledge)});
  py::gil_scoped_release unlocked;
  found->result = discover(dataset, options);
  return found;
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
  info["traits"] = std::map<std::string, double>(result.traits.begin(), result.traits.end());
  py::dict price;
  price["removed_log_odds"] = result.acyclic_price.removed_log_odds;
  price["greedy_log_odds"] = result.acyclic_price.greedy_log_odds;
  price["exact"] = result.acyclic_price.exact;
  info["acyclic_price"] = price;
  info["seconds"] = seconds_from(result);
  return info;
}

py::list list_models() {
  py::list list;
  for (const InstalledModel& model : installed_models()) {
    py::dict entry;
    entry["name"] = model.name;
    entry["path"] = model.path.string();
    entry["default"] = model.name == default_model_name();
    try {
      entry["metadata"] = SafetensorsFile(model.path).content().metadata;
    } catch (const Error& error) {
      entry["problem"] = error.what();
    }
    list.append(entry);
  }
  return list;
}

py::dict plan(std::size_t rows, std::size_t columns, const py::dict& given) {
  const DiscoverPlan planned = plan_discover(rows, columns, options_from(given));
  py::dict result;
  result["rows"] = planned.rows;
  result["columns"] = planned.columns;
  result["passes"] = planned.passes;
  result["rows_per_pass"] = planned.rows_per_pass;
  result["device"] = planned.device;
  result["precision"] = planned.precision;
  result["peak_bytes"] = planned.peak_bytes;
  result["unlimited_bytes"] = planned.unlimited_bytes;
  result["bootstrap"] = planned.bootstrap;
  result["tera_flops"] = planned.tera_flops;
  result["seconds"] = planned.seconds;
  return result;
}

}  // namespace

void add_discover(py::module_& module) {
  using namespace py::literals;
  py::class_<Found>(module, "Found")
      .def_property_readonly("names", [](const Found& found) { return found.result.names; })
      .def_property_readonly("probabilities",
                             [](const Found& found) { return array_from(found.result.probabilities); })
      .def_property_readonly("edges", [](const Found& found) { return triples(graph_edges(found.result)); })
      .def_property_readonly("removed",
                             [](const Found& found) { return triples(found.result.removed_edges); })
      .def_property_readonly("stability", [](const Found& found) { return stability_of(found.result); })
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
      .def("save_matrix", [](const Found& found, const std::filesystem::path& path) {
        check_matrix_name(path);
        write_matrix(path, found.result);
      });
  module.def("discover", &run, "values"_a, "names"_a, "targets"_a, "options"_a, "knowledge"_a, "record"_a,
             "progress"_a);
  module.def("plan", &plan, "rows"_a, "columns"_a, "options"_a);
  module.def("models", &list_models);
}

}  // namespace causcale::python

// The main job and the models.
#include "causcale/discover.h"

#include <fmt/format.h>

#include "arrays.h"
#include "base/safetensors.h"
#include "causcale/error.h"
#include "core/installed.h"
#include "core/option_names.h"
#include "discover/loaded_model.h"
#include "discover_options.h"
#include "found.h"
#include "interruptible.h"
#include "results.h"
#include "topics.h"

namespace causcale::python {
namespace {

LoadedModel load_model(const py::dict& given) {
  const DiscoverOptions options = options_from(given);
  py::gil_scoped_release unlocked;
  return load_for_discover(options);
}

// `model` is None, or one that stays loaded.
std::unique_ptr<Found> run(const py::dict& table, const py::dict& given, const py::dict& knowledge,
                           const py::dict& record, const py::object& progress, const LoadedModel* model) {
  const Dataset dataset = dataset_from(table);
  DiscoverOptions options = options_from(given);
  options.knowledge = knowledge_from(knowledge);
  options.progress = [&](const std::string& stage, double share) { step(progress, stage, share); };
  auto found = std::make_unique<Found>(Found{{}, record_from(record, options.knowledge)});
  py::gil_scoped_release unlocked;
  found->result = model ? discover(dataset, options, *model) : discover(dataset, options);
  return found;
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
  result["process_bytes"] = planned.process_bytes;
  result["bootstrap"] = planned.bootstrap;
  result["blocks"] = planned.blocks;
  result["block_columns"] = planned.block_columns;
  result["tera_flops"] = planned.tera_flops;
  result["seconds"] = planned.seconds;
  return result;
}

}  // namespace

void add_discover(py::module_& module) {
  using namespace py::literals;
  py::class_<LoadedModel>(module, "Model")
      .def_property_readonly("name", [](const LoadedModel& model) { return model.name; })
      .def_property_readonly("sha256", [](const LoadedModel& model) { return model.sha256; })
      .def_property_readonly("device",
                             [](const LoadedModel& model) { return name_of(kDeviceNames, model.device); })
      .def_property_readonly(
          "precision", [](const LoadedModel& model) { return name_of(kPrecisionNames, model.precision); });
  module.def("load_model", &load_model, "options"_a);
  module.def("option_list", &option_list);
  module.def(
      "checked_options", [](const py::dict& given) { return dict_from(options_from(given)); }, "given"_a);
  module.def("discover", &run, "table"_a, "options"_a, "knowledge"_a, "record"_a, "progress"_a,
             "model"_a = nullptr);
  module.def("plan", &plan, "rows"_a, "columns"_a, "options"_a);
  module.def("models", &list_models);
}

}  // namespace causcale::python

// The competing methods.
#include "methods/method.h"

#include <chrono>

#include "arrays.h"
#include "causcale/error.h"
#include "discover/combine.h"
#include "discover/method_bootstrap.h"
#include "effects.h"
#include "effects/total_effect.h"
#include "found.h"
#include "interruptible.h"
#include "methods/to_result.h"
#include "report/method_report.h"
#include "topics.h"

namespace causcale::python {
namespace {

// An outcome with the circumstances of its run: what the writers of reports need.
struct Outcome {
  MethodOutcome outcome;
  RunRecord record;
};

// (a, b, "-->"); an edge with an arrow at one end only is written from the other end towards it.
py::list edges_of(const MixedGraph& graph) {
  py::list edges;
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = a + 1; b < graph.nodes(); ++b) {
      if (!graph.adjacent(a, b)) continue;
      const bool turned = graph.mark(b, a) == Mark::kArrow && graph.mark(a, b) != Mark::kArrow;
      const int from = turned ? b : a, to = turned ? a : b;
      edges.append(py::make_tuple(from, to, edge_text(graph, from, to)));
    }
  return edges;
}

py::list list_methods() {
  py::list list;
  for (const Method& method : methods()) {
    py::dict settings;
    for (const MethodSetting& setting : method.settings)
      settings[setting.name.c_str()] = py::make_tuple(setting.fallback, setting.meaning);
    py::dict entry;
    entry["name"] = method.name;
    entry["summary"] = method.summary;
    entry["assumptions"] = method.assumptions;
    entry["interventions"] = method.interventions;
    entry["graph"] = graph_class_name(method.graph_class);
    entry["cost"] = method.cost;
    entry["citation"] = method.citation;
    entry["trains_networks"] = method.trains_networks;
    entry["settings"] = settings;
    list.append(entry);
  }
  return list;
}

// One method, or several whose graphs are combined: (name, settings) each.
using Choice = std::vector<std::pair<std::string, std::map<std::string, std::string>>>;

std::unique_ptr<Outcome> run(const Choice& choice, const py::dict& table, const py::dict& given,
                             const py::dict& knowledge, const py::dict& record, const py::object& progress) {
  std::vector<CombinedMethod> methods;
  for (const auto& [name, settings] : choice) methods.push_back({name, settings});
  const std::string name = combined_name(methods);
  const Dataset dataset = dataset_from(table);
  MethodOptions options;
  options.knowledge = knowledge_from(knowledge);
  options.seed = py::cast<std::uint64_t>(given["seed"]);
  options.threads = py::cast<int>(given["threads"]);
  options.seconds = py::cast<double>(given["timeout"]);
  options.progress = [&](const std::string& stage, double share) { step(progress, stage, share); };
  options.cancelled = [] {
    // Methods ask often and from all their threads, and the interpreter lets in one at a time.
    thread_local std::chrono::steady_clock::time_point last;
    const auto now = std::chrono::steady_clock::now();
    if (now - last < std::chrono::milliseconds(20)) return false;
    last = now;
    step(py::none(), "", 0.0);
    return false;
  };
  const EdgeSelection selection{py::cast<std::optional<double>>(given["threshold"]),
                                py::cast<std::size_t>(given["top"]), py::cast<bool>(given["dag"])};
  auto found = std::make_unique<Outcome>(Outcome{{}, record_from(record, options.knowledge)});
  const int repetitions = py::cast<int>(given["bootstrap"]);
  const std::string model = py::cast<std::string>(given["model"]);
  py::gil_scoped_release unlocked;
  DiscoverOptions network;
  network.model = model;
  const MethodRun run = [&](const Dataset& rows, const MethodOptions& how) {
    if (methods.size() > 1) return run_combined(methods, rows, how, network);
    MethodOptions own = how;
    own.settings = methods.front().settings;
    return run_method(method_named(name), rows, own);
  };
  found->outcome = to_outcome(name, dataset, run(dataset, options), options.knowledge, selection);
  if (repetitions > 0) bootstrap_method(run, dataset, options, selection, repetitions, found->outcome);
  return found;
}

using EffectState = std::tuple<int, int, int, std::size_t, std::vector<double>>;

std::vector<EffectState> effects_state(const std::vector<EdgeEffect>& effects) {
  std::vector<EffectState> state;
  for (const EdgeEffect& effect : effects)
    state.emplace_back(effect.edge.source, effect.edge.target, static_cast<int>(effect.kind), effect.rows,
                       std::vector{effect.size, effect.low, effect.high, effect.graph_low, effect.graph_high,
                                   effect.nonlinear_p, effect.shift, effect.shift_low, effect.shift_high});
  return state;
}

std::vector<EdgeEffect> effects_from(const std::vector<EffectState>& state) {
  std::vector<EdgeEffect> effects;
  for (const auto& [source, target, kind, rows, n] : state)
    effects.push_back({{source, target},
                       static_cast<EffectKind>(kind),
                       rows,
                       n.at(0),
                       n.at(1),
                       n.at(2),
                       n.at(3),
                       n.at(4),
                       n.at(5),
                       n.at(6),
                       n.at(7),
                       n.at(8)});
  return effects;
}

py::tuple state_of(const Outcome& found) {
  const auto& [result, marks, graph_class, log, price] = found.outcome;
  py::object repeated = py::none();
  if (result.bootstrap > 0)
    repeated = py::make_tuple(result.bootstrap, array_from(result.bootstrap_mean),
                              array_from(result.bootstrap_deviation), array_from(result.selection_frequency));
  std::vector<int> cells;
  for (int a = 0; a < marks.nodes(); ++a)
    for (int b = 0; b < marks.nodes(); ++b) cells.push_back(static_cast<int>(marks.mark(a, b)));
  py::object paid = py::none();
  if (price) paid = py::make_tuple(price->removed, price->greedy, price->exact);
  const RunRecord& record = found.record;
  return py::make_tuple(
      result.names, array_from(result.probabilities), pairs_from(result.graph), triples(result.removed_edges),
      result.score_kind, result.model_name, result.rows, result.seconds, cells, static_cast<int>(graph_class),
      log, paid,
      py::make_tuple(record.command, record.data_file, record.data_sha256, record.audit_json,
                     record.options_json, dict_from(record.knowledge), record.variables_json),
      result.device, result.rows_per_pass, result.passes, effects_state(result.effects), repeated);
}

Outcome outcome_from(const py::tuple& state) {
  Outcome found;
  DiscoverResult& result = found.outcome.result;
  result.names = py::cast<std::vector<std::string>>(state[0]);
  const int n = static_cast<int>(result.names.size());
  result.probabilities = matrix_from(py::cast<DoubleArray>(state[1]));
  result.graph = Digraph(n, edges_from(py::cast<EdgePairs>(state[2])));
  for (const auto& [source, target, score] : py::cast<std::vector<std::tuple<int, int, double>>>(state[3]))
    result.removed_edges.push_back({{source, target}, score});
  result.score_kind = py::cast<std::string>(state[4]);
  result.model_name = py::cast<std::string>(state[5]);
  result.rows = py::cast<std::size_t>(state[6]);
  result.seconds = py::cast<std::vector<std::pair<std::string, double>>>(state[7]);
  result.device = py::cast<std::string>(state[13]);
  result.rows_per_pass = py::cast<std::size_t>(state[14]);
  result.passes = py::cast<int>(state[15]);
  result.effects = effects_from(py::cast<std::vector<EffectState>>(state[16]));
  const auto cells = py::cast<std::vector<int>>(state[8]);
  found.outcome.marks = MixedGraph(n);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) found.outcome.marks.set_mark(a, b, static_cast<Mark>(cells.at(a * n + b)));
  found.outcome.graph_class = static_cast<GraphClass>(py::cast<int>(state[9]));
  found.outcome.log = py::cast<std::vector<std::string>>(state[10]);
  if (!state[11].is_none()) {
    const auto [removed, greedy, exact] = py::cast<std::tuple<double, double, bool>>(state[11]);
    found.outcome.price = MethodOutcome::Price{removed, greedy, exact};
  }
  const auto record = py::cast<py::tuple>(state[12]);
  found.record = {py::cast<std::string>(record[0]), py::cast<std::string>(record[1]),
                  py::cast<std::string>(record[2]), py::cast<std::string>(record[3]),
                  py::cast<std::string>(record[4]), knowledge_from(py::cast<py::dict>(record[5]))};
  found.record.variables_json = py::cast<std::string>(record[6]);
  if (!state[17].is_none()) {
    const auto repeated = py::cast<py::tuple>(state[17]);
    result.bootstrap = py::cast<int>(repeated[0]);
    result.bootstrap_mean = matrix_from(py::cast<DoubleArray>(repeated[1]));
    result.bootstrap_deviation = matrix_from(py::cast<DoubleArray>(repeated[2]));
    result.selection_frequency = matrix_from(py::cast<DoubleArray>(repeated[3]));
  }
  return found;
}

// In the graph of the method's class: a CPDAG has bounds, a PAG a refusal.
std::pair<std::string, std::string> total_effect_of(const Outcome& found, const py::dict& table, int cause,
                                                    int outcome, int bootstrap, std::uint64_t seed,
                                                    int threads) {
  const Dataset dataset = dataset_from(table);
  py::gil_scoped_release unlocked;
  const MethodOutcome& method = found.outcome;
  if (dataset.table.names != method.result.names)
    throw InputError("the columns of the data are not the variables of the result");
  TotalEffectOptions options;
  options.seed = seed;
  options.threads = threads;
  options.bootstrap = bootstrap;
  const bool plain = method.graph_class == GraphClass::kDag || method.graph_class == GraphClass::kDirected;
  return texts_of(plain ? total_effect(dataset, method.result.graph, cause, outcome, options)
                        : total_effect(dataset, method.marks, method.graph_class, cause, outcome, options),
                  method.result.names);
}

}  // namespace

void add_methods(py::module_& module) {
  using namespace py::literals;
  py::class_<Outcome>(module, "Outcome")
      .def_property_readonly("names", [](const Outcome& found) { return found.outcome.result.names; })
      .def_property_readonly(
          "scores", [](const Outcome& found) { return array_from(found.outcome.result.probabilities); })
      .def_property_readonly("edges", [](const Outcome& found) { return edges_of(found.outcome.marks); })
      .def_property_readonly("directions",
                             [](const Outcome& found) { return triples(graph_edges(found.outcome.result)); })
      .def_property_readonly("graph_class",
                             [](const Outcome& found) { return graph_class_name(found.outcome.graph_class); })
      .def_property_readonly("stability",
                             [](const Outcome& found) {
                               py::dict matrices;
                               for (const auto& [name, values] : bootstrap_figures(found.outcome.result))
                                 matrices[name] = array_from(*values);
                               return matrices;
                             })
      .def_property_readonly("score_kind",
                             [](const Outcome& found) { return found.outcome.result.score_kind; })
      .def_property_readonly("variables", [](const Outcome& found) { return found.record.variables_json; })
      .def_property_readonly("log", [](const Outcome& found) { return found.outcome.log; })
      .def_property_readonly("seconds",
                             [](const Outcome& found) { return seconds_from(found.outcome.result); })
      .def_property_readonly("effects",
                             [](const Outcome& found) { return list_from(found.outcome.result.effects); })
      .def("total_effect", &total_effect_of, "table"_a, "cause"_a, "outcome"_a, "bootstrap"_a, "seed"_a,
           "threads"_a)
      .def("dot", [](const Outcome& found) { return format_method_dot(found.outcome); })
      .def("svg", [](const Outcome& found) { return format_svg(found.outcome, found.record.knowledge); })
      .def("png", [](const Outcome& found) { return png_of(found.outcome, found.record.knowledge); })
      .def("html", [](const Outcome& found) { return format_html(found.outcome, found.record); })
      .def("text",
           [](const Outcome& found, std::size_t most) { return format_method_terminal(found.outcome, most); })
      .def("save",
           [](const Outcome& found, const std::filesystem::path& path) {
             write_method_outcome(path, found.outcome, found.record);
           })
      .def(py::pickle(&state_of, &outcome_from));
  module.def("methods", &list_methods);
  module.def("run_method", &run, "methods"_a, "table"_a, "options"_a, "knowledge"_a, "record"_a,
             "progress"_a);
}

}  // namespace causcale::python

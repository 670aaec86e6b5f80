// The competing methods.
#include "baselines/method.h"

#include "arrays.h"
#include "interruptible.h"
#include "topics.h"

namespace causcale::python {
namespace {

const char* class_name(GraphClass graph_class) {
  switch (graph_class) {
    case GraphClass::kDirected:
      return "directed";
    case GraphClass::kDag:
      return "dag";
    case GraphClass::kCpdag:
      return "cpdag";
    case GraphClass::kPag:
      return "pag";
    case GraphClass::kUndirected:
      return "undirected";
  }
  return "";
}

const char* mark_name(Mark mark) {
  switch (mark) {
    case Mark::kTail:
      return "tail";
    case Mark::kArrow:
      return "arrow";
    case Mark::kCircle:
      return "circle";
    case Mark::kNone:
      break;
  }
  return "";
}

// (a, b, mark at a, mark at b); an edge with just one arrow is written from the other end towards it.
py::list edges_of(const MixedGraph& graph) {
  py::list edges;
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = a + 1; b < graph.nodes(); ++b) {
      if (!graph.adjacent(a, b)) continue;
      const bool turned = graph.mark(b, a) == Mark::kArrow && graph.mark(a, b) != Mark::kArrow;
      const int from = turned ? b : a, to = turned ? a : b;
      edges.append(
          py::make_tuple(from, to, mark_name(graph.mark(to, from)), mark_name(graph.mark(from, to))));
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
    entry["graph"] = class_name(method.graph_class);
    entry["cost"] = method.cost;
    entry["citation"] = method.citation;
    entry["settings"] = settings;
    list.append(entry);
  }
  return list;
}

py::dict run(const std::string& name, const DoubleArray& values, const std::vector<std::string>& names,
             const std::optional<RowTargets>& targets, const std::map<std::string, std::string>& settings,
             const EdgePairs& required, const EdgePairs& forbidden, const std::vector<int>& tiers,
             std::uint64_t seed, int threads, const py::object& progress) {
  const Method& method = method_named(name);
  const Dataset dataset = dataset_from(values, names, targets);
  MethodOptions options;
  options.settings = settings;
  options.knowledge.required = edges_from(required);
  options.knowledge.forbidden = edges_from(forbidden);
  options.knowledge.tier_of = tiers;
  options.seed = seed;
  options.threads = threads;
  options.progress = [&](const std::string& stage, double share) { step(progress, stage, share); };
  options.cancelled = [] {
    step(py::none(), "", 0.0);
    return false;
  };
  MethodResult found;
  {
    py::gil_scoped_release unlocked;
    found = run_method(method, dataset, options);
  }
  py::dict result;
  result["scores"] = array_from(found.scores);
  result["edges"] = edges_of(found.graph);
  result["graph_class"] = class_name(found.graph_class);
  result["log"] = found.log;
  result["seconds"] = std::map<std::string, double>(found.seconds.begin(), found.seconds.end());
  return result;
}

}  // namespace

void add_methods(py::module_& module) {
  using namespace py::literals;
  module.def("methods", &list_methods);
  module.def("run_method", &run, "name"_a, "values"_a, "names"_a, "targets"_a, "settings"_a, "required"_a,
             "forbidden"_a, "tiers"_a, "seed"_a, "threads"_a, "progress"_a);
}

}  // namespace causcale::python

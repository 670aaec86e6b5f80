// Sizes of effects: of every edge, and in total of one variable on another.
#include "causcale/effects.h"

#include "arrays.h"
#include "causcale/error.h"
#include "discover/transform.h"
#include "graph/cycles.h"
#include "report/total_effect_report.h"
#include "results.h"
#include "topics.h"
#include "wording.h"

namespace causcale::python {
namespace {

// As keyword arguments of the package's EdgeEffect; the variables by number.
py::list effects_of(const Found& found) {
  py::list list;
  for (const EdgeEffect& effect : found.result.effects) {
    py::dict entry;
    entry["source"] = effect.edge.source;
    entry["target"] = effect.edge.target;
    entry["kind"] = effect_kind_name(effect.kind);
    entry["rows"] = effect.rows;
    entry["size"] = effect.size;
    entry["low"] = effect.low;
    entry["high"] = effect.high;
    entry["graph_low"] = effect.graph_low;
    entry["graph_high"] = effect.graph_high;
    entry["nonlinear_p"] = effect.nonlinear_p;
    entry["shift"] = effect.shift;
    entry["shift_low"] = effect.shift_low;
    entry["shift_high"] = effect.shift_high;
    list.append(entry);
  }
  return list;
}

// As JSON and as text.
std::pair<std::string, std::string> total_effect_of(const Found& found, const py::dict& table, int cause,
                                                    int outcome, bool acyclic, std::uint64_t seed,
                                                    int threads) {
  Dataset dataset = dataset_from(table);
  py::gil_scoped_release unlocked;
  if (dataset.table.names != found.result.names)
    throw InputError("the columns of the data are not the variables of the result");
  if (found.result.transform == "log1p") take_logarithms(dataset.table);
  const Digraph graph =
      acyclic ? break_cycles(found.result.graph, found.result.probabilities).graph : found.result.graph;
  TotalEffectOptions options;
  options.seed = seed;
  options.threads = threads;
  TotalEffect effect = total_effect(dataset, graph, cause, outcome, options);
  effect.reason = in_python_words(effect.reason);
  return {format_total_effect_json(effect, found.result.names),
          format_total_effect(effect, found.result.names)};
}

}  // namespace

void add_effects(py::module_& module) {
  using namespace py::literals;
  module.def("effects", &effects_of, "found"_a);
  module.def("total_effect", &total_effect_of, "found"_a, "table"_a, "cause"_a, "outcome"_a, "acyclic"_a,
             "seed"_a, "threads"_a);
}

}  // namespace causcale::python

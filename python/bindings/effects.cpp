// Sizes of effects: of every edge, and in total of one variable on another; checks of the graph; rows needed.
#include "effects.h"

#include "arrays.h"
#include "causcale/error.h"
#include "causcale/samples.h"
#include "discover/graph_check.h"
#include "discover/transform.h"
#include "effects/extra_rows.h"
#include "graph/cycles.h"
#include "report/check_report.h"
#include "report/total_effect_report.h"
#include "results.h"
#include "topics.h"
#include "wording.h"

namespace causcale::python {

py::list list_from(const std::vector<EdgeEffect>& effects) {
  py::list list;
  for (const EdgeEffect& effect : effects) {
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

std::pair<std::string, std::string> texts_of(TotalEffect effect, const std::vector<std::string>& names) {
  effect.reason = in_python_words(effect.reason);
  return {format_total_effect_json(effect, names), format_total_effect(effect, names)};
}

namespace {

// As the result's values were, transformed like them. The lock must not be held any more.
void fit_to(const Found& found, Dataset& dataset) {
  if (dataset.table.names != found.result.names)
    throw InputError("the columns of the data are not the variables of the result");
  if (found.result.transform == "log1p") take_logarithms_as_stored(dataset.table);
}

// As JSON and as text.
std::pair<std::string, std::string> total_effect_of(const Found& found, const py::dict& table, int cause,
                                                    int outcome, bool acyclic, int samples, int bootstrap,
                                                    std::uint64_t seed, int threads) {
  Dataset dataset = dataset_from(table);
  py::gil_scoped_release unlocked;
  fit_to(found, dataset);
  const Digraph graph =
      acyclic ? break_cycles(found.result.graph, found.result.probabilities).graph : found.result.graph;
  TotalEffectOptions options;
  options.seed = seed;
  options.threads = threads;
  options.bootstrap = bootstrap;
  GraphSamples drawn;
  if (samples > 0) {
    drawn = sample_graphs(found.result.probabilities, {.count = samples,
                                                       .seed = seed,
                                                       .threads = threads,
                                                       .knowledge = found.record.knowledge,
                                                       .feedback = found.result.feedback});
    options.graphs = &drawn.graphs;
  }
  return texts_of(total_effect(dataset, graph, cause, outcome, options), found.result.names);
}

// As JSON and as text.
std::pair<std::string, std::string> check_of(const Found& found, const py::dict& table, double alpha,
                                             const std::string& test, int permutations, int random_graphs,
                                             std::size_t tests, std::uint64_t seed, int threads) {
  Dataset dataset = dataset_from(table);
  py::gil_scoped_release unlocked;
  fit_to(found, dataset);
  const CycleBreaking broken = break_cycles(found.result.graph, found.result.probabilities);
  GraphCheck check = check_graph(dataset, broken.graph,
                                 {.alpha = alpha,
                                  .test = test,
                                  .permutations = permutations,
                                  .random_graphs = random_graphs,
                                  .tests = tests,
                                  .seed = seed,
                                  .threads = threads});
  if (!broken.removed.empty())
    check.notes.insert(check.notes.begin(), std::to_string(broken.removed.size()) +
                                                " edges were left out of the graph to break its cycles");
  return {format_check_json(check, alpha, found.result.names, {}),
          format_check(check, alpha, found.result.names)};
}

// Per pair (rows, partial correlation, rows needed).
std::vector<std::tuple<std::size_t, double, double>> rows_needed_of(
    const Found& found, const py::dict& table, const std::vector<std::pair<int, int>>& pairs) {
  Dataset dataset = dataset_from(table);
  py::gil_scoped_release unlocked;
  fit_to(found, dataset);
  const EffectTable columns(dataset);
  std::vector<std::tuple<std::size_t, double, double>> list;
  for (const auto& [a, b] : pairs) {
    const RowsNeeded needed = rows_needed(columns, found.result.graph, a, b);
    list.emplace_back(needed.rows, needed.correlation, needed.needed);
  }
  return list;
}

}  // namespace

void add_effects(py::module_& module) {
  using namespace py::literals;
  module.def(
      "effects", [](const Found& found) { return list_from(found.result.effects); }, "found"_a);
  module.def("total_effect", &total_effect_of, "found"_a, "table"_a, "cause"_a, "outcome"_a, "acyclic"_a,
             "samples"_a, "bootstrap"_a, "seed"_a, "threads"_a);
  module.def("check", &check_of, "found"_a, "table"_a, "alpha"_a, "test"_a, "permutations"_a,
             "random_graphs"_a, "tests"_a, "seed"_a, "threads"_a);
  module.def("rows_needed", &rows_needed_of, "found"_a, "table"_a, "pairs"_a);
}

}  // namespace causcale::python

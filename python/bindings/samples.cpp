// Whole graphs drawn from a result's probabilities.
#include "samples.h"

#include "causcale/samples.h"

#include "arrays.h"
#include "results.h"

namespace causcale::python {
namespace {

GraphSamples draw(const Found& found, int count, std::uint64_t seed, int threads) {
  py::gil_scoped_release unlocked;
  return sample_graphs(found.result.probabilities, {.count = count,
                                                    .seed = seed,
                                                    .threads = threads,
                                                    .knowledge = found.record.knowledge,
                                                    .feedback = found.result.feedback});
}

// [count, n, n] of 0 and 1, row -> column.
py::array_t<std::uint8_t> adjacencies(const GraphSamples& samples) {
  const auto n = static_cast<std::size_t>(samples.nodes);
  py::array_t<std::uint8_t> array({samples.graphs.size(), n, n});
  std::uint8_t* data = array.mutable_data();
  std::fill(data, data + array.size(), std::uint8_t{0});
  for (std::size_t k = 0; k < samples.graphs.size(); ++k)
    for (const Edge& edge : samples.graphs[k].edges())
      data[(k * n + static_cast<std::size_t>(edge.source)) * n + static_cast<std::size_t>(edge.target)] = 1;
  return array;
}

py::tuple paths(const GraphSamples& samples, int from, int to, std::size_t most) {
  const PathReport report = likely_paths(samples, from, to, most);
  py::list list;
  for (const PathProbability& path : report.paths) list.append(py::make_tuple(path.nodes, path.probability));
  return py::make_tuple(list, report.ancestor, report.complete);
}

// (variable, information, outcome entropy, expected movers, [(a, b, doubt, information), ...]), and all
// doubt.
py::tuple next(const GraphSamples& samples, int threads) {
  InterventionRanking ranking;
  {
    py::gil_scoped_release unlocked;
    ranking = rank_interventions(samples, threads);
  }
  py::list list;
  for (const InterventionGain& gain : ranking.interventions) {
    py::list settles;
    for (const SettledPair& pair : gain.settles)
      settles.append(py::make_tuple(pair.a, pair.b, pair.doubt, pair.information));
    list.append(py::make_tuple(gain.variable, gain.information, gain.outcome_entropy, gain.movers, settles));
  }
  return py::make_tuple(list, ranking.doubt);
}

// (information, doubt, [(a, b, doubt, information), ...]) of rows without intervention.
py::tuple observation(const GraphSamples& samples, int threads) {
  ObservationGain gain;
  {
    py::gil_scoped_release unlocked;
    gain = observation_gain(samples, threads);
  }
  py::list settles;
  for (const SettledPair& pair : gain.settles)
    settles.append(py::make_tuple(pair.a, pair.b, pair.doubt, pair.information));
  return py::make_tuple(gain.information, gain.doubt, settles);
}

}  // namespace

void add_samples(py::module_& module) {
  using namespace py::literals;
  py::class_<GraphSamples>(module, "GraphSamples")
      .def_readonly("exact", &GraphSamples::exact)
      .def_readonly("method", &GraphSamples::method)
      .def_readonly("chains", &GraphSamples::chains)
      .def_readonly("effective", &GraphSamples::effective)
      .def_readonly("scale_reduction", &GraphSamples::scale_reduction)
      .def("__len__", [](const GraphSamples& samples) { return samples.graphs.size(); })
      .def("edges", [](const GraphSamples& samples,
                       std::size_t number) { return pairs_from(samples.graphs.at(number)); })
      .def("adjacencies", &adjacencies)
      .def("edge_probabilities",
           [](const GraphSamples& samples) { return array_from(edge_probabilities(samples)); })
      .def("ancestry", [](const GraphSamples& samples,
                          int threads) { return array_from(ancestor_probabilities(samples, threads)); })
      .def("paths", &paths, "source"_a, "target"_a, "most"_a)
      .def("adjustment",
           [](const GraphSamples& samples, int treatment, int outcome, const std::vector<int>& set) {
             return adjustment_probability(samples, treatment, outcome, set);
           })
      .def("expected_distance",
           [](const GraphSamples& samples, const Found& found) {
             return expected_hamming_distance(samples, found.result.graph);
           })
      .def("next", &next, "threads"_a)
      .def("observation", &observation, "threads"_a);
  module.def("sample_graphs", &draw, "found"_a, "count"_a, "seed"_a, "threads"_a);
}

}  // namespace causcale::python

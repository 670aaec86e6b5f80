// Tables with a known causal graph.
#include <fmt/format.h>

#include "arrays.h"
#include "causcale/error.h"
#include "simulate/names.h"
#include "simulate/sergio.h"
#include "simulate/synthetic.h"
#include "topics.h"

namespace causcale::python {
namespace {

// Takes named options out of a dict one by one; what is left in the end is unknown.
class Options {
 public:
  explicit Options(const py::dict& given) : left_(py::reinterpret_borrow<py::dict>(given).attr("copy")()) {}

  template <class T>
  void take(const char* name, T& value) {
    known_ += (known_.empty() ? "" : ", ") + std::string(name);
    if (!left_.contains(name)) return;
    try {
      value = py::cast<T>(left_[name]);
    } catch (const py::cast_error&) {
      throw UsageError(
          fmt::format("{}={} is not of the right kind", name, py::cast<std::string>(py::repr(left_[name]))));
    }
    left_.attr("pop")(name);
  }

  template <class Choice, std::size_t N>
  void take_choice(const char* name, Choice& value, const NameTable<Choice, N>& table) {
    std::string word;
    take(name, word);
    if (!word.empty()) value = choice_named(table, word, name);
  }

  void done(const char* kind) const {
    if (left_.empty()) return;
    throw UsageError(fmt::format("unknown option '{}' of a {} simulation; accepted: {}",
                                 py::cast<std::string>(*left_.begin()->first), kind, known_));
  }

 private:
  py::dict left_;
  std::string known_;
};

void take_graph(Options& options, GraphModel& model, int& nodes, double& edges_per_node, double& power,
                bool& reverse, int& blocks, double& damping, double& rewiring) {
  options.take_choice("graph", model, kGraphModelNames);
  options.take("nodes", nodes);
  options.take("edges_per_node", edges_per_node);
  options.take("attachment_power", power);
  options.take("reverse_edges", reverse);
  options.take("blocks", blocks);
  options.take("block_damping", damping);
  options.take("rewiring", rewiring);
}

SyntheticOptions synthetic_options(const py::dict& given) {
  SyntheticOptions chosen;
  Options options(given);
  take_graph(options, chosen.graph_model, chosen.nodes, chosen.edges_per_node, chosen.attachment_power,
             chosen.reverse_edges, chosen.blocks, chosen.block_damping, chosen.rewiring);
  options.take("rows", chosen.rows);
  std::vector<std::string> mechanisms;
  options.take("mechanism", mechanisms);
  for (const std::string& name : mechanisms)
    chosen.mixed_mechanisms.push_back(choice_named(kMechanismNames, name, "mechanism"));
  if (!mechanisms.empty()) chosen.mechanism = chosen.mixed_mechanisms.front();
  if (mechanisms.size() == 1) chosen.mixed_mechanisms.clear();
  options.take_choice("noise", chosen.noise, kNoiseNames);
  options.take_choice("noise_coupling", chosen.coupling, kCouplingNames);
  options.take("noise_scale", chosen.noise_scale);
  options.take("noise_spread", chosen.noise_spread);
  options.take("effect_scale", chosen.effect_scale);
  options.take_choice("roots", chosen.roots, kRootNames);
  options.take("hidden", chosen.hidden);
  options.take_choice("interventions", chosen.interventions.effect, kInterventionNames);
  options.take("coverage", chosen.interventions.coverage);
  options.take("targets", chosen.interventions.targets_per_regime);
  options.take("intervention_spread", chosen.interventions.value_spread);
  options.take("intervention_shift", chosen.interventions.value_shift);
  ObservationOptions& seen = chosen.observation;
  options.take("output_scale", seen.output_scale);
  options.take("measurement_error", seen.measurement_error);
  options.take("outliers", seen.outlier_rate);
  options.take("rounded", seen.rounded_share);
  options.take("ordinal", seen.ordinal_share);
  options.take("counts", seen.count_share);
  options.take("zero_inflated", seen.zero_inflated_share);
  options.take("mirrored", seen.mirrored_share);
  options.done("synthetic");
  check_synthetic_options(chosen);
  return chosen;
}

SergioOptions sergio_options(const py::dict& given) {
  SergioOptions chosen;
  Options options(given);
  GraphOptions& graph = chosen.graph;
  take_graph(options, graph.model, graph.nodes, graph.edges_per_node, graph.attachment_power,
             graph.reverse_edges, graph.blocks, graph.block_damping, graph.rewiring);
  options.take("rows", chosen.rows);
  options.take("wild_type", chosen.wild_type_rows);
  options.take("min_cell_types", chosen.min_cell_types);
  options.take("max_cell_types", chosen.max_cell_types);
  options.take_choice("perturbation", chosen.perturbation, kPerturbationNames);
  options.take("min_residual", chosen.min_residual);
  options.take("max_residual", chosen.max_residual);
  options.take("coverage", chosen.coverage);
  options.take_choice("profile", chosen.profile, kProfileNames);
  options.done("sergio");
  check_sergio_options(chosen);
  return chosen;
}

py::dict dict_from(const Dataset& dataset, const Digraph& graph) {
  py::dict result = python::dict_from(dataset);
  result["edges"] = pairs_from(graph);
  return result;
}

py::dict synthetic(const py::dict& given, std::uint64_t seed, std::uint32_t index) {
  const SyntheticOptions options = synthetic_options(given);
  Simulation simulation;
  {
    py::gil_scoped_release unlocked;
    simulation = simulate_synthetic(options, seed, index);
  }
  return dict_from(simulation.dataset, simulation.graph);
}

py::dict sergio(const py::dict& given, std::uint64_t seed, std::uint32_t index, int threads) {
  const SergioOptions options = sergio_options(given);
  SergioSimulation simulation;
  {
    py::gil_scoped_release unlocked;
    simulation = simulate_sergio(options, seed, index, threads);
  }
  return dict_from(simulation.dataset, simulation.graph);
}

}  // namespace

void add_simulate(py::module_& module) {
  using namespace py::literals;
  module.def("simulate_synthetic", &synthetic, "options"_a, "seed"_a, "index"_a);
  module.def("simulate_sergio", &sergio, "options"_a, "seed"_a, "index"_a, "threads"_a);
}

}  // namespace causcale::python

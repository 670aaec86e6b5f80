#include "simulate/write_simulation.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/npy.h"
#include "data/columns.h"
#include "simulate/names.h"

namespace causcale {
namespace {

using nlohmann::ordered_json;

// Single precision is what the simulators work in, so its shortest decimal form loses nothing.
std::string data_csv(const Table& table) {
  fmt::memory_buffer text;
  auto out = std::back_inserter(text);
  for (std::size_t c = 0; c < table.cols(); ++c)
    fmt::format_to(out, "{}{}", c > 0 ? "," : "", table.names[c]);
  text.push_back('\n');
  for (std::size_t r = 0; r < table.rows(); ++r) {
    for (std::size_t c = 0; c < table.cols(); ++c) {
      const double value = table.values(r, c);
      if (c > 0) text.push_back(',');
      if (std::isnan(value)) continue;
      if (c < table.levels.size() && !table.levels[c].empty())
        fmt::format_to(out, "{}", table.levels[c][static_cast<std::size_t>(value)]);
      else
        fmt::format_to(out, "{}", static_cast<float>(value));
    }
    text.push_back('\n');
  }
  return fmt::to_string(text);
}

std::string interventions_csv(const Interventions& interventions, const std::vector<std::string>& names) {
  std::string text;
  for (const int regime : interventions.regime_of_row) {
    const char* separator = "";
    for (const int target : interventions.regimes[regime]) {
      text += separator + names[target];
      separator = ",";
    }
    text += '\n';
  }
  return text;
}

std::string truth_csv(const Digraph& graph, const std::vector<std::string>& names) {
  std::string text = "source,target\n";
  for (const Edge& edge : graph.edges()) text += names[edge.source] + "," + names[edge.target] + "\n";
  return text;
}

std::string confounded_csv(const Matrix<std::uint8_t>& confounded, const std::vector<std::string>& names) {
  std::string text = "first,second\n";
  for (std::size_t i = 0; i < confounded.rows(); ++i)
    for (std::size_t j = i + 1; j < confounded.cols(); ++j)
      if (confounded(i, j)) text += names[i] + "," + names[j] + "\n";
  return text;
}

}  // namespace

void write_simulation(const std::filesystem::path& folder, const Dataset& dataset, const Digraph& graph,
                      const ordered_json& manifest, DataFormat format,
                      const Matrix<std::uint8_t>* confounded) {
  std::vector<std::string> names = dataset.table.names;
  if (format == DataFormat::kNpy) {
    // The file has no names, and readers call its columns X0, X1, ...
    for (std::size_t c = 0; c < names.size(); ++c) names[c] = fmt::format("X{}", c);
    write_file_atomically(folder / "data.npy", format_npy(dataset.table.values));
  } else {
    write_file_atomically(folder / "data.csv", data_csv(dataset.table));
  }
  write_file_atomically(folder / "interventions.csv", interventions_csv(dataset.interventions, names));
  write_file_atomically(folder / "truth.csv", truth_csv(graph, names));
  if (confounded) write_file_atomically(folder / "confounded.csv", confounded_csv(*confounded, names));
  write_file_atomically(folder / "manifest.json", manifest.dump(2) + "\n");
}

ordered_json describe(const GraphOptions& options) {
  return {{"model", name_of(kGraphModelNames, options.model)},
          {"nodes", options.nodes},
          {"edges_per_node", options.edges_per_node},
          {"attachment_power", options.attachment_power},
          {"reverse_edges", options.reverse_edges},
          {"blocks", options.blocks},
          {"block_damping", options.block_damping},
          {"rewiring", options.rewiring}};
}

ordered_json describe(const SyntheticOptions& options) {
  ordered_json mixed = ordered_json::array();
  for (const Mechanism mechanism : options.mixed_mechanisms)
    mixed.push_back(name_of(kMechanismNames, mechanism));
  const ObservationOptions& seen = options.observation;
  return {{"graph", describe(options.graph_options())},
          {"rows", options.rows},
          {"mechanism", name_of(kMechanismNames, options.mechanism)},
          {"mixed_mechanisms", mixed},
          {"noise", name_of(kNoiseNames, options.noise)},
          {"noise_coupling", name_of(kCouplingNames, options.coupling)},
          {"noise_scale", options.noise_scale},
          {"noise_spread", options.noise_spread},
          {"effect_scale", options.effect_scale},
          {"roots", name_of(kRootNames, options.roots)},
          {"hidden", options.hidden},
          {"interventions",
           {{"effect", name_of(kInterventionNames, options.interventions.effect)},
            {"coverage", options.interventions.coverage},
            {"targets_per_regime", options.interventions.targets_per_regime},
            {"value_spread", options.interventions.value_spread},
            {"value_shift", options.interventions.value_shift}}},
          {"observation",
           {{"output_scale", seen.output_scale},
            {"mirrored_share", seen.mirrored_share},
            {"measurement_error", seen.measurement_error},
            {"outlier_rate", seen.outlier_rate},
            {"rounded_share", seen.rounded_share},
            {"ordinal_share", seen.ordinal_share},
            {"count_share", seen.count_share},
            {"zero_inflated_share", seen.zero_inflated_share}}}};
}

ordered_json describe(const SergioOptions& options) {
  return {{"graph", describe(options.graph)},
          {"rows", options.rows},
          {"wild_type_rows", options.wild_type_rows},
          {"cell_types", {options.min_cell_types, options.max_cell_types}},
          {"perturbation", name_of(kPerturbationNames, options.perturbation)},
          {"residual", {options.min_residual, options.max_residual}},
          {"coverage", options.coverage},
          {"profile", name_of(kProfileNames, options.profile)},
          {"time_step", options.time_step},
          {"steps_per_cell", options.steps_per_cell},
          {"steps_per_level", options.steps_per_level}};
}

ordered_json describe(const SergioSimulation& simulation) {
  const TechnicalNoise& noise = simulation.technical;
  return {{"cell_types", simulation.parameters.cell_types()},
          {"decay", simulation.parameters.decay},
          {"noise", simulation.parameters.noise},
          {"hill", simulation.parameters.hill},
          {"technical_noise",
           {{"outlier_share", noise.outlier_share},
            {"outlier_mean", noise.outlier_mean},
            {"outlier_scale", noise.outlier_scale},
            {"library_mean", noise.library_mean},
            {"library_scale", noise.library_scale},
            {"dropout_shape", noise.dropout_shape},
            {"dropout_percentile", noise.dropout_percentile}}}};
}

ordered_json describe(const WorldSample& sample) {
  ordered_json drawn = ordered_json::object(), kinds = ordered_json::array();
  for (const auto& [key, value] : sample.drawn)
    std::visit([&drawn, &name = key](const auto& plain) { drawn[name] = plain; }, value);
  for (const ColumnKind kind : sample.dataset.table.kinds) kinds.push_back(name_of(kColumnKindNames, kind));
  return {{"drawn", drawn}, {"kinds", kinds}};
}

}  // namespace causcale

#include "benchmark/task.h"

#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "data/standardize.h"
#include "simulate/write_simulation.h"

namespace causcale {
namespace {

using nlohmann::json;

KnownDataset make(const SyntheticOptions& options, std::uint64_t seed, std::uint32_t graph, int) {
  Simulation simulation = simulate_synthetic(options, seed, graph);
  return {std::move(simulation.dataset), std::move(simulation.graph)};
}

KnownDataset make(const SergioOptions& options, std::uint64_t seed, std::uint32_t graph, int threads) {
  SergioSimulation simulation = simulate_sergio(options, seed, graph, threads);
  return {std::move(simulation.dataset), std::move(simulation.graph)};
}

KnownDataset make(const FolderData& data, std::uint64_t, std::uint32_t, int) {
  KnownDataset known = read_known_dataset(data.folder);
  const std::size_t rows = known.dataset.table.rows();
  if (data.rows == 0 || rows < 2 * data.rows) return known;
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < rows; row += rows / data.rows) kept.push_back(row);
  known.dataset = take_rows(known.dataset, kept);
  return known;
}

json describe_options(const SyntheticOptions& options) {
  return {{"simulator", "synthetic"}, {"options", json::parse(describe(options).dump())}};
}

json describe_options(const SergioOptions& options) {
  return {{"simulator", "sergio"}, {"options", json::parse(describe(options).dump())}};
}

json describe_options(const FolderData& data) {
  json files = json::object();
  for (const char* name : {"data.csv", "data.npy", "interventions.csv", "truth.csv"})
    if (std::filesystem::exists(data.folder / name)) files[name] = sha256_of_file(data.folder / name);
  return {{"files", files}, {"rows", data.rows}};
}

}  // namespace

KnownDataset make_test_data(const TestSource& source, std::uint64_t seed, std::uint32_t graph, int threads) {
  return std::visit([&](const auto& chosen) { return make(chosen, seed, graph, threads); }, source);
}

json describe_source(const TestSource& source, std::uint64_t seed, std::uint32_t graph) {
  json description = std::visit([](const auto& chosen) { return describe_options(chosen); }, source);
  if (!std::holds_alternative<FolderData>(source)) {
    description["seed"] = seed;
    description["graph"] = graph;
  }
  return description;
}

}  // namespace causcale

// What every simulator of the command line does with its data sets: one folder each, in parallel.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/parallel.h"
#include "base/progress.h"
#include "causcale/version.h"
#include "commands.h"
#include "simulate/write_simulation.h"

namespace causcale::cli {

void add_world(CLI::App& simulate);  // causcale simulate world, causcale simulate worlds

struct OutputOptions {
  std::filesystem::path folder;
  int count = 1;
  int first = 0;
  std::string format = "csv";
};

inline void add_output_options(CLI::App& command, OutputOptions& output, CommonOptions& common) {
  command.add_option("--output,-o", output.folder, "Folder to write to")->required();
  command.add_option("--count", output.count, "Number of data sets; more than one go to numbered subfolders")
      ->check(CLI::Range(1, 100000000))
      ->capture_default_str();
  command.add_option("--first", output.first, "Number of the first data set of the seed")
      ->check(CLI::Range(0, 1000000000))
      ->capture_default_str();
  command.add_option("--format", output.format, "Of the data: csv or npy")
      ->check(CLI::IsMember({"csv", "npy"}))
      ->capture_default_str();
  add_common_options(command, common, kSeed | kThreads | kQuiet | kJson);
}

inline nlohmann::ordered_json manifest_head(const char* simulator, const OutputOptions& output,
                                            const CommonOptions& common, std::uint32_t index) {
  return {{"simulator", simulator},
          {"version", CAUSCALE_VERSION},
          {"seed", common.seed},
          {"index", index},
          {"files",
           {{"data", output.format == "npy" ? "data.npy" : "data.csv"},
            {"interventions", "interventions.csv"},
            {"truth", "truth.csv"}}},
          {"edges", "source -> target"}};
}

// make(index, threads) returns a pair of (dataset, graph) holders and the manifest's remaining entries.
template <class Make>
void write_all(const char* simulator, const OutputOptions& output, const CommonOptions& common, Make make) {
  const DataFormat format = output.format == "npy" ? DataFormat::kNpy : DataFormat::kCsv;
  const int width = static_cast<int>(fmt::formatted_size("{}", output.first + output.count - 1));
  // One data set uses all threads itself; of many, each thread makes its own.
  const int inner_threads = output.count == 1 ? common.threads : 1;
  Progress progress("simulate", output.count, common.quiet || output.count == 1);
  std::size_t edges = 0, rows = 0, columns = 0;
  parallel_for(output.count, common.threads, [&](std::size_t i) {
    const auto index = static_cast<std::uint32_t>(output.first + i);
    const auto made = make(index, inner_threads);
    const auto& simulation = made.first;
    nlohmann::ordered_json manifest = manifest_head(simulator, output, common, index);
    manifest["rows"] = simulation.dataset.table.rows();
    manifest["columns"] = simulation.dataset.table.cols();
    manifest["true_edges"] = simulation.graph.edge_count();
    manifest.update(made.second);
    const std::filesystem::path folder =
        output.count == 1 ? output.folder : output.folder / fmt::format("{:0{}}", index, width);
    const Matrix<std::uint8_t>* confounded = nullptr;
    if constexpr (requires { simulation.confounded; }) {
      confounded = &simulation.confounded;
      manifest["files"]["confounded"] = "confounded.csv";
    }
    write_simulation(folder, simulation.dataset, simulation.graph, manifest, format, confounded);
    if (output.count == 1) {
      edges = simulation.graph.edge_count();
      rows = simulation.dataset.table.rows();
      columns = simulation.dataset.table.cols();
    }
    progress.advance();
  });
  if (common.json) {
    nlohmann::ordered_json summary{
        {"folder", output.folder.string()}, {"count", output.count}, {"seed", common.seed}};
    fmt::print("{}\n", summary.dump(2));
  } else if (!common.quiet && output.count == 1) {
    fmt::print("{}: {} rows, {} variables, {} edges (data, interventions.csv, truth.csv, manifest.json)\n",
               output.folder.string(), rows, columns, edges);
  } else if (!common.quiet) {
    fmt::print("{}: {} data sets\n", output.folder.string(), output.count);
  }
}

}  // namespace causcale::cli

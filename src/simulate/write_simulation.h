// A simulated data set as a folder: data, interventions, truth and a manifest that says how it was made.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "causcale/graph.h"
#include "causcale/table.h"
#include "simulate/sergio.h"
#include "simulate/synthetic.h"
#include "simulate/worlds/world.h"

namespace causcale {

enum class DataFormat { kCsv, kNpy };

// data.csv with a header of names, or data.npy, whose columns are called X0, X1, ... in the other files;
// interventions.csv: one line a row, names of the targets, an empty line for an observational row; truth.csv:
// source,target; confounded.csv: first,second of every pair with a hidden common cause, where `confounded` (a
// symmetric matrix) is given; manifest.json. In data.csv a missing cell is empty and a column of words has
// its words.
void write_simulation(const std::filesystem::path& folder, const Dataset& dataset, const Digraph& graph,
                      const nlohmann::ordered_json& manifest, DataFormat format = DataFormat::kCsv,
                      const Matrix<std::uint8_t>* confounded = nullptr);

nlohmann::ordered_json describe(const GraphOptions& options);
nlohmann::ordered_json describe(const SyntheticOptions& options);
nlohmann::ordered_json describe(const SergioOptions& options);
// What a data set drew for itself: cell types, decay, noise, ...
nlohmann::ordered_json describe(const SergioSimulation& simulation);
// What a world drew, and the kinds of its columns.
nlohmann::ordered_json describe(const WorldSample& sample);

}  // namespace causcale

// From a file to a table, as `causcale discover` reads it: .csv, .tsv, .txt (also .gz), .npy, .npz, .h5ad.
//
//   const causcale::Dataset dataset = causcale::read_table("data.csv", {.interventions = "targets.csv"});
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "causcale/export.h"
#include "causcale/table.h"

namespace causcale {

struct ReadTableOptions {
  std::filesystem::path interventions = {};  // a file that says which rows were intervened on; empty: none
  std::string label_column = {};             // or the column that does; empty: none
  std::vector<std::string> control_labels = {};  // words for no intervention; empty: the usual ones
  std::vector<std::string> select = {};          // columns by name; empty: all
  std::vector<std::string> exclude = {};
  bool drop_missing = false;  // rows with a missing value are left out; otherwise the first is an error
};

// Throws InputError that names file, line and column, or UsageError.
CAUSCALE_API Dataset read_table(const std::filesystem::path& path, const ReadTableOptions& options = {});

}  // namespace causcale

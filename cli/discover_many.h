// Many tables in one go: every one gets its files in a folder, a bad one does not stop the others, and what
// is done already is not done again.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "causcale/discover.h"
#include "report/report.h"
#include "table_key.h"

namespace causcale::cli {

struct ManyOptions {
  std::vector<std::filesystem::path> tables;
  std::filesystem::path folder;
  std::vector<std::string> formats = {"csv", "json"};  // extensions of write_result, and npy for the matrix
  int jobs = 1;
  std::string share = "auto";  // or K/N
  int threads = 0;             // of all jobs together; 0 = all cores
  bool quiet = false, json = false;
};
void add_many_options(CLI::App& command, ManyOptions& options);
// Throws UsageError: an unknown format, a table given twice.
void check_many_options(const ManyOptions& options);

struct FileResult {
  DiscoverResult result;
  RunRecord record;
};

// `work` does a table, with so many threads. Writes <name>.<format> for each table, where <name> is the
// file's own, with as many folders before it as make it unique; summary.csv; and .done/<name>.json, by which
// a later run sees what it need not repeat. Several processes that are given the same tables and folder share
// the work; each returns when all tables are done. Throws InputError at the end when any table failed.
void discover_many(const ManyOptions& options,
                   const std::function<TableInputs(const std::filesystem::path&)>& inputs,
                   const std::function<FileResult(const std::filesystem::path&, int threads)>& work);

// A path in which {dir} and {stem} stand for the table's folder and its name without extension.
std::filesystem::path fill_in(const std::filesystem::path& pattern, const std::filesystem::path& table);

// Every file that discover_many writes into the folder itself.
std::vector<std::filesystem::path> result_files(const ManyOptions& options);

// One name for each table, different from all others.
std::vector<std::string> result_names(const std::vector<std::filesystem::path>& tables);

}  // namespace causcale::cli

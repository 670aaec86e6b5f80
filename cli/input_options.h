// The options by which a subcommand is told how to read a table and its interventions.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "causcale/table.h"
#include "data/reader.h"

namespace causcale::cli {

// As typed; read_options() turns it into what the reader takes.
struct InputOptions {
  std::filesystem::path data;
  bool standard_input = false;  // set by take_standard_input
  bool no_header = false;
  std::string delimiter;  // empty: sniffed; "tab", "space" or one character
  std::string comment;
  std::string row_names = "auto";
  std::vector<std::string> missing_markers;
  std::vector<std::string> select;
  std::vector<std::string> exclude;
  std::string rows;  // FIRST:END, either may be left out
  bool transpose = false;
  std::string missing = "keep";
  std::vector<std::string> types;   // NAME=KIND,... or @FILE
  std::vector<std::string> groups;  // NAME=COLUMN,COLUMN,...
  std::string dates = "aside";
  std::filesystem::path interventions;
  std::string interventions_kind = "auto";
  bool mask_inverted = false;
  std::filesystem::path targets;
  int index_base = 0;
  std::string label_column;
  std::vector<std::string> control_labels;
  std::string unknown_targets = "error";
  std::string npz_key;
  std::string layer;
  std::size_t max_bytes = 0;  // set by the subcommand from its --max-memory; 0: the usual limit
  int threads = 0;            // set by the subcommand from its --threads
};

// Adds the positional DATA and every option above, in groups of their own. With `several`, DATA may be given
// more than once and goes there.
void add_input_options(CLI::App& command, InputOptions& options,
                       std::vector<std::filesystem::path>* several = nullptr);
// The options alone, for commands whose table is another argument.
void add_reading_options(CLI::App& command, InputOptions& options);
// Everything above but the files, as one line: two that are equal read a file in the same way.
std::string describe(const InputOptions& options);

// Where DATA is "-": reads standard input to its end into memory, which options.data names from then on.
void take_standard_input(InputOptions& options);
// What messages and records call the table.
std::string data_name(const InputOptions& options);

ReadOptions read_options(const InputOptions& options);  // throws UsageError
Dataset read_input(const InputOptions& options, ReadNotes* notes = nullptr);

}  // namespace causcale::cli

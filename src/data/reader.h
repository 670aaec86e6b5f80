// The way in for every table: one function that reads any supported file with its interventions.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "causcale/table.h"
#include "data/columns.h"
#include "data/interventions.h"

namespace causcale {

enum class MissingPolicy {
  kError,  // a missing value is an error that names its place
  kDrop,   // rows with a missing value are left out
  kMean,   // a missing value becomes the mean of its column, among words the most frequent one
  kKeep,   // a missing value stays NaN in the table
};

enum class RowNames { kAuto, kYes, kNo };

struct ReadOptions {
  // Text tables.
  bool header = true;
  char delimiter = '\0';  // 0: sniffed; ' ' stands for runs of blanks
  char comment = '\0';    // lines that begin with it are skipped; 0: none
  RowNames row_names = RowNames::kAuto;
  // Cells that count as missing, besides empty ones and the usual words (docs/input_formats.md lists them). A
  // marker that is a number, such as -999, applies to every format.
  std::vector<std::string> missing_markers;
  bool dates_as_numbers = false;  // days since 1970-01-01; otherwise columns of dates are set aside

  // Kinds of columns as the caller knows them, and indicator columns that are one variable.
  std::vector<ColumnType> types;
  std::vector<ColumnGroup> groups;

  // Every format. Columns are named by name or, where no such name exists, by 0-based index.
  std::vector<std::string> select;  // empty: all
  std::vector<std::string> exclude;
  std::size_t row_begin = 0;  // rows [row_begin, row_end) of the file
  std::size_t row_end = std::numeric_limits<std::size_t>::max();
  bool transpose = false;  // the file has variables in rows and samples in columns
  MissingPolicy missing = MissingPolicy::kError;

  // Interventions. The label column is a column of a text table or an obs column of an .h5ad file.
  std::string label_column;
  InterventionOptions interventions;

  std::string npz_key;     // .npz: the array that holds the data; empty: data, x, X or expression_matrix
  std::string h5ad_layer;  // .h5ad: layers/<name> instead of X

  // .npy, .npz, .h5ad: most memory that reading may take; 0: three quarters of the computer's.
  std::size_t max_bytes = 0;

  int threads = 1;  // for text tables; 0: all cores
};

// What the audit wants to know about a file beyond the table itself. Where a caller asks for notes, faults of
// single cells and names are noted here (and the cell becomes NaN) instead of being thrown.
struct ReadNotes {
  struct Fault {
    std::string column;
    std::size_t line = 0;         // 1-based line of a text file; 0: not a text file
    std::size_t row = 0;          // 0-based row of the data
    std::string text;             // the cell as found, shortened
    std::size_t count = 0;        // such cells in this column
    std::size_t file_column = 0;  // text files: 0-based column of the file
  };
  std::vector<Fault> text_cells;  // one entry per column, the first such cell
  std::vector<Fault> missing_cells;
  std::vector<Fault> infinite_cells;
  std::vector<ColumnNote> columns;  // every column asked for, also those set aside, in the order of the file
  bool header_looks_numeric = false;
  bool not_utf8 = false;          // names or words were converted to UTF-8
  std::size_t complete_rows = 0;  // without a missing cell, of those asked for
  std::size_t rows_dropped = 0;
  std::size_t cells_filled = 0;
  std::vector<std::size_t> line_of_row;  // of the rows that are left; empty unless a text file
  std::vector<std::string> unknown_targets;
  bool unknown_targets_are_errors = false;
  std::vector<std::string> unseen_regimes;
  std::vector<std::string> excluded_targets;
  bool interventions_given = false;
};

// Chooses the format by extension: .csv .tsv .txt (any other text, too, packed by gzip or not), .npy, .npz,
// .h5ad. Rows that are left out take their interventions with them. Words become codes and their columns keep
// them as levels; identifiers, free text, dates and empty columns are set aside. The kinds of the columns are
// filled in. Throws InputError naming file, line and column.
Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options,
                     ReadNotes* notes = nullptr);

}  // namespace causcale

// The look at a table before any work: what is wrong with it, what is doubtful, and what to do about it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "causcale/table.h"
#include "data/reader.h"

namespace causcale {

enum class Severity { kError, kWarning, kNote };
std::string_view severity_name(Severity severity);  // "error", "warning", "note"

struct Finding {
  Severity severity;
  std::string code;                  // stable, for programs: "constant_column"
  std::vector<std::string> columns;  // those it is about; empty: the table as a whole
  std::size_t line = 0;              // 1-based line of the file where known, else 0
  std::string message;               // plain language, names the column or line
  std::string hint;                  // what to do; may be empty
};

struct AuditReport {
  std::string source;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t rows_read = 0;  // before some were left out
  std::size_t regimes = 0;    // distinct ones that have rows
  std::size_t intervened_rows = 0;
  std::size_t intervened_columns = 0;
  std::vector<ColumnNote> columns;  // what was understood of each, those set aside included
  std::vector<Finding> findings;    // errors first

  std::size_t count(Severity severity) const;
  // Throws InputError with the first error (and how many more there are), if any.
  void throw_if_errors() const;
  std::string to_text() const;
  std::string to_json() const;
};

// `notes` as filled by read_dataset; nullptr: only what the table itself shows. NaN and infinities in the
// table are reported as errors.
AuditReport audit(const Dataset& dataset, const std::string& source, const ReadNotes* notes = nullptr);

// Only what has to do with cells, names and interventions as they were read: the part of `audit` that the
// table alone does not tell.
AuditReport audit_reading(const Dataset& dataset, const std::string& source, const ReadNotes& notes);

}  // namespace causcale

#include "data/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "causcale/error.h"
#include "data/audit_parts.h"
#include "data/raw_table.h"
#include "data/value_range.h"

namespace causcale {
namespace {

constexpr std::size_t kFewRows = 50;

class Auditor {
 public:
  Auditor(const Dataset& dataset, const std::string& source, const ReadNotes* notes)
      : dataset_(dataset),
        table_(dataset.table),
        interventions_(dataset.interventions),
        notes_(notes),
        findings_(report_.findings) {
    report_.source = source;
    report_.rows = table_.rows();
    report_.cols = table_.cols();
    report_.rows_read = table_.rows() + (notes ? notes->rows_dropped : 0);
    if (notes) report_.columns = notes->columns;
  }

  AuditReport run() {
    if (report_.columns.empty()) look_at_columns();
    check_reading();
    check_size();
    const std::vector<ColumnKind> kinds = kinds_of_table();
    audit_structure(table_, kinds, findings_);
    audit_missingness(table_, kinds, findings_);
    audit_row_order(dataset_, kinds, findings_);
    check_interventions();
    return sorted();
  }

  AuditReport run_reading() {
    check_reading();
    check_interventions();
    return sorted();
  }

 private:
  AuditReport sorted() {
    std::stable_sort(report_.findings.begin(), report_.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
    return std::move(report_);
  }

  void check_reading() {
    check_cells();
    audit_kinds(report_.columns, report_.rows_read, findings_);
    check_names();
  }

  std::vector<ColumnKind> kinds_of_table() const {
    if (table_.kinds.size() == table_.cols()) return table_.kinds;
    std::vector<ColumnKind> kinds;
    for (const KindFound& found : infer_kinds(table_.values)) kinds.push_back(found.kind);
    return kinds;
  }

  // For callers without notes.
  void look_at_columns() {
    const std::vector<KindFound> found = infer_kinds(table_.values);
    for (std::size_t c = 0; c < table_.cols(); ++c) {
      ColumnNote note;
      note.name = table_.names[c];
      const bool known = c < table_.kinds.size();
      note.kind = known ? table_.kinds[c] : found[c].kind;
      note.reason = known && note.kind != found[c].kind ? "as told" : found[c].reason;
      if (c < table_.levels.size()) note.levels = table_.levels[c];
      for (std::size_t r = 0; r < table_.rows(); ++r) note.missing += std::isnan(table_.values(r, c));
      report_.columns.push_back(std::move(note));
    }
  }

  void add(Severity severity, std::string code, std::vector<std::string> columns, std::string message,
           std::string hint, std::size_t line = 0) {
    findings_.add(severity, std::move(code), std::move(columns), std::move(message), std::move(hint), line);
  }

  static std::string where(const ReadNotes::Fault& fault) {
    const std::string place =
        fault.line > 0 ? fmt::format("line {}", fault.line) : fmt::format("row {}", fault.row + 1);
    return fault.count > 1 ? fmt::format("{} times, first in {}", fault.count, place) : "in " + place;
  }

  // Faults of the table itself, for callers without notes.
  std::vector<ReadNotes::Fault> table_faults(bool missing) const {
    std::vector<ReadNotes::Fault> by_column(table_.cols()), faults;
    for (std::size_t r = 0; r < table_.rows(); ++r)
      for (std::size_t c = 0; c < table_.cols(); ++c) {
        const double value = table_.values(r, c);
        if (std::isfinite(value) || std::isnan(value) != missing) continue;
        if (by_column[c].count++ == 0) by_column[c] = {table_.names[c], 0, r, "", 1};
      }
    for (ReadNotes::Fault& fault : by_column)
      if (fault.count > 0) faults.push_back(std::move(fault));
    return faults;
  }

  std::size_t complete_rows() const {
    std::size_t complete = 0;
    for (std::size_t r = 0; r < table_.rows(); ++r) {
      const auto row = table_.values.row(r);
      complete += std::none_of(row.begin(), row.end(), [](double value) { return std::isnan(value); });
    }
    return complete;
  }

  // Gaps that the caller wants in the table.
  void check_kept_gaps() {
    if (!notes_->text_cells.empty()) return;  // those are NaN, too
    std::size_t cells = 0;
    std::vector<std::string> columns;
    for (const ReadNotes::Fault& fault : table_faults(true)) {
      cells += fault.count;
      columns.push_back(fault.column);
    }
    if (cells == 0) return;
    add(Severity::kNote, "missing_kept", columns,
        fmt::format("{} missing in {}; {} of {} rows are complete",
                    cells == 1 ? "1 cell is" : fmt::format("{} cells are", cells),
                    columns.size() == 1 ? "1 column" : fmt::format("{} columns", columns.size()),
                    notes_->complete_rows, table_.rows()),
        "they are left to the method, which says what it does with them; --missing drop leaves such rows "
        "out, --missing mean fills in means");
  }

  void check_cells() {
    if (notes_)
      for (const ReadNotes::Fault& fault : notes_->text_cells)
        add(Severity::kError, "text_cell", {fault.column},
            fmt::format("column {} holds text among numbers in {} cell{}, first {} in {} {}",
                        quoted_excerpt(fault.column), fault.count, fault.count == 1 ? "" : "s", fault.text,
                        fault.line > 0 ? "line" : "row", fault.line > 0 ? fault.line : fault.row + 1),
            kTextCellHint, fault.line);
    const std::vector<ReadNotes::Fault> missing = notes_ ? notes_->missing_cells : table_faults(true);
    const std::size_t complete = notes_ ? notes_->complete_rows : complete_rows();
    for (const ReadNotes::Fault& fault : missing)
      add(Severity::kError, "missing_value", {fault.column},
          fmt::format("column {}: a value is missing {}", quoted_excerpt(fault.column), where(fault)),
          missing_hint(complete, table_.rows()), fault.line);
    if (notes_ && missing.empty()) check_kept_gaps();
    for (const ReadNotes::Fault& fault : notes_ ? notes_->infinite_cells : table_faults(false))
      add(Severity::kError, "infinite_value", {fault.column},
          fmt::format("column {}: a value is infinite {}", quoted_excerpt(fault.column), where(fault)),
          "replace it, or give it as a --missing-marker", fault.line);
    for (const RangeFault& fault : range_faults(table_)) {
      const std::string name = quoted_excerpt(table_.names[fault.column]);
      const std::size_t line =
          fault.large && notes_ && !notes_->line_of_row.empty() ? notes_->line_of_row[fault.row] : 0;
      if (fault.large)
        add(Severity::kError, "value_too_large", {table_.names[fault.column]},
            fmt::format("column {}: {:g} in {} is too large to compute with", name, fault.value,
                        line > 0 ? fmt::format("line {}", line) : fmt::format("row {}", fault.row + 1)),
            fault.hint(), line);
      else
        add(Severity::kError, "values_too_close", {table_.names[fault.column]},
            fmt::format("column {}: its values lie within {:g}, too close to compute with", name,
                        fault.value),
            fault.hint());
    }
    if (!notes_) return;
    if (notes_->rows_dropped > 0)
      add(Severity::kNote, "rows_dropped", {}, fmt::format("{} rows were left out", notes_->rows_dropped),
          "");
    if (notes_->cells_filled > 0)
      add(Severity::kNote, "cells_filled", {},
          fmt::format("{} missing values were replaced by the mean (among words the most frequent) of their "
                      "column",
                      notes_->cells_filled),
          "");
    if (notes_->not_utf8)
      add(Severity::kNote, "converted_text", {},
          "the file is not UTF-8: it was read as Latin-1 (Windows-1252)",
          "save it as UTF-8 if names or words look wrong");
    if (notes_->header_looks_numeric)
      add(Severity::kWarning, "numeric_header", {},
          "the header consists of numbers: it may be the first row of the data",
          "if the file has no header, give --no-header", 1);
  }

  void check_names() {
    std::unordered_map<std::string_view, std::vector<std::size_t>> places;
    for (std::size_t c = 0; c < table_.cols(); ++c) places[table_.names[c]].push_back(c);
    for (std::size_t c = 0; c < table_.cols(); ++c) {
      const std::vector<std::size_t>& same = places[table_.names[c]];
      if (same.size() < 2 || same.front() != c) continue;
      add(Severity::kError, "repeated_name", {table_.names[c]},
          fmt::format("{} columns have the name {} (columns {} and {})", same.size(),
                      quoted_excerpt(table_.names[c]), same[0], same[1]),
          "give every variable a name of its own");
    }
  }

  void check_size() {
    const std::size_t m = table_.rows(), n = table_.cols();
    if (m < 2)
      add(Severity::kError, "too_few_rows", {}, fmt::format("the table has {} row{}", m, m == 1 ? "" : "s"),
          "at least 2 rows are needed, a few hundred are advisable");
    else if (m < kFewRows)
      add(Severity::kWarning, "few_rows", {}, fmt::format("the table has only {} rows", m),
          "expect unsure results; a few hundred rows are advisable");
    if (n < 2)
      add(Severity::kError, "one_column", {}, "the table has a single variable", "a graph needs at least 2");
    if (n > m && m >= 2)
      add(Severity::kWarning, "more_columns_than_rows", {},
          fmt::format("{} variables but only {} rows: the covariance is singular", n, m),
          "a shrunk covariance is used; more rows or fewer variables give surer results");
    if (n > m && m >= 2 && m <= 2000 && n >= 10 * m)
      add(Severity::kNote, "maybe_transposed", {}, "far more columns than rows",
          "if samples are in columns, give --transpose");
  }

  void check_interventions() {
    std::vector<char> touched(table_.cols(), 0);
    std::vector<std::size_t> rows_of(interventions_.regimes.size(), 0);
    for (const int regime : interventions_.regime_of_row) ++rows_of[static_cast<std::size_t>(regime)];
    for (std::size_t k = 0; k < rows_of.size(); ++k) {
      if (rows_of[k] == 0) continue;
      ++report_.regimes;
      if (interventions_.regimes[k].empty()) continue;
      report_.intervened_rows += rows_of[k];
      for (const int target : interventions_.regimes[k]) touched[static_cast<std::size_t>(target)] = 1;
    }
    report_.intervened_columns = static_cast<std::size_t>(std::count(touched.begin(), touched.end(), 1));
    if (notes_) check_intervention_notes();
    if (report_.intervened_rows == 0) return;
    if (report_.intervened_rows == report_.rows)
      add(Severity::kNote, "no_observational_rows", {}, "every row was made under an intervention", "");
    std::vector<std::string> never;
    for (std::size_t c = 0; c < touched.size(); ++c)
      if (!touched[c]) never.push_back(table_.names[c]);
    if (!never.empty())
      add(Severity::kNote, "never_intervened", never,
          fmt::format("{} of {} variables are never intervened on: {}", never.size(), touched.size(),
                      name_list(never)),
          "");
    const auto single = std::count(rows_of.begin(), rows_of.end(), std::size_t{1});
    if (single > 0)
      add(Severity::kNote, "single_row_regimes", {},
          fmt::format("{} {} a single row", single, single == 1 ? "regime has" : "regimes have"), "");
  }

  void check_intervention_notes() {
    if (notes_->interventions_given && report_.intervened_rows == 0)
      add(Severity::kWarning, "no_interventions", {}, "interventions are given, but no row is intervened on",
          "check the file, the label column and the control labels");
    if (!notes_->unknown_targets.empty())
      add(notes_->unknown_targets_are_errors ? Severity::kError : Severity::kWarning, "unknown_target",
          notes_->unknown_targets,
          fmt::format("{} of the table: {}",
                      notes_->unknown_targets.size() == 1
                          ? "1 target is no variable"
                          : fmt::format("{} targets are no variables", notes_->unknown_targets.size()),
                      name_list(notes_->unknown_targets)),
          "check the spelling, or name control labels with --control");
    if (!notes_->unseen_regimes.empty())
      add(Severity::kWarning, "unseen_target", notes_->unseen_regimes,
          fmt::format("{} no row: {}",
                      notes_->unseen_regimes.size() == 1
                          ? "1 listed intervention has"
                          : fmt::format("{} listed interventions have", notes_->unseen_regimes.size()),
                      name_list(notes_->unseen_regimes)),
          "");
    if (!notes_->excluded_targets.empty())
      add(Severity::kWarning, "excluded_target", notes_->excluded_targets,
          fmt::format("{} variables intervened on are not among the selected columns: {}",
                      notes_->excluded_targets.size(), name_list(notes_->excluded_targets)),
          "their rows count as not intervened on; leave those rows out if that is wrong");
  }

  const Dataset& dataset_;
  const Table& table_;
  const Interventions& interventions_;
  const ReadNotes* notes_;
  AuditReport report_;
  FindingList findings_;
};

}  // namespace

std::string name_list(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::string list;
  for (std::size_t k = 0; k < std::min(kShown, names.size()); ++k)
    list += (k ? ", " : "") + quoted_excerpt(names[k]);
  if (names.size() > kShown) list += fmt::format(" and {} more", names.size() - kShown);
  return list;
}

AuditReport audit(const Dataset& dataset, const std::string& source, const ReadNotes* notes) {
  return Auditor(dataset, source, notes).run();
}

AuditReport audit_reading(const Dataset& dataset, const std::string& source, const ReadNotes& notes) {
  return Auditor(dataset, source, &notes).run_reading();
}

}  // namespace causcale

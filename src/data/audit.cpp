#include "data/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "causcale/error.h"
#include "data/collinearity.h"
#include "data/raw_table.h"

namespace causcale {
namespace {

constexpr std::size_t kFewRows = 50;
constexpr std::size_t kMostColumnsForCollinearity = 3000;
constexpr double kCollinear = 1e-8;  // variance left unexplained
constexpr double kNearlyCollinear = 1e-4;

// "A", "B" and 7 more
std::string name_list(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::string list;
  for (std::size_t k = 0; k < std::min(kShown, names.size()); ++k)
    list += (k ? ", " : "") + quoted_excerpt(names[k]);
  if (names.size() > kShown) list += fmt::format(" and {} more", names.size() - kShown);
  return list;
}

class Auditor {
 public:
  Auditor(const Dataset& dataset, const std::string& source, const ReadNotes* notes)
      : table_(dataset.table), interventions_(dataset.interventions), notes_(notes) {
    report_.source = source;
    report_.rows = table_.rows();
    report_.cols = table_.cols();
  }

  AuditReport run() {
    check_cells();
    check_names();
    check_size();
    check_columns();
    check_interventions();
    return sorted();
  }

  AuditReport run_reading() {
    check_cells();
    check_names();
    check_interventions();
    return sorted();
  }

 private:
  AuditReport sorted() {
    std::stable_sort(report_.findings.begin(), report_.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
    return std::move(report_);
  }

  void add(Severity severity, std::string code, std::vector<std::string> columns, std::string message,
           std::string hint, std::size_t line = 0) {
    report_.findings.push_back(
        {severity, std::move(code), std::move(columns), line, std::move(message), std::move(hint)});
  }

  static std::string where(const ReadNotes::Fault& fault) {
    const std::string place =
        fault.line > 0 ? fmt::format("line {}", fault.line) : fmt::format("row {}", fault.row);
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

  void check_cells() {
    if (notes_)
      for (const ReadNotes::Fault& fault : notes_->text_cells)
        add(Severity::kError, "text_cell", {fault.column},
            fmt::format("column {} holds text: {} {}", quoted_excerpt(fault.column), fault.text,
                        where(fault)),
            has_decimal_comma(std::string_view(fault.text).substr(1, fault.text.size() - 2))
                ? "decimal commas are not accepted: write 1.5, not 1,5"
                : "leave the column out with --exclude, name it with --label-column, or give the text as a "
                  "--missing-marker",
            fault.line);
    for (const ReadNotes::Fault& fault : notes_ ? notes_->missing_cells : table_faults(true))
      add(Severity::kError, "missing_value", {fault.column},
          fmt::format("column {}: a value is missing {}", quoted_excerpt(fault.column), where(fault)),
          "--missing drop leaves such rows out, --missing mean fills in the column's mean", fault.line);
    for (const ReadNotes::Fault& fault : notes_ ? notes_->infinite_cells : table_faults(false))
      add(Severity::kError, "infinite_value", {fault.column},
          fmt::format("column {}: a value is infinite {}", quoted_excerpt(fault.column), where(fault)),
          "replace it, or give it as a --missing-marker", fault.line);
    if (!notes_) return;
    if (notes_->rows_dropped > 0)
      add(Severity::kNote, "rows_dropped", {}, fmt::format("{} rows were left out", notes_->rows_dropped),
          "");
    if (notes_->cells_filled > 0)
      add(Severity::kNote, "cells_filled", {},
          fmt::format("{} missing values were replaced by the mean of their column", notes_->cells_filled),
          "");
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

  bool constant(std::size_t c) const {
    const double first = table_.values(0, c);
    for (std::size_t r = 1; r < table_.rows(); ++r)
      if (table_.values(r, c) != first) return false;
    return true;
  }

  bool identical(std::size_t a, std::size_t b) const {
    for (std::size_t r = 0; r < table_.rows(); ++r)
      if (table_.values(r, a) != table_.values(r, b)) return false;
    return true;
  }

  // Content hashes of all columns, row by row so that memory is read in order.
  std::vector<std::uint64_t> column_hashes() const {
    std::vector<std::uint64_t> hash(table_.cols(), 0);
    for (std::size_t r = 0; r < table_.rows(); ++r)
      for (std::size_t c = 0; c < table_.cols(); ++c) {
        const double value = table_.values(r, c) + 0.0;  // -0 and 0 are equal
        hash[c] = (std::rotl(hash[c], 5) ^ std::bit_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15;
      }
    return hash;
  }

  void check_columns() {
    if (table_.rows() < 2) return;
    std::vector<std::size_t> sound;  // neither constant, nor a copy, nor with faulty values
    std::unordered_map<std::uint64_t, std::size_t> first_with;
    const std::vector<std::uint64_t> hashes = column_hashes();
    std::vector<char> finite(table_.cols(), 1);
    for (std::size_t r = 0; r < table_.rows(); ++r)
      for (std::size_t c = 0; c < table_.cols(); ++c)
        if (!std::isfinite(table_.values(r, c))) finite[c] = 0;
    for (std::size_t c = 0; c < table_.cols(); ++c) {
      if (!finite[c]) continue;
      if (constant(c)) {
        add(Severity::kWarning, "constant_column", {table_.names[c]},
            fmt::format("column {} is constant ({})", quoted_excerpt(table_.names[c]), table_.values(0, c)),
            "it says nothing about causes; leave it out with --exclude");
        continue;
      }
      const auto [known, added] = first_with.emplace(hashes[c], c);
      if (!added && identical(known->second, c)) {
        const std::string& other = table_.names[known->second];
        add(Severity::kWarning, "duplicate_column", {other, table_.names[c]},
            fmt::format("columns {} and {} are identical", quoted_excerpt(other),
                        quoted_excerpt(table_.names[c])),
            "no method can tell them apart; leave one out with --exclude");
        continue;
      }
      sound.push_back(c);
    }
    check_collinearity(sound);
  }

  void check_collinearity(const std::vector<std::size_t>& columns) {
    if (columns.size() < 2 || columns.size() >= table_.rows()) return;
    if (columns.size() > kMostColumnsForCollinearity) {
      add(Severity::kNote, "collinearity_not_checked", {},
          fmt::format("collinearity is not checked beyond {} columns", kMostColumnsForCollinearity), "");
      return;
    }
    for (const LinearDependence& dependence : linear_dependences(table_.values, columns, kNearlyCollinear)) {
      std::vector<std::string> names{table_.names[dependence.column]}, others;
      for (const std::size_t c : dependence.explained_by) others.push_back(table_.names[c]);
      names.insert(names.end(), others.begin(), others.end());
      const bool exact = dependence.unexplained < kCollinear;
      add(exact ? Severity::kWarning : Severity::kNote,
          exact ? "collinear_columns" : "nearly_collinear_columns", names,
          fmt::format("column {} is {}a linear combination of {}: the covariance is {}singular",
                      quoted_excerpt(names.front()), exact ? "" : "nearly ", name_list(others),
                      exact ? "" : "nearly "),
          "leave one of them out with --exclude, unless it is meant to be so");
    }
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

  const Table& table_;
  const Interventions& interventions_;
  const ReadNotes* notes_;
  AuditReport report_;
};

}  // namespace

AuditReport audit(const Dataset& dataset, const std::string& source, const ReadNotes* notes) {
  return Auditor(dataset, source, notes).run();
}

AuditReport audit_reading(const Dataset& dataset, const std::string& source, const ReadNotes& notes) {
  return Auditor(dataset, source, &notes).run_reading();
}

}  // namespace causcale

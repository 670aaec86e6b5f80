#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "data/audit_parts.h"
#include "data/raw_table.h"

namespace causcale {
namespace {

constexpr double kMostlyMissing = 0.5;
constexpr std::size_t kManyLevels = 20;

void add_set_aside(const ColumnNote& column, FindingList& findings) {
  const std::string name = quoted_excerpt(column.name);
  if (column.kind == ColumnKind::kDate)
    findings.add(Severity::kNote, "date_column", {column.name},
                 fmt::format("column {} is set aside: {}", name, column.reason),
                 "--dates number takes dates as days since 1970-01-01");
  else if (column.kind == ColumnKind::kConstant)
    findings.add(Severity::kNote, "empty_column", {column.name},
                 fmt::format("column {} is set aside: {}", name, column.reason), "");
  else
    findings.add(Severity::kNote, "identifier_column", {column.name},
                 fmt::format("column {} is set aside: {}", name, column.reason),
                 "if it is a variable, give its kind with --types NAME=KIND");
}

// At least half of the words are names of other columns: what was intervened on, most likely.
bool names_columns(const ColumnNote& column, const std::unordered_set<std::string_view>& names) {
  const auto known = std::count_if(column.levels.begin(), column.levels.end(),
                                   [&](const std::string& word) { return names.contains(word); });
  return known >= 2 && 2 * static_cast<std::size_t>(known) >= column.levels.size();
}

}  // namespace

void audit_kinds(const std::vector<ColumnNote>& columns, std::size_t rows, FindingList& findings) {
  for (const ColumnNote& column : columns)
    if (column.set_aside) add_set_aside(column, findings);
  std::unordered_set<std::string_view> names;
  for (const ColumnNote& column : columns) names.insert(column.name);
  for (const ColumnNote& column : columns)
    if (!column.set_aside && names_columns(column, names))
      findings.add(Severity::kWarning, "maybe_label_column", {column.name},
                   fmt::format("the words of column {} are names of other columns: {}",
                               quoted_excerpt(column.name), name_list(column.levels)),
                   "if it says what was intervened on, name it with --label-column");
  for (const ColumnNote& column : columns) {
    if (column.set_aside || column.kind != ColumnKind::kUnordered || column.levels.size() < 3) continue;
    findings.add(
        Severity::kWarning, column.levels.size() > kManyLevels ? "many_levels" : "unordered_column",
        {column.name},
        fmt::format("column {} holds {} categories without an order: {}", quoted_excerpt(column.name),
                    column.levels.size(), name_list(column.levels)),
        "methods for numbers see their codes, which mean nothing; an order may be given with --types "
        "NAME=ordered:low<middle<high");
  }
  for (const ColumnNote& column : columns)
    if (!column.set_aside && !column.writing.empty())
      findings.add(
          Severity::kNote, "number_format", {column.name},
          fmt::format("column {}: numbers written with {}", quoted_excerpt(column.name), column.writing), "");
  for (const ColumnNote& column : columns)
    if (!column.assumption.empty() && !(column.set_aside && column.kind != ColumnKind::kDate))
      findings.add(Severity::kWarning, "assumed_format", {column.name},
                   fmt::format("column {} can be read in two ways: {}", quoted_excerpt(column.name),
                               column.assumption),
                   "write the column plainly if that is wrong");
  for (const ColumnNote& column : columns)
    if (!column.set_aside && static_cast<double>(column.missing) > kMostlyMissing * static_cast<double>(rows))
      findings.add(
          Severity::kWarning, "mostly_missing_column", {column.name},
          fmt::format("column {} misses {} of {} values", quoted_excerpt(column.name), column.missing, rows),
          "leave it out with --exclude: what is filled in says little, and few rows are complete");
}

}  // namespace causcale

// Printing of audit reports.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "causcale/error.h"
#include "data/audit_parts.h"
#include "data/raw_table.h"

namespace causcale {

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "";
}

std::size_t AuditReport::count(Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.severity == severity; }));
}

void AuditReport::throw_if_errors() const {
  const std::size_t errors = count(Severity::kError);
  if (errors == 0) return;
  const Finding& first = *std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.severity == Severity::kError;
  });
  throw InputError(
      fmt::format("{}: {}{}{}", source, first.message, first.hint.empty() ? "" : " (" + first.hint + ")",
                  errors > 1 ? fmt::format("; and {} more errors (see causcale audit)", errors - 1) : ""));
}

namespace {

// A line about a column: its kind, why, its words and gaps.
std::string describe(const ColumnNote& column, std::size_t rows) {
  std::string text = name_of(kColumnKindNames, column.kind);
  if (column.set_aside) text += ", set aside";
  text += ": " + column.reason;
  if (!column.writing.empty()) text += "; written with " + column.writing;
  if (!column.levels.empty()) text += "; " + name_list(column.levels);
  if (column.missing > 0 && rows > 0)
    text += fmt::format("; {:.1f} % missing",
                        100.0 * static_cast<double>(column.missing) / static_cast<double>(rows));
  return text;
}

// How many columns there are of each kind, and a line for each that is not simply continuous.
std::string describe_columns(const std::vector<ColumnNote>& columns, std::size_t rows) {
  constexpr std::size_t kFewColumns = 12, kShown = 40;
  std::string kinds;
  for (const auto& [kind, name] : kColumnKindNames) {
    const auto count = std::count_if(columns.begin(), columns.end(),
                                     [kind = kind](const ColumnNote& column) { return column.kind == kind; });
    if (count > 0) kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, name);
  }
  std::string text = fmt::format("columns by kind: {}\n", kinds);
  std::vector<const ColumnNote*> shown;
  std::size_t width = 0;
  for (const ColumnNote& column : columns)
    if (columns.size() <= kFewColumns || column.kind != ColumnKind::kContinuous || column.missing > 0 ||
        !column.writing.empty())
      shown.push_back(&column);
  const std::size_t lines = std::min(shown.size(), kShown);
  for (std::size_t k = 0; k < lines; ++k) width = std::max(width, quoted_excerpt(shown[k]->name).size());
  for (std::size_t k = 0; k < lines; ++k)
    text += fmt::format("  {:<{}}  {}\n", quoted_excerpt(shown[k]->name), width, describe(*shown[k], rows));
  if (lines < shown.size())
    text += fmt::format("  ... and {} more (--json lists all)\n", shown.size() - lines);
  return text;
}

}  // namespace

std::string AuditReport::to_text() const {
  constexpr std::size_t kShownPerCode = 20;
  std::string text = fmt::format("{}: {} rows, {} columns", source, rows, cols);
  if (intervened_rows > 0)
    text += fmt::format(", {} regimes, {} rows intervened on ({} variables)", regimes, intervened_rows,
                        intervened_columns);
  text += '\n';
  if (!columns.empty()) text += describe_columns(columns, rows_read);
  std::map<std::string, std::size_t> shown;
  for (std::size_t k = 0; k < findings.size(); ++k) {
    const Finding& finding = findings[k];
    if (++shown[finding.code] <= kShownPerCode) {
      text += fmt::format("{:<8} {}\n", severity_name(finding.severity), finding.message);
      const bool same_hint_follows = k + 1 < findings.size() && findings[k + 1].hint == finding.hint &&
                                     shown[finding.code] < kShownPerCode;
      if (!finding.hint.empty() && !same_hint_follows) text += fmt::format("{:<8}   {}\n", "", finding.hint);
    }
    const bool last_of_code = k + 1 == findings.size() || findings[k + 1].code != finding.code;
    if (last_of_code && shown[finding.code] > kShownPerCode)
      text += fmt::format("{:<8} ... and {} more of this kind (--json lists all)\n",
                          severity_name(finding.severity), shown[finding.code] - kShownPerCode);
  }
  const auto amount = [](std::size_t number, const char* what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
  };
  text += findings.empty() ? "nothing to remark\n"
                           : fmt::format("{}, {}, {}\n", amount(count(Severity::kError), "error"),
                                         amount(count(Severity::kWarning), "warning"),
                                         amount(count(Severity::kNote), "note"));
  return text;
}

std::string AuditReport::to_json() const {
  nlohmann::ordered_json document;
  document["source"] = source;
  document["rows"] = rows;
  document["columns"] = cols;
  document["regimes"] = regimes;
  document["intervened_rows"] = intervened_rows;
  document["intervened_columns"] = intervened_columns;
  document["errors"] = count(Severity::kError);
  document["warnings"] = count(Severity::kWarning);
  document["notes"] = count(Severity::kNote);
  document["variables"] = nlohmann::ordered_json::array();
  for (const ColumnNote& column : columns) {
    nlohmann::ordered_json entry;
    entry["name"] = column.name;
    entry["kind"] = name_of(kColumnKindNames, column.kind);
    entry["reason"] = column.reason;
    entry["told"] = column.told;
    entry["set_aside"] = column.set_aside;
    entry["missing"] = column.missing;
    entry["missing_share"] =
        rows_read == 0 ? 0.0 : static_cast<double>(column.missing) / static_cast<double>(rows_read);
    if (!column.writing.empty()) entry["writing"] = column.writing;
    if (!column.assumption.empty()) entry["assumption"] = column.assumption;
    if (!column.levels.empty()) entry["levels"] = column.levels;
    if (!column.members.empty()) entry["members"] = column.members;
    document["variables"].push_back(std::move(entry));
  }
  document["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    nlohmann::ordered_json entry;
    entry["severity"] = severity_name(finding.severity);
    entry["code"] = finding.code;
    entry["columns"] = finding.columns;
    if (finding.line > 0) entry["line"] = finding.line;
    entry["message"] = finding.message;
    if (!finding.hint.empty()) entry["hint"] = finding.hint;
    document["findings"].push_back(std::move(entry));
  }
  // Names come from files and need not be valid UTF-8.
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace causcale

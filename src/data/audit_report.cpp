// Printing of audit reports.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "causcale/error.h"
#include "data/audit.h"

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

std::string AuditReport::to_text() const {
  constexpr std::size_t kShownPerCode = 20;
  std::string text = fmt::format("{}: {} rows, {} columns", source, rows, cols);
  if (intervened_rows > 0)
    text += fmt::format(", {} regimes, {} rows intervened on ({} variables)", regimes, intervened_rows,
                        intervened_columns);
  text += '\n';
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

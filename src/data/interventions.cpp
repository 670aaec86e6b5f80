#include "data/interventions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/file.h"
#include "causcale/error.h"
#include "data/target_resolver.h"

namespace causcale {
namespace {

// Lines without their ends. The text after the last line break counts as a line if it is not empty.
std::vector<std::string_view> split_lines(std::string_view text) {
  text = without_byte_order_mark(text);
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t stop = text.find('\n');
    lines.push_back(text.substr(0, stop));
    if (lines.back().ends_with('\r')) lines.back().remove_suffix(1);
    text = stop == text.npos ? std::string_view() : text.substr(stop + 1);
  }
  return lines;
}

}  // namespace

TargetNames target_names(const std::vector<std::string>& names) {
  TargetNames result{names, std::vector<int>(names.size())};
  std::iota(result.column.begin(), result.column.end(), 0);
  return result;
}

Interventions canonical_interventions(std::vector<std::vector<int>> targets_of_row) {
  std::map<std::vector<int>, int> number;  // the empty set sorts first
  for (std::vector<int>& targets : targets_of_row) {
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    number.emplace(targets, 0);
  }
  Interventions result;
  for (auto& [targets, index] : number) {
    index = static_cast<int>(result.regimes.size());
    result.regimes.push_back(targets);
  }
  result.regime_of_row.reserve(targets_of_row.size());
  for (const std::vector<int>& targets : targets_of_row)
    result.regime_of_row.push_back(number.find(targets)->second);
  return result;
}

Interventions interventions_of_rows(const Interventions& interventions, std::span<const std::size_t> rows) {
  Interventions result;
  result.regime_of_row.assign(rows.size(), 0);
  if (interventions.regime_of_row.empty()) {
    if (!rows.empty()) result.regimes = {{}};
    return result;
  }
  std::vector<int> number(interventions.regimes.size(), 0);
  for (const std::size_t row : rows) number[static_cast<std::size_t>(interventions.regime_of_row[row])] = 1;
  for (std::size_t regime = 0; regime < number.size(); ++regime)
    if (number[regime]) {
      number[regime] = static_cast<int>(result.regimes.size());
      result.regimes.push_back(interventions.regimes[regime]);
    }
  for (std::size_t k = 0; k < rows.size(); ++k)
    result.regime_of_row[k] = number[static_cast<std::size_t>(interventions.regime_of_row[rows[k]])];
  return result;
}

ParsedInterventions interventions_from_mask(const Matrix<double>& mask, std::size_t rows,
                                            const TargetNames& names, const InterventionOptions& options,
                                            const std::string& name) {
  const std::size_t variables = names.variables.size();
  const auto selected = static_cast<std::size_t>(
      std::count_if(names.column.begin(), names.column.end(), [](int c) { return c >= 0; }));
  if (mask.rows() != rows || (mask.cols() != variables && mask.cols() != selected))
    throw InputError(
        fmt::format("{}: the mask has {} rows and {} columns, the table {} rows and {} columns{}", name,
                    mask.rows(), mask.cols(), rows, variables,
                    mask.rows() == variables && mask.cols() == rows ? " (is one of them transposed?)" : ""));
  // A mask as wide as the selection describes the selected columns only.
  std::vector<int> variable_of(mask.cols());
  std::size_t next = 0;
  for (std::size_t v = 0; v < variables; ++v)
    if (mask.cols() == variables || names.column[v] >= 0) variable_of[next++] = static_cast<int>(v);

  TargetResolver resolver(names, options, name);
  std::vector<std::vector<int>> targets_of_row(rows);
  const double intervened = options.inverted ? 0.0 : 1.0;
  bool drop = false;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < mask.cols(); ++c) {
      const double value = mask(r, c);
      if (value != 0.0 && value != 1.0)
        throw InputError(fmt::format("{}: row {}, column {}: the mask holds {} (0 and 1 are accepted)", name,
                                     r + 1, c + 1, value));
      if (value != intervened) continue;
      const auto found = resolver.resolve_index(variable_of[c] + options.index_base, "mask", drop);
      targets_of_row[r].insert(targets_of_row[r].end(), found.begin(), found.end());
    }
  ParsedInterventions parsed = resolver.finish(std::move(targets_of_row), {});
  const auto everywhere = [&](const std::vector<int>& regime) { return regime.size() == selected; };
  if (selected > 1 && !options.inverted && !parsed.interventions.regimes.empty() &&
      std::all_of(parsed.interventions.regimes.begin(), parsed.interventions.regimes.end(), everywhere))
    throw InputError(
        fmt::format("{}: the mask says that every variable is intervened on in every row (if 1 means \"not "
                    "intervened\", give --mask-inverted)",
                    name));
  return parsed;
}

ParsedInterventions interventions_from_lines(std::string_view text, std::size_t rows,
                                             const TargetNames& names, const InterventionOptions& options,
                                             const std::string& name) {
  TargetResolver resolver(names, options, name);
  std::vector<std::string_view> lines = split_lines(text);
  std::size_t header = 0;
  // An empty last line without a line break is a row without interventions where one row is wanting.
  if (lines.size() + 1 == rows && (text.empty() || text.ends_with('\n'))) lines.emplace_back();
  if (lines.size() == rows + 1 && !resolver.knows(trimmed(lines.front()))) header = 1;
  if (lines.size() != rows + header)
    throw InputError(
        fmt::format("{}: {} lines for {} rows (one line per row is needed, empty = observational)", name,
                    lines.size(), rows));
  std::vector<std::vector<int>> targets_of_row(rows);
  std::vector<std::size_t> dropped;
  for (std::size_t r = 0; r < rows; ++r) {
    bool drop = false;
    const std::string_view line = lines[r + header];
    if (line.empty()) continue;
    targets_of_row[r] = resolver.resolve(line, fmt::format("line {}", r + header + 1), drop);
    if (drop) dropped.push_back(r);
  }
  return resolver.finish(std::move(targets_of_row), std::move(dropped));
}

ParsedInterventions interventions_from_labels(std::span<const std::string> labels, const TargetNames& names,
                                              const InterventionOptions& options, const std::string& name) {
  TargetResolver resolver(names, options, name);
  std::vector<std::vector<int>> targets_of_row(labels.size());
  std::vector<std::size_t> dropped;
  for (std::size_t r = 0; r < labels.size(); ++r) {
    if (labels[r].empty() || resolver.is_control(trimmed(labels[r]))) continue;
    bool drop = false;
    targets_of_row[r] = resolver.resolve(labels[r], fmt::format("row {}", r + 1), drop);
    if (drop) dropped.push_back(r);
  }
  return resolver.finish(std::move(targets_of_row), std::move(dropped));
}

std::string format_intervention_lines(const Interventions& interventions,
                                      const std::vector<std::string>& names) {
  std::vector<std::string> line_of_regime;
  for (const std::vector<int>& regime : interventions.regimes) {
    std::string line;
    for (const int column : regime)
      line += (line.empty() ? "" : ",") + names[static_cast<std::size_t>(column)];
    line_of_regime.push_back(line + '\n');
  }
  std::string text;
  for (const int regime : interventions.regime_of_row)
    text += line_of_regime[static_cast<std::size_t>(regime)];
  return text;
}

}  // namespace causcale

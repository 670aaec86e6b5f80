// Interventions that come with a structure of their own (JSON, regime numbers), and finding out what a file
// is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/byte_size.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/text_encoding.h"
#include "causcale/error.h"
#include "data/csv.h"
#include "data/csv_rows.h"
#include "data/interventions.h"
#include "data/npz.h"
#include "data/parse_number.h"
#include "data/target_resolver.h"

namespace causcale {
namespace {

using Json = nlohmann::json;

Json parse_json(std::string_view text, const std::string& name) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: not valid JSON: {}", name, error.what()));
  }
}

// A whole number that a row, a count or an index can be.
std::size_t whole_number(const Json& value, const std::string& name, const std::string& what) {
  if (!value.is_number_unsigned() && !(value.is_number_integer() && value.get<long long>() >= 0))
    throw InputError(fmt::format("{}: {} should be a whole number of 0 or more", name, what));
  return value.get<std::size_t>();
}

// A target list: one name or number, or an array of them.
std::vector<int> json_targets(const Json& value, TargetResolver& resolver, const std::string& name,
                              const std::string& place, bool& drop) {
  if (value.is_null()) return {};
  if (value.is_string()) return resolver.resolve(value.get_ref<const std::string&>(), place, drop);
  if (value.is_number_integer()) return resolver.resolve_index(value.get<long long>(), place, drop);
  if (!value.is_array())
    throw InputError(fmt::format("{}: {}: targets should be a list of names or indices", name, place));
  std::vector<int> targets;
  for (const Json& entry : value) {
    if (!entry.is_string() && !entry.is_number_integer())
      throw InputError(fmt::format("{}: {}: a target should be a name or an index", name, place));
    for (const int column : json_targets(entry, resolver, name, place, drop)) targets.push_back(column);
  }
  return targets;
}

// The regimes that a list names, and who of them asks for its rows to be dropped.
struct RegimeList {
  std::vector<std::vector<int>> targets;
  std::vector<char> drop;
  std::vector<std::string> names;
};

ParsedInterventions by_regime_number(const RegimeList& list, std::span<const double> numbers,
                                     std::size_t rows, TargetResolver& resolver, int base,
                                     const std::string& name) {
  if (numbers.size() != rows)
    throw InputError(fmt::format("{}: {} regime numbers for {} rows", name, numbers.size(), rows));
  std::vector<std::vector<int>> targets_of_row(rows);
  std::vector<std::size_t> dropped;
  std::vector<char> seen(list.targets.size(), 0);
  for (std::size_t r = 0; r < rows; ++r) {
    const double index = numbers[r] - base;
    if (!(index >= 0 && index < static_cast<double>(list.targets.size())) || index != std::floor(index))
      throw InputError(fmt::format(
          "{}: row {}: regime number {} (there are {} regimes, counted from {}; see --index-base)", name,
          r + 1, numbers[r], list.targets.size(), base));
    const auto regime = static_cast<std::size_t>(index);
    targets_of_row[r] = list.targets[regime];
    seen[regime] = 1;
    if (list.drop[regime]) dropped.push_back(r);
  }
  ParsedInterventions parsed = resolver.finish(std::move(targets_of_row), std::move(dropped));
  for (std::size_t regime = 0; regime < seen.size(); ++regime)
    if (!seen[regime]) parsed.unseen_regimes.push_back(list.names[regime]);
  return parsed;
}

RegimeList json_regimes(const Json& targets, TargetResolver& resolver, const std::string& name) {
  if (!targets.is_array()) throw InputError(fmt::format("{}: the targets should be a list of lists", name));
  RegimeList list;
  for (const Json& entry : targets) {
    bool drop = false;
    const std::string place = fmt::format("regime {}", list.targets.size());
    list.targets.push_back(json_targets(entry, resolver, name, place, drop));
    list.drop.push_back(drop);
    list.names.push_back(entry.dump());
  }
  return list;
}

// The rows of one environment: a count of rows that follow on, a list, or {"first", "last"}.
std::vector<std::size_t> environment_rows(const Json& value, std::size_t& next, std::size_t rows,
                                          const std::string& name, const std::string& place) {
  std::vector<std::size_t> result;
  const auto check = [&](std::size_t row) {
    if (row >= rows)
      throw InputError(fmt::format("{}: {}: row {} of a table of {} rows", name, place, row, rows));
    return row;
  };
  if (value.is_array()) {
    for (const Json& entry : value) result.push_back(check(whole_number(entry, name, place + ": a row")));
  } else if (value.is_object() && value.contains("first") && value.contains("last")) {
    const std::size_t first = whole_number(value["first"], name, place + ": first"),
                      last = check(whole_number(value["last"], name, place + ": last"));
    for (std::size_t row = first; row <= last; ++row) result.push_back(row);
  } else if (value.is_number()) {
    const std::size_t count = whole_number(value, name, place + ": rows");
    if (count > rows - next)
      throw InputError(
          fmt::format("{}: {}: {} more rows after row {} of a table of {}", name, place, count, next, rows));
    for (std::size_t k = 0; k < count; ++k) result.push_back(next + k);
  } else {
    throw InputError(fmt::format(
        "{}: {}: rows should be a count, a list of rows or {{\"first\": .., \"last\": ..}}", name, place));
  }
  if (!result.empty()) next = result.back() + 1;
  return result;
}

ParsedInterventions from_environments(const Json& environments, std::size_t rows, TargetResolver& resolver,
                                      const std::string& name) {
  if (!environments.is_array()) throw InputError(fmt::format("{}: the environments should be a list", name));
  std::vector<std::vector<int>> targets_of_row(rows);
  std::vector<char> covered(rows, 0), drop_row(rows, 0);
  std::vector<std::string> unseen;
  std::size_t next = 0, number = 0;
  for (const Json& environment : environments) {
    const std::string place = fmt::format("environment {}", number++);
    if (!environment.is_object() || !environment.contains("rows"))
      throw InputError(fmt::format("{}: {}: needs \"targets\" and \"rows\"", name, place));
    // Without targets it is observational, but not by a slip of the pen.
    const bool has_targets = environment.contains("targets");
    for (const auto& [key, value] : environment.items())
      if (!has_targets && key != "rows" && key != "name")
        throw InputError(fmt::format("{}: {}: there are no \"targets\", but \"{}\"", name, place, key));
    bool drop = false;
    const std::vector<int> targets =
        has_targets ? json_targets(environment["targets"], resolver, name, place, drop) : std::vector<int>{};
    const std::vector<std::size_t> chosen = environment_rows(environment["rows"], next, rows, name, place);
    if (chosen.empty()) unseen.push_back(place);
    for (const std::size_t row : chosen) {
      if (covered[row])
        throw InputError(fmt::format("{}: {}: row {} belongs to two environments", name, place, row));
      covered[row] = 1;
      drop_row[row] = drop;
      targets_of_row[row] = targets;
    }
  }
  if (const auto gap = std::find(covered.begin(), covered.end(), 0); gap != covered.end())
    throw InputError(fmt::format("{}: row {} belongs to no environment ({} of {} rows do)", name,
                                 gap - covered.begin(), std::count(covered.begin(), covered.end(), 1), rows));
  std::vector<std::size_t> dropped;
  for (std::size_t r = 0; r < rows; ++r)
    if (drop_row[r]) dropped.push_back(r);
  ParsedInterventions parsed = resolver.finish(std::move(targets_of_row), std::move(dropped));
  parsed.unseen_regimes = std::move(unseen);
  return parsed;
}

bool is_zero_or_one(const std::string& cell) {
  double value;
  return parse_number(cell, value) && (value == 0.0 || value == 1.0);
}

// Text: JSON shows itself by its first character, a mask by lines of zeros and ones as long as the table is
// wide.
InterventionKind kind_of_text(std::string_view text, const TargetNames& names,
                              const InterventionOptions& options) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && (text[first] == '{' || text[first] == '['))
    return InterventionKind::kEnvironments;
  if (!options.targets_file.empty()) return InterventionKind::kRegimeIndex;
  const auto selected = static_cast<std::size_t>(
      std::count_if(names.column.begin(), names.column.end(), [](int c) { return c >= 0; }));
  const char delimiter = sniff_delimiter(text, '\0', options.file);
  const CsvLine head = split_csv_line(text, 0, delimiter);
  const bool header = !std::all_of(head.cells.begin(), head.cells.end(), is_zero_or_one);
  const CsvLine line = header ? split_csv_line(text, head.next, delimiter) : head;
  const bool wide =
      line.cells.size() > 1 && (line.cells.size() == names.variables.size() || line.cells.size() == selected);
  return wide && std::all_of(line.cells.begin(), line.cells.end(), is_zero_or_one) ? InterventionKind::kMask
                                                                                   : InterventionKind::kLines;
}

// A mask with a header may have its columns in any order.
Matrix<double> mask_from_text(std::string_view text, const TargetNames& names, const std::string& source) {
  ReadOptions options;
  const CsvLine head = split_csv_line(text, 0, sniff_delimiter(text, '\0', source));
  options.header = !std::all_of(head.cells.begin(), head.cells.end(), is_zero_or_one);
  const RawTable raw = parse_csv(text, source, options);
  if (!options.header) return raw.values;
  std::unordered_map<std::string_view, std::size_t> column;
  for (std::size_t c = 0; c < raw.variables.size(); ++c) column.emplace(raw.variables[c], c);
  std::vector<std::size_t> order;
  for (std::size_t v = 0; v < names.variables.size(); ++v) {
    const auto found = column.find(names.variables[v]);
    if (found != column.end())
      order.push_back(found->second);
    else if (raw.variables.size() == names.variables.size() || names.column[v] >= 0)
      throw InputError(
          fmt::format("{}: the mask has no column {}", source, quoted_excerpt(names.variables[v])));
  }
  Matrix<double> mask(raw.values.rows(), order.size());
  for (std::size_t r = 0; r < mask.rows(); ++r)
    for (std::size_t c = 0; c < order.size(); ++c) mask(r, c) = raw.values(r, order[c]);
  return mask;
}

ParsedInterventions from_npy(const NpyArray& array, std::size_t rows, const TargetNames& names,
                             const InterventionOptions& options, const std::string& source) {
  if (array.shape.size() == 2)
    return interventions_from_mask(Matrix<double>(array.shape[0], array.shape[1], array.values), rows, names,
                                   options, source);
  if (array.shape.size() != 1)
    throw InputError(fmt::format("{}: a mask has 2 dimensions, a list of regime numbers 1; found {}", source,
                                 array.shape.size()));
  if (options.targets_file.empty())
    throw UsageError(fmt::format("{}: regime numbers need the list of targets: give --targets FILE", source));
  const MappedFile targets(options.targets_file);
  std::string converted;
  return interventions_from_regimes(array.values, as_utf8(targets.text(), converted), rows, names, options,
                                    source);
}

}  // namespace

ParsedInterventions interventions_from_json(std::string_view text, std::size_t rows, const TargetNames& names,
                                            const InterventionOptions& options, const std::string& name) {
  const Json document = parse_json(text, name);
  TargetResolver resolver(names, options, name);
  if (document.is_array()) return from_environments(document, rows, resolver, name);
  if (document.is_object() && document.contains("environments"))
    return from_environments(document["environments"], rows, resolver, name);
  for (const char* key : {"target_index", "target.index"}) {
    if (!document.is_object() || !document.contains(key) || !document.contains("targets")) continue;
    if (!document[key].is_array()) throw InputError(fmt::format("{}: {} should be a list", name, key));
    std::vector<double> numbers;
    for (const Json& entry : document[key])
      numbers.push_back(static_cast<double>(whole_number(entry, name, "a regime number")));
    return by_regime_number(json_regimes(document["targets"], resolver, name), numbers, rows, resolver,
                            options.index_base, name);
  }
  throw InputError(fmt::format(
      "{}: expected {{\"environments\": [...]}} or {{\"targets\": [...], \"target_index\": [...]}}", name));
}

ParsedInterventions interventions_from_regimes(std::span<const double> regime_of_row,
                                               std::string_view targets, std::size_t rows,
                                               const TargetNames& names, const InterventionOptions& options,
                                               const std::string& name) {
  TargetResolver resolver(names, options, name);
  targets = without_byte_order_mark(targets);
  const std::size_t first = targets.find_first_not_of(" \t\r\n");
  if (first != targets.npos && targets[first] == '[')
    return by_regime_number(json_regimes(parse_json(targets, name), resolver, name), regime_of_row, rows,
                            resolver, options.index_base, name);
  RegimeList list;
  while (!targets.empty()) {
    const std::size_t stop = targets.find('\n');
    const std::string_view line = targets.substr(0, stop);
    bool drop = false;
    list.targets.push_back(
        resolver.resolve(line, fmt::format("targets line {}", list.targets.size() + 1), drop));
    list.drop.push_back(drop);
    list.names.emplace_back(trimmed(line));
    targets = stop == targets.npos ? std::string_view() : targets.substr(stop + 1);
  }
  return by_regime_number(list, regime_of_row, rows, resolver, options.index_base, name);
}

ParsedInterventions read_interventions(std::size_t rows, const TargetNames& names,
                                       const InterventionOptions& options) {
  const MappedFile file(options.file);
  const std::string source = options.file.string();
  const std::string extension = options.file.extension().string();
  if (extension == ".npy")
    return from_npy(parse_npy(file.bytes(), source, reading_limit(0)), rows, names, options, source);
  if (extension == ".npz") {
    NpzArchive archive(file.bytes(), source);
    for (const char* key : {"interv", "interventions", "mask"}) {
      if (!archive.contains(key)) continue;
      if (!archive.holds_text(key)) return from_npy(archive.numbers(key), rows, names, options, source);
      const std::vector<std::string> labels = archive.texts(key);
      if (labels.size() != rows)
        throw InputError(fmt::format("{}: {} labels for {} rows", source, labels.size(), rows));
      return interventions_from_labels(labels, names, options, source);
    }
    throw InputError(fmt::format("{}: no array interv, interventions or mask", source));
  }
  std::string converted, converted_targets;
  const std::string_view text = as_utf8(file.text(), converted);
  const InterventionKind kind =
      options.kind == InterventionKind::kAuto ? kind_of_text(text, names, options) : options.kind;
  switch (kind) {
    case InterventionKind::kMask:
      return interventions_from_mask(mask_from_text(text, names, source), rows, names, options, source);
    case InterventionKind::kEnvironments:
      return interventions_from_json(text, rows, names, options, source);
    case InterventionKind::kRegimeIndex: {
      if (options.targets_file.empty())
        throw UsageError(
            fmt::format("{}: regime numbers need the list of targets: give --targets FILE", source));
      ReadOptions one_column;
      const CsvLine head = split_csv_line(text, 0, ',');
      double number;
      one_column.header = !parse_number(head.cells.front(), number);
      const RawTable raw = parse_csv(text, source, one_column);
      if (raw.values.cols() != 1)
        throw InputError(fmt::format("{}: one regime number per line is needed, found {} columns", source,
                                     raw.values.cols()));
      const MappedFile targets(options.targets_file);
      return interventions_from_regimes(raw.values.values(), as_utf8(targets.text(), converted_targets), rows,
                                        names, options, source);
    }
    default:
      return interventions_from_lines(text, rows, names, options, source);
  }
}

}  // namespace causcale

#include "data/columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/file.h"
#include "base/text_encoding.h"
#include "data/csv.h"
#include "data/csv_rows.h"
#include "data/raw_table.h"

namespace causcale {
namespace {

// So many cells per value, on average, make few values of numbers that are not whole a scale.
constexpr std::size_t kCellsPerValue = 5;

// What is known of a column after some of its rows.
struct Seen {
  std::array<double, kFewValues + 1> values;
  std::size_t distinct = 0;  // kFewValues + 1: more than a few
  std::size_t present = 0;
  bool whole = true;
  bool negative = false;

  // False: nothing that is still to come can change the kind.
  bool add(double value) {
    if (std::isnan(value)) return true;
    ++present;
    if (value != std::floor(value) || std::isinf(value)) whole = false;
    negative = negative || value < 0.0;
    if (distinct <= kFewValues && std::find(values.begin(), values.begin() + distinct, value) ==
                                      values.begin() + static_cast<std::ptrdiff_t>(distinct))
      values[distinct++] = value;
    return distinct <= kFewValues || (whole && !negative);
  }

  KindFound kind() const {
    if (distinct == 0) return {ColumnKind::kConstant, "no value at all"};
    if (distinct == 1) return {ColumnKind::kConstant, "a single value"};
    if (distinct == 2) return {ColumnKind::kBinary, "two different values"};
    const bool few = distinct <= kFewValues && present >= kCellsPerValue * distinct;
    if (few)
      return {ColumnKind::kOrdered,
              fmt::format("{}, {} different", whole ? "whole numbers" : "numbers", distinct)};
    if (!whole) return {ColumnKind::kContinuous, "numbers that are not whole"};
    if (negative) return {ColumnKind::kContinuous, "whole numbers, negative ones among them"};
    return {ColumnKind::kCount, fmt::format("whole numbers from 0 on, {} different",
                                            distinct > kFewValues ? fmt::format("more than {}", kFewValues)
                                                                  : std::to_string(distinct))};
  }
};

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t stop = text.find(at);
    parts.emplace_back(text.substr(0, stop));
    if (stop == text.npos) return parts;
    text.remove_prefix(stop + 1);
  }
}

ColumnType column_type(std::string column, std::string_view kind_and_order, std::string_view place) {
  ColumnType type{std::move(column), {}, {}};
  const std::size_t colon = kind_and_order.find(':');
  const std::string_view kind = kind_and_order.substr(0, colon);
  const auto found = find_choice(kColumnKindNames, kind);
  if (!found || *found == ColumnKind::kConstant)
    throw UsageError(fmt::format(
        "{}column {}: {} is no kind of column; accepted: continuous, count, binary, ordered, unordered, "
        "identifier, date",
        place, quoted_excerpt(type.column), quoted_excerpt(kind)));
  type.kind = *found;
  if (colon != kind_and_order.npos) {
    type.order = split(kind_and_order.substr(colon + 1), '<');
    if (type.kind != ColumnKind::kOrdered && type.kind != ColumnKind::kBinary)
      throw UsageError(fmt::format("{}column {}: an order belongs to the kinds ordered and binary", place,
                                   quoted_excerpt(type.column)));
    for (std::size_t k = 0; k < type.order.size(); ++k)
      if (type.order[k].empty() ||
          std::find(type.order.begin(), type.order.begin() + static_cast<std::ptrdiff_t>(k), type.order[k]) !=
              type.order.begin() + static_cast<std::ptrdiff_t>(k))
        throw UsageError(
            fmt::format("{}column {}: an order names every word once, such as ordered:low<middle<high", place,
                        quoted_excerpt(type.column)));
  }
  return type;
}

}  // namespace

std::vector<KindFound> infer_kinds(const Matrix<double>& values) {
  std::vector<Seen> seen(values.cols());
  std::vector<std::size_t> open(values.cols());
  for (std::size_t c = 0; c < open.size(); ++c) open[c] = c;
  for (std::size_t r = 0; r < values.rows() && !open.empty(); ++r) {
    const auto row = values.row(r);
    std::size_t left = 0;
    for (const std::size_t c : open)
      if (seen[c].add(row[c])) open[left++] = c;
    open.resize(left);
  }
  std::vector<KindFound> kinds;
  for (const Seen& column : seen) kinds.push_back(column.kind());
  return kinds;
}

bool names_a_row(std::string_view column) {
  std::string plain;
  for (const char c : column) {
    if (c >= 'A' && c <= 'Z')
      plain += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '#')
      plain += c;
  }
  for (const std::string_view known :
       {"id",        "index",       "idx",          "row",    "rows",     "rowid",       "rowindex",
        "rownumber", "rownum",      "rownr",        "rowno",  "rowname",  "rownames",    "sample",
        "sampleid",  "sampleindex", "samplenumber", "obs",    "obsid",    "observation", "observationid",
        "record",    "recordid",    "case",         "caseid", "subject",  "subjectid",   "patientid",
        "personid",  "userid",      "customerid",   "unitid", "number",   "no",          "nr",
        "#",         "uid",         "uuid",         "guid",   "unnamed0", "level0"})
    if (plain == known) return true;
  return false;
}

bool counts_rows(const Matrix<double>& values, std::size_t column) {
  const std::size_t rows = values.rows();
  if (rows < 3) return false;
  double lowest = values(0, column);
  for (std::size_t r = 0; r < rows; ++r) {
    const double value = values(r, column);
    if (!(std::abs(value) < 1e15) || value != std::floor(value)) return false;
    lowest = std::min(lowest, value);
  }
  std::vector<char> met(rows, 0);
  for (std::size_t r = 0; r < rows; ++r) {
    const double place = values(r, column) - lowest;
    if (place >= static_cast<double>(rows) || met[static_cast<std::size_t>(place)]) return false;
    met[static_cast<std::size_t>(place)] = 1;
  }
  return true;
}

std::vector<ColumnType> parse_column_types(std::string_view list) {
  std::vector<ColumnType> types;
  for (const std::string& entry : split(list, ',')) {
    const std::size_t equals = entry.rfind('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(fmt::format(
          "a kind of column is given as name=kind, such as age=count; found {}; names with commas "
          "go into a file",
          quoted_excerpt(entry)));
    types.push_back(column_type(entry.substr(0, equals), std::string_view(entry).substr(equals + 1), ""));
  }
  return types;
}

std::vector<ColumnType> read_column_types(const std::filesystem::path& path) {
  const MappedFile file(path);
  std::string converted;
  const std::string_view text = as_utf8(file.text(), converted);
  const char delimiter = sniff_delimiter(text, '\0', path);
  std::vector<ColumnType> types;
  std::size_t line_number = 1;
  for (std::size_t at = 0; at < text.size();) {
    const CsvLine line = split_csv_line(text, at, delimiter);
    const std::string place = fmt::format("{}:{}: ", path.string(), line_number);
    at = line.next;
    const bool first = line_number == 1;
    line_number += line.line_breaks;
    if (line.cells.size() == 1 && line.cells[0].empty()) continue;
    if (first && line.cells.size() >= 2 && line.cells[1] == "kind") continue;
    if (line.cells.size() < 2 || line.cells.size() > 3)
      throw InputError(fmt::format("{}a line holds name,kind or name,kind,order; found {} cells", place,
                                   line.cells.size()));
    std::string kind = line.cells[1];
    if (line.cells.size() == 3 && !line.cells[2].empty()) kind += ":" + line.cells[2];
    try {
      types.push_back(column_type(line.cells[0], kind, place));
    } catch (const UsageError& error) {
      throw InputError(error.what());
    }
  }
  return types;
}

ColumnGroup parse_column_group(std::string_view text) {
  const std::size_t equals = text.find('=');
  ColumnGroup group;
  if (equals != text.npos) {
    group.name = text.substr(0, equals);
    group.members = split(text.substr(equals + 1), ',');
  }
  if (group.name.empty() || group.members.size() < 2)
    throw UsageError(
        fmt::format("a group is given as name=column,column,... with at least two columns; found {}",
                    quoted_excerpt(text)));
  return group;
}

}  // namespace causcale

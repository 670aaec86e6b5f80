#include "data/raw_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "causcale/error.h"
#include "graph/convert.h"

namespace causcale {
namespace {

// Position of a column called by name or, where no such name exists, by 0-based index.
std::size_t find_column(const std::string& wanted,
                        const std::unordered_map<std::string, std::size_t>& by_name, std::size_t count,
                        const std::string& source) {
  if (const auto found = by_name.find(wanted); found != by_name.end()) return found->second;
  std::size_t index = 0;
  const char* end = wanted.data() + wanted.size();
  const auto [stop, failure] = std::from_chars(wanted.data(), end, index);
  if (failure == std::errc() && stop == end && index < count) return index;
  throw InputError(fmt::format(
      "{}: there is no column {} (the table has {} columns; give a name or an index from 0 to {})", source,
      quoted_excerpt(wanted), count, count == 0 ? 0 : count - 1));
}

}  // namespace

std::vector<std::size_t> choose_columns(const std::vector<std::string>& variables, const ReadOptions& options,
                                        const std::string& source) {
  std::vector<char> keep(variables.size(), options.select.empty());
  if (!options.select.empty() || !options.exclude.empty()) {
    std::unordered_map<std::string, std::size_t> by_name;
    for (std::size_t v = 0; v < variables.size(); ++v) by_name.emplace(variables[v], v);
    for (const std::string& name : options.select)
      keep[find_column(name, by_name, variables.size(), source)] = 1;
    for (const std::string& name : options.exclude)
      keep[find_column(name, by_name, variables.size(), source)] = 0;
  }
  std::vector<std::size_t> kept;
  for (std::size_t v = 0; v < variables.size(); ++v)
    if (keep[v]) kept.push_back(v);
  if (kept.empty() && !variables.empty())
    throw InputError(fmt::format("{}: no column is left after selection", source));
  return kept;
}

void adopt_whole_table(Matrix<double> values, std::vector<std::string> names, const ReadOptions& options,
                       const std::string& source, RawTable& raw) {
  if (options.transpose) {
    Matrix<double> turned(values.cols(), values.rows());
    for (std::size_t r = 0; r < values.rows(); ++r)
      for (std::size_t c = 0; c < values.cols(); ++c) turned(c, r) = values(r, c);
    values = std::move(turned);
  }
  if (names.empty()) names = default_names(values.cols());
  if (names.size() != values.cols())
    throw InputError(fmt::format("{}: {} variable names for {} variables{}", source, names.size(),
                                 values.cols(),
                                 names.size() == values.rows() ? " (is the table transposed?)" : ""));
  raw.variables = std::move(names);
  raw.kept = choose_columns(raw.variables, options, source);
  if (raw.kept.size() == values.cols()) {
    raw.values = std::move(values);
    return;
  }
  raw.values = Matrix<double>(values.rows(), raw.kept.size());
  for (std::size_t r = 0; r < values.rows(); ++r)
    for (std::size_t c = 0; c < raw.kept.size(); ++c) raw.values(r, c) = values(r, raw.kept[c]);
}

std::uint64_t whole_table_memory(std::size_t rows, std::size_t columns, const ReadOptions& options) {
  constexpr std::uint64_t kNameBytes = 64;  // with its place in lists of columns
  const std::uint64_t variables = options.transpose ? rows : columns;
  const bool copied = options.transpose || !options.select.empty() || !options.exclude.empty();
  return variables * kNameBytes + (copied ? rows * columns * sizeof(double) : 0);
}

bool has_decimal_comma(std::string_view cell) {
  if (!cell.empty() && (cell.front() == '-' || cell.front() == '+')) cell.remove_prefix(1);
  const auto comma = cell.find(',');
  if (comma == cell.npos || comma + 1 == cell.size()) return false;
  const auto digits = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  std::string_view fraction = cell.substr(comma + 1);
  fraction = fraction.substr(0, fraction.find_first_of("eE"));
  return digits(cell.substr(0, comma)) && digits(fraction);
}

bool is_missing(std::string_view cell, const std::vector<std::string>& markers) {
  if (cell.empty()) return true;
  if (cell.size() <= 4) {
    std::string lower(cell);
    for (char& c : lower)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    for (const std::string_view known : {"na", "nan", "n/a", "null", "none"})
      if (lower == known) return true;
  }
  return std::find(markers.begin(), markers.end(), cell) != markers.end();
}

}  // namespace causcale

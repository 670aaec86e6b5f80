#include "data/raw_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "causcale/error.h"
#include "data/parse_number.h"
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

// But for capitals; `lower` has none.
bool same_letters(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

}  // namespace

std::vector<std::size_t> choose_columns(const std::vector<std::string>& variables, const ReadOptions& options,
                                        const std::string& source) {
  std::vector<char> keep(variables.size(), options.select.empty());
  for (const std::size_t v : find_variables(variables, options.select, source)) keep[v] = 1;
  for (const std::size_t v : find_variables(variables, options.exclude, source)) keep[v] = 0;
  std::vector<std::size_t> kept;
  for (std::size_t v = 0; v < variables.size(); ++v)
    if (keep[v]) kept.push_back(v);
  if (kept.empty() && !variables.empty())
    throw InputError(fmt::format("{}: no column is left after selection", source));
  return kept;
}

std::vector<std::size_t> find_variables(const std::vector<std::string>& variables,
                                        const std::vector<std::string>& wanted, const std::string& source) {
  std::vector<std::size_t> found;
  if (wanted.empty()) return found;
  std::unordered_map<std::string, std::size_t> by_name;
  for (std::size_t v = 0; v < variables.size(); ++v) by_name.emplace(variables[v], v);
  for (const std::string& name : wanted)
    found.push_back(find_column(name, by_name, variables.size(), source));
  return found;
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

std::string missing_hint(std::size_t complete_rows, std::size_t rows) {
  const std::string left =
      complete_rows == 0 ? "would leave no row" : fmt::format("leaves {} of {} rows", complete_rows, rows);
  return fmt::format("--missing drop {}, --missing mean fills in means and, among words, the most frequent",
                     left);
}

std::vector<double> numeric_markers(const std::vector<std::string>& markers) {
  std::vector<double> numbers;
  for (const std::string& marker : markers)
    if (double number; parse_number(marker, number)) numbers.push_back(number);
  return numbers;
}

bool is_missing(std::string_view cell, const std::vector<std::string>& markers) {
  return same_letters(cell, "none") || is_missing_word(cell, markers);
}

bool is_missing_word(std::string_view cell, const std::vector<std::string>& markers) {
  if (cell.empty()) return true;
  constexpr std::size_t kLongest = 8;
  if (cell.size() <= kLongest)
    for (const std::string_view known :
         {"na",      "nan",    "n/a",     "null",    "n.a.",  "<na>",   "nat",   "nil",
          "missing", "-",      "--",      "---",     ".",     "..",     "?",     "#n/a",
          "#na",     "#null!", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "\\n"})
      if (same_letters(cell, known)) return true;
  return std::find(markers.begin(), markers.end(), cell) != markers.end();
}

}  // namespace causcale

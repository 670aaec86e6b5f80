#include "methods/column_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "causcale/error.h"

namespace causcale {
namespace {

constexpr std::size_t kMostInferredLevels = 20;

// The different values, ascending, without missing ones; gives up beyond `most` of them.
std::vector<double> distinct_values(const Table& table, std::size_t column, std::size_t most) {
  std::vector<double> values;
  for (std::size_t r = 0; r < table.rows() && values.size() <= most; ++r) {
    const double value = table.values(r, column);
    if (std::isnan(value)) continue;
    const auto place = std::ranges::lower_bound(values, value);
    if (place == values.end() || *place != value) values.insert(place, value);
  }
  return values;
}

bool discrete_by_values(const Table& table, std::size_t column) {
  const std::vector<double> values = distinct_values(table, column, kMostInferredLevels);
  return values.size() <= kMostInferredLevels && 2 * values.size() <= table.rows() &&
         std::ranges::all_of(values, [](double value) { return value == std::floor(value); });
}

}  // namespace

bool is_discrete(const Table& table, std::size_t column) {
  if (table.kinds.size() != table.cols()) return discrete_by_values(table, column);
  switch (table.kinds[column]) {
    case ColumnKind::kBinary:
    case ColumnKind::kOrdered:
    case ColumnKind::kUnordered:
      return true;
    default:
      return false;
  }
}

std::vector<char> discrete_columns(const Table& table) {
  std::vector<char> result(table.cols(), 0);
  for (std::size_t c = 0; c < table.cols(); ++c)
    result[c] = is_discrete(table, c) && distinct_values(table, c, 1).size() > 1;
  return result;
}

TableKind table_kind(const Table& table) {
  bool discrete = false, continuous = false;
  for (std::size_t c = 0; c < table.cols(); ++c) {
    if (distinct_values(table, c, 1).size() < 2) continue;
    (is_discrete(table, c) ? discrete : continuous) = true;
  }
  if (discrete && continuous) return TableKind::kMixed;
  return discrete ? TableKind::kDiscrete : TableKind::kContinuous;
}

std::size_t missing_cells(const Table& table) {
  return static_cast<std::size_t>(
      std::ranges::count_if(table.values.values(), [](double value) { return std::isnan(value); }));
}

CodedColumn coded_column(const Table& table, std::size_t column, const std::string& purpose) {
  const std::vector<double> values = distinct_values(table, column, kMostLevels);
  if (values.size() > kMostLevels)
    throw InputError(fmt::format("{} needs discrete columns; \"{}\" has more than {} different values",
                                 purpose, table.names[column], kMostLevels));
  CodedColumn result;
  result.levels = static_cast<int>(values.size());
  result.codes.resize(table.rows());
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const double value = table.values(r, column);
    result.missing |= std::isnan(value);
    result.codes[r] =
        std::isnan(value)
            ? static_cast<std::uint8_t>(result.levels)
            : static_cast<std::uint8_t>(std::ranges::lower_bound(values, value) - values.begin());
  }
  return result;
}

}  // namespace causcale

#include "data/column_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "causcale/error.h"

namespace causcale {
namespace {

// "colour_red", "colour_green" -> 7: up to and with the last mark of punctuation that all share.
std::size_t common_prefix(const std::vector<std::string>& names) {
  std::size_t length = names.front().size();
  for (const std::string& name : names)
    length = static_cast<std::size_t>(
        std::mismatch(
            name.begin(), name.end(), names.front().begin(),
            names.front().begin() + static_cast<std::ptrdiff_t>(std::min(length, names.front().size())))
            .first -
        name.begin());
  const auto shortest = std::min_element(names.begin(), names.end(), [](const auto& a, const auto& b) {
                          return a.size() < b.size();
                        })->size();
  length = std::min(length, shortest == 0 ? 0 : shortest - 1);  // no level is left without a name
  while (length > 0 && std::string_view("_.=:- /").find(names.front()[length - 1]) == std::string_view::npos)
    --length;
  return length;
}

}  // namespace

GroupColumn read_column_group(const RawTable& raw, const ColumnGroup& group, const std::string& source) {
  GroupColumn result;
  result.name = group.name;
  for (const std::size_t variable : find_variables(raw.variables, group.members, source)) {
    const auto place = std::find(raw.kept.begin(), raw.kept.end(), variable);
    if (place == raw.kept.end())
      throw UsageError(fmt::format("group {}: column {} is not among the selected ones",
                                   quoted_excerpt(group.name), quoted_excerpt(raw.variables[variable])));
    result.members.push_back(static_cast<std::size_t>(place - raw.kept.begin()));
  }
  std::sort(result.members.begin(), result.members.end());
  if (std::adjacent_find(result.members.begin(), result.members.end()) != result.members.end())
    throw UsageError(fmt::format("group {}: a column is named twice", quoted_excerpt(group.name)));
  const auto is_member = [&](std::size_t column) {
    return std::binary_search(result.members.begin(), result.members.end(), column);
  };
  for (std::size_t c = 0; c < raw.kept.size(); ++c)
    if (raw.variables[raw.kept[c]] == group.name && !is_member(c))
      throw UsageError(
          fmt::format("group {}: another column has that name already", quoted_excerpt(group.name)));

  std::vector<std::string> names;
  for (const std::size_t member : result.members) names.push_back(raw.variables[raw.kept[member]]);
  const std::size_t prefix = common_prefix(names);
  for (const std::string& name : names) result.levels.push_back(name.substr(prefix));

  const auto place = [&](std::size_t row) {
    return raw.line_of_row.empty() ? fmt::format("{}: row {}", source, row + 1)
                                   : fmt::format("{}:{}", source, raw.line_of_row[row]);
  };
  const auto other = static_cast<double>(names.size());
  bool others = false;
  for (std::size_t r = 0; r < raw.values.rows(); ++r) {
    double value = other;
    bool missing = false;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const double cell = raw.values(r, result.members[k]);
      missing = missing || std::isnan(cell);
      if (!std::isnan(cell) && cell != 0.0 && cell != 1.0)
        throw InputError(fmt::format("{}: column {} of the group {} holds {:g}; 0 and 1 are accepted",
                                     place(r), quoted_excerpt(names[k]), quoted_excerpt(group.name), cell));
      if (cell != 1.0) continue;
      if (value != other)
        throw InputError(
            fmt::format("{}: columns {} and {} of the group {} are both 1; a row has one category", place(r),
                        quoted_excerpt(names[static_cast<std::size_t>(value)]), quoted_excerpt(names[k]),
                        quoted_excerpt(group.name)));
      value = static_cast<double>(k);
    }
    if (missing && value == other) value = std::numeric_limits<double>::quiet_NaN();
    others = others || value == other;
    result.values.push_back(value);
  }
  if (others) result.levels.emplace_back("other");
  return result;
}

}  // namespace causcale

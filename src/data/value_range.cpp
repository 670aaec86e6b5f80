#include "data/value_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/excerpt.h"
#include "causcale/error.h"

namespace causcale {

std::string RangeFault::hint() const {
  return large ? "where it marks a missing value, name it with --missing-marker, else divide the column by a "
                 "constant"
               : "multiply them by a constant";
}

std::vector<RangeFault> range_faults(const Table& table) {
  const Matrix<double>& values = table.values;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<double> least(values.cols(), kNone), most(values.cols(), -kNone);
  for (std::size_t r = 0; r < values.rows(); ++r)
    for (std::size_t c = 0; c < values.cols(); ++c) {
      const double value = values(r, c);
      if (!std::isfinite(value)) continue;
      least[c] = std::min(least[c], value);
      most[c] = std::max(most[c], value);
    }
  std::vector<RangeFault> faults;
  for (std::size_t c = 0; c < values.cols(); ++c) {
    if (!(most[c] > least[c]) && std::abs(least[c]) <= kLargestUsable) continue;  // a constant, or no value
    if (most[c] == -kNone) continue;
    if (std::max(std::abs(least[c]), std::abs(most[c])) > kLargestUsable) {
      std::size_t r = 0;
      while (!(std::isfinite(values(r, c)) && std::abs(values(r, c)) > kLargestUsable)) ++r;
      faults.push_back({c, true, r, values(r, c)});
    } else if (most[c] - least[c] < kLeastUsableSpread) {
      faults.push_back({c, false, 0, most[c] - least[c]});
    }
  }
  return faults;
}

void require_value_range(const Table& table, const std::string& where) {
  const Matrix<double>& values = table.values;
  for (std::size_t r = 0; r < values.rows(); ++r)
    for (std::size_t c = 0; c < values.cols(); ++c)
      if (std::isinf(values(r, c)))
        throw InputError(fmt::format("{}row {}, column {}: the value is infinite", where, r + 1,
                                     quoted_excerpt(table.names[c])));
  for (const RangeFault& fault : range_faults(table)) {
    const std::string name = quoted_excerpt(table.names[fault.column]);
    throw InputError(
        fault.large
            ? fmt::format("{}row {}, column {}: {:g} is too large to compute with (more than {:g}): {}",
                          where, fault.row + 1, name, fault.value, kLargestUsable, fault.hint())
            : fmt::format("{}column {}: its values lie within {:g}, too close to compute with: {}", where,
                          name, fault.value, fault.hint()));
  }
}

}  // namespace causcale

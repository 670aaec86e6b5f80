#include "methods/shift/shift_rows.h"

#include <algorithm>
#include <cmath>

namespace causcale {

ShiftRows::ShiftRows(const Dataset& dataset) : interventions_(dataset.interventions) {
  const std::size_t rows = dataset.table.rows(), n = dataset.table.cols();
  treated_.resize(n);
  std::vector<char> alone(n, 0);  // some rows have this target and no other
  for (const int regime : interventions_.regime_of_row)
    if (interventions_.regimes[regime].size() == 1) alone[interventions_.regimes[regime].front()] = 1;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::vector<int>& targets = targets_of(r);
    if (targets.empty()) free_.push_back(r);
    for (const int target : targets)
      if (targets.size() == 1 || !alone[target]) treated_[target].push_back(r);
  }
}

std::vector<std::size_t> ShiftRows::control(int target) const {
  if (has_control()) return free_;
  std::vector<std::size_t> result;
  for (std::size_t r = 0; r < interventions_.regime_of_row.size(); ++r)
    if (!sets(r, target)) result.push_back(r);
  return result;
}

bool ShiftRows::sets(std::size_t row, int target) const {
  return std::ranges::binary_search(targets_of(row), target);
}

std::vector<double> ShiftRows::values(const Table& table, int column,
                                      const std::vector<std::size_t>& rows) const {
  std::vector<double> values;
  for (const std::size_t r : rows)
    if (!sets(r, column) && !std::isnan(table.values(r, static_cast<std::size_t>(column))))
      values.push_back(table.values(r, static_cast<std::size_t>(column)));
  return values;
}

}  // namespace causcale

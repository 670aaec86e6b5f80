// Which values can be computed with: sums of their squares have to be numbers, and not zero.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "causcale/table.h"

namespace causcale {

// So that sums of products of two values over any number of rows stay far inside the range of double
// precision (2e-308 to 1.8e308).
inline constexpr double kLargestUsable = 1e140, kLeastUsableSpread = 1e-140;

// A column with a value beyond kLargestUsable, or, if it is no constant, with values closer together than
// kLeastUsableSpread.
struct RangeFault {
  std::size_t column = 0;
  bool large = false;
  std::size_t row = 0;  // of the first such value
  double value = 0.0;   // that value, or the distance of the least and the largest
  std::string hint() const;
};
// Missing and infinite values pass.
std::vector<RangeFault> range_faults(const Table& table);

// Throws InputError, naming row and column, at the first infinite value or fault. `where` stands before them.
void require_value_range(const Table& table, const std::string& where = "");

}  // namespace causcale

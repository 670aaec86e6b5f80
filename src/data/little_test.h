// Are the gaps of a table there completely at random? Little's test (JASA 83, 1988): the means of every
// pattern of gaps against those that all rows together imply, by a normal model fitted to all observed cells.
// Columns enter by their ranks, as normal quantiles, so that long tails are not taken for a pattern.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "causcale/table.h"

namespace causcale {

struct LittleTest {
  double statistic = 0.0, degrees = 0.0, p = 1.0;
  std::size_t columns = 0, rows = 0, patterns = 0;  // that it looked at
};

// Over at most twelve columns, those with most gaps first, and 2000 evenly spaced rows; columns of categories
// without an order, and constant ones, are left out. Nothing where that leaves no gaps, or fewer than two
// columns or 30 rows.
std::optional<LittleTest> little_test(const Table& table, const std::vector<ColumnKind>& kinds);

}  // namespace causcale

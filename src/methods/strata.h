// Rows grouped by the values of some discrete columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "methods/column_codes.h"

namespace causcale {

// Groups are numbered by first appearance, so that there are never more of them than rows.
struct Strata {
  std::vector<std::uint32_t> of_row;  // `count` for a row with a missing value
  std::uint32_t count = 0;

  // All rows in one group.
  explicit Strata(std::size_t rows) : of_row(rows, 0), count(1) {}
  Strata() = default;

  // Splits every group by the values of one more column; `finer` may be reused between calls.
  void refine(const CodedColumn& column, Strata& finer) const;
};

Strata strata_of(std::span<const CodedColumn> columns, std::span<const int> members, std::size_t rows);

}  // namespace causcale

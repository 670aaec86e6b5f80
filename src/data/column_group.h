// Indicator columns, one per category, as the one variable that they stand for.
#pragma once

#include <string>
#include <vector>

#include "data/raw_table.h"

namespace causcale {

struct GroupColumn {
  std::string name;
  std::vector<std::size_t> members;  // columns of raw.values, ascending
  std::vector<std::string> levels;   // the members' names without what they all begin with
  std::vector<double> values;        // one per row; NaN: a member is missing
};

// Rows without a 1 are a category of their own, "other". Throws InputError naming the line where a member is
// neither 0 nor 1 or two are 1.
GroupColumn read_column_group(const RawTable& raw, const ColumnGroup& group, const std::string& source);

}  // namespace causcale

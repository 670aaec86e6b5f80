// Counts are shown to some models as logarithms, log(1 + x): their tails are so long that a few cells would
// drown the rest. Which models, stands in their cards.
#pragma once

#include <optional>
#include <string>

#include "causcale/discover.h"

namespace causcale {

struct TransformChoice {
  bool logarithm = false;
  // When the model wants logarithms and the table does not look like counts, or takes values as they are and
  // most columns are counts.
  std::optional<Remark> remark;
};

// What the user asked for; when that is kAuto, what the model wants, unless the values are negative or look
// like logarithms already.
TransformChoice choose_transform(ValueTransform asked, ValueTransform of_model, const Table& table);

// Chooses and, where logarithms are chosen, takes them.
TransformChoice transform_values(ValueTransform asked, ValueTransform of_model, Table& table);

// log(1 + x) of every value. Throws InputError, naming row and column, where that does not exist. `where`
// stands before the row, `advice` at the end.
void take_logarithms(Table& table, const std::string& where = "",
                     const std::string& advice = "leave out --transform log1p");
// Likewise, of a table that a stored result is confronted with, which says that logarithms were taken.
void take_logarithms_as_stored(Table& table, const std::string& where = "");
// That error alone.
void require_logarithms(const Table& table, const std::string& where, const std::string& advice);

}  // namespace causcale

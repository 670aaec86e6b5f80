// Observations and the interventions under which they were made.
#pragma once

#include <string>
#include <vector>

#include "causcale/matrix.h"

namespace causcale {

// What the numbers of a column mean.
enum class ColumnKind {
  kContinuous,
  kCount,       // whole numbers from 0 on, many of them
  kBinary,      // two values
  kOrdered,     // a few values in an order
  kUnordered,   // categories
  kConstant,    // one value
  kIdentifier,  // a name or number of the row: no variable
  kDate,
};

// Rows are samples, columns are variables.
struct Table {
  std::vector<std::string> names;  // one per column
  Matrix<double> values;           // [m, n]; NaN: missing
  // One per column; empty: nobody has looked.
  std::vector<ColumnKind> kinds = {};
  // The words of a column that was text: its value k stands for levels[column][k]. Empty, as a whole or for a
  // column: the values are numbers.
  std::vector<std::vector<std::string>> levels = {};

  std::size_t rows() const { return values.rows(); }
  std::size_t cols() const { return values.cols(); }
};

// Every way of writing interventions down ends in this form: a list of distinct regimes, each the sorted
// set of columns intervened on (empty = observational), and the regime of every row.
struct Interventions {
  std::vector<std::vector<int>> regimes;
  std::vector<int> regime_of_row;

  // No row is intervened on. A default-constructed value means that, too.
  bool observational() const {
    for (int regime : regime_of_row)
      if (!regimes[regime].empty()) return false;
    return true;
  }
};

struct Dataset {
  Table table;
  Interventions interventions;
};

}  // namespace causcale

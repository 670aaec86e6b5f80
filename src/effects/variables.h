// The columns of a table as regressions see them, and the rows that an intervention leaves usable.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "causcale/table.h"
#include "effects/regression.h"

namespace causcale {

enum class VariableForm {
  kNumber,      // a quantity, or categories in an order
  kTwoValues,   // 0 and 1 stand for the smaller and the larger
  kCategories,  // without an order: one indicator for every category but the first
  kConstant,
};

struct Variable {
  VariableForm form = VariableForm::kConstant;
  std::vector<Column> columns;  // one; of categories all but one; of a constant none
};

class EffectTable {
 public:
  // Looks at the data set, which has to outlive it. Kinds are taken from the values where nobody has said.
  explicit EffectTable(const Dataset& dataset);

  const Dataset& dataset() const { return dataset_; }
  std::size_t rows() const { return dataset_.table.rows(); }
  ColumnKind kind(int column) const { return kinds_[static_cast<std::size_t>(column)]; }
  // In the given rows; a column that has two different values there counts as one of two values.
  Variable variable(int column, std::span<const std::size_t> rows) const;

  // Is a number in every one of these columns?
  bool complete(std::size_t row, std::span<const int> columns) const;
  bool intervened(std::size_t row, int variable) const;
  // The variables intervened on in a row, ascending.
  std::span<const int> targets(std::size_t row) const;
  bool experimental() const { return experimental_; }

 private:
  const Dataset& dataset_;
  std::vector<ColumnKind> kinds_;
  bool experimental_ = false;  // there are interventions at all
};

// More rows change nothing that matters: evenly spaced ones are looked at.
inline constexpr std::size_t kMostEffectRows = 100'000;
std::vector<std::size_t> spaced_rows(std::vector<std::size_t> rows, std::size_t most = kMostEffectRows);

}  // namespace causcale

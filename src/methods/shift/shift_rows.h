// Which rows of a table tell what interventions on a variable do.
#pragma once

#include <cstddef>
#include <vector>

#include "causcale/table.h"

namespace causcale {

// For every variable the rows in which it was intervened on, and those to compare them with. The data set has
// to outlive it, and has at least one row under an intervention.
class ShiftRows {
 public:
  explicit ShiftRows(const Dataset& dataset);

  // Enough rows are without any intervention.
  bool has_control() const { return free_.size() >= kLeastControl; }
  // Those in which nothing else was intervened on, where there are any.
  const std::vector<std::size_t>& treated(int target) const { return treated_[target]; }
  // Rows without any intervention; where those are few, all in which this one was left alone.
  std::vector<std::size_t> control(int target) const;
  bool sets(std::size_t row, int target) const;

  // What a column has in those of the rows in which it was not set itself; missing cells are left out.
  std::vector<double> values(const Table& table, int column, const std::vector<std::size_t>& rows) const;

 private:
  static constexpr std::size_t kLeastControl = 5;
  const std::vector<int>& targets_of(std::size_t row) const {
    return interventions_.regimes[interventions_.regime_of_row[row]];
  }

  const Interventions& interventions_;
  std::vector<std::vector<std::size_t>> treated_;
  std::vector<std::size_t> free_;
};

}  // namespace causcale

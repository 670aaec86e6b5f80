// Counting what a test of discrete variables needs: a table of x and y in every stratum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "methods/constraint/contingency_test.h"
#include "methods/strata.h"

namespace causcale {

// x and y as one code per row, and the sums over the strata. Holds its memory between tests.
class ContingencyTable {
 public:
  ContingencyTable(const CodedColumn& x, const CodedColumn& y, ContingencyStatistic statistic,
                   std::span<const double> n_log_n);

  ContingencyValue of(const Strata& strata);
  // In the strata split by one more column.
  ContingencyValue of(const Strata& strata, const CodedColumn& last);

 private:
  ContingencyValue of_few_cells(const Strata& strata, const CodedColumn* last);
  ContingencyValue of_many_cells(const Strata& strata);
  void add_block(const std::uint32_t* counts, ContingencyValue& value);
  void add_rows(std::span<const std::uint16_t> rows, ContingencyValue& value);

  const CodedColumn& x_;
  const CodedColumn& y_;
  ContingencyStatistic statistic_;
  std::span<const double> n_log_n_;
  std::size_t cells_;                  // of x and y, missing ones included
  std::vector<std::uint16_t> both_;    // x * width of y + y
  std::vector<std::uint32_t> counts_;  // some copies, so that equal rows in a row do not wait for each other
  std::vector<std::uint32_t> x_counts_, y_counts_;
  std::vector<std::uint32_t> begin_;  // of every stratum in sorted_
  std::vector<std::uint16_t> sorted_;
  Strata finer_;
};

}  // namespace causcale

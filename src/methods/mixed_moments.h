// Conditional Gaussian models of mixed variables: in every combination of values of the discrete ones the
// continuous ones are Gaussian, with a mean and a covariance of their own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causcale/table.h"
#include "methods/column_codes.h"

namespace causcale {

struct MixedColumns {
  std::vector<char> discrete;                   // one per column
  std::vector<CodedColumn> codes;               // of the discrete columns
  std::vector<std::vector<double>> continuous;  // of the others: mean 0, variance 1; empty: no variation
  std::size_t rows = 0;
  bool missing = false;

  bool constant(int column) const { return !discrete[column] && continuous[column].empty(); }
};
MixedColumns mixed_columns(const Table& table, std::span<const char> discrete);

// Sums over the rows of one combination of values of the discrete members.
struct CellMoments {
  std::vector<std::uint16_t> key;  // codes, in the order of the discrete members
  double rows = 0.0;
  std::vector<double> sums;      // of the continuous members
  std::vector<double> products;  // lower triangle, row by row
};

// Members of a set in the order in which the cells hold them.
struct MixedMembers {
  std::vector<int> discrete, continuous;
};
MixedMembers split_members(const MixedColumns& columns, std::span<const int> members);

// Over the rows that miss none of the members, apart from those with skip[row] set (may be empty).
std::vector<CellMoments> cell_moments(const MixedColumns& columns, const MixedMembers& members,
                                      std::span<const char> skip = {});

// The cells of fewer members: `discrete` and `continuous` are positions within those of the finer cells.
std::vector<CellMoments> coarser_cells(const std::vector<CellMoments>& cells, std::span<const int> discrete,
                                       std::span<const int> continuous);

// log det of a cell's covariance (divisor: its rows) around its own mean; variances that the members before
// explain up to `floor` count as `floor`, and `last_determined` tells whether that was so for the last one.
double log_determinant(const CellMoments& cell, double floor, bool* last_determined = nullptr);

}  // namespace causcale

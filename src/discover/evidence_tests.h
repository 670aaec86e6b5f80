// Whether two columns have anything to do with each other, by tests that need no model: from ranks and
// groups, so that units, outliers and monotone transformations do not matter.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "causcale/table.h"

namespace causcale {

// A column over some of the rows, as the tests see it.
struct TestColumn {
  bool discrete = false;
  bool ordered = true;          // larger means more: false for categories
  std::vector<double> scores;   // normal scores of the mean ranks, mean 0, variance 1; zeros for a constant
  std::vector<double> squares;  // of the scores, likewise standardised: large at both ends
  std::vector<int> codes;       // of the value; of a continuous column the bin of its rank
  int levels = 0;               // codes are below it
};

TestColumn test_column(const Table& table, std::size_t column, bool discrete,
                       std::span<const std::size_t> rows);

inline constexpr std::size_t kFewestTestedRows = 10;

// P value of independence; NaN below kFewestTestedRows rows or when a column is constant. The smallest of
// several tests, times their number:
//   two continuous columns  correlation of scores, of scores with squares, of squares; chi-square over bins
//   one discrete            Kruskal-Wallis on scores and on squares; correlation of scores if ordered
//   both discrete           G2; correlation of scores if ordered
double independence_p(const TestColumn& a, const TestColumn& b);

// P value of the values being alike in the rows with moved[r] and in the others, in place and in spread; NaN
// where either group has fewer than two rows or all together fewer than kFewestTestedRows.
double shift_p(const TestColumn& column, std::span<const char> moved);

// Benjamini and Hochberg's q values; NaN stays NaN and does not count.
std::vector<double> false_discovery_rates(std::span<const double> p);

}  // namespace causcale

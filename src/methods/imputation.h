// Missing cells filled in, for whoever needs a number in every cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "causcale/table.h"

namespace causcale {

// Every missing cell is drawn from what the other cells of its row let expect: by a linear regression on the
// related columns that the row has, plus the residual of another row; among categories by the probabilities
// of such regressions. Values stay among those that the column has where it is no continuous one. Relations
// are thus neither weakened, as by means, nor made up. Tables wider than kWidestRegressions get means (among
// categories the most frequent value).
//
// A pure function of the table and the seed, which neither the order of the rows nor that of the columns
// changes. Throws InputError naming a column without any value.
Dataset with_imputed_cells(const Dataset& dataset, std::uint64_t seed, int threads);

// Columns, indicators of categories counted one by one.
inline constexpr std::size_t kWidestRegressions = 1000;

// "80 missing cells: filled in by ...", for logs and reports.
std::string imputation_sentence(const Dataset& dataset);
inline constexpr const char* kImputationHint =
    "--missing drop leaves out rows with a gap, --missing mean fills in the means";

// Throws InputError naming the first column without any value.
void require_some_value(const Table& table);

}  // namespace causcale

// What the methods that train networks share: their settings, their rows, and the pairs that they may link.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "causcale/discover.h"
#include "causcale/knowledge.h"
#include "causcale/table.h"
#include "methods/method.h"

namespace causcale {

// The setting "device": auto, cpu or cuda. Throws UsageError when it is not there.
MethodSetting device_setting();
Device device_choice(const MethodOptions& options);

// The setting "standardize": yes or no. Columns are centred in either case.
bool standardize_setting(const MethodOptions& options, bool fallback);
Matrix<double> centred_values(const Table& table, bool standardized);

// All rows, shuffled and split: the last `share` of them (none when that would leave fewer than two rows on
// either side) are kept for validation.
struct RowSplit {
  std::vector<int> training, validation;
};
RowSplit split_rows(RandomStream& random, std::size_t rows, double share);

// (i, j) = 1: what is known lets i cause j, and both vary; a constant column can neither cause nor be caused.
Matrix<std::uint8_t> possible_pairs(const Table& table, const Knowledge& knowledge);

}  // namespace causcale

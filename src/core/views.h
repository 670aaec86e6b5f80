// A causal graph does not care whether a variable is measured upwards or downwards. The network has to learn
// that and does so imperfectly, so it may be shown a table several times, with some columns mirrored (x ->
// -x), and its answers averaged. How often is best for a model, stands in the weight file's metadata (views =
// "4"); models of counts, which have no mirror image, see a table once.
#pragma once

#include <vector>

#include "causcale/table.h"

namespace causcale {

// +1 or -1 for every column; view 0 is the table as it is. What a later one mirrors depends on the columns'
// content alone: neither their order, names or units nor, with the rows in canonical order, that of the rows
// plays a part.
std::vector<float> view_signs(const Table& table, int view);

}  // namespace causcale

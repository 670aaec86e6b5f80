// A causal graph does not care whether a variable is measured upwards or downwards. The network has to learn
// that and does so imperfectly, so it may be shown a table several times, with some columns mirrored (x ->
// -x), and its answers averaged. How often is best for a model, stands in the weight file's metadata (views =
// "4"); models of counts, which have no mirror image, see a table once.
#pragma once

#include <span>
#include <vector>

#include "causcale/table.h"
#include "model/causcale.h"
#include "model/checkpoint.h"

namespace causcale {

// +1 or -1 for every column; view 0 is the table as it is. What a later one mirrors depends on the columns'
// content alone: neither their order, names or units nor, with the rows in canonical order, that of the rows
// plays a part.
std::vector<float> view_signs(const Table& table, int view);

// The input made of the tables as views show it, all tables of the first view, then all of the next: the sign
// of a mirrored column turns in the data and in the prior.
ModelInput mirrored(const ModelInput& input, std::span<const Dataset> tables, std::span<const int> views);

// What the model's metadata say; 1 where they are silent.
int usual_views(const Model& model);
constexpr int kMostViews = 1000;

}  // namespace causcale

// Ranks as normal scores: what a Gaussian copula (nonparanormal) model of a table needs.
#pragma once

#include "causcale/table.h"

namespace causcale {

// Every value becomes the standard normal quantile of its mean rank / (count + 1) within its column; missing
// values stay missing.
Table with_normal_scores(const Table& table);

}  // namespace causcale

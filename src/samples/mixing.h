// How well several Markov chains agree, and how much their values depend on those before them.
#pragma once

#include "causcale/matrix.h"

namespace causcale {

struct Mixing {
  double effective = 0.0;  // independent values that all of them are worth together; at most their number
  double scale_reduction = 1.0;  // spread of all values over that within chains (Gelman and Rubin)
};

// One row per chain. Autocorrelations are added up in pairs until a pair is negative (Geyer 1992).
Mixing judge_mixing(const Matrix<double>& values);

}  // namespace causcale

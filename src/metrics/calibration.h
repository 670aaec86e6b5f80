// Calibration: do edges predicted with probability p exist with frequency p?
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "causcale/graph.h"
#include "causcale/matrix.h"
#include "graph/sparse_scores.h"

namespace causcale {

struct CalibrationBin {
  std::size_t pairs = 0;
  double mean_probability = 0.0;
  double frequency = 0.0;
};

struct Calibration {
  double expected_error = 0.0;  // ECE: mean over pairs of |mean probability - frequency| of the pair's bin
  double maximum_error = 0.0;   // the largest such gap of a non-empty bin
  double brier = 0.0;           // mean squared difference between probability and truth
  std::vector<CalibrationBin> bins;
};

// Over ordered pairs, in bins of equal width (lower edge included, 1 belongs to the last). Scores outside [0,
// 1] are no probabilities and throw InputError.
Calibration calibration(const Matrix<double>& probabilities, const Digraph& truth, int bins = 10);
// Pairs without an entry have probability 0.
Calibration calibration(const SparseScores& probabilities, const Digraph& truth, int bins = 10);

// The same over pairs of any number of data sets; truth is 0 or 1.
Calibration calibration(std::span<const double> probabilities, std::span<const unsigned char> truth,
                        int bins = 10);

}  // namespace causcale

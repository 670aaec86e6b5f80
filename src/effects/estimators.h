// Estimates of a total effect once it is known what to adjust for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "effects/regression.h"

namespace causcale {

// The rows of one estimate. Cause and outcome are numbers; of two values, 0 and 1.
struct EffectSample {
  Column cause, outcome;
  std::vector<Column> covariates;
  bool two_valued_cause = false;
  // The rows that an average is taken over, where these are not all; the others only help to fit.
  std::vector<char> averaged = {};

  std::size_t rows() const { return cause.size(); }
};

struct SizeEstimate {
  double size, low, high;  // NaN: not estimable
};

// The coefficient of the cause in a regression on cause and covariates; HC3.
SizeEstimate linear_estimate(const EffectSample& sample);

// Two-valued cause only. Augmented inverse probability weighting: a logistic model of the cause, a linear one
// of the outcome in either group; right if either model is. Probabilities are kept between 0.01 and 0.99.
SizeEstimate doubly_robust_estimate(const EffectSample& sample);

// The average derivative (two-valued cause: the average contrast) of a smooth regression on random cosine
// features, corrected by its own estimate of the Riesz representer, both from the other folds: no straight
// line is assumed, and shrinkage does not bias it to first order.
SizeEstimate flexible_estimate(const EffectSample& sample, std::uint64_t seed);

// Mediators between cause and outcome: effect of the cause on each times that of each on the outcome, given
// the others and the cause.
SizeEstimate front_door_estimate(const EffectSample& sample, const std::vector<Column>& mediators);

// The change of the outcome per change of the cause where both change with the instrument, given the
// covariates.
struct InstrumentEstimate : SizeEstimate {
  double strength;  // F statistic of the instrument in a regression of the cause
};
InstrumentEstimate instrument_estimate(const EffectSample& sample, const Column& instrument);

// Rows of an experiment on the cause against rows without: change of the outcome per change of the cause. NaN
// when the cause did not clearly move (three standard errors).
SizeEstimate experiment_estimate(std::span<const double> cause_there, std::span<const double> outcome_there,
                                 std::span<const double> cause_here, std::span<const double> outcome_here);

}  // namespace causcale

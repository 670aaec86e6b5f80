// How sure is an edge of a method other than the network? The method repeated on rows drawn anew.
#pragma once

#include <functional>

#include "methods/to_result.h"

namespace causcale {

// A method, or several combined, with its settings.
using MethodRun = std::function<MethodResult(const Dataset& dataset, const MethodOptions& options)>;

// For every ordered pair, how far a graph speaks for source -> target: 1 where the edge has an arrowhead at
// the target alone, 1/2 where its marks leave the direction open or are the same at both ends. The sum of
// both directions is 1 for joined pairs.
Matrix<double> direction_votes(const MixedGraph& graph);

// Fills the result's bootstrap, bootstrap_mean, bootstrap_deviation (of the scores) and selection_frequency
// (the mean of direction_votes over the repetitions, before cycles are broken). Rows are drawn within every
// regime. Missing cells that the method cannot take are filled in anew in each repetition, so that their
// doubt is in the figures (multiple imputation). Repetitions that fail are left out and counted in the log.
// options.seconds is for all of them: when it is up, the figures are those of the repetitions that were done,
// which the log says, or OutOfTime is thrown where they are fewer than two.
void bootstrap_method(const MethodRun& run, const Dataset& dataset, const MethodOptions& options,
                      const EdgeSelection& selection, int repetitions, MethodOutcome& outcome);

}  // namespace causcale

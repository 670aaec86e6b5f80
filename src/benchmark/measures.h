// Every figure of merit of one prediction, under the names by which results are stored.
#pragma once

#include <map>
#include <span>
#include <string>

#include "causcale/graph.h"
#include "causcale/matrix.h"
#include "methods/method.h"

namespace causcale {

// Shares lie between 0 and 1; NaN where something is undefined.
using Measures = std::map<std::string, double>;

// From the scores: map, auc, oa, skeleton_map (skeleton_average_precision). From the guessed graph: shd, f1
// (of directed edges), predicted_edges, cyclic. After breaking its cycles: removed_edges, shd_acyclic and,
// where the truth has no cycle, ancestor_aid, oset_aid, parent_aid. About the truth: nodes, edges.
// `feedback`: see skeleton_average_precision.
Measures measure_prediction(const Matrix<double>& scores, const Digraph& guess, const Digraph& truth,
                            int threads, const Matrix<double>& feedback = {});

// Of probabilities: ece (expected calibration error), and of every bin the number of ordered pairs, of true
// edges among them and their sum of probabilities, so that data sets can be pooled.
Measures calibration_measures(const Matrix<double>& probabilities, const Digraph& truth);
// The expected calibration error over the pairs of all data sets together; those without bins are left out.
// NaN when none has any.
double pooled_calibration_error(std::span<const Measures> of_sets);

// The graph by which a competing method is judged. Edges of unknown direction count in both directions
// (what a symmetric answer gets in the paper), an arrow with a circle at its tail counts as directed, a
// common cause is no edge. Methods that only score pairs keep the best e / n^2 of all entries, e edges being
// in the truth: the paper's rule.
Digraph judged_graph(const MethodResult& result, const Digraph& truth);

}  // namespace causcale

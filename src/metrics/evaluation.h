// Every metric at once: how good is a matrix of edge scores, given the true graph?
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "causcale/graph.h"
#include "causcale/matrix.h"
#include "graph/graph_file.h"
#include "metrics/aid.h"
#include "metrics/calibration.h"
#include "metrics/cyclicity.h"
#include "metrics/precision_recall.h"

namespace causcale {

inline constexpr std::size_t kMostOsetPairs = 1'000'000;

struct AdjustmentDistances {
  AdjustmentDistance ancestor;
  // Absent where the guess joins more than kMostOsetPairs pairs by directed paths: each takes a search.
  std::optional<AdjustmentDistance> oset;
  AdjustmentDistance parent;
};

// What a prediction that scores some ordered pairs only says about the truth.
struct ListedPairs {
  std::size_t scored = 0;      // ordered pairs with a score
  std::size_t all = 0;         // ordered pairs
  std::size_t true_edges = 0;  // of which at least one direction has a score
  std::size_t oriented = 0;    // of those, scored above their reversal
};

// NaN marks what is undefined (an average precision without true edges, say).
struct Evaluation {
  int nodes = 0;
  double threshold = 0.5;
  std::size_t true_edges = 0;
  std::size_t predicted_edges = 0;  // scores above the threshold

  // From the raw scores.
  double average_precision = 0.0;
  double auc = 0.0;
  double orientation_accuracy = 0.0;
  std::optional<Calibration> calibration;  // absent when scores leave [0, 1] or are not all known
  std::optional<ListedPairs> listed;       // present when they are not all known

  // Of a sparse matrix: pairs that have an entry; the others counted as 0.
  std::optional<std::size_t> stored_pairs;

  // From the thresholded graph.
  std::size_t shd = 0;
  PrecisionRecall skeleton;
  PrecisionRecall direction;
  Cyclicity cyclicity;

  // From the thresholded graph after cycle breaking.
  std::size_t removed_edges = 0;
  std::size_t shd_acyclic = 0;
  std::optional<AdjustmentDistances> aid;  // absent when the truth has cycles
  std::optional<std::size_t> sid;
};

// Entry (i, j) of `scores` is the score of i -> j; the diagonal is ignored. Edges are scores > threshold.
// Scores that are not numbers, or a matrix of another size than the truth, throw InputError.
Evaluation evaluate(const Matrix<double>& scores, const Digraph& truth, double threshold = 0.5,
                    int threads = 1);
// Pairs without an entry score 0, and no n x n matrix is made. The threshold must not be negative.
Evaluation evaluate(const SparseScores& scores, const Digraph& truth, double threshold = 0.5,
                    int threads = 1);

// The same when `scores` comes from a list of edges that leaves ordered pairs out: those that it leaves out
// are no edges, but where they stand in the ranking is not known. Average precision, AUC and calibration,
// which need the score of every pair, are undefined; so is the orientation accuracy unless each true edge has
// a score in at least one direction. A direction without a score counts as lower than one with.
Evaluation evaluate_partial(const Matrix<double>& scores, const PartialScores& known, const Digraph& truth,
                            double threshold = 0.5, int threads = 1);
Evaluation evaluate_partial(const SparseScores& scores, const SparseScores& known, const Digraph& truth,
                            double threshold = 0.5, int threads = 1);

nlohmann::json to_json(const Evaluation& evaluation);
std::string to_table(const Evaluation& evaluation);

}  // namespace causcale

#include "metrics/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "causcale/error.h"
#include "graph/convert.h"
#include "graph/cycles.h"
#include "graph/order.h"
#include "metrics/auc.h"
#include "metrics/average_precision.h"
#include "metrics/orientation_accuracy.h"
#include "metrics/shd.h"

namespace causcale {

namespace {

void require_scores(const Matrix<double>& scores, const Digraph& truth) {
  const std::size_t n = truth.nodes();
  if (scores.rows() != n || scores.cols() != n)
    throw InputError(fmt::format("the true graph has {} nodes, the score matrix is {} x {}", n, scores.rows(),
                                 scores.cols()));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j && std::isnan(scores(i, j)))
        throw InputError(fmt::format("the score in row {}, column {} is not a number", i + 1, j + 1));
}

bool are_probabilities(const Matrix<double>& scores) {
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t j = 0; j < scores.cols(); ++j)
      if (i != j && !(scores(i, j) >= 0.0 && scores(i, j) <= 1.0)) return false;
  return true;
}

void require_scores(const SparseScores& scores, const Digraph& truth) {
  if (scores.nodes != truth.nodes())
    throw InputError(
        fmt::format("the true graph has {} nodes, the scores are those of {}", truth.nodes(), scores.nodes));
  for (const auto& [edge, score] : scores.entries)
    if (std::isnan(score))
      throw InputError(
          fmt::format("the score in row {}, column {} is not a number", edge.source + 1, edge.target + 1));
}

bool are_probabilities(const SparseScores& scores) {
  return std::ranges::all_of(
      scores.entries, [](const ScoredEdge& entry) { return entry.score >= 0.0 && entry.score <= 1.0; });
}

nlohmann::json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

nlohmann::json to_json(const PrecisionRecall& counts) {
  return {{"precision", number_or_null(counts.precision())},
          {"recall", number_or_null(counts.recall())},
          {"f1", number_or_null(counts.f1())},
          {"true_positives", counts.true_positives},
          {"false_positives", counts.false_positives},
          {"false_negatives", counts.false_negatives}};
}

nlohmann::json to_json(const AdjustmentDistance& distance) {
  return {{"count", distance.count}, {"normalised", distance.normalised}};
}

nlohmann::json to_json(const Calibration& calibration) {
  nlohmann::json bins = nlohmann::json::array();
  for (const CalibrationBin& bin : calibration.bins)
    bins.push_back(
        {{"pairs", bin.pairs}, {"mean_probability", bin.mean_probability}, {"frequency", bin.frequency}});
  return {{"expected_error", calibration.expected_error},
          {"maximum_error", calibration.maximum_error},
          {"brier", calibration.brier},
          {"bins", bins}};
}

}  // namespace

namespace {

// What the graph of the edges above the threshold is like; scores are those of its edges.
void judge_graph(const Digraph& guess, const std::vector<double>& scores, const Digraph& truth, int threads,
                 Evaluation& result) {
  result.predicted_edges = guess.edge_count();
  result.shd = structural_hamming_distance(truth, guess);
  result.skeleton = skeleton_precision_recall(truth, guess);
  result.direction = direction_precision_recall(truth, guess);
  result.cyclicity = cyclicity(guess);

  const CycleBreaking broken = break_cycles(guess, scores);
  result.removed_edges = broken.removed.size();
  result.shd_acyclic = structural_hamming_distance(truth, broken.graph);
  if (is_acyclic(truth)) {
    result.aid = AdjustmentDistances{ancestor_aid(truth, broken.graph, threads), std::nullopt,
                                     parent_aid(truth, broken.graph, threads)};
    if (ancestral_pairs(broken.graph, kMostOsetPairs) <= kMostOsetPairs)
      result.aid->oset = oset_aid(truth, broken.graph, threads);
    result.sid = result.aid->parent.count;  // the two are the same between DAGs
  }
}

Evaluation begin_evaluation(const Digraph& truth, double threshold) {
  Evaluation result;
  result.nodes = truth.nodes();
  result.threshold = threshold;
  result.true_edges = truth.edge_count();
  return result;
}

template <class Scores>
void judge_ranking(const Scores& scores, const Digraph& truth, Evaluation& result) {
  result.average_precision = average_precision(scores, truth);
  result.auc = roc_auc(scores, truth);
  result.orientation_accuracy = orientation_accuracy(scores, truth);
  if (are_probabilities(scores)) result.calibration = calibration(scores, truth);
}

// `find` returns the score of a pair, or null where it is not known.
template <class Find>
void judge_listed(const Find& find, std::size_t scored, const Digraph& truth, Evaluation& result) {
  const auto n = static_cast<std::size_t>(truth.nodes());
  ListedPairs listed{.scored = scored, .all = n * (n - (n > 0))};
  for (const auto& [source, target] : truth.edges()) {
    const double *forwards = find(source, target), *backwards = find(target, source);
    listed.true_edges += forwards || backwards;
    constexpr double kLowest = -std::numeric_limits<double>::infinity();
    listed.oriented += (forwards ? *forwards : kLowest) > (backwards ? *backwards : kLowest);
  }
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  result.average_precision = result.auc = kUndefined;
  result.calibration.reset();
  result.orientation_accuracy =
      listed.true_edges > 0 && listed.true_edges == truth.edge_count()
          ? static_cast<double>(listed.oriented) / static_cast<double>(listed.true_edges)
          : kUndefined;
  result.listed = listed;
}

}  // namespace

Evaluation evaluate(const Matrix<double>& scores, const Digraph& truth, double threshold, int threads) {
  require_scores(scores, truth);
  Evaluation result = begin_evaluation(truth, threshold);
  judge_ranking(scores, truth, result);
  const Digraph guess = graph_above(scores, threshold);
  std::vector<double> edge_scores;
  for (const Edge& edge : guess.edges()) edge_scores.push_back(scores(edge.source, edge.target));
  judge_graph(guess, edge_scores, truth, threads, result);
  return result;
}

Evaluation evaluate(const SparseScores& scores, const Digraph& truth, double threshold, int threads) {
  require_scores(scores, truth);
  Evaluation result = begin_evaluation(truth, threshold);
  judge_ranking(scores, truth, result);
  const Digraph guess = graph_above(scores, threshold);
  judge_graph(guess, scores_of_edges(scores, guess), truth, threads, result);
  result.stored_pairs = scores.entries.size();
  return result;
}

Evaluation evaluate_partial(const Matrix<double>& scores, const PartialScores& known, const Digraph& truth,
                            double threshold, int threads) {
  Evaluation result = evaluate(scores, truth, threshold, threads);
  const auto n = static_cast<std::size_t>(truth.nodes());
  if (known.scores.rows() != n || known.is_known.rows() != n)
    throw InputError(fmt::format("the true graph has {} nodes, {} are listed", n, known.scores.rows()));
  std::size_t scored = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) scored += i != j && known.is_known(i, j);
  judge_listed([&](int i, int j) { return known.is_known(i, j) ? &known.scores(i, j) : nullptr; }, scored,
               truth, result);
  return result;
}

Evaluation evaluate_partial(const SparseScores& scores, const SparseScores& known, const Digraph& truth,
                            double threshold, int threads) {
  require_scores(scores, truth);
  require_scores(known, truth);
  Evaluation result = begin_evaluation(truth, threshold);
  const Digraph guess = graph_above(scores, threshold);
  judge_graph(guess, scores_of_edges(scores, guess), truth, threads, result);
  judge_listed([&](int i, int j) { return known.find(i, j); }, known.entries.size(), truth, result);
  return result;
}

nlohmann::json to_json(const Evaluation& e) {
  nlohmann::json result = {{"nodes", e.nodes},
                           {"threshold", e.threshold},
                           {"true_edges", e.true_edges},
                           {"predicted_edges", e.predicted_edges},
                           {"average_precision", number_or_null(e.average_precision)},
                           {"auc", number_or_null(e.auc)},
                           {"orientation_accuracy", number_or_null(e.orientation_accuracy)},
                           {"calibration", e.calibration ? to_json(*e.calibration) : nlohmann::json(nullptr)},
                           {"listed", nullptr},
                           {"shd", e.shd},
                           {"skeleton", to_json(e.skeleton)},
                           {"direction", to_json(e.direction)},
                           {"cyclic", e.cyclicity.cyclic},
                           {"nodes_on_cycles", e.cyclicity.nodes_on_cycles},
                           {"edges_on_cycles", e.cyclicity.edges_on_cycles},
                           {"removed_edges", e.removed_edges},
                           {"shd_acyclic", e.shd_acyclic},
                           {"aid", nullptr},
                           {"sid", nullptr}};
  if (e.stored_pairs) result["stored_pairs"] = *e.stored_pairs;
  if (e.listed)
    result["listed"] = {{"scored_pairs", e.listed->scored},
                        {"all_pairs", e.listed->all},
                        {"true_edges", e.listed->true_edges},
                        {"oriented_true_edges", e.listed->oriented}};
  if (e.aid)
    result["aid"] = {{"ancestor", to_json(e.aid->ancestor)},
                     {"oset", e.aid->oset ? to_json(*e.aid->oset) : nlohmann::json(nullptr)},
                     {"parent", to_json(e.aid->parent)}};
  if (e.sid) result["sid"] = *e.sid;
  return result;
}

std::string to_table(const Evaluation& e) {
  std::string table;
  const auto line = [&](std::string_view name, const std::string& value, std::string_view remark = "") {
    table += remark.empty() ? fmt::format("{:<26}{:>12}\n", name, value)
                            : fmt::format("{:<26}{:>12}  {}\n", name, value, remark);
  };
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.4f}", value) : std::string("undefined");
  };
  const auto rates = [&](std::string_view name, const PrecisionRecall& counts) {
    line(fmt::format("{} precision", name), number(counts.precision()));
    line(fmt::format("{} recall", name), number(counts.recall()));
    line(fmt::format("{} F1", name), number(counts.f1()));
  };
  line("variables", std::to_string(e.nodes));
  line("true edges", std::to_string(e.true_edges));
  line("predicted edges", std::to_string(e.predicted_edges), fmt::format("score > {}", e.threshold));
  if (e.listed) {
    line("mAP, AUC", "undefined", "a list cut at a threshold does not rank the pairs it leaves out");
    line("ECE, Brier score", "undefined", "nor does it give their probabilities");
    line("OA", number(e.orientation_accuracy),
         fmt::format("{} of {} true edges are listed, {} of them the right way round", e.listed->true_edges,
                     e.true_edges, e.listed->oriented));
  } else {
    if (e.stored_pairs)
      line("scores above the floor", std::to_string(*e.stored_pairs), "all other pairs count as 0");
    line("mAP", number(e.average_precision), "average precision over ordered pairs");
    line("AUC", number(e.auc));
    line("OA", number(e.orientation_accuracy), "true edges scored above their reversal");
    if (e.calibration) {
      line("ECE", number(e.calibration->expected_error), "expected calibration error, 10 bins");
      line("Brier score", number(e.calibration->brier));
    } else {
      line("ECE", "undefined", "scores are not all between 0 and 1");
    }
  }
  line("SHD", std::to_string(e.shd), "a reversal counts 1");
  rates("skeleton", e.skeleton);
  rates("direction", e.direction);
  line("cyclic", e.cyclicity.cyclic ? "yes" : "no",
       e.cyclicity.cyclic ? fmt::format("{} nodes and {} edges on cycles", e.cyclicity.nodes_on_cycles,
                                        e.cyclicity.edges_on_cycles)
                          : "");
  if (e.cyclicity.cyclic) {
    line("edges removed", std::to_string(e.removed_edges), "to break the cycles; used below");
    line("SHD after breaking", std::to_string(e.shd_acyclic));
  }
  if (!e.aid) {
    line("AID, SID", "undefined", "the true graph has directed cycles");
    return table;
  }
  line("ancestor AID", number(e.aid->ancestor.normalised), fmt::format("{} pairs", e.aid->ancestor.count));
  if (e.aid->oset)
    line("o-set AID", number(e.aid->oset->normalised), fmt::format("{} pairs", e.aid->oset->count));
  else
    line("o-set AID", "undefined", fmt::format("more than {} pairs on directed paths", kMostOsetPairs));
  line("parent AID", number(e.aid->parent.normalised), fmt::format("{} pairs", e.aid->parent.count));
  line("SID", std::to_string(*e.sid));
  return table;
}

}  // namespace causcale

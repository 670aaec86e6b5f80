// DAGMA: least squares with an L1 term, held among acyclic graphs by a log-determinant barrier whose share
// grows along a central path.
//
// The paper follows the path with many thousand steps of Adam on all n^2 weights; here every point of the
// path is reached by a quasi-Newton search over the weights that matter (linear_sem.h). The problems solved
// and the path are the paper's.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "methods/continuous/linear_sem.h"
#include "methods/method.h"

namespace causcale {

namespace {

MethodResult run_dagma(const Dataset& dataset, const MethodOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> scales{"raw", "standardized"};
  const double l1 = number_setting(options, "lambda", 0.05, 0.0, 1e6);
  const double threshold = number_setting(options, "threshold", 0.3, 0.0, 1e6);
  const int stages = static_cast<int>(number_setting(options, "stages", 5, 1, 12));
  const double decay = number_setting(options, "decay", 0.1, 1e-6, 0.999);
  const bool standardized = text_setting(options, "scale", "raw", scales) == "standardized";

  const EdgePermissions permissions(static_cast<int>(dataset.table.cols()), options.knowledge);
  const Matrix<double> moments = second_moments(dataset.table.values, standardized);
  LinearSem sem(moments, permissions, l1, options.threads);

  double factor = 1.0, cycles = 0.0;
  int evaluations = 0;
  for (int stage = 0; stage < stages; ++stage) {
    double s = std::max(1.0 - 0.1 * stage, 0.6);
    // A smaller s shrinks the domain; the weights of the last stage may lie outside the new one.
    std::vector<double> unused(sem.weights().edges.size());
    while (!std::isfinite(negative_log_determinant(sem.weights(), s, unused))) s *= 1.1;
    const auto barrier = [&](const SparseWeights& weights, std::span<double> by_square) {
      report_progress(options, "optimise", static_cast<double>(stage) / stages);
      return negative_log_determinant(weights, s, by_square);
    };
    OwlQnOptions search;
    search.max_iterations = 2000;
    search.value_tolerance = 1e-9 * factor;
    search.gradient_tolerance = 1e-5 * factor;
    evaluations += sem.minimize(factor, barrier, search).evaluations;
    unused.resize(sem.weights().edges.size());
    cycles = negative_log_determinant(sem.weights(), s, unused);
    factor *= decay;
  }

  MethodResult result = weighted_result(sem.dense_weights(), permissions, threshold);
  result.log.push_back(fmt::format("measure of cyclicity {:.2g} after {} evaluations", cycles, evaluations));
  result.seconds.emplace_back(
      "optimise", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return result;
}

}  // namespace

Method dagma_method() {
  return {"dagma",
          "linear weights along a central path with a log-determinant barrier against cycles",
          "linear, additive noise of about equal variance, no hidden causes",
          "ignored",
          GraphClass::kDag,
          "O(n^2) a pass over all pairs, O(c^3) a step for the largest cyclic component of c nodes",
          "Bello, Aragam and Ravikumar, DAGMA: learning DAGs via M-matrices and a log-determinant acyclicity "
          "characterization, 2022",
          {{"lambda", "0.05", "factor of the absolute weights"},
           {"threshold", "0.3", "smallest absolute weight that makes an edge of the graph"},
           {"stages", "5", "points of the central path"},
           {"decay", "0.1", "what the share of the fit is multiplied by from point to point"},
           {"scale", "raw", "raw or standardized columns; the method reads order from raw variances"}},
          run_dagma};
}

}  // namespace causcale

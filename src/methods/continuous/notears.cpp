// NOTEARS: least squares with an L1 term under the constraint tr(exp(W o W)) = n, by an augmented Lagrangian.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "methods/continuous/linear_sem.h"
#include "methods/method.h"

namespace causcale {

namespace {

MethodResult run_notears(const Dataset& dataset, const MethodOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> scales{"raw", "standardized"};
  const double l1 = number_setting(options, "lambda", 0.1, 0.0, 1e6);
  const double threshold = number_setting(options, "threshold", 0.3, 0.0, 1e6);
  const double cycle_tolerance = number_setting(options, "h-tolerance", 1e-8, 1e-14, 1.0);
  const int max_rounds = static_cast<int>(number_setting(options, "max-rounds", 100, 1, 10000));
  const bool standardized = text_setting(options, "scale", "raw", scales) == "standardized";

  const EdgePermissions permissions(static_cast<int>(dataset.table.cols()), options.knowledge);
  const Matrix<double> moments = second_moments(dataset.table.values, standardized);
  LinearSem sem(moments, permissions, l1, options.threads);

  constexpr double kMaxRho = 1e16;
  double rho = 1.0, alpha = 0.0, cycles = std::numeric_limits<double>::infinity(), first_cycles = 0.0;
  double share = 0.0;
  // Each problem has to be solved well: ended early, the rounds lead to poorer local optima.
  OwlQnOptions search;
  search.max_iterations = 5000;
  search.value_tolerance = 2e-9;
  int evaluations = 0;
  for (int round = 0; round < max_rounds && rho < kMaxRho && cycles > cycle_tolerance; ++round) {
    double reached = 0.0;
    const LinearSem::State start_of_round = sem.state();
    while (rho < kMaxRho) {
      // As in the published procedure, a larger rho starts again where the round did.
      sem.restore(start_of_round);
      const auto lagrangian = [&](const SparseWeights& weights, std::span<double> by_square) {
        report_progress(options, "optimise", share);
        const double h = trace_exponential(weights, options.threads, by_square);
        for (double& slope : by_square) slope *= rho * h + alpha;
        return 0.5 * rho * h * h + alpha * h;
      };
      evaluations += sem.minimize(1.0, lagrangian, search).evaluations;
      std::vector<double> unused(sem.weights().edges.size());
      reached = trace_exponential(sem.weights(), options.threads, unused);
      if (reached <= 0.25 * cycles) break;
      rho *= 10.0;
    }
    cycles = reached;
    alpha += rho * cycles;
    if (round == 0) first_cycles = cycles;
    if (cycles > 0.0)
      share =
          std::clamp(std::log(first_cycles / cycles) / std::log(first_cycles / cycle_tolerance), 0.0, 1.0);
  }

  MethodResult result = weighted_result(sem.dense_weights(), permissions, threshold);
  result.log.push_back(fmt::format("measure of cyclicity {:.2g} after {} evaluations", cycles, evaluations));
  if (cycles > cycle_tolerance)
    result.log.push_back("the constraint of acyclicity was not met to the wanted tolerance");
  result.seconds.emplace_back(
      "optimise", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return result;
}

}  // namespace

Method notears_method() {
  return {"notears",
          "linear weights by continuous optimisation under a smooth constraint of acyclicity",
          "linear, additive noise of about equal variance, no hidden causes",
          "ignored",
          GraphClass::kDag,
          "O(n^2) a pass over all pairs, O(n nnz) a step while the weights hold cycles",
          "Zheng, Aragam, Ravikumar and Xing, DAGs with NO TEARS: continuous optimization for structure "
          "learning, 2018",
          {{"lambda", "0.1", "factor of the absolute weights"},
           {"threshold", "0.3", "smallest absolute weight that makes an edge of the graph"},
           {"h-tolerance", "1e-8", "measure of cyclicity that counts as none"},
           {"max-rounds", "100", "most rounds of the augmented Lagrangian"},
           {"scale", "raw", "raw or standardized columns; the method reads order from raw variances"}},
          run_notears};
}

}  // namespace causcale

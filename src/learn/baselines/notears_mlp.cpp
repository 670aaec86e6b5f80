// NOTEARS with a small network per variable (Zheng, Dan, Aragam, Ravikumar, Xing 2020): squared error plus
// penalties, subject to tr exp(A) = n for the matrix A of squared first-layer norms, by the augmented
// Lagrangian.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "graph/cycles.h"
#include "learn/baselines/mlp_layout.h"
#include "learn/baselines/mlp_search.h"
#include "learn/baselines/neural_methods.h"
#include "learn/baselines/tensors.h"

namespace causcale {
namespace {

constexpr int kMostRounds = 100;
constexpr double kLargestWeight = 1e16;  // of the squared constraint

// Inputs start at zero, where the constraint holds; the outputs differ, or all units would stay alike.
std::vector<double> first_weights(int n, int hidden, std::uint64_t seed) {
  const MlpLayout layout{n, hidden};
  std::vector<double> weights(static_cast<std::size_t>(layout.size()), 0.0);
  RandomStream random(seed, 0, Purpose::kMlpWeights);
  const double bound = 1.0 / std::sqrt(static_cast<double>(hidden));
  for (const std::int64_t part : {layout.first_bias(), layout.outputs()})
    for (int target = 0; target < n; ++target)
      for (int unit = 0; unit < hidden; ++unit)
        weights[part + unit * n + target] = random.uniform(-bound, bound);
  for (int target = 0; target < n; ++target)
    weights[layout.output_bias() + target] = random.uniform(-bound, bound);
  return weights;
}

MethodResult run_notears_mlp(const Dataset& dataset, const MethodOptions& options) {
  const int hidden = static_cast<int>(number_setting(options, "hidden", 10, 1, 1000));
  const double l1 = number_setting(options, "l1", 0.01, 0, 1e9);
  const double l2 = number_setting(options, "l2", 0.01, 0, 1e9);
  const double threshold = number_setting(options, "threshold", 0.3, 0, 1e9);
  const double tolerance = number_setting(options, "tolerance", 1e-8, 1e-16, 1);
  const int iterations = static_cast<int>(number_setting(options, "iterations", 1000, 1, 1e9));
  const auto start = std::chrono::steady_clock::now();

  const int n = static_cast<int>(dataset.table.cols());
  use_tensor_threads(options, static_cast<double>(dataset.table.rows()) * n * n * hidden);
  const Matrix<std::uint8_t> allowed = possible_pairs(dataset.table, options.knowledge);
  const at::Device device = method_device(options);
  const MlpProblem problem{
      tensor_of(centred_values(dataset.table, standardize_setting(options, false)), at::kFloat), allowed,
      hidden, l1, l2};
  const std::unique_ptr<MlpSearch> search =
      device.is_cuda() ? mlp_tensor_search(problem, first_weights(n, hidden, options.seed), device)
                       : mlp_cpu_search(problem, first_weights(n, hidden, options.seed), options.threads);

  OwlQnOptions descent;
  descent.max_iterations = iterations;
  descent.memory = 10;
  double violation = std::numeric_limits<double>::infinity();
  int rounds = 0;
  long evaluations = 0;
  const auto evaluated = [&] {
    if (++evaluations % 10 == 0)  // also asks whether to stop
      report_progress(options, "notears-mlp", std::min(0.99, std::log10(search->weight) / 16));
  };
  // As in the published procedure for networks, a larger weight goes on from where the last one ended.
  while (rounds < kMostRounds && violation > tolerance && search->weight < kLargestWeight) {
    ++rounds;
    double next_violation = 0;
    while (search->weight < kLargestWeight) {
      search->descend(descent, evaluated);
      next_violation = search->constraint();
      if (next_violation <= 0.25 * violation) break;
      search->weight *= 10;
    }
    violation = next_violation;
    search->multiplier += search->weight * violation;
  }

  MethodResult result;
  result.scores = search->norms();
  result.graph = MixedGraph(acyclic_above(result.scores, threshold, options.knowledge));
  result.graph_class = GraphClass::kDag;
  result.log.push_back(fmt::format("notears-mlp on {}: {} rounds, {} evaluations, constraint {:.2g}",
                                   place_of(device), rounds, evaluations, violation));
  result.seconds = {
      {"optimisation", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()}};
  return result;
}

}  // namespace

Method notears_mlp_method() {
  return {"notears-mlp",
          "a network per variable under an exact acyclicity constraint",
          "no hidden causes, additive noise of equal variance",
          "ignored",
          GraphClass::kDag,
          "O(iterations (m n^2 + n^3))",
          "Zheng, Dan, Aragam, Ravikumar, Xing: Learning Sparse Nonparametric DAGs, 2020",
          {{"hidden", "10", "hidden units per variable"},
           {"l1", "0.01", "penalty on absolute input weights"},
           {"l2", "0.01", "penalty on squared weights"},
           {"threshold", "0.3", "weight norm above which there is an edge"},
           {"tolerance", "1e-8", "violation of the acyclicity constraint that is accepted"},
           {"iterations", "1000", "most quasi-Newton steps per round"},
           {"standardize", "no", "yes: bring columns to unit variance; no: only centre them"},
           device_setting()},
          run_notears_mlp,
          /*trains_networks=*/true};
}

}  // namespace causcale

// DiffAN (Sanchez, Liu, O'Neil, Tsaftaris 2023): under additive noise a leaf is a variable whose second
// derivative of the log density does not vary over the rows. A diffusion network learns the score; leaves are
// taken off one by one; tests of additive regressions then prune the order to a graph.
//
// Where this differs from the authors' programme, it was needed to order small graphs right: a smooth
// activation, noise levels and a vote where the score can be learnt (at their least level it is a hundredth
// of the noise), curvatures compared relative to their mean, and after every leaf some more training without
// it. Their alternative, deducting the leaf's share in the score, needs second derivatives of the network and
// is exact for the first leaf only; it is there as a setting.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "data/standardize.h"
#include "graph/convert.h"
#include "graph/cycles.h"
#include "learn/baselines/additive_pruning.h"
#include "learn/baselines/leaf_order.h"
#include "learn/baselines/neural_methods.h"
#include "learn/baselines/score_network.h"
#include "learn/baselines/score_training.h"
#include "learn/baselines/tensors.h"
#include "methods/edge_permissions.h"

namespace causcale {
namespace {

constexpr std::array<double, 3> kVotingLevels = {0.1, 0.15, 0.2};  // of noise
constexpr double kScoreDone = 0.3, kOrderDone = 0.9;               // shares of the progress

at::Tensor at_level(const at::Tensor& rows, double level) {
  return rows * std::sqrt(1 - level * level);
}

// Leaves first; `next` is told every leaf and answers with the curvatures of what is left.
template <typename Next>
std::vector<int> take_leaves(int n, std::vector<at::Tensor> curvatures, const MethodOptions& options,
                             const Next& next) {
  std::vector<bool> taken(n, false);
  std::vector<int> order;
  while (true) {
    const int leaf = vote_for_leaf(curvatures, taken, options.knowledge);
    taken[leaf] = true;
    order.push_back(leaf);
    if (static_cast<int>(order.size()) == n) return order;
    report_progress(options, "diffan, order",
                    kScoreDone + (kOrderDone - kScoreDone) * static_cast<double>(order.size()) / n);
    curvatures = next(leaf);
  }
}

std::vector<int> order_by_retraining(const ScoreNetwork& network, ScoreTrainer& trainer,
                                     const at::Tensor& rows, int steps, const MethodOptions& options) {
  const at::Tensor active = at::ones({rows.size(1)}, rows.options());
  const auto curvatures = [&] {
    std::vector<at::Tensor> tables;
    for (const double level : kVotingLevels)
      tables.push_back(network.own_slopes(at_level(rows, level) * active, level));
    return tables;
  };
  return take_leaves(static_cast<int>(rows.size(1)), curvatures(), options, [&](int leaf) {
    active.select(0, leaf).zero_();
    trainer.train(active, steps, {});
    return curvatures();
  });
}

std::vector<int> order_by_residues(const ScoreNetwork& network, const at::Tensor& rows,
                                   const MethodOptions& options) {
  std::vector<RemainingScore> levels;
  for (const double level : kVotingLevels)
    levels.emplace_back(network.derivatives(at_level(rows, level), level));
  const auto curvatures = [&] {
    std::vector<at::Tensor> tables;
    for (const RemainingScore& level : levels) tables.push_back(level.curvatures());
    return tables;
  };
  return take_leaves(static_cast<int>(rows.size(1)), curvatures(), options, [&](int leaf) {
    for (RemainingScore& level : levels) level.remove(leaf);
    return curvatures();
  });
}

MethodResult run_diffan(const Dataset& dataset, const MethodOptions& options) {
  const int n = static_cast<int>(dataset.table.cols());
  const ScoreTrainingPlan plan{
      static_cast<std::int64_t>(number_setting(options, "batch", 128, 1, 1e9)),
      number_setting(options, "learning_rate", 3e-3, 0, 1),
      static_cast<int>(number_setting(options, "patience", 300, 1, 1e9)),
  };
  const int steps = static_cast<int>(number_setting(options, "steps", 1500, 1, 1e9));
  const int retraining_steps = static_cast<int>(number_setting(options, "retraining_steps", 150, 1, 1e9));
  const auto width = static_cast<std::int64_t>(number_setting(options, "width", std::max(64, 2 * n), 1, 1e6));
  const auto evaluated = static_cast<std::int64_t>(number_setting(options, "evaluation_rows", 256, 2, 1e9));
  const double alpha = number_setting(options, "alpha", 0.05, 1e-300, 1);
  const int basis = static_cast<int>(number_setting(options, "basis", 6, 1, 30));
  static const std::array<std::string, 2> removals = {"retrain", "residue"};
  const bool retrain = text_setting(options, "removal", "retrain", removals) == "retrain";
  const at::Device device = method_device(options);
  use_tensor_threads(options, 2.0 * static_cast<double>(plan.batch * width * width));
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();

  const Matrix<double> values = standardize(dataset.table.values);
  const at::Tensor data = tensor_of(values, at::kFloat).to(device);
  RandomStream weights(options.seed, 0, Purpose::kScoreWeights);
  ScoreNetwork network(n, width, width, weights, device);
  ScoreTrainer trainer(network, data, plan, options.seed);
  const int steps_made = trainer.train(at::ones({n}, data.options()), steps, [&](int step) {
    report_progress(options, "diffan, score", kScoreDone * step / steps);
  });
  const auto trained = Clock::now();

  RandomStream choice(options.seed, 0, Purpose::kScoreRows);
  const at::Tensor shown =
      permutation_tensor(choice, data.size(0)).narrow(0, 0, std::min(evaluated, data.size(0)));
  const at::Tensor rows = data.index_select(0, shown.to(device));
  std::vector<int> order = retrain ? order_by_retraining(network, trainer, rows, retraining_steps, options)
                                   : order_by_residues(network, rows, options);
  std::ranges::reverse(order);
  const auto ordered = Clock::now();

  Matrix<std::uint8_t> allowed = EdgePermissions(n, options.knowledge).allowed;
  MethodResult result;
  report_progress(options, "diffan, pruning", kOrderDone);
  result.scores = additive_evidence(values, order, allowed, basis, options.threads, {});
  result.graph =
      MixedGraph(graph_above(with_required_first(result.scores, options.knowledge), -std::log10(alpha)));
  result.graph_class = GraphClass::kDag;
  std::string names;
  for (const int node : order) names += (names.empty() ? "" : ", ") + dataset.table.names[node];
  result.log.push_back(
      fmt::format("diffan: {} steps on {}; order, causes first: {}", steps_made, place_of(device), names));
  const auto seconds = [](Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  };
  result.seconds = {{"score", seconds(start, trained)},
                    {"order", seconds(trained, ordered)},
                    {"pruning", seconds(ordered, Clock::now())}};
  return result;
}

}  // namespace

Method diffan_method() {
  return {
      "diffan",
      "leaves one by one from the curvature of a learnt log density, then pruning",
      "nonlinear, additive Gaussian noise, no hidden causes",
      "ignored",
      GraphClass::kDag,
      "O(steps n^3), pruning O(m n^3)",
      "Sanchez, Liu, O'Neil, Tsaftaris: Diffusion Models for Causal Discovery via Topological Ordering, 2023",
      {{"alpha", "0.05",
        "level of the tests that prune (0.05 as in the CauScale paper; the authors use 0.001)"},
       {"steps", "1500", "most steps of the score network"},
       {"patience", "300", "steps without gain on held-out rows that end the training"},
       {"removal", "retrain",
        "what follows a leaf: retrain (train on without it) or residue (deduct its share in the score)"},
       {"retraining_steps", "150", "most steps after every leaf"},
       {"batch", "128", "rows per step"},
       {"learning_rate", "0.003", "of Adam"},
       {"width", "max(64, 2 n)", "units of every layer"},
       {"evaluation_rows", "256", "rows on which the curvature is compared"},
       {"basis", "6", "most spline functions per term of the pruning regressions"},
       device_setting()},
      run_diffan,
      /*trains_networks=*/true};
}

}  // namespace causcale

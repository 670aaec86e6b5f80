// NOTEARS with a small network per variable (Zheng, Dan, Aragam, Ravikumar, Xing 2020): squared error plus
// penalties, subject to tr exp(A) = n for the matrix A of squared first-layer norms, by the augmented
// Lagrangian.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "baselines/edge_permissions.h"
#include "baselines/owl_qn.h"
#include "graph/cycles.h"
#include "neural_baselines/tensors.h"

namespace causcale {
namespace {

constexpr int kMostRounds = 100;
constexpr double kLargestWeight = 1e16;  // of the squared constraint

// The smooth part of the augmented Lagrangian as a function of all weights in a row: inputs [n, n, h]
// (source, target, unit), their bias [n, h], outputs [n, h], their bias [n].
class Objective {
 public:
  Objective(at::Tensor data, const Matrix<std::uint8_t>& allowed, std::int64_t hidden, double l2)
      : data_(std::move(data)), nodes_(data_.size(1)), hidden_(hidden), l2_(l2) {
    Matrix<double> mask(allowed.rows(), allowed.cols());
    for (std::size_t k = 0; k < mask.size(); ++k) mask.data()[k] = allowed.data()[k];
    mask_ = tensor_of(mask, at::kDouble).unsqueeze(2);
  }

  std::size_t inputs() const { return static_cast<std::size_t>(nodes_ * nodes_ * hidden_); }
  std::size_t size() const { return inputs() + static_cast<std::size_t>(2 * nodes_ * hidden_ + nodes_); }

  double multiplier = 0, weight = 1;  // of the constraint and of half its square

  // Squared norms, row -> column.
  at::Tensor strengths(std::span<const double> x) const {
    const at::Tensor w = part(x.data(), 0, {nodes_, nodes_, hidden_});
    return (w * w).sum(2);
  }
  double constraint(std::span<const double> x) const {
    return at::linalg_matrix_exp(strengths(x)).trace().item<double>() - static_cast<double>(nodes_);
  }

  double operator()(std::span<const double> x, std::span<double> gradient) const {
    const c10::NoGradGuard no_grad;
    const std::int64_t n = nodes_, h = hidden_, m = data_.size(0);
    const at::Tensor w1 = part(x.data(), 0, {n, n, h}), b1 = part(x.data(), n * n * h, {n, h});
    const at::Tensor w2 = part(x.data(), n * n * h + n * h, {n, h});
    const at::Tensor b2 = part(x.data(), n * n * h + 2 * n * h, {n});

    const at::Tensor units = at::sigmoid(at::mm(data_, w1.view({n, n * h})).view({m, n, h}) + b1);
    const at::Tensor error = ((units * w2).sum(2) + b2 - data_) / static_cast<double>(m);  // [m, n]
    const at::Tensor exponential = at::linalg_matrix_exp((w1 * w1).sum(2));
    const double violation = exponential.trace().item<double>() - static_cast<double>(n);
    const double value = 0.5 * static_cast<double>(m) * (error * error).sum().item<double>() +
                         0.5 * l2_ * ((w1 * w1).sum() + (w2 * w2).sum()).item<double>() +
                         multiplier * violation + 0.5 * weight * violation * violation;
    if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();

    const at::Tensor back = error.unsqueeze(2) * w2 * units * (1 - units);  // [m, n, h]
    const double pull = multiplier + weight * violation;
    const at::Tensor g1 = at::mm(data_.t(), back.view({m, n * h})).view({n, n, h}) + l2_ * w1 +
                          2 * pull * exponential.t().unsqueeze(2) * w1;
    part(gradient.data(), 0, {n, n, h}).copy_(g1 * mask_);
    part(gradient.data(), n * n * h, {n, h}).copy_(back.sum(0));
    part(gradient.data(), n * n * h + n * h, {n, h}).copy_((error.unsqueeze(2) * units).sum(0) + l2_ * w2);
    part(gradient.data(), n * n * h + 2 * n * h, {n}).copy_(error.sum(0));
    return value;
  }

 private:
  // ATen has no view of constant memory; what comes from `x` is only read.
  static at::Tensor part(const double* begin, std::int64_t offset, at::IntArrayRef shape) {
    return at::from_blob(const_cast<double*>(begin) + offset, shape, at::kDouble);
  }

  at::Tensor data_, mask_;
  std::int64_t nodes_, hidden_;
  double l2_;
};

MethodResult run_notears_mlp(const Dataset& dataset, const MethodOptions& options) {
  const auto hidden = static_cast<std::int64_t>(number_setting(options, "hidden", 10, 1, 1000));
  const double l1 = number_setting(options, "l1", 0.01, 0, 1e9);
  const double l2 = number_setting(options, "l2", 0.01, 0, 1e9);
  const double threshold = number_setting(options, "threshold", 0.3, 0, 1e9);
  const double tolerance = number_setting(options, "tolerance", 1e-8, 1e-16, 1);
  const int iterations = static_cast<int>(number_setting(options, "iterations", 1000, 1, 1e9));
  const auto start = std::chrono::steady_clock::now();

  const int n = static_cast<int>(dataset.table.cols());
  use_tensor_threads(options,
                     static_cast<double>(dataset.table.rows()) * n * n * static_cast<double>(hidden));
  Matrix<std::uint8_t> allowed = EdgePermissions(n, options.knowledge).allowed;
  const std::vector<std::uint8_t> varying = varying_columns(dataset.table);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (!varying[i] || !varying[j]) allowed(i, j) = 0;
  Objective objective(method_data(dataset.table, standardize_setting(options, false), at::kDouble), allowed,
                      hidden, l2);

  // Inputs start at zero, where the constraint holds; the outputs differ, or all units would stay alike.
  std::vector<double> x(objective.size(), 0.0), penalty(objective.size(), 0.0);
  std::fill_n(penalty.begin(), objective.inputs(), l1);
  RandomStream random(options.seed, 0, 0);
  const double bound = 1.0 / std::sqrt(static_cast<double>(hidden));
  for (std::size_t k = objective.inputs(); k < x.size(); ++k) x[k] = random.uniform(-bound, bound);

  OwlQnOptions search;
  search.max_iterations = iterations;
  double violation = std::numeric_limits<double>::infinity();
  int rounds = 0;
  long evaluations = 0;
  const auto smooth = [&](std::span<const double> at_point, std::span<double> gradient) {
    if (++evaluations % 10 == 0)  // also asks whether to stop
      report_progress(options, "notears-mlp", std::min(0.99, std::log10(objective.weight) / 16));
    return objective(at_point, gradient);
  };
  while (rounds < kMostRounds && violation > tolerance && objective.weight < kLargestWeight) {
    ++rounds;
    std::vector<double> next;
    double next_violation = 0;
    while (objective.weight < kLargestWeight) {
      next = x;
      minimize_with_l1(next, penalty, smooth, search);
      next_violation = objective.constraint(next);
      if (next_violation <= 0.25 * violation) break;
      objective.weight *= 10;
    }
    x = std::move(next);
    violation = next_violation;
    objective.multiplier += objective.weight * violation;
  }

  MethodResult result;
  result.scores = matrix_of(objective.strengths(x).sqrt());
  result.graph = MixedGraph(acyclic_above(result.scores, threshold, options.knowledge));
  result.graph_class = GraphClass::kDag;
  result.log.push_back(fmt::format("notears-mlp: {} rounds, {} evaluations, constraint {:.2g}", rounds,
                                   evaluations, violation));
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
           {"standardize", "no", "yes: bring columns to unit variance; no: only centre them"}},
          run_notears_mlp};
}

}  // namespace causcale

#include "methods/continuous/linear_sem.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "causcale/error.h"
#include "graph/convert.h"
#include "graph/cycles.h"
#include "methods/dense_product.h"
#include "prior/covariance.h"
#include "prior/dense_algebra.h"

namespace causcale {

Matrix<double> second_moments(const Matrix<double>& values, bool standardized) {
  Matrix<double> centred = values;
  const std::size_t rows = values.rows(), cols = values.cols();
  std::vector<double> mean(cols, 0.0);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) mean[c] += values(r, c) / static_cast<double>(rows);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) centred(r, c) -= mean[c];
  Matrix<double> moments = covariance(centred, static_cast<double>(rows));
  if (standardized) {
    std::vector<double> scale(cols);
    for (std::size_t c = 0; c < cols; ++c)
      scale[c] = moments(c, c) > 0.0 ? 1.0 / std::sqrt(moments(c, c)) : 0.0;
    for (std::size_t i = 0; i < cols; ++i)
      for (std::size_t j = 0; j < cols; ++j) moments(i, j) *= scale[i] * scale[j];
  }
  for (double value : moments.values())
    if (!std::isfinite(value))
      throw InputError("the table's values are too large: their products are no longer finite numbers");
  return moments;
}

LinearSem::LinearSem(const Matrix<double>& moments, const EdgePermissions& permissions, double l1,
                     int threads)
    : moments_(moments),
      permissions_(permissions),
      l1_(l1),
      threads_(threads),
      nodes_(static_cast<int>(moments.rows())) {}

double LinearSem::l1_of(Edge edge) const {
  return std::ranges::binary_search(permissions_.required, edge) ? 0.0 : l1_;
}

void LinearSem::index_columns() {
  column_begin_.assign(nodes_ + 1, 0);
  for (const Edge& edge : edges_) ++column_begin_[edge.target + 1];
  std::partial_sum(column_begin_.begin(), column_begin_.end(), column_begin_.begin());
  column_entry_.resize(edges_.size());
  std::vector<int> next(column_begin_.begin(), column_begin_.end() - 1);
  for (std::size_t e = 0; e < edges_.size(); ++e)
    column_entry_[next[edges_[e].target]++] = static_cast<int>(e);
}

double LinearSem::least_squares(std::span<const double> values, std::span<double> gradient) const {
  std::vector<double> part(nodes_);
  // With many weights a product of whole matrices is faster than one column after the other.
  const bool dense = edges_.size() * 6 > moments_.size() && nodes_ >= 64;
  Matrix<double> product;
  if (dense) {
    Matrix<double> weights(nodes_, nodes_);
    for (std::size_t e = 0; e < edges_.size(); ++e) weights(edges_[e].target, edges_[e].source) = values[e];
    product = dense_product(weights, moments_);
  }
  const auto column = [&](std::size_t j) {
    const int begin = column_begin_[j], end = column_begin_[j + 1];
    const double* target = moments_.row(j).data();
    double value = 0.5 * target[j];
    for (int e = begin; e < end; ++e) {
      const int entry = column_entry_[e];
      gradient[entry] = dense ? product(j, edges_[entry].source) : 0.0;
    }
    if (!dense)
      for (int k = begin; k < end; ++k) {
        const double weight = values[column_entry_[k]];
        if (weight == 0.0) continue;
        const double* row = moments_.row(edges_[column_entry_[k]].source).data();
        for (int e = begin; e < end; ++e)
          gradient[column_entry_[e]] += weight * row[edges_[column_entry_[e]].source];
      }
    for (int e = begin; e < end; ++e) {
      const int entry = column_entry_[e];
      const double moment = target[edges_[entry].source];
      value += values[entry] * (0.5 * gradient[entry] - moment);
      gradient[entry] -= moment;
    }
    part[j] = value;
  };
  constexpr std::size_t kGroup = 32;
  const std::size_t groups = (nodes_ + kGroup - 1) / kGroup;
  parallel_for(groups, worth_threads() ? threads_ : 1, [&](std::size_t g) {
    for (std::size_t j = g * kGroup; j < std::min<std::size_t>((g + 1) * kGroup, nodes_); ++j) column(j);
  });
  return std::accumulate(part.begin(), part.end(), 0.0);
}

Matrix<double> LinearSem::full_gradient() const {
  Matrix<double> gradient(nodes_, nodes_);
  parallel_for(nodes_, moments_.size() > 40000 ? threads_ : 1, [&](std::size_t j) {
    double* out = gradient.row(j).data();
    for (int i = 0; i < nodes_; ++i) out[i] = -moments_(j, i);
    for (int e = column_begin_[j]; e < column_begin_[j + 1]; ++e) {
      const int entry = column_entry_[e];
      const double weight = values_[entry];
      if (weight == 0.0) continue;
      const double* row = moments_.row(edges_[entry].source).data();
      for (int i = 0; i < nodes_; ++i) out[i] += weight * row[i];
    }
  });
  return gradient;
}

bool LinearSem::extend(bool drop_idle) {
  if (column_begin_.empty()) index_columns();
  const Matrix<double> gradient = full_gradient();
  std::vector<Edge> edges;
  std::vector<double> values;
  bool extended = false;
  std::size_t known = 0;
  for (int i = 0; i < nodes_; ++i)
    for (int j = 0; j < nodes_; ++j) {
      const bool in_set = known < edges_.size() && edges_[known] == Edge{i, j};
      const double value = in_set ? values_[known] : 0.0;
      known += in_set;
      if (!permissions_.allowed(i, j)) continue;
      const double slope = std::abs(gradient(j, i));
      const bool wants = slope > 1.001 * l1_ || (slope > 1e-6 && l1_of({i, j}) == 0.0);
      const bool idle = value == 0.0 && slope < 0.9 * l1_;
      if (!wants && (!in_set || (drop_idle && idle))) continue;
      extended |= !in_set;
      edges.push_back({i, j});
      values.push_back(value);
    }
  edges_ = std::move(edges);
  values_ = std::move(values);
  index_columns();
  return extended;
}

void LinearSem::solve_columns(double factor, std::span<const double> curvature,
                              std::span<const std::size_t> free, std::span<double> direction) const {
  std::vector<std::vector<std::size_t>> columns(nodes_);
  for (std::size_t e : free) columns[edges_[e].target].push_back(e);
  // Beyond this size a factorisation costs more than it saves.
  constexpr std::size_t kLargest = 200;
  parallel_for(nodes_, worth_threads() ? threads_ : 1, [&](std::size_t j) {
    const std::vector<std::size_t>& column = columns[j];
    const auto size = static_cast<Eigen::Index>(column.size());
    bool solved = false;
    if (column.size() > 1 && column.size() <= kLargest) {
      Eigen::MatrixXd hessian(size, size);
      Eigen::VectorXd solution(size);
      for (Eigen::Index a = 0; a < size; ++a) {
        const double* row = moments_.row(edges_[column[a]].source).data();
        for (Eigen::Index b = 0; b < a; ++b) hessian(a, b) = factor * row[edges_[column[b]].source];
        hessian(a, a) = curvature[column[a]] * (1.0 + 1e-9);  // dependent columns stay definite
        solution(a) = direction[column[a]];
      }
      const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> cholesky(hessian);
      solved = cholesky.info() == Eigen::Success;
      if (solved) {
        cholesky.solveInPlace(solution);
        for (Eigen::Index a = 0; a < size; ++a) direction[column[a]] = solution(a);
      }
    }
    if (!solved)
      for (std::size_t e : column) direction[e] /= curvature[e];
  });
}

OwlQnResult LinearSem::minimize(double factor, const CyclePenalty& penalty, const OwlQnOptions& options) {
  OwlQnResult total;
  constexpr int kMaxRounds = 5;
  extend(true);
  for (int round = 0; round < kMaxRounds; ++round) {
    std::vector<double> l1(edges_.size()), by_square(edges_.size()), curvature(edges_.size());
    for (std::size_t e = 0; e < edges_.size(); ++e) l1[e] = factor * l1_of(edges_[e]);
    OwlQnOptions search = options;
    search.precondition = [&](std::span<const std::size_t> free, std::span<double> direction) {
      solve_columns(factor, curvature, free, direction);
    };
    const OwlQnResult result = minimize_with_l1(
        values_, l1,
        [&](std::span<const double> point, std::span<double> gradient) {
          const double cycles = penalty({nodes_, edges_, point}, by_square);
          if (!std::isfinite(cycles)) return cycles;
          const double squares = least_squares(point, gradient);
          for (std::size_t e = 0; e < gradient.size(); ++e) {
            gradient[e] = factor * gradient[e] + 2.0 * by_square[e] * point[e];
            const double variance = moments_(edges_[e].source, edges_[e].source);
            curvature[e] = factor * (variance > 0.0 ? variance : 1.0) + 2.0 * by_square[e];
          }
          return factor * squares + cycles;
        },
        search);
    total.value = result.value;
    total.iterations += result.iterations;
    total.evaluations += result.evaluations;
    if (!extend(false)) break;
  }
  return total;
}

void LinearSem::restore(State state) {
  edges_ = std::move(state.edges);
  values_ = std::move(state.values);
  index_columns();
}

Matrix<double> LinearSem::dense_weights() const {
  Matrix<double> weights(nodes_, nodes_);
  for (std::size_t e = 0; e < edges_.size(); ++e) weights(edges_[e].source, edges_[e].target) = values_[e];
  return weights;
}

MethodResult weighted_result(const Matrix<double>& weights, const EdgePermissions& permissions,
                             double threshold) {
  MethodResult result;
  const std::size_t n = weights.rows();
  result.scores = Matrix<double>(n, n);
  double highest = 1.0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    result.scores.values()[i] = std::abs(weights.values()[i]);
    highest = std::max(highest, result.scores.values()[i]);
  }
  for (const Edge& edge : permissions.required) result.scores(edge.source, edge.target) = highest + 1.0;
  const CycleBreaking broken = break_cycles(graph_above(result.scores, threshold), result.scores);
  result.graph = MixedGraph(broken.graph);
  result.graph_class = GraphClass::kDag;
  if (!broken.removed.empty())
    result.log.push_back(fmt::format(
        "{} edges above the threshold closed cycles and were left out of the graph", broken.removed.size()));
  return result;
}

}  // namespace causcale

// Linear structural equations with few non-zero weights: the ground that NOTEARS and DAGMA share.
//
// Both minimise  factor * (1/2m |X - XW|^2 + l1 |W|) + (smooth penalty on cycles).  The penalties' gradients
// vanish where W is zero, so whether a zero weight has to move is told by the least-squares gradient alone.
// The search therefore runs over a working set of weights, which is extended until no other weight wants to
// move: the same solutions as over all n^2 weights, at a small part of the work.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "causcale/graph.h"
#include "causcale/matrix.h"
#include "methods/continuous/acyclicity.h"
#include "methods/continuous/owl_qn.h"
#include "methods/edge_permissions.h"
#include "methods/method.h"

namespace causcale {

// X^T X / m of the centred columns, divided by their deviations when `standardized`.
Matrix<double> second_moments(const Matrix<double>& values, bool standardized);

// Gives the penalty on cycles at the weights and writes its derivative by the squared weights, as
// acyclicity.h does; infinity outside the domain.
using CyclePenalty = std::function<double(const SparseWeights& weights, std::span<double> by_square)>;

class LinearSem {
 public:
  // Required edges are not shrunk by the l1 term. Keeps a reference to the moments.
  LinearSem(const Matrix<double>& moments, const EdgePermissions& permissions, double l1, int threads);

  // Minimises from the present weights.
  OwlQnResult minimize(double factor, const CyclePenalty& penalty, const OwlQnOptions& options);

  struct State {
    std::vector<Edge> edges;
    std::vector<double> values;
  };
  State state() const { return {edges_, values_}; }
  void restore(State state);

  SparseWeights weights() const { return {nodes_, edges_, values_}; }
  Matrix<double> dense_weights() const;

 private:
  double l1_of(Edge edge) const;
  // Least-squares value; writes the gradient on the working set.
  double least_squares(std::span<const double> values, std::span<double> gradient) const;
  // Gradient on all pairs, transposed: row j belongs to target j.
  Matrix<double> full_gradient() const;
  // Puts all weights into the working set that are non-zero or want to leave zero; false when there is no
  // new one.
  bool extend(bool drop_idle);
  void index_columns();
  bool worth_threads() const { return edges_.size() * (edges_.size() / nodes_ + 1) > 100000; }
  // Applies the inverse of the Hessian's greatest part to the free entries: the least-squares terms of every
  // column with `curvature` on the diagonal. The terms left out are those between columns through cycles.
  void solve_columns(double factor, std::span<const double> curvature, std::span<const std::size_t> free,
                     std::span<double> direction) const;

  const Matrix<double>& moments_;
  const EdgePermissions& permissions_;
  double l1_;
  int threads_;
  int nodes_;
  std::vector<Edge> edges_;                       // the working set, sorted
  std::vector<double> values_;                    // its weights
  std::vector<int> column_begin_, column_entry_;  // the working set by target
};

// What a table of weights amounts to: edges above the threshold and required ones, cycles broken at the
// smallest weight, scores |W|; required edges score highest.
MethodResult weighted_result(const Matrix<double>& weights, const EdgePermissions& permissions,
                             double threshold);

}  // namespace causcale

// Which variable is a leaf? Under additive Gaussian noise the second derivative of the log density by a leaf
// is the same in every row (Rolland et al. 2022); DiffAN compares how much it varies.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "learn/baselines/score_network.h"
#include "methods/method.h"

namespace causcale {

// Variance over mean square of every column of [rows, n]. Relative, since the error of a learnt curvature
// grows with the curvature: by the plain variance a leaf of little noise looks less even than its causes.
std::vector<double> relative_variances(const at::Tensor& curvatures);

// The curvatures of the log density without the leaves taken so far, by the score of all variables.
class RemainingScore {
 public:
  explicit RemainingScore(ScoreNetwork::Derivatives derivatives);
  // Deducts the leaf's share in the score of every other j. With s the score and J its derivative, a leaf of
  // constant noise variance v has s_l = -(x_l - f) / v, J_ll = -1 / v, J_lj = f_j / v, so that its share
  // (x_l - f) f_j / v is s_l J_lj / J_ll.
  void remove(int leaf);
  const at::Tensor& curvatures() const { return diagonal_; }  // [rows, n]

 private:
  ScoreNetwork::Derivatives d_;
  at::Tensor diagonal_;
};

// Knowledge keeps a variable from being the last one: something behind it is still there.
bool may_be_leaf(int node, const std::vector<bool>& taken, const Knowledge& knowledge);

// The variable that most tables (one per noise level, [rows, n]) hold for the leaf, the earliest table's in a
// draw.
int vote_for_leaf(const std::vector<at::Tensor>& curvatures, const std::vector<bool>& taken,
                  const Knowledge& knowledge);

}  // namespace causcale

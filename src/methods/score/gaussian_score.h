// The Gaussian BIC of a node given its parents, with interventions: rows in which a node was set by
// intervention say nothing about how it depends on its parents and are left out of its score.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "causcale/matrix.h"
#include "causcale/table.h"
#include "methods/score/local_score.h"

namespace causcale {

class GaussianScore final : public LocalScore {
 public:
  // `penalty` multiplies the BIC's cost of log(m) / 2 a parameter.
  GaussianScore(const Table& table, const Interventions& interventions, double penalty);
  // From a covariance, as if `rows` observational rows had given it.
  GaussianScore(const Matrix<double>& covariance, double rows, double penalty);

  int nodes() const override { return static_cast<int>(total_.rows()); }
  double penalty() const { return penalty_; }
  double rows(int target) const { return target_rows_[target]; }
  bool constant(int node) const override { return constant_[node]; }
  // Two rows more than coefficients.
  double most_parents(int target) const override { return rows(target) - 3.0; }
  std::unique_ptr<ParentGains> gains(int target) const override;

  // Row `a` of the covariance over the rows in which `target` was left alone.
  void covariance_row(int target, int a, std::span<double> row) const;
  double covariance(int target, int a, int b) const;
  // The diagonal.
  void variances(int target, std::span<double> diagonal) const;

  // Log-likelihood less penalty; higher is better. A parent that is a linear combination of the others only
  // costs its penalty, and a residual variance below 1e-9 of the target's counts as that.
  double local(int target, std::span<const int> parents) const override;

 private:
  struct LeftOut {
    std::vector<int> rows;
    std::vector<double> mean;  // of the kept rows, less the overall mean
  };

  Matrix<double> total_;   // sums of products of the centred, scaled values over all rows
  Matrix<double> values_;  // centred and scaled; empty when there are no interventions
  std::vector<LeftOut> left_out_;
  std::vector<double> target_rows_;
  std::vector<char> constant_;
  double penalty_ = 0.0;
};

// The likelihood gains of all nodes as one more parent of a target.
class Conditioning final : public ParentGains {
 public:
  Conditioning(const GaussianScore& score, int target);
  void push(int parent) override;
  void pop() override;
  std::size_t size() const override { return lines_.size(); }
  double gain(int node) const override { return likelihood_gain(node) - score_.penalty(); }
  double likelihood_gain(int node) const;

 private:
  const GaussianScore& score_;
  int target_;
  std::size_t width_;
  std::vector<double> variance_, with_target_, whole_;
  std::vector<std::vector<double>> lines_;  // Cholesky factor of the parents, over all nodes
  std::vector<std::pair<std::vector<double>, std::vector<double>>> saved_;
};

// A residual variance as share of the whole below which a variable counts as a combination of others.
inline constexpr double kLeastResidual = 1e-9;

}  // namespace causcale

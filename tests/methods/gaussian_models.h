// Linear Gaussian models for tests: exact covariances, and tables whose moments are exactly those; a table
// that fits no model.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "causcale/graph.h"
#include "causcale/table.h"
#include "graph/mixed_graph.h"
#include "graph/order.h"

namespace causcale::test {

struct LinearModel {
  Digraph dag;
  Eigen::MatrixXd weights;  // (source, target)
  Eigen::VectorXd noise;    // standard deviations
};

inline LinearModel random_linear_model(const Digraph& dag, std::uint32_t number, double low = 0.5,
                                       double high = 1.5, bool equal_noise = false) {
  RandomStream random(77, number, 1);
  LinearModel model{dag, Eigen::MatrixXd::Zero(dag.nodes(), dag.nodes()), Eigen::VectorXd(dag.nodes())};
  for (const Edge& edge : dag.edges())
    model.weights(edge.source, edge.target) = (random.coin() ? 1 : -1) * random.uniform(low, high);
  for (int v = 0; v < dag.nodes(); ++v) model.noise(v) = equal_noise ? 1.0 : random.uniform(0.6, 1.4);
  return model;
}

// A with covariance A A^T; intervened nodes lose their parents.
inline Eigen::MatrixXd mixing(const LinearModel& model, const std::vector<int>& targets) {
  const int n = model.dag.nodes();
  Eigen::MatrixXd weights = model.weights;
  for (int target : targets) weights.col(target).setZero();
  const Eigen::MatrixXd total = (Eigen::MatrixXd::Identity(n, n) - weights).inverse();
  return total.transpose() * model.noise.asDiagonal();
}

inline Matrix<double> exact_covariance(const LinearModel& model) {
  const Eigen::MatrixXd a = mixing(model, {});
  const Eigen::MatrixXd covariance = a * a.transpose();
  Matrix<double> result(covariance.rows(), covariance.cols());
  for (int i = 0; i < covariance.rows(); ++i)
    for (int j = 0; j < covariance.cols(); ++j) result(i, j) = covariance(i, j);
  return result;
}

inline std::vector<std::string> column_names(int count) {
  std::vector<std::string> names;
  for (int v = 0; v < count; ++v) names.push_back("X" + std::to_string(v));
  return names;
}

// For every regime 2 n `copies` rows of mean zero whose covariance is exactly the regime's.
inline Dataset exact_dataset(const LinearModel& model, const std::vector<std::vector<int>>& regimes,
                             int copies) {
  const int n = model.dag.nodes();
  Dataset dataset;
  dataset.table.names = column_names(n);
  dataset.interventions.regimes = regimes;
  std::vector<double> values;
  for (std::size_t r = 0; r < regimes.size(); ++r) {
    const Eigen::MatrixXd a = mixing(model, regimes[r]) * std::sqrt(n);
    for (int copy = 0; copy < copies; ++copy)
      for (int column = 0; column < n; ++column)
        for (double sign : {1.0, -1.0}) {
          for (int v = 0; v < n; ++v) values.push_back(sign * a(v, column));
          dataset.interventions.regime_of_row.push_back(static_cast<int>(r));
        }
  }
  dataset.table.values = Matrix<double>(dataset.interventions.regime_of_row.size(), n, std::move(values));
  return dataset;
}

// Observational rows drawn from the model; noise(random) has variance 1.
template <class Noise>
Dataset drawn_dataset(const LinearModel& model, int rows, std::uint32_t number, Noise noise) {
  const int n = model.dag.nodes();
  RandomStream random(78, number, 2);
  Dataset dataset;
  dataset.table.names = column_names(n);
  dataset.table.values = Matrix<double>(rows, n);
  const auto order = *topological_order(model.dag);
  for (int r = 0; r < rows; ++r)
    for (int v : order) {
      double value = model.noise(v) * noise(random);
      for (int parent : model.dag.parents(v))
        value += model.weights(parent, v) * dataset.table.values(r, parent);
      dataset.table.values(r, v) = value;
    }
  return dataset;
}

inline Digraph directed_part(const MixedGraph& graph) {
  std::vector<Edge> edges;
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = 0; b < graph.nodes(); ++b)
      if (a != b && graph.directed(a, b)) edges.push_back({a, b});
  return Digraph(graph.nodes(), edges);
}

// Fewer rows than columns, a constant column (4), exact multiples (5 and 6) and a sum (7, of 8 and 9).
inline Dataset awkward_dataset() {
  RandomStream random(81, 0, 0);
  Dataset data;
  data.table.names = column_names(24);
  data.table.values = Matrix<double>(10, 24);
  for (std::size_t r = 0; r < 10; ++r) {
    for (std::size_t c = 0; c < 24; ++c) data.table.values(r, c) = random.normal();
    data.table.values(r, 4) = 7.0;
    data.table.values(r, 6) = 2.0 * data.table.values(r, 5);
    data.table.values(r, 7) = data.table.values(r, 8) + data.table.values(r, 9);
  }
  return data;
}

}  // namespace causcale::test

#include "simulate/worlds/feedback_system.h"

#include <algorithm>
#include <cmath>

namespace causcale {

FeedbackSystem draw_feedback_system(const Digraph& graph, bool saturating, RandomStream& random) {
  FeedbackSystem system{graph, {}, saturating};
  for (int node = 0; node < graph.nodes(); ++node) {
    system.weights.emplace_back();
    for (std::size_t p = 0; p < graph.parents(node).size(); ++p)
      system.weights.back().push_back(random.uniform(0.3, 1.5) * (random.coin() ? 1 : -1) *
                                      (saturating ? 2 : 1));
  }
  return system;
}

// Collatz and Wielandt: for any positive v the largest (|B| v)_i / v_i bounds the radius from above; powers
// of |B| bring v close to where the bound is tight.
double radius_bound(const FeedbackSystem& system) {
  const int nodes = system.graph.nodes();
  std::vector<double> v(nodes, 1.0), next(nodes);
  double bound = 0;
  for (int round = 0; round < 60; ++round) {
    double largest = 0;
    bound = 0;
    for (int node = 0; node < nodes; ++node) {
      double sum = 0;
      for (std::size_t p = 0; p < system.weights[node].size(); ++p)
        sum += std::abs(system.weights[node][p]) * v[system.graph.parents(node)[p]];
      bound = std::max(bound, sum / v[node]);
      // The shift keeps powers from alternating, the constant keeps v positive.
      next[node] = sum + 0.2 * v[node] + 1e-6;
      largest = std::max(largest, next[node]);
    }
    for (int node = 0; node < nodes; ++node) v[node] = next[node] / largest;
  }
  return bound;
}

void limit_radius(FeedbackSystem& system, double radius) {
  const double bound = radius_bound(system);
  if (bound <= radius) return;
  for (std::vector<double>& weights : system.weights)
    for (double& w : weights) w *= radius / bound;
}

Columns solve_feedback(const FeedbackSystem& system, const Columns& input, const Columns& share) {
  const int nodes = system.graph.nodes();
  const std::size_t rows = input[0].size();
  Columns x = input, response(nodes, std::vector<double>(rows));
  for (int node = 0; node < nodes; ++node)
    for (std::size_t r = 0; r < rows; ++r)
      response[node][r] = feedback_response(system.saturating, x[node][r]);
  std::vector<double> sum(rows);
  for (int sweep = 0; sweep < 2000; ++sweep) {
    double change = 0;
    for (int node = 0; node < nodes; ++node) {
      const std::vector<double>& weights = system.weights[node];
      if (weights.empty()) continue;
      std::ranges::fill(sum, 0.0);
      for (std::size_t p = 0; p < weights.size(); ++p) {
        const double weight = weights[p];
        const double* from = response[system.graph.parents(node)[p]].data();
        for (std::size_t r = 0; r < rows; ++r) sum[r] += weight * from[r];
      }
      double* own = x[node].data();
      const double *add = input[node].data(), *part = share[node].data();
      double largest = 0;
      for (std::size_t r = 0; r < rows; ++r) {
        const double value = part[r] * sum[r] + add[r];
        largest = std::max(largest, std::abs(value - own[r]));
        own[r] = value;
      }
      change = std::max(change, largest);
      for (std::size_t r = 0; r < rows; ++r) response[node][r] = feedback_response(system.saturating, own[r]);
    }
    if (change < 1e-10) break;
  }
  return x;
}

}  // namespace causcale

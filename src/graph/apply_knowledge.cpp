#include "graph/apply_knowledge.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace causcale {
namespace {

Matrix<std::uint8_t> forbidden_edges(const Knowledge& knowledge, int n) {
  Matrix<std::uint8_t> forbidden(n, n);
  // Asking Knowledge::forbids for every pair would read the list of single edges each time.
  Knowledge tiers;
  tiers.tier_of = knowledge.tier_of;
  tiers.closed_tiers = knowledge.closed_tiers;
  if (!tiers.tier_of.empty())
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) forbidden(i, j) = tiers.forbids({i, j});
  for (const Edge& edge : knowledge.forbidden) forbidden(edge.source, edge.target) = 1;
  return forbidden;
}

// What there was, which is then gone.
double take_feedback(Matrix<double>* feedback, int i, int j) {
  if (feedback == nullptr || feedback->empty()) return 0.0;
  (*feedback)(j, i) = 0.0;
  return std::exchange((*feedback)(i, j), 0.0);
}

}  // namespace

double given_excluded(double p, double excluded) {
  const double left = std::max(1.0 - excluded, p);
  return left > 0.0 ? p / left : 0.0;
}

void apply_knowledge(const Knowledge& knowledge, Matrix<double>& probabilities, Matrix<double>* feedback) {
  if (knowledge.empty()) return;
  const int n = static_cast<int>(probabilities.rows());
  const Matrix<std::uint8_t> forbidden = forbidden_edges(knowledge, n);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      double& forward = probabilities(i, j);
      double& reverse = probabilities(j, i);
      if (forbidden(i, j) || forbidden(j, i)) {
        const double both = take_feedback(feedback, i, j);
        if (forbidden(i, j)) reverse = std::max(0.0, reverse - both);
        if (forbidden(j, i)) forward = std::max(0.0, forward - both);
      }
      if (forbidden(i, j) && forbidden(j, i))
        forward = reverse = 0;
      else if (forbidden(i, j))
        reverse = given_excluded(reverse, std::exchange(forward, 0.0));
      else if (forbidden(j, i))
        forward = given_excluded(forward, std::exchange(reverse, 0.0));
    }
  for (const Edge& edge : knowledge.required) {
    take_feedback(feedback, edge.source, edge.target);
    probabilities(edge.source, edge.target) = 1;
    probabilities(edge.target, edge.source) = 0;
  }
}

}  // namespace causcale

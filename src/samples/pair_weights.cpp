#include "samples/pair_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "causcale/error.h"
#include "graph/components.h"

namespace causcale {

namespace {

// That both directions hold: as probable as either at most, also where a stored result left out a direction
// that is hardly probable.
double both_directions(const Matrix<double>& feedback, std::size_t i, std::size_t j, double forward,
                       double reverse) {
  if (feedback.empty()) return 0.0;
  for (const double value : {feedback(i, j), feedback(j, i)})
    if (!(value >= 0.0 && value <= 1.0))
      throw UsageError(
          fmt::format("feedback({}, {}): a number between 0 and 1 is expected, found {}", i, j, value));
  return std::min({feedback(i, j), feedback(j, i), forward, reverse});
}

}  // namespace

std::vector<PairWeight> pair_weights(const Matrix<double>& probabilities, const Matrix<double>& feedback) {
  const std::size_t n = probabilities.rows();
  if (probabilities.cols() != n)
    throw UsageError(
        fmt::format("probabilities: a square matrix is expected, found {} x {}", n, probabilities.cols()));
  if (!feedback.empty() && (feedback.rows() != n || feedback.cols() != n))
    throw UsageError(fmt::format("feedback: {} x {} entries as the probabilities are expected, found {} x {}",
                                 n, n, feedback.rows(), feedback.cols()));
  std::vector<PairWeight> pairs;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double value = probabilities(i, j);
      if (!(value >= 0.0 && value <= 1.0) || (i == j && value != 0.0))
        throw UsageError(fmt::format("probabilities({}, {}): {} between 0 and 1 is expected, found {}", i, j,
                                     i == j ? "0 on the diagonal, others" : "a number", value));
      if (j <= i) continue;
      double forward = value, reverse = probabilities(j, i);
      const double both = both_directions(feedback, i, j, forward, reverse);
      forward -= both / 2;
      reverse -= both / 2;
      const double sum = forward + reverse;
      if (!(sum > 0.0)) continue;
      if (sum > 1.0) {
        forward /= sum;
        reverse /= sum;
      }
      const double none = sum >= 1.0 ? 0.0 : 1.0 - sum;
      pairs.push_back({static_cast<int>(i), static_cast<int>(j), forward, reverse, none});
    }
  return pairs;
}

WeightParts split_weights(int nodes, const std::vector<PairWeight>& pairs) {
  std::vector<Edge> possible;
  for (const PairWeight& pair : pairs) {
    if (pair.forward > 0.0) possible.push_back({pair.a, pair.b});
    if (pair.reverse > 0.0) possible.push_back({pair.b, pair.a});
  }
  const Components components = strongly_connected_components(Digraph(nodes, std::move(possible)));
  const std::vector<std::vector<int>> members = components.members();
  WeightParts parts;
  std::vector<int> part_of(members.size(), -1), number_of(nodes, 0);
  for (std::size_t c = 0; c < members.size(); ++c) {
    // Two nodes alone make no cycle: of a pair one direction is there at most.
    if (members[c].size() < 3) continue;
    part_of[c] = static_cast<int>(parts.components.size());
    for (std::size_t k = 0; k < members[c].size(); ++k) number_of[members[c][k]] = static_cast<int>(k);
    parts.components.push_back({members[c], {}});
  }
  for (const PairWeight& pair : pairs) {
    const int c = components.component_of[pair.a];
    if (c != components.component_of[pair.b] || part_of[c] < 0) {
      parts.free.push_back(pair);
      continue;
    }
    PairWeight inside = pair;
    inside.a = number_of[pair.a];
    inside.b = number_of[pair.b];
    parts.components[part_of[c]].pairs.push_back(inside);
  }
  return parts;
}

IndependentDraw::IndependentDraw(std::vector<PairWeight> pairs) : pairs_(std::move(pairs)) {
  const auto chance = [](const PairWeight& pair) { return pair.forward + pair.reverse; };
  std::ranges::stable_sort(pairs_, std::greater{}, chance);
  for (std::size_t begin = 0; begin < pairs_.size();) {
    const double bound = chance(pairs_[begin]);
    std::size_t end = begin;
    // Likely pairs are asked one by one; of unlikely ones most are jumped over.
    while (end < pairs_.size() &&
           (bound > 0.25 ? chance(pairs_[end]) > 0.25 : chance(pairs_[end]) > bound / 2))
      ++end;
    groups_.push_back({begin, end, bound, bound > 0.25 ? 0.0 : std::log1p(-bound)});
    begin = end;
  }
}

void IndependentDraw::draw(RandomStream& random, std::vector<Edge>& edges) const {
  const auto add = [&](const PairWeight& pair, double u) {
    if (u < pair.forward)
      edges.push_back({pair.a, pair.b});
    else if (u < pair.forward + pair.reverse)
      edges.push_back({pair.b, pair.a});
  };
  for (const Group& group : groups_) {
    if (group.log_miss == 0.0) {
      // A pair without the possibility of no edge must not lose its edge to rounding.
      for (std::size_t k = group.begin; k < group.end; ++k) {
        const PairWeight& pair = pairs_[k];
        const double u = random.uniform();
        add(pair, pair.none > 0.0 ? u : u * (pair.forward + pair.reverse));
      }
      continue;
    }
    for (std::size_t k = group.begin;; ++k) {
      const double jump = std::floor(std::log(random.uniform()) / group.log_miss);
      if (jump >= static_cast<double>(group.end - k)) break;
      k += static_cast<std::size_t>(jump);
      add(pairs_[k], random.uniform() * group.bound);
    }
  }
}

}  // namespace causcale

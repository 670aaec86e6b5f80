// Exact draws of acyclic graphs on few nodes.
//
// A(S, T) is the total weight of the acyclic graphs on the nodes S whose nodes without parents are exactly T.
// Taking T away leaves a graph on R = S \ T with the sources U: each of U has a parent in T, the other nodes
// of R have any or none there, and T has no edges within. So
//
//   A(S, T) = prod over pairs within T of none *
//             sum over U of A(R, U) * prod over u in U of some(T, u) * prod over v in R \ U of any(T, v)
//
// where any(T, v) is the weight of v having any parents in T, and some(T, v) that of at least one. All terms
// are positive, so nothing cancels. A draw goes down the same sums. 4^k steps for k nodes, once.
#pragma once

#include <vector>

#include "samples/pair_weights.h"

namespace causcale {

class Enumeration {
 public:
  static constexpr std::size_t kMostNodes = 9;

  explicit Enumeration(const WeightComponent& component);

  // The weight of all acyclic graphs: the probability that independent draws of the pairs make one.
  double total() const { return total_; }
  // Appends the edges of a graph, in the component's numbers. `total()` must be above 0.
  void draw(RandomStream& random, std::vector<Edge>& edges) const;

 private:
  using Set = unsigned;
  double& weight(Set nodes, Set sources) { return weight_[(nodes << size_) | sources]; }
  double weight(Set nodes, Set sources) const { return weight_[(nodes << size_) | sources]; }
  double any(Set parents, int v) const { return any_[(parents * size_) + v]; }
  double some(Set parents, int v) const { return some_[(parents * size_) + v]; }
  // The terms of the sum above for every U, in the order of the subsets of `rest`.
  void sum_terms(Set sources, Set rest, std::vector<Set>& sets, std::vector<double>& factors) const;
  void draw_parents(Set parents, int v, bool at_least_one, RandomStream& random,
                    std::vector<Edge>& edges) const;

  int size_;
  double total_ = 0.0;
  std::vector<double> to_, none_;   // [size, size]: of an edge i -> j, and of none
  std::vector<double> any_, some_;  // [2^size, size]
  std::vector<double> weight_;
};

}  // namespace causcale

// The three possibilities of every pair, the parts of a table that can be drawn on their own, and fast draws.
#pragma once

#include <vector>

#include "base/random.h"
#include "causcale/graph.h"
#include "causcale/matrix.h"

namespace causcale {

// Probabilities of a -> b, b -> a and no edge; a < b, they add up to 1.
struct PairWeight {
  int a, b;
  double forward, reverse, none;

  // Only one direction is possible, and it is there for certain.
  bool forced_forward() const { return none <= 0.0 && reverse <= 0.0; }
  bool forced_reverse() const { return none <= 0.0 && forward <= 0.0; }
};

// Every pair that can have an edge, sorted by (a, b). `feedback`, symmetric or empty, is the probability that
// both directions hold, which both entries of a pair count; each direction gets half of it.
std::vector<PairWeight> pair_weights(const Matrix<double>& probabilities,
                                     const Matrix<double>& feedback = {});

// Nodes that possible edges join to cycles, and the pairs between them: only there does being acyclic make
// pairs depend on each other.
struct WeightComponent {
  std::vector<int> nodes;         // ascending
  std::vector<PairWeight> pairs;  // in numbers of `nodes`
};
struct WeightParts {
  std::vector<PairWeight> free;             // pairs that can take part in no cycle
  std::vector<WeightComponent> components;  // of two or more nodes
};
WeightParts split_weights(int nodes, const std::vector<PairWeight>& pairs);

// Draws all pairs independently of each other, in time proportional to the edges drawn.
class IndependentDraw {
 public:
  explicit IndependentDraw(std::vector<PairWeight> pairs);
  // Appends the edges.
  void draw(RandomStream& random, std::vector<Edge>& edges) const;

 private:
  struct Group {
    std::size_t begin, end;
    double bound;     // no pair of the group has an edge with a greater probability
    double log_miss;  // log(1 - bound)
  };
  std::vector<PairWeight> pairs_;  // by falling probability of an edge
  std::vector<Group> groups_;
};

}  // namespace causcale

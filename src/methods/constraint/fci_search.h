// FCI and RFCI, apart from tables and settings: from an independence test to a PAG.
#pragma once

#include <cstdint>
#include <functional>

#include "graph/mixed_graph.h"
#include "methods/constraint/skeleton.h"

namespace causcale {

struct FciOptions {
  SkeletonOptions skeleton;
  // The second search, through possible-d-sep sets. Negative: no limit.
  bool possible_d_sep = true;
  int max_path = -1;                           // edges between a variable and a member of its set
  std::int64_t tests_per_pair = -1;            // small conditioning sets come first
  std::function<void(double share)> progress;  // of the second search; may be empty
};

struct FciResult {
  Skeleton skeleton;
  MixedGraph graph;
  std::size_t largest_possible_d_sep = 0;
  std::int64_t possible_d_sep_tests = 0;
  std::size_t removed_by_possible_d_sep = 0;
  std::size_t incomplete_pairs = 0;  // ended by tests_per_pair
};

// Spirtes, Meek and Richardson (1995) with the rules of Zhang (2008).
FciResult fci_search(const IndependenceTest& test, const EdgeRules& rules, const FciOptions& options);

// Colombo, Maathuis, Kalisch and Richardson (2012): no possible-d-sep sets; instead tests before every
// orientation that would need them. The options for the second search are not used.
FciResult rfci_search(const IndependenceTest& test, const EdgeRules& rules, const FciOptions& options);

// The vertices v of paths x ... v on which every inner vertex is a collider or the middle of a triangle; not
// x itself. Ascending. `max_path` < 0: any length.
std::vector<int> possible_d_sep(const Skeleton& skeleton, const MixedGraph& graph, int x, int max_path);

}  // namespace causcale

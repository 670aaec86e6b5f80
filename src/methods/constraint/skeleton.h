// Which variables are adjacent: the search for separating sets that PC, FCI and RFCI begin with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "causcale/graph.h"
#include "causcale/matrix.h"
#include "methods/constraint/independence_test.h"
#include "methods/edge_rules.h"

namespace causcale {

// The set that separates a pair. Empty sets, by far the most frequent, take no memory.
class SeparatingSets {
 public:
  void put(int x, int y, std::vector<int> set);
  std::span<const int> of(int x, int y) const;
  bool contains(int x, int y, int z) const;

 private:
  static std::uint64_t key(int x, int y);
  std::unordered_map<std::uint64_t, std::vector<int>> sets_;
};

struct Skeleton {
  explicit Skeleton(int nodes);

  std::vector<std::vector<int>> neighbours;  // ascending
  Matrix<std::uint8_t> joined;               // symmetric
  // Least strength of dependence over all tests made of a pair; symmetric.
  Matrix<double> weakest;
  SeparatingSets separators;  // of pairs that are not joined
  // Pairs (x < y) that only knowledge keeps apart: no separating set is known. Sorted.
  std::vector<Edge> unexplained;
  int deepest = 0;  // size of the largest conditioning sets tried
  std::int64_t tests = 0;

  int nodes() const { return static_cast<int>(neighbours.size()); }
  bool adjacent(int x, int y) const { return joined(x, y); }
  std::size_t edge_count() const;
  bool explained(int x, int y) const {
    return !std::ranges::binary_search(unexplained, Edge{std::min(x, y), std::max(x, y)});
  }
  void remove(int x, int y);
  void note_strength(int x, int y, double strength);
};

// Which neighbours may serve to separate a pair, given what is known.
enum class SeparatorPool {
  kPossibleParents,    // enough when every cause is measured
  kPossibleAncestors,  // needed when some are not
};

struct SkeletonOptions {
  int max_conditioning = -1;  // size of conditioning sets; negative: as far as there are candidates
  // Sizes from 2 on are begun while all tests together cannot become more than this, however the tests of a
  // size come out; 0: any number.
  std::int64_t max_tests = 0;
  SeparatorPool pool = SeparatorPool::kPossibleParents;
  int threads = 0;
  // `edges`: adjacent pairs when the level began. Called on the calling thread alone; may be empty.
  std::function<void(int level, std::size_t edges, double share_done)> progress;
  std::function<void()> check;  // as that of SubsetRequest; may be empty

  const std::function<void()>* interruption() const { return check ? &check : nullptr; }
};

// The stable search of Colombo and Maathuis (2014): within a size of conditioning sets, candidates are the
// neighbours from before that size, so that the result depends neither on the order of the variables nor on
// that of the work. Required pairs stay joined, pairs forbidden both ways are not; for those
// of the latter with a common neighbour, separating sets of neighbours are looked for at the end, because
// orientation needs them.
Skeleton stable_skeleton(const IndependenceTest& test, const EdgeRules& rules,
                         const SkeletonOptions& options);

}  // namespace causcale

// The first two steps of SEA (learn/networks/sea.h): small sets of variables, each with a batch of rows, and
// what a classical method says about every one of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "causcale/table.h"
#include "core/channels.h"
#include "core/config.h"
#include "graph/mixed_graph.h"

namespace causcale {

// The edge between a and b as the method drew it, read from a to b.
enum class EstimatedEdge : std::uint8_t {
  kNone,
  kForward,         // a --> b
  kBackward,        // a <-- b
  kUndirected,      // a --- b
  kBidirected,      // a <-> b
  kCircleForward,   // a o-> b, and a o-- b
  kCircleBackward,  // a <-o b, and a --o b
  kCircles,         // a o-o b
};
inline constexpr int kEstimatedEdges = 8;
EstimatedEdge estimated_edge(const MixedGraph& graph, int a, int b);

struct SubsetEstimates {
  int size = 0;                       // k: variables of a set
  std::vector<std::int64_t> subsets;  // [T, k]: their columns, ascending
  std::vector<std::int64_t> edges;    // [T, k (k - 1)]: EstimatedEdge of ordered pairs, row-major
};

// `count` sets of min(k, n) different columns. The first of a set is drawn by the sum of its scores, the next
// ones by their scores with those already there; scores are the sizes of the statistic's entries, divided by
// the square root of 1 + how often the pair was in a set before. `statistic` is [n, n].
std::vector<std::vector<int>> choose_subsets(const float* statistic, int columns,
                                             const SubsetOptions& options, int count, RandomStream& random);

// These columns of at most options.rows rows, in the order of the table. To an estimator that knows
// interventions, rows in which something else was intervened on say nothing; the others are shared out
// evenly among the columns that were, and the observational ones.
Dataset draw_subset(const WrittenTable& table, std::span<const int> columns, const SubsetOptions& options,
                    RandomStream& random);

// What options.estimator says about it. Without edges where it cannot say anything: a table too short, a
// column without spread.
MixedGraph estimate_subset(const Dataset& subset, Estimator estimator);

// All of it: a pure function of its arguments but for `threads` (0 = all cores), which changes nothing.
SubsetEstimates estimate_subsets(const WrittenTable& table, const float* statistic,
                                 const SubsetOptions& options, int count, std::uint64_t seed,
                                 std::uint32_t dataset, int threads);

}  // namespace causcale

// What cheap statistics say about every pair of variables, beside the network: the inputs of the stacked
// model (stacked_model.h). All of them are free of units and of the order of rows and columns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "causcale/matrix.h"
#include "causcale/table.h"
#include "discover/stacking/companion.h"

namespace causcale {

// Of an ordered pair i -> j.
enum class DirectedStatistic : std::uint8_t {
  kNetwork,            // log-odds of the network, or of two together
  kDisagreement,       // those of the second network less those of the first
  kNetworkBypass,      // the most probable way from i to j over a third variable
  kShiftT,             // interventions on i move the mean of j: Welch's statistic
  kShiftSize,          // the same in deviations of j
  kShiftWithinTarget,  // how far that stands out among the shifts of j
  kShiftWithinSource,  // and among those that i makes
  kShiftBypass,        // the strongest way from i to j by shifts over a third variable
  kShiftDistribution,  // Kolmogorov and Smirnov's distance
  kClassArrow,         // i -> j in the best-scoring equivalence class
  kClassArrowShare,    // the same over bootstrapped tables
  kSeparationArrow,    // i -> j by the colliders of PC
  kLingamRatio,        // pairwise likelihood ratio of linear models with non-Gaussian noise
  kLingamWeight,       // DirectLiNGAM's coefficient
  kShape,              // additive noise fits better than in the reverse (direction.h)
  kStructure,          // the graph fits better than with the edge turned round
  kCount
};
// Of an unordered pair.
enum class SymmetricStatistic : std::uint8_t {
  kNetworkLink,   // log-odds of the network that there is an edge at all
  kNetworkCause,  // the most probable common cause
  kCorrelation,   // size of the correlation
  kCorrelationZ,  // and its significance
  kPartial,       // given all other variables
  kPartialZ,
  kRankPartial,  // of normal scores, given all other variables
  kRankPartialZ,
  kDependence,         // -log10 p of independence by tests that suit the kinds of the columns
  kClassLink,          // adjacent in the best-scoring equivalence class
  kClassLinkShare,     // the same over bootstrapped tables
  kClassGain,          // what the score loses without the edge, per log of the rows
  kSeparationLink,     // no small set of others makes the pair independent
  kSeparationWeakest,  // the weakest of the tests that say so
  kExamined,           // whether the pair was probable enough for direction.h
  kGivenDependence,    // -log10 p of independence given the other causes
  kCount
};
enum class NodeStatistic : std::uint8_t {
  kKurtosis,
  kSkewness,
  kDistinct,  // different values per row, on a logarithmic scale
  kBinary,
  kDiscrete,
  kIntervenedRows,  // share of the rows
  kTargeted,
  kExplained,   // share of the variance that all other variables explain linearly
  kNetworkOut,  // expected number of children and parents by the network
  kNetworkIn,
  kClassDegree,
  kCount
};
enum class TableStatistic : std::uint8_t {
  kColumns,
  kRows,
  kRowsPerColumn,
  kDiscreteShare,
  kIntervenedShare,  // of the rows
  kTargetedShare,    // of the columns
  kRowsPerTarget,
  kKurtosis,
  kCorrelation,
  kNetworkDensity,
  kClassDensity,
  kCount
};

template <class Statistic>
inline constexpr std::size_t kNumberOf = static_cast<std::size_t>(Statistic::kCount);

// Numbers of a few units in size; 0 where there is nothing to tell.
struct PairStatistics {
  std::size_t columns = 0;
  Matrix<float> directed;    // [n * n, kNumberOf<DirectedStatistic>]
  Matrix<float> symmetric;   // [n * n, kNumberOf<SymmetricStatistic>], filled both ways
  Matrix<float> nodes;       // [n, kNumberOf<NodeStatistic>]
  std::vector<float> table;  // [kNumberOf<TableStatistic>]

  explicit PairStatistics(std::size_t n);
  float& at(DirectedStatistic s, std::size_t i, std::size_t j) {
    return directed(i * columns + j, static_cast<std::size_t>(s));
  }
  void set(SymmetricStatistic s, std::size_t i, std::size_t j, double value);
  float& at(NodeStatistic s, std::size_t v) { return nodes(v, static_cast<std::size_t>(s)); }
  float& at(TableStatistic s) { return table[static_cast<std::size_t>(s)]; }
};

// The inputs of the stacked model for the pair i, j read from i: symmetric, directed both ways, both nodes,
// table.
inline constexpr std::size_t kPairInputs = kNumberOf<SymmetricStatistic> + 2 * kNumberOf<DirectedStatistic> +
                                           2 * kNumberOf<NodeStatistic> + kNumberOf<TableStatistic>;
void write_pair_inputs(const PairStatistics& statistics, std::size_t i, std::size_t j, float* out);

// Changes whenever the meaning or order of the inputs does; a stacked model is refused by other versions.
inline constexpr int kPairInputVersion = 2;

// Beyond these sizes the searches behind the statistics take longer than the network.
inline constexpr std::size_t kMostStackedColumns = 150;

// `ordered` has no missing cell and its rows are in canonical order.
// Progress is called with the share that is done, 0 at first; it may throw, which ends the work.
PairStatistics pair_statistics(const Dataset& ordered, const JoinedAnswer& network, int threads,
                               const std::function<void(double share)>& progress = {});

}  // namespace causcale

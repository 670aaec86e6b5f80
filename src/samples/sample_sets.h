// Sets of samples, a bit for each: in which graphs something holds.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "causcale/samples.h"

namespace causcale {

using SampleSet = std::vector<std::uint64_t>;

inline std::size_t words_of(const GraphSamples& samples) {
  return (samples.graphs.size() + 63) / 64;
}

inline std::size_t size_of(const SampleSet& set) {
  std::size_t size = 0;
  for (const std::uint64_t word : set) size += static_cast<std::size_t>(std::popcount(word));
  return size;
}

inline double entropy_term(std::size_t count, double total) {
  if (count == 0) return 0.0;
  const double share = static_cast<double>(count) / total;
  return -share * std::log2(share);
}

// A pair of variables whose edge is not the same in all graphs.
struct DoubtfulPair {
  int a, b;                    // a < b
  double entropy;              // bits, of a -> b, b -> a and no edge
  SampleSet forward, reverse;  // the graphs with a -> b, with b -> a
};

// Sorted by (a, b).
std::vector<DoubtfulPair> doubtful_pairs(const GraphSamples& samples);

// What is left of an information measured in so many independent samples when what chance would show is taken
// off; 0 where so much or more would be seen by chance more often than once in ten thousand.
double beyond_chance(double information, double degrees, double effective);
// No smaller information passes that test, whatever the degrees of freedom.
double least_information(double effective);

}  // namespace causcale

#include "samples/sample_sets.h"

#include <algorithm>
#include <unordered_map>

#include "base/distributions.h"
#include "graph/bit_matrix.h"

namespace causcale {
namespace {

constexpr double kLn2 = 0.6931471805599453;
constexpr double kChance = 1e-4;
constexpr double kChanceQuantile = 15.136;  // of chi-square with one degree of freedom, rounded down

}  // namespace

std::vector<DoubtfulPair> doubtful_pairs(const GraphSamples& samples) {
  const std::size_t count = samples.graphs.size(), words = words_of(samples);
  std::unordered_map<std::uint64_t, std::size_t> place;
  std::vector<DoubtfulPair> seen;
  for (std::size_t k = 0; k < count; ++k)
    for (const Edge& edge : samples.graphs[k].edges()) {
      const auto [a, b] = std::minmax(edge.source, edge.target);
      const auto key = static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(samples.nodes) +
                       static_cast<std::uint64_t>(b);
      const auto [at, is_new] = place.emplace(key, seen.size());
      if (is_new) seen.push_back({a, b, 0.0, SampleSet(words), SampleSet(words)});
      DoubtfulPair& pair = seen[at->second];
      set_bit(edge.source < edge.target ? pair.forward : pair.reverse, static_cast<int>(k));
    }
  const double total = static_cast<double>(count);
  for (DoubtfulPair& pair : seen) {
    const std::size_t forward = size_of(pair.forward), reverse = size_of(pair.reverse);
    pair.entropy = entropy_term(forward, total) + entropy_term(reverse, total) +
                   entropy_term(count - forward - reverse, total);
  }
  std::erase_if(seen, [](const DoubtfulPair& pair) { return pair.entropy <= 0.0; });
  std::ranges::sort(seen, {}, [](const DoubtfulPair& pair) { return std::pair(pair.a, pair.b); });
  return seen;
}

double beyond_chance(double information, double degrees, double effective) {
  if (degrees <= 0.0 || information <= 0.0) return 0.0;
  if (chi_square_tail(2.0 * kLn2 * effective * information, degrees) > kChance) return 0.0;
  // Finite samples show some information where there is none: what is expected is taken off.
  return std::max(0.0, information - degrees / (2.0 * kLn2 * effective));
}

double least_information(double effective) {
  return kChanceQuantile / (2.0 * kLn2 * effective);
}

}  // namespace causcale

// What further rows without intervention could tell about the graph.
#include <algorithm>
#include <unordered_map>

#include "base/parallel.h"
#include "causcale/samples.h"
#include "graph/cpdag.h"
#include "samples/sample_sets.h"

namespace causcale {
namespace {

constexpr std::size_t kMostListed = 10;

// Of the samples whose equivalence class leaves the direction of a pair open, how many have which.
struct OpenDirections {
  std::size_t forward = 0, reverse = 0;
};

}  // namespace

ObservationGain observation_gain(const GraphSamples& samples, int threads) {
  const std::vector<DoubtfulPair> pairs = doubtful_pairs(samples);
  const auto key_of = [&](int a, int b) {
    return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(samples.nodes) +
           static_cast<std::uint64_t>(b);
  };
  std::unordered_map<std::uint64_t, std::size_t> place;
  for (std::size_t p = 0; p < pairs.size(); ++p) place.emplace(key_of(pairs[p].a, pairs[p].b), p);
  // Counts are whole numbers: who adds them up does not matter.
  const std::size_t count = samples.graphs.size();
  const std::size_t pieces = std::min(static_cast<std::size_t>(resolve_threads(threads)), count);
  std::vector<std::vector<OpenDirections>> open(pieces);
  parallel_for(pieces, threads, [&](std::size_t piece) {
    open[piece].resize(pairs.size());
    for (std::size_t k = piece; k < count; k += pieces)
      for (const auto& [a, b] : cpdag_of(samples.graphs[k]).undirected)
        if (const auto found = place.find(key_of(a, b)); found != place.end()) {
          OpenDirections& counts = open[piece][found->second];
          ++(samples.graphs[k].has_edge(a, b) ? counts.forward : counts.reverse);
        }
  });
  ObservationGain gain;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    OpenDirections sum;
    for (const auto& counts : open) {
      sum.forward += counts[p].forward;
      sum.reverse += counts[p].reverse;
    }
    const double both = static_cast<double>(sum.forward + sum.reverse);
    const double left = both > 0.0 ? both / static_cast<double>(count) *
                                         (entropy_term(sum.forward, both) + entropy_term(sum.reverse, both))
                                   : 0.0;
    gain.doubt += pairs[p].entropy;
    const double information = std::max(0.0, pairs[p].entropy - left);
    gain.information += information;
    if (information > 0.0) gain.settles.push_back({pairs[p].a, pairs[p].b, pairs[p].entropy, information});
  }
  std::ranges::stable_sort(gain.settles, std::greater{}, &SettledPair::information);
  if (gain.settles.size() > kMostListed) gain.settles.resize(kMostListed);
  return gain;
}

}  // namespace causcale

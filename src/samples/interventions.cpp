// Which intervention would tell most about the graph.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <string>

#include "base/distributions.h"
#include "base/parallel.h"
#include "causcale/samples.h"
#include "graph/reachability.h"

namespace causcale {
namespace {

constexpr double kLn2 = 0.6931471805599453;
// Information of a pair counts when so much or more would be seen by chance this often at most.
constexpr double kChance = 1e-4;
constexpr std::size_t kMostListed = 10;

double entropy_term(std::size_t count, double total) {
  if (count == 0) return 0.0;
  const double share = static_cast<double>(count) / total;
  return -share * std::log2(share);
}

// Sets of samples, a bit for each.
using SampleSet = std::vector<std::uint64_t>;

struct DoubtfulPair {
  int a, b;
  double entropy;
  SampleSet forward, reverse;
};

std::vector<DoubtfulPair> doubtful_pairs(const GraphSamples& samples) {
  const std::size_t count = samples.graphs.size(), words = (count + 63) / 64;
  std::map<std::pair<int, int>, std::array<SampleSet, 2>> seen;
  for (std::size_t k = 0; k < count; ++k)
    for (const Edge& edge : samples.graphs[k].edges()) {
      const auto [a, b] = std::minmax(edge.source, edge.target);
      auto& sets = seen[{a, b}];
      for (SampleSet& set : sets) set.resize(words);
      set_bit(sets[edge.source > edge.target], static_cast<int>(k));
    }
  std::vector<DoubtfulPair> pairs;
  for (auto& [pair, sets] : seen) {
    std::size_t forward = 0, reverse = 0;
    for (std::size_t w = 0; w < words; ++w) {
      forward += std::popcount(sets[0][w]);
      reverse += std::popcount(sets[1][w]);
    }
    const double total = static_cast<double>(count);
    const double entropy = entropy_term(forward, total) + entropy_term(reverse, total) +
                           entropy_term(count - forward - reverse, total);
    if (entropy > 0.0)
      pairs.push_back({pair.first, pair.second, entropy, std::move(sets[0]), std::move(sets[1])});
  }
  return pairs;
}

// Three states of the pair by four outcomes: which of the two variables move.
double pair_information(const DoubtfulPair& pair, const SampleSet& moved_a, const SampleSet& moved_b,
                        std::size_t count, double effective) {
  std::array<std::array<std::size_t, 4>, 3> cells{};
  std::array<std::size_t, 4> outcomes{};
  const auto add = [](std::array<std::size_t, 4>& to, std::uint64_t a, std::uint64_t b, std::uint64_t among) {
    to[0] += std::popcount(~a & ~b & among);
    to[1] += std::popcount(a & ~b & among);
    to[2] += std::popcount(~a & b & among);
    to[3] += std::popcount(a & b & among);
  };
  for (std::size_t w = 0; w < moved_a.size(); ++w) {
    const std::size_t left = count - 64 * w;
    const std::uint64_t among = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    add(outcomes, moved_a[w], moved_b[w], among);
    add(cells[0], moved_a[w], moved_b[w], pair.forward[w]);
    add(cells[1], moved_a[w], moved_b[w], pair.reverse[w]);
  }
  const double total = static_cast<double>(count);
  double joint = 0.0, marginal = 0.0;
  int columns = 0, rows = 0;
  std::array<std::size_t, 3> states{};
  for (int o = 0; o < 4; ++o) {
    cells[2][o] = outcomes[o] - cells[0][o] - cells[1][o];
    marginal += entropy_term(outcomes[o], total);
    columns += outcomes[o] > 0;
    for (int s = 0; s < 3; ++s) {
      states[s] += cells[s][o];
      joint += entropy_term(cells[s][o], total);
    }
  }
  for (const std::size_t state : states) rows += state > 0;
  const double information = pair.entropy + marginal - joint, degrees = (rows - 1.0) * (columns - 1.0);
  if (degrees <= 0.0 || information <= 0.0) return 0.0;
  if (chi_square_tail(2.0 * kLn2 * effective * information, degrees) > kChance) return 0.0;
  // Finite samples show some information where there is none: what is expected is taken off.
  return std::max(0.0, information - degrees / (2.0 * kLn2 * effective));
}

InterventionGain gain_of(int variable, const GraphSamples& samples, const std::vector<DoubtfulPair>& pairs) {
  const std::size_t count = samples.graphs.size(), words = (count + 63) / 64;
  std::vector<SampleSet> moved(samples.nodes, SampleSet(words));
  std::map<std::string, std::size_t> outcomes;  // flags of the variables that move
  std::size_t movers = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::vector<std::uint8_t> below = descendants(samples.graphs[k], std::span(&variable, 1));
    for (int j = 0; j < samples.nodes; ++j)
      if (below[j]) {
        set_bit(moved[j], static_cast<int>(k));
        movers += j != variable;
      }
    ++outcomes[std::string(below.begin(), below.end())];
  }
  InterventionGain gain{variable, 0.0, 0.0, static_cast<double>(movers) / static_cast<double>(count), {}};
  for (const auto& [outcome, times] : outcomes)
    gain.outcome_entropy += entropy_term(times, static_cast<double>(count));
  const double effective = std::clamp(samples.effective, 1.0, static_cast<double>(count));
  for (const DoubtfulPair& pair : pairs) {
    const double information = pair_information(pair, moved[pair.a], moved[pair.b], count, effective);
    if (information <= 0.0) continue;
    gain.information += information;
    gain.settles.push_back({pair.a, pair.b, pair.entropy, information});
  }
  std::ranges::stable_sort(gain.settles, std::greater{}, &SettledPair::information);
  if (gain.settles.size() > kMostListed) gain.settles.resize(kMostListed);
  return gain;
}

}  // namespace

InterventionRanking rank_interventions(const GraphSamples& samples, int threads) {
  const std::vector<DoubtfulPair> pairs = doubtful_pairs(samples);
  InterventionRanking ranking;
  for (const DoubtfulPair& pair : pairs) ranking.doubt += pair.entropy;
  ranking.interventions.resize(samples.nodes);
  parallel_for(ranking.interventions.size(), threads, [&](std::size_t v) {
    ranking.interventions[v] = gain_of(static_cast<int>(v), samples, pairs);
  });
  std::ranges::stable_sort(ranking.interventions, std::greater{}, &InterventionGain::information);
  return ranking;
}

}  // namespace causcale

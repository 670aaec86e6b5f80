// Which intervention would tell most about the graph.
#include <algorithm>
#include <array>

#include "base/parallel.h"
#include "causcale/samples.h"
#include "graph/bit_matrix.h"
#include "samples/moved_sets.h"

namespace causcale {
namespace {

constexpr std::size_t kMostListed = 10;
constexpr std::size_t kMostWords = std::size_t{1} << 24;  // of one block of variables: 128 MiB

// A number of its own for every node, well mixed (splitmix64).
std::uint64_t code_of(std::uint64_t node) {
  std::uint64_t z = (node + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

class GainSearch {
 public:
  GainSearch(const GraphSamples& samples, std::vector<DoubtfulPair> pairs)
      : samples_(samples),
        count_(samples.graphs.size()),
        effective_(std::clamp(samples.effective, 1.0, static_cast<double>(count_))),
        least_(least_information(effective_)),
        pairs_(std::move(pairs)) {
    // No outcome says more about a pair than is in doubt about it.
    std::erase_if(pairs_, [&](const DoubtfulPair& pair) { return pair.entropy < least_; });
  }

  InterventionGain gain_of(int variable, const MovedSets& moved) const {
    InterventionGain gain{variable, 0.0, 0.0, 0.0, {}};
    const double total = static_cast<double>(count_);
    std::vector<double> entropy(static_cast<std::size_t>(samples_.nodes), 0.0);  // of moving or not
    std::vector<std::uint64_t> outcome(count_, 0);  // a sum of codes per sample: which variables move
    std::size_t movers = 0;
    for (int node = 0; node < samples_.nodes; ++node) {
      const auto set = moved.set(variable, node);
      std::size_t size = 0;
      for (const std::uint64_t word : set) size += static_cast<std::size_t>(std::popcount(word));
      if (node != variable) movers += size;
      if (size == 0 || size == count_) continue;
      entropy[static_cast<std::size_t>(node)] =
          entropy_term(size, total) + entropy_term(count_ - size, total);
      add_code(set, size, code_of(static_cast<std::uint64_t>(node)), outcome);
    }
    gain.movers = static_cast<double>(movers) / total;
    std::ranges::sort(outcome);
    for (std::size_t k = 0; k < count_;) {
      std::size_t end = k + 1;
      while (end < count_ && outcome[end] == outcome[k]) ++end;
      gain.outcome_entropy += entropy_term(end - k, total);
      k = end;
    }
    for (const DoubtfulPair& pair : pairs_) {
      // The outcome says at most as much as there is in it.
      if (entropy[static_cast<std::size_t>(pair.a)] + entropy[static_cast<std::size_t>(pair.b)] < least_)
        continue;
      const double information =
          pair_information(pair, moved.set(variable, pair.a), moved.set(variable, pair.b));
      if (information <= 0.0) continue;
      gain.information += information;
      gain.settles.push_back({pair.a, pair.b, pair.entropy, information});
    }
    std::ranges::stable_sort(gain.settles, std::greater{}, &SettledPair::information);
    if (gain.settles.size() > kMostListed) gain.settles.resize(kMostListed);
    return gain;
  }

 private:
  std::uint64_t among(std::size_t word) const {
    const std::size_t left = count_ - 64 * word;
    return left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
  }

  // To the samples of the set or to all others, whichever are fewer: sums stay different or equal either way.
  void add_code(ConstBits set, std::size_t size, std::uint64_t code,
                std::vector<std::uint64_t>& outcome) const {
    const bool others = 2 * size > count_;
    for (std::size_t w = 0; w < set.size(); ++w)
      for (std::uint64_t word = others ? ~set[w] & among(w) : set[w]; word; word &= word - 1)
        outcome[w * 64 + static_cast<std::size_t>(std::countr_zero(word))] += code;
  }

  // Three states of the pair by four outcomes: which of the two variables move.
  double pair_information(const DoubtfulPair& pair, ConstBits moved_a, ConstBits moved_b) const {
    std::array<std::array<std::size_t, 4>, 3> cells{};
    std::array<std::size_t, 4> outcomes{};
    const auto add = [](std::array<std::size_t, 4>& to, std::uint64_t a, std::uint64_t b,
                        std::uint64_t samples) {
      to[0] += static_cast<std::size_t>(std::popcount(~a & ~b & samples));
      to[1] += static_cast<std::size_t>(std::popcount(a & ~b & samples));
      to[2] += static_cast<std::size_t>(std::popcount(~a & b & samples));
      to[3] += static_cast<std::size_t>(std::popcount(a & b & samples));
    };
    for (std::size_t w = 0; w < moved_a.size(); ++w) {
      add(outcomes, moved_a[w], moved_b[w], among(w));
      add(cells[0], moved_a[w], moved_b[w], pair.forward[w]);
      add(cells[1], moved_a[w], moved_b[w], pair.reverse[w]);
    }
    const double total = static_cast<double>(count_);
    double joint = 0.0, marginal = 0.0;
    int columns = 0, rows = 0;
    std::array<std::size_t, 3> states{};
    for (std::size_t o = 0; o < 4; ++o) {
      cells[2][o] = outcomes[o] - cells[0][o] - cells[1][o];
      marginal += entropy_term(outcomes[o], total);
      columns += outcomes[o] > 0;
      for (std::size_t s = 0; s < 3; ++s) {
        states[s] += cells[s][o];
        joint += entropy_term(cells[s][o], total);
      }
    }
    for (const std::size_t state : states) rows += state > 0;
    return beyond_chance(pair.entropy + marginal - joint, (rows - 1.0) * (columns - 1.0), effective_);
  }

  const GraphSamples& samples_;
  std::size_t count_;
  double effective_, least_;
  std::vector<DoubtfulPair> pairs_;
};

}  // namespace

InterventionRanking rank_interventions(const GraphSamples& samples, int threads) {
  InterventionRanking ranking;
  std::vector<DoubtfulPair> pairs = doubtful_pairs(samples);
  for (const DoubtfulPair& pair : pairs) ranking.doubt += pair.entropy;
  const GainSearch search(samples, std::move(pairs));
  const auto nodes = static_cast<std::size_t>(samples.nodes);
  const auto share = static_cast<std::size_t>(resolve_threads(threads));
  const std::size_t fitting = kMostWords / std::max<std::size_t>(1, nodes * words_of(samples));
  const std::size_t width =
      std::clamp<std::size_t>(std::min(fitting, (nodes + share - 1) / share), 1, MovedSets::kMostVariables);
  ranking.interventions.resize(nodes);
  parallel_for((nodes + width - 1) / width, threads, [&](std::size_t block) {
    const std::size_t first = block * width, end = std::min(nodes, first + width);
    const MovedSets moved(samples, static_cast<int>(first), static_cast<int>(end - first));
    for (std::size_t v = first; v < end; ++v)
      ranking.interventions[v] = search.gain_of(static_cast<int>(v), moved);
  });
  std::ranges::stable_sort(ranking.interventions, std::greater{}, &InterventionGain::information);
  return ranking;
}

}  // namespace causcale

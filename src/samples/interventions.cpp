// Which intervention would tell most about the graph.
#include <algorithm>
#include <array>
#include <cmath>

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

// Without a call where the processor's own instruction may not be used.
std::size_t bits_in(std::uint64_t word) {
  word -= word >> 1 & 0x5555555555555555;
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  return ((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56;
}

// How often none, a, b and both of two variables move.
using MoveCounts = std::array<std::size_t, 4>;

MoveCounts move_counts(std::size_t all, std::size_t a, std::size_t b, std::size_t both) {
  return {all - a - b + both, a - both, b - both, both};
}

class GainSearch {
 public:
  GainSearch(const GraphSamples& samples, const std::vector<DoubtfulPair>& pairs)
      : samples_(samples),
        count_(samples.graphs.size()),
        effective_(std::clamp(samples.effective, 1.0, static_cast<double>(count_))),
        least_(least_information(effective_)) {
    for (const DoubtfulPair& pair : pairs) {
      // No outcome says more about a pair than is in doubt about it.
      if (pair.entropy < least_) continue;
      Candidate candidate{
          pair.a, pair.b, pieces_.size(), 0, size_of(pair.forward), size_of(pair.reverse), pair.entropy,
          0.0,    0.0};
      for (std::size_t w = 0; w < pair.forward.size(); ++w)
        if (pair.forward[w] | pair.reverse[w]) pieces_.push_back({w, pair.forward[w], pair.reverse[w]});
      candidate.end = pieces_.size();
      const double joined = static_cast<double>(candidate.forward + candidate.reverse) / total();
      candidate.joined = joined;
      candidate.absence = joined < 1.0 ? -std::log2(1.0 - joined) : 0.0;
      candidates_.push_back(candidate);
    }
    // log2(N / (N - m)) of m samples; where all are gone it does not bound anything.
    for (std::size_t m = 0; m <= count_; ++m)
      surprise_.push_back(m < count_ ? std::log2(total() / (total() - static_cast<double>(m))) : 1e300);
  }

  InterventionGain gain_of(int variable, const MovedSets& moved) const {
    InterventionGain gain{variable, 0.0, 0.0, 0.0, {}};
    std::vector<double> entropy(static_cast<std::size_t>(samples_.nodes), 0.0);  // of moving or not
    std::vector<std::size_t> times(static_cast<std::size_t>(samples_.nodes), 0);
    std::vector<std::uint64_t> outcome(count_, 0);  // a sum of codes per sample: which variables move
    std::size_t movers = 0;
    for (int node = 0; node < samples_.nodes; ++node) {
      const auto set = moved.set(variable, node);
      std::size_t size = 0;
      for (const std::uint64_t word : set) size += bits_in(word);
      times[static_cast<std::size_t>(node)] = size;
      if (node != variable) movers += size;
      if (size == 0 || size == count_) continue;
      entropy[static_cast<std::size_t>(node)] =
          entropy_term(size, total()) + entropy_term(count_ - size, total());
      add_code(set, size, code_of(static_cast<std::uint64_t>(node)), outcome);
    }
    gain.movers = static_cast<double>(movers) / total();
    std::ranges::sort(outcome);
    for (std::size_t k = 0; k < count_;) {
      std::size_t end = k + 1;
      while (end < count_ && outcome[end] == outcome[k]) ++end;
      gain.outcome_entropy += entropy_term(end - k, total());
      k = end;
    }
    for (const Candidate& candidate : candidates_) {
      const auto a = static_cast<std::size_t>(candidate.a), b = static_cast<std::size_t>(candidate.b);
      // The outcome says at most as much as there is in it.
      if (entropy[a] + entropy[b] < least_) continue;
      const double information = pair_information(candidate, moved.set(variable, candidate.a),
                                                  moved.set(variable, candidate.b), times[a], times[b]);
      if (information <= 0.0) continue;
      gain.information += information;
      gain.settles.push_back({candidate.a, candidate.b, candidate.entropy, information});
    }
    std::ranges::stable_sort(gain.settles, std::greater{}, &SettledPair::information);
    if (gain.settles.size() > kMostListed) gain.settles.resize(kMostListed);
    return gain;
  }

 private:
  // The graphs in which two variables are joined, 64 at a time; words without any are left out. All of them
  // lie behind one another: most pairs are joined in a few graphs only, and fetching them is most of the
  // work.
  struct Piece {
    std::size_t word;
    std::uint64_t forward, reverse;
  };
  struct Candidate {
    int a, b;
    std::size_t begin, end;        // of its pieces
    std::size_t forward, reverse;  // graphs with a -> b, with b -> a
    double entropy;
    double joined, absence;  // the share p of the graphs with either, and -log2(1 - p)
  };

  double total() const { return static_cast<double>(count_); }

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
  double pair_information(const Candidate& candidate, ConstBits moved_a, ConstBits moved_b,
                          std::size_t times_a, std::size_t times_b) const {
    const std::span pieces(pieces_.data() + candidate.begin, candidate.end - candidate.begin);
    std::uint64_t met = 0;  // samples in which the two are joined and one of them moves
    for (const Piece& piece : pieces)
      met |= (moved_a[piece.word] | moved_b[piece.word]) & (piece.forward | piece.reverse);
    if (met == 0) {
      // Where something moves, the two are not joined: m such samples say at most
      // p log2(N / (N - m)) - m / N log2(1 - p), p being the share of those in which they are.
      const std::size_t moving = std::min(count_, times_a + times_b);
      if (candidate.joined * surprise_[moving] + static_cast<double>(moving) / total() * candidate.absence <
          least_)
        return 0.0;
    }
    std::size_t both = 0;
    if (times_a > 0 && times_b > 0)
      for (std::size_t w = 0; w < moved_a.size(); ++w) both += bits_in(moved_a[w] & moved_b[w]);
    const MoveCounts outcomes = move_counts(count_, times_a, times_b, both);
    std::array<MoveCounts, 3> cells{};
    for (const bool is_reverse : {false, true}) {
      const std::size_t all = is_reverse ? candidate.reverse : candidate.forward;
      if (all == 0) continue;
      std::size_t a = 0, b = 0, ab = 0;
      for (const Piece& piece : pieces) {
        const std::uint64_t samples = is_reverse ? piece.reverse : piece.forward;
        a += bits_in(samples & moved_a[piece.word]);
        b += bits_in(samples & moved_b[piece.word]);
        ab += bits_in(samples & moved_a[piece.word] & moved_b[piece.word]);
      }
      cells[is_reverse] = move_counts(all, a, b, ab);
    }
    double joint = 0.0, marginal = 0.0;
    int columns = 0, rows = 0;
    std::array<std::size_t, 3> states{};
    for (std::size_t o = 0; o < 4; ++o) {
      cells[2][o] = outcomes[o] - cells[0][o] - cells[1][o];
      marginal += entropy_term(outcomes[o], total());
      columns += outcomes[o] > 0;
      for (std::size_t s = 0; s < 3; ++s) {
        states[s] += cells[s][o];
        joint += entropy_term(cells[s][o], total());
      }
    }
    for (const std::size_t state : states) rows += state > 0;
    return beyond_chance(candidate.entropy + marginal - joint, (rows - 1.0) * (columns - 1.0), effective_);
  }

  const GraphSamples& samples_;
  std::size_t count_;
  double effective_, least_;
  std::vector<Candidate> candidates_;
  std::vector<Piece> pieces_;
  std::vector<double> surprise_;
};

}  // namespace

InterventionRanking rank_interventions(const GraphSamples& samples, int threads) {
  InterventionRanking ranking;
  const std::vector<DoubtfulPair> pairs = doubtful_pairs(samples);
  for (const DoubtfulPair& pair : pairs) ranking.doubt += pair.entropy;
  const GainSearch search(samples, pairs);
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

// Technical noise of one experiment as a team does it (sergio_experiment.h): add_technical_noise with the
// same random numbers in the same places, so the counts are the same unless a maths library rounds a
// comparison the other way.
//
// The host draws from one stream, and how many numbers a cell takes depends on all before it. So one thread
// walks along the cells, with the numbers and the probabilities of the next ones laid out by the others, and
// only decides who is dropped; counts of small rates are then drawn by all at once.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "simulate/poisson.h"
#include "simulate/sergio_experiment.h"

namespace causcale {

CAUSCALE_HD_INLINE std::uint64_t double_bits(double value) {
  std::uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits;
}

CAUSCALE_HD_INLINE double double_from_bits(std::uint64_t bits) {
  double value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

// The uniform numbers of a RandomStream from number `next` on. A window of them may be at hand.
struct NumberedStream {
  BatchAddress address;
  std::uint32_t next = 0;
  const double* window = nullptr;
  std::uint32_t window_begin = 0, window_size = 0;

  CAUSCALE_HD_INLINE double number(std::uint32_t n) const {
    if (n - window_begin < window_size) return window[n - window_begin];
    const Words4 words = random_words(address, n / 2);
    return n % 2 == 0 ? uniform_from_words(words.w0, words.w1) : uniform_from_words(words.w2, words.w3);
  }
  CAUSCALE_HD_INLINE double uniform() { return number(next++); }
};

inline constexpr int kCountChunk = 128;
inline constexpr int kUniformWindow = 384;  // even; more than two a cell of the chunk

// Memory that all of the team can reach.
struct CountScratch {
  std::uint32_t next;  // number of the uniform that comes next
  int has_spare;
  double spare;
  std::uint32_t histogram[256];
  std::uint32_t rank, at_most;
  std::uint64_t prefix, above;
  double midpoint;
  double uniforms[kUniformWindow];
  double rate[kCountChunk];  // or the count itself
  double kept[kCountChunk];
  std::uint32_t first_uniform[kCountChunk];
};

template <class Team>
class CountRun {
 public:
  CAUSCALE_HD_INLINE CountRun(const Team& team, const PackedSergioView& view, int experiment,
                              const SergioBuffers& buffers, CountScratch& scratch)
      : team_(team),
        group_(view.groups[view.experiments[experiment].group]),
        experiment_(view.experiments[experiment]),
        address_{group_.seed, group_.index, Purpose::kTechnicalNoise,
                 2 * static_cast<std::uint32_t>(experiment_.number) + group_.number},
        cells_(buffers.cells + experiment_.first_cell),
        gene_factor_(buffers.gene_factors + experiment_.first_gene_value),
        cell_factor_(buffers.cell_factors + experiment_.first_cell_value),
        scratch_(scratch),
        entries_(group_.genes * group_.cells()) {}

  CAUSCALE_HD_INLINE void run() const {
    team_.once([&] { draw_outliers(); });
    team_.for_each(group_.cells(), [&](int cell) { draw_library_size(cell); });
    team_.once([&] {
      scratch_.next += static_cast<std::uint32_t>((group_.cells() - scratch_.has_spare + 1) / 2 * 2);
    });
    find_midpoint();
    for (int begin = 0; begin < entries_; begin += kCountChunk)
      draw_chunk(begin, entries_ - begin < kCountChunk ? entries_ - begin : kCountChunk);
  }

 private:
  CAUSCALE_HD_INLINE double value(int entry) const {
    const int cells = group_.cells();
    return cells_[entry] * gene_factor_[entry / cells] * cell_factor_[entry % cells];
  }

  CAUSCALE_HD_INLINE void draw_outliers() const {
    NumberedStream stream{address_};
    const TechnicalNoise& noise = group_.technical;
    bool has_spare = false;
    double spare = 0;
    for (int gene = 0; gene < group_.genes; ++gene) {
      gene_factor_[gene] = 1.0;
      if (!(stream.uniform() < noise.outlier_share)) continue;
      double normal = spare;
      if (!has_spare) {
        const double radius_uniform = stream.uniform();
        const DoubleNormalPair pair(radius_uniform, stream.uniform());
        normal = pair.first;
        spare = pair.second;
      }
      has_spare = !has_spare;
      gene_factor_[gene] = exp(noise.outlier_mean + noise.outlier_scale * normal);
    }
    scratch_.next = stream.next;
    scratch_.has_spare = has_spare ? 1 : 0;
    scratch_.spare = spare;
  }

  CAUSCALE_HD_INLINE void draw_library_size(int cell) const {
    double normal = scratch_.spare;
    if (const int drawn = cell - scratch_.has_spare; drawn >= 0) {
      const NumberedStream stream{address_};
      const std::uint32_t first = scratch_.next + static_cast<std::uint32_t>(drawn / 2 * 2);
      const DoubleNormalPair pair(stream.number(first), stream.number(first + 1));
      normal = drawn % 2 == 0 ? pair.first : pair.second;
    }
    double total = 0;
    for (int gene = 0; gene < group_.genes; ++gene)
      total += cells_[static_cast<std::int64_t>(gene) * group_.cells() + cell] * gene_factor_[gene];
    const double size = exp(group_.technical.library_mean + group_.technical.library_scale * normal);
    cell_factor_[cell] = total > 0 ? size / total : 1.0;
  }

  // The percentile of log(1 + value), from the two values on either side of it. Bits of doubles that are not
  // negative have the order of their values: eight bits at a time, from the highest.
  CAUSCALE_HD_INLINE void find_midpoint() const {
    const double position = group_.technical.dropout_percentile / 100.0 * static_cast<double>(entries_ - 1);
    const auto below = static_cast<std::uint32_t>(position);
    team_.once([&] {
      scratch_.rank = below;
      scratch_.prefix = 0;
      scratch_.at_most = 0;
      scratch_.above = ~std::uint64_t{0};
    });
    for (int shift = 56; shift >= 0; shift -= 8) {
      team_.for_each(256, [&](int digit) { scratch_.histogram[digit] = 0; });
      team_.for_each(entries_, [&](int entry) {
        const std::uint64_t high = double_bits(value(entry)) >> shift;
        if (high >> 8 == scratch_.prefix) team_.add(&scratch_.histogram[high & 255u], std::uint32_t{1});
      });
      team_.once([&] {
        std::uint32_t digit = 0;
        while (scratch_.rank >= scratch_.histogram[digit]) scratch_.rank -= scratch_.histogram[digit++];
        scratch_.prefix = scratch_.prefix << 8 | digit;
      });
    }
    team_.for_each(entries_, [&](int entry) {
      const std::uint64_t bits = double_bits(value(entry));
      if (bits <= scratch_.prefix)
        team_.add(&scratch_.at_most, std::uint32_t{1});
      else
        team_.least(&scratch_.above, bits);
    });
    team_.once([&] {
      const double low = log1p(double_from_bits(scratch_.prefix));
      const bool next_is_equal = scratch_.at_most > below + 1,
                 last = scratch_.at_most == static_cast<std::uint32_t>(entries_);
      const double high = next_is_equal || last ? low : log1p(double_from_bits(scratch_.above));
      scratch_.midpoint = low + (position - static_cast<double>(below)) * (high - low);
    });
  }

  CAUSCALE_HD_INLINE void draw_chunk(int begin, int size) const {
    constexpr std::uint32_t kDecided = ~std::uint32_t{0};
    const std::uint32_t window_begin = scratch_.next / 2 * 2;
    team_.share(kUniformWindow / 2, [&](int pair) {
      const Words4 words = random_words(address_, window_begin / 2 + static_cast<std::uint32_t>(pair));
      scratch_.uniforms[2 * pair] = uniform_from_words(words.w0, words.w1);
      scratch_.uniforms[2 * pair + 1] = uniform_from_words(words.w2, words.w3);
    });
    team_.for_each(size, [&](int i) {
      scratch_.rate[i] = value(begin + i);
      scratch_.kept[i] = kept_share(group_.technical, log1p(scratch_.rate[i]), scratch_.midpoint);
    });
    team_.once([&] {
      NumberedStream stream{address_, scratch_.next, scratch_.uniforms, window_begin, kUniformWindow};
      for (int i = 0; i < size; ++i) {
        const bool kept = stream.uniform() < scratch_.kept[i];
        const double rate = scratch_.rate[i];
        if (kept && rate > 0 && rate < kSmallPoissonRate) {
          scratch_.first_uniform[i] = stream.next++;
        } else {
          scratch_.first_uniform[i] = kDecided;
          scratch_.rate[i] = kept ? draw_poisson(rate, stream) : 0.0;
        }
      }
      scratch_.next = stream.next;
    });
    team_.for_each(size, [&](int i) {
      double count = scratch_.rate[i];
      if (scratch_.first_uniform[i] != kDecided) {
        NumberedStream stream{address_, scratch_.first_uniform[i], scratch_.uniforms, window_begin,
                              kUniformWindow};
        count = draw_poisson(count, stream);
      }
      cells_[begin + i] = static_cast<float>(count);
    });
  }

  const Team& team_;
  const PackedGroup group_;
  const PackedExperiment experiment_;
  BatchAddress address_;
  float* cells_;
  double* gene_factor_;
  double* cell_factor_;
  CountScratch& scratch_;
  int entries_;
};

}  // namespace causcale

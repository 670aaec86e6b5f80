// Rows of bits: sets of nodes, combined 64 at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "causcale/graph.h"

namespace causcale {

using Bits = std::span<std::uint64_t>;
using ConstBits = std::span<const std::uint64_t>;

inline bool test_bit(ConstBits bits, int i) {
  return (bits[i >> 6] >> (i & 63)) & 1u;
}
inline void set_bit(Bits bits, int i) {
  bits[i >> 6] |= std::uint64_t{1} << (i & 63);
}
inline void unite(Bits into, ConstBits with) {
  for (std::size_t w = 0; w < into.size(); ++w) into[w] |= with[w];
}
template <class Visit>
void for_each_bit(ConstBits bits, Visit visit) {
  for (std::size_t w = 0; w < bits.size(); ++w)
    for (std::uint64_t word = bits[w]; word; word &= word - 1)
      visit(static_cast<int>(w * 64 + std::countr_zero(word)));
}

class BitMatrix {
 public:
  BitMatrix() = default;
  explicit BitMatrix(int nodes)
      : words_((nodes + 63) / 64), bits_(static_cast<std::size_t>(nodes) * words_) {}
  std::size_t words() const { return words_; }
  Bits row(int i) { return {bits_.data() + i * words_, words_}; }
  ConstBits row(int i) const { return {bits_.data() + i * words_, words_}; }

 private:
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
};

}  // namespace causcale

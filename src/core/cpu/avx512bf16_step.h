// One step of the depth by the instruction that multiplies pairs of bfloat16 and adds both products to a
// float.
#pragma once

#include <immintrin.h>

#include "core/cpu/vectors.h"

namespace causcale::core {
namespace {

struct Avx512Bf16Step {
  using T = Bf16;
  using Float = typename Vectors<16>::Float;
  static constexpr std::int64_t kGroup = 2;
  struct Column {
    __m512i pairs;
  };
  static inline Column column(const Bf16* b) { return {_mm512_loadu_si512(b)}; }
  static inline void add(Float& sum, const Bf16* a, const Column& b) {
    std::int32_t pair;
    std::memcpy(&pair, a, sizeof pair);
    sum = (Float)_mm512_dpbf16_ps((__m512)sum, (__m512bh)_mm512_set1_epi32(pair), (__m512bh)b.pairs);
  }
};

}  // namespace
}  // namespace causcale::core

// Vectors of W floats over the compiler's vector types. Each including file is compiled for one instruction
// set; the anonymous namespace keeps the copies apart, and nothing here may call a function that another file
// could share, or a program for an old processor would get code for a new one.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "core/cpu/bfloat16.h"

namespace causcale::core {
namespace {

template <int W>
struct Vectors {
  typedef float Float __attribute__((vector_size(4 * W)));
  typedef std::int32_t Int __attribute__((vector_size(4 * W)));
  typedef std::uint32_t Bits __attribute__((vector_size(4 * W)));
  typedef std::uint16_t Halves __attribute__((vector_size(4 * W)));
  typedef std::uint16_t Half __attribute__((vector_size(2 * W)));

  static inline Float load(const float* from) {
    Float value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static inline void store(float* to, Float value) { std::memcpy(to, &value, sizeof value); }
  static inline void store(Bf16* to, Float value) {
#ifdef __AVX512BF16__
    if constexpr (W == 16) {
      const __m256bh halves = _mm512_cvtneps_pbh((__m512)value);
      std::memcpy(to, &halves, sizeof halves);
      return;
    } else if constexpr (W == 8) {
      const __m128bh halves = _mm256_cvtneps_pbh((__m256)value);
      std::memcpy(to, &halves, sizeof halves);
      return;
    }
#endif
    store_upper(to, (Halves)rounded(value), std::make_integer_sequence<int, W>());
  }
  template <int... Lane>
  static inline void store_upper(Bf16* to, Halves halves, std::integer_sequence<int, Lane...>) {
    const Half upper = __builtin_shufflevector(halves, halves, (2 * Lane + 1)...);
    std::memcpy(to, &upper, sizeof upper);
  }
  // Two values at a time, as bfloat16, four or two of them put together: the lower and the upper halves.
  typedef std::uint64_t Quads __attribute__((vector_size(2 * W)));
  typedef std::uint64_t Line __attribute__((vector_size(4 * W)));
  static inline Quads quads(Float value) {
    Quads result;
    Bf16 halves[W];
    store(halves, value);
    std::memcpy(&result, halves, sizeof result);
    return result;
  }
  template <int... Lane, class Value>
  static inline auto chosen(Value a, Value b) {
    return __builtin_shufflevector(a, b, Lane...);
  }
  static inline Line lower(Line a, Line b) {
    return (Line)chosen<0, 1, 2, 3, 8, 9, 10, 11>(a, b);
  }
  static inline Line upper(Line a, Line b) {
    return (Line)chosen<4, 5, 6, 7, 12, 13, 14, 15>(a, b);
  }
  static inline Line lower(Quads a, Quads b, Quads c, Quads d) {
    return lower((Line)chosen<0, 1, 4, 5, 0, 1, 4, 5>(a, b), (Line)chosen<0, 1, 4, 5, 0, 1, 4, 5>(c, d));
  }
  static inline Line upper(Quads a, Quads b, Quads c, Quads d) {
    return lower((Line)chosen<2, 3, 6, 7, 2, 3, 6, 7>(a, b), (Line)chosen<2, 3, 6, 7, 2, 3, 6, 7>(c, d));
  }
  // What is too large for a cache is written past it, a whole line of 64 bytes at a time: otherwise the line
  // would be read first.
  template <class Value>
  static inline void store_line(void* to, Value value, bool large) {
    static_assert(sizeof value == 4 * W);
#ifdef __AVX512F__
    if constexpr (W == 16)
      if (large && reinterpret_cast<std::uintptr_t>(to) % sizeof value == 0)
        return _mm512_stream_si512(static_cast<__m512i*>(to), (__m512i)value);
#endif
    (void)large;
    std::memcpy(to, &value, sizeof value);
  }
  // Before another thread reads such lines.
  static inline void finish_lines(bool large) {
#ifdef __AVX512F__
    if (large) _mm_sfence();
#endif
    (void)large;
  }
  static inline Float all(float value) {
    return value - Float{};
  }
  static inline Float larger(Float a, Float b) {
    return a > b ? a : b;
  }
  static inline Float smaller(Float a, Float b) {
    return a < b ? a : b;
  }

  // Float bits rounded to bfloat16 (nearest, ties to even): the upper half counts.
  static inline Bits rounded(Float value) {
    const Bits bits = (Bits)value;
    return bits + 0x7fff + (bits >> 16 & 1);
  }
  // Pairs of bfloat16 in 32 bits: the first in the lower half.
  static inline Bits pairs(Float first, Float second) {
#ifdef __AVX512BF16__
    if constexpr (W == 16 || W == 8)
      return zipped((Halves)neighbours(first, second), std::make_integer_sequence<int, 2 * W>());
#endif
    return rounded(first) >> 16 | (rounded(second) & 0xffff0000u);
  }
  // Pairs of neighbouring lanes, those of a before those of b.
  static inline Bits neighbours(Float a, Float b) {
#ifdef __AVX512BF16__
    if constexpr (W == 16)
      return (Bits)_mm512_cvtne2ps_pbh((__m512)b, (__m512)a);
    else if constexpr (W == 8)
      return (Bits)_mm256_cvtne2ps_pbh((__m256)b, (__m256)a);
#endif
    return upper_halves((Halves)rounded(a), (Halves)rounded(b), std::make_integer_sequence<int, 2 * W>());
  }
  template <int... Lane>
  static inline Bits upper_halves(Halves a, Halves b, std::integer_sequence<int, Lane...>) {
    return (Bits)__builtin_shufflevector(a, b, (2 * Lane + 1)...);
  }
  // Of neighbours(a, b): lane i of a beside lane i of b.
  template <int... Lane>
  static inline Bits zipped(Halves both, std::integer_sequence<int, Lane...>) {
    return (Bits)__builtin_shufflevector(both, both, (Lane / 2 + Lane % 2 * W)...);
  }
  static inline Float first_of(Bits pairs) {
    return (Float)(pairs << 16);
  }
  static inline Float second_of(Bits pairs) {
    return (Float)(pairs & 0xffff0000u);
  }

  static inline float first(Float value) {
    float lane;
    std::memcpy(&lane, &value, sizeof lane);
    return lane;
  }
  // The lanes, each from Step further on.
  template <int Step, int... Lane>
  static inline Float turned(Float value, std::integer_sequence<int, Lane...>) {
    return __builtin_shufflevector(value, value, ((Lane + Step) % W)...);
  }
  template <int Step = W / 2>
  static inline float sum(Float value) {
    if constexpr (Step == 0)
      return first(value);
    else
      return sum<Step / 2>(value + turned<Step>(value, std::make_integer_sequence<int, W>()));
  }
  template <int Step = W / 2>
  static inline float maximum(Float value) {
    if constexpr (Step == 0)
      return first(value);
    else
      return maximum<Step / 2>(larger(value, turned<Step>(value, std::make_integer_sequence<int, W>())));
  }

  // Lanes i and i + Step change places between the two, where i has no bit Step.
  template <int Step, int... Lane>
  static inline void exchange(Float& a, Float& b, std::integer_sequence<int, Lane...>) {
    const Float low = __builtin_shufflevector(a, b, (Lane & Step ? Lane - Step + W : Lane)...);
    b = __builtin_shufflevector(a, b, (Lane & Step ? Lane + W : Lane + Step)...);
    a = low;
  }
  template <int Step>
  static inline void transpose_step(Float (&rows)[W]) {
    if constexpr (Step > 0) {
      for (int i = 0; i < W; ++i)
        if (!(i & Step)) exchange<Step>(rows[i], rows[i + Step], std::make_integer_sequence<int, W>());
      transpose_step<Step / 2>(rows);
    }
  }
  static inline void transpose(Float (&rows)[W]) {
    transpose_step<W / 2>(rows);
  }

  // e^x for x <= 0, to float rounding; 0 below -87. x = k ln 2 + r, polynomial in r, k put into the exponent.
  static inline Float exp_negative(Float x) {
    const Float clipped = larger(x, all(-87.0f));
    const Float shifted = clipped * 1.44269504f + 12582912.0f;  // 1.5 * 2^23: the fraction is rounded away
    const Float k = shifted - 12582912.0f;
    const Float r = (clipped - k * 0.693359375f) - k * -2.12194440e-4f;  // ln 2 in two parts
    Float p = r * 0.0013814540270837893f + 0.008368716573575566f;
    p = p * r + 0.04166838880026752f;
    p = p * r + 0.1666652063677693f;
    p = p * r + 0.4999999344608277f;
    p = p * (r * r) + r + 1.0f;
    const Int scale = ((Int)shifted - 0x4b400000 + 127) << 23;  // the low bits of `shifted` count k
    const Float result = p * (Float)scale;
    return x < -87.0f ? Float{} : result;
  }

  // x Phi(x) to 1.6e-5 |x|, a hundredth of what bfloat16 rounds away from x: Phi(x) - 1/2 is x times a
  // polynomial in x^2, fitted up to 4.2, where it is made to be 1/2.
  static inline Float short_gelu(Float x) {
    constexpr float kEnd = 4.2f;
    const Float z = smaller(larger(x, all(-kEnd)), all(kEnd));
    const Float t = z * z;
    Float p = t * 7.210278e-11f + -6.568623e-09f;
    p = p * t + 2.6426406e-07f;
    p = p * t + -6.272021e-06f;
    p = p * t + 9.961117e-05f;
    p = p * t + -0.0011427762f;
    p = p * t + 0.009918745f;
    p = p * t + -0.06648938f;
    p = p * t + 0.3989679f;
    const Float result = x * (z * p + 0.5f);
    return x < -kEnd ? Float{} : result;
  }

  // x Phi(x). The upper tail of the normal distribution is e^(-x^2/2) times a polynomial in t = 1/(1 + 0.21
  // |x|) without constant term (relative error 2e-8, fitted for |x| up to 14; the exponential ends it
  // beyond).
  static inline Float gelu(Float x) {
    const Float size = x < 0.0f ? -x : x;
    const Float t = 1.0f / (size * 0.21f + 1.0f);
    Float q = t * -0.07165593549717422f + 0.28358670193143626f;
    q = q * t + -0.3302494239813419f;
    q = q * t + 0.34939634107692596f;
    q = q * t + -0.09392187047351874f;
    q = q * t + 0.124871248114204f;
    q = q * t + 0.06919256736627818f;
    q = q * t + 0.08506879884724497f;
    q = q * t + 0.08371157938688441f;
    const Float tail = q * t * exp_negative(size * size * -0.5f);
    return x * (x < 0.0f ? tail : 1.0f - tail);
  }
};

}  // namespace
}  // namespace causcale::core

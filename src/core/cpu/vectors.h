// Vectors of W floats over the compiler's vector types. Each including file is compiled for one instruction
// set; the anonymous namespace keeps the copies apart, and nothing here may call a function that another file
// could share, or a program for an old processor would get code for a new one.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

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
    store_upper(to, (Halves)rounded(value), std::make_integer_sequence<int, W>());
  }
  template <int... Lane>
  static inline void store_upper(Bf16* to, Halves halves, std::integer_sequence<int, Lane...>) {
    const Half upper = __builtin_shufflevector(halves, halves, (2 * Lane + 1)...);
    std::memcpy(to, &upper, sizeof upper);
  }
  static inline Float all(float value) { return value - Float{}; }
  static inline Float larger(Float a, Float b) { return a > b ? a : b; }

  // Float bits rounded to bfloat16 (nearest, ties to even): the upper half counts.
  static inline Bits rounded(Float value) {
    const Bits bits = (Bits)value;
    return bits + 0x7fff + (bits >> 16 & 1);
  }
  // Pairs of bfloat16 in 32 bits: the first in the lower half.
  static inline Bits pairs(Float first, Float second) {
    return rounded(first) >> 16 | (rounded(second) & 0xffff0000u);
  }
  static inline Float first_of(Bits pairs) { return (Float)(pairs << 16); }
  static inline Float second_of(Bits pairs) { return (Float)(pairs & 0xffff0000u); }

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
  static inline void transpose(Float (&rows)[W]) { transpose_step<W / 2>(rows); }

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

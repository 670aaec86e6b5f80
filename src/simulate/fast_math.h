// Elementary functions in single precision as straight-line arithmetic: the compiler turns a loop over rows
// into vector code, host and CUDA device share them, and no maths library can change a simulated bit.
// Errors are a few units in the last place over the stated ranges (tests/simulate/fast_math_test.cpp).
#pragma once

#include <cmath>
#include <cstdint>

#include "base/random.h"

// Inlining is forced so that a caller compiled for wider vectors (vector_clones.h) takes these along.
#ifdef __CUDACC__
#define CAUSCALE_HD_INLINE __host__ __device__ __forceinline__
#else
#define CAUSCALE_HD_INLINE inline __attribute__((always_inline))
#endif

namespace causcale {

CAUSCALE_HD_INLINE std::int32_t float_bits(float value) {
  std::int32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits;
}

CAUSCALE_HD_INLINE float float_from_bits(std::int32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

CAUSCALE_HD_INLINE float fast_abs(float x) {
  return float_from_bits(float_bits(x) & 0x7fffffff);
}

CAUSCALE_HD_INLINE float fast_min(float a, float b) {
  return a < b ? a : b;
}

CAUSCALE_HD_INLINE float fast_max(float a, float b) {
  return a > b ? a : b;
}

CAUSCALE_HD_INLINE float fast_clip(float x, float low, float high) {
  return fast_min(fast_max(x, low), high);
}

// Round to nearest by adding and taking away 1.5 * 2^23, whose last mantissa bit is worth one.
inline constexpr float kRoundingShift = 12582912.0f;

// exp(x) for any x; below -87 it is about 1e-38 instead of less, above 88 about 1e38 instead of infinity.
CAUSCALE_HD_INLINE float fast_exp(float x) {
  const float clipped = fast_clip(x, -87.0f, 88.0f);
  const float shifted = clipped * 1.44269504088896f + kRoundingShift;
  const float power = shifted - kRoundingShift;
  // ln 2 in two parts: the first has few enough bits for an exact product.
  const float r = (clipped - power * 0.693359375f) + power * 2.12194440e-4f;
  const float series =
      1.0f +
      r * (1.0f + r * (0.5f + r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 +
                                                                    r * (1.0f / 720 + r * (1.0f / 5040)))))));
  return series * float_from_bits((float_bits(shifted) - float_bits(kRoundingShift) + 127) << 23);
}

// log(x) for finite x > 0 that is not subnormal.
CAUSCALE_HD_INLINE float fast_log(float x) {
  // Mantissa into [sqrt(1/2), sqrt(2)), then the series of the inverse hyperbolic tangent.
  const std::int32_t bits = float_bits(x);
  const std::int32_t exponent = (bits - 0x3f3504f3) >> 23;
  const float mantissa = float_from_bits(bits - (exponent << 23));
  const float s = (mantissa - 1.0f) / (mantissa + 1.0f);
  const float s2 = s * s;
  const float series = s2 * (1.0f / 3 + s2 * (1.0f / 5 + s2 * (1.0f / 7 + s2 * (1.0f / 9))));
  const float power = static_cast<float>(exponent);
  return power * 0.693359375f + (2.0f * s + (2.0f * s * series - power * 2.12194440e-4f));
}

// Within 2e-7 of the exact value; relative precision is lost near zero.
CAUSCALE_HD_INLINE float fast_tanh(float x) {
  const float positive = 1.0f - 2.0f / (fast_exp(2.0f * fast_abs(x)) + 1.0f);
  return float_from_bits(float_bits(positive) | (float_bits(x) & static_cast<std::int32_t>(0x80000000)));
}

struct SineCosine {
  float sine;
  float cosine;
};

// Sine and cosine of `turns` whole circles, |turns| < 2^20.
CAUSCALE_HD_INLINE SineCosine fast_sincos_turns(float turns) {
  const float shifted = turns * 4.0f + kRoundingShift;
  const std::int32_t quadrant = float_bits(shifted);
  const float angle = (turns - (shifted - kRoundingShift) * 0.25f) * 6.28318530717959f;
  const float a2 = angle * angle;
  const float sine =
      angle + angle * a2 * (-1.0f / 6 + a2 * (1.0f / 120 + a2 * (-1.0f / 5040 + a2 * (1.0f / 362880))));
  const float cosine = 1.0f + a2 * (-0.5f + a2 * (1.0f / 24 + a2 * (-1.0f / 720 + a2 * (1.0f / 40320))));
  const bool swap = (quadrant & 1) != 0;
  const float first = swap ? cosine : sine;
  const float second = swap ? sine : cosine;
  const std::int32_t sine_sign = (quadrant & 2) << 30;
  const std::int32_t cosine_sign = ((quadrant + 1) & 2) << 30;
  return {float_from_bits(float_bits(first) ^ sine_sign), float_from_bits(float_bits(second) ^ cosine_sign)};
}

}  // namespace causcale

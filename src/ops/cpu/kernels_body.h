// The row kernels, written once over vectors of W floats. Each including file first chooses the instruction
// set by a target pragma; the anonymous namespace keeps the resulting copies apart.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "ops/cpu/kernels.h"

namespace causcale::ops {
namespace {

template <int W>
struct Vectors {
  typedef float Float __attribute__((vector_size(4 * W)));
  typedef std::int32_t Int __attribute__((vector_size(4 * W)));

  static inline Float load(const float* from) {
    Float value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static inline void store(float* to, Float value) { std::memcpy(to, &value, sizeof value); }
  static inline Float all(float value) { return value - Float{}; }
  static inline Float larger(Float a, Float b) { return a > b ? a : b; }

  static inline float sum(Float value) {
    float lanes[W];
    store(lanes, value);
    for (int half = W / 2; half >= 1; half /= 2)
      for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    return lanes[0];
  }
  static inline float maximum(Float value) {
    float lanes[W];
    store(lanes, value);
    for (int i = 1; i < W; ++i) lanes[0] = lanes[i] > lanes[0] ? lanes[i] : lanes[0];
    return lanes[0];
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
    Int scale;  // the low bits of `shifted` count k
    std::memcpy(&scale, &shifted, sizeof scale);
    scale = (scale - 0x4b400000 + 127) << 23;
    Float power;
    std::memcpy(&power, &scale, sizeof power);
    const Float result = p * power;
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

// Columns beyond the last whole vector go through a padded copy, so that every value takes the same
// arithmetic.
template <int W>
struct Rows {
  using V = Vectors<W>;
  using Float = typename V::Float;

  static Float load_part(const float* from, std::int64_t count, float fill) {
    float lanes[W];
    for (int i = 0; i < W; ++i) lanes[i] = i < count ? from[i] : fill;
    return V::load(lanes);
  }
  static void store_part(float* to, Float value, std::int64_t count) {
    float lanes[W];
    V::store(lanes, value);
    for (std::int64_t i = 0; i < count; ++i) to[i] = lanes[i];
  }

  static void layer_norm(const float* x, float* out, std::int64_t d, const float* weight, const float* bias) {
    const std::int64_t whole = d - d % W;
    Float total{};
    for (std::int64_t i = 0; i < whole; i += W) total += V::load(x + i);
    if (whole < d) total += load_part(x + whole, d - whole, 0.0f);
    const float mean = V::sum(total) / float(d);
    Float squares{};
    for (std::int64_t i = 0; i < whole; i += W) {
      const Float centred = V::load(x + i) - mean;
      squares += centred * centred;
    }
    if (whole < d) {
      const Float centred = load_part(x + whole, d - whole, mean) - mean;
      squares += centred * centred;
    }
    const float inverse = 1.0f / std::sqrt(V::sum(squares) / float(d) + 1e-5f);
    for (std::int64_t i = 0; i < whole; i += W)
      V::store(out + i, (V::load(x + i) - mean) * inverse * V::load(weight + i) + V::load(bias + i));
    for (std::int64_t i = whole; i < d; ++i) out[i] = (x[i] - mean) * inverse * weight[i] + bias[i];
  }

  static void bias_gelu(float* h, std::int64_t rows, std::int64_t width, const float* bias) {
    const std::int64_t whole = width - width % W;
    for (std::int64_t r = 0; r < rows; ++r, h += width) {
      for (std::int64_t i = 0; i < whole; i += W)
        V::store(h + i, V::gelu(V::load(h + i) + V::load(bias + i)));
      if (whole < width) {
        const std::int64_t rest = width - whole;
        const Float sum = load_part(h + whole, rest, 0.0f) + load_part(bias + whole, rest, 0.0f);
        store_part(h + whole, V::gelu(sum), rest);
      }
    }
  }

  static void softmax(float* row, std::int64_t length) {
    const std::int64_t whole = length - length % W, rest = length - whole;
    const float lowest = -INFINITY;
    Float top = V::all(lowest);
    for (std::int64_t i = 0; i < whole; i += W) top = V::larger(top, V::load(row + i));
    if (rest) top = V::larger(top, load_part(row + whole, rest, lowest));
    const float largest = V::maximum(top);
    Float total{};
    for (std::int64_t i = 0; i < whole; i += W) {
      const Float value = V::exp_negative(V::load(row + i) - largest);
      V::store(row + i, value);
      total += value;
    }
    if (rest) {
      const Float value = V::exp_negative(load_part(row + whole, rest, lowest) - largest);
      store_part(row + whole, value, rest);
      total += value;
    }
    const float inverse = 1.0f / V::sum(total);
    for (std::int64_t i = 0; i < whole; i += W) V::store(row + i, V::load(row + i) * inverse);
    for (std::int64_t i = whole; i < length; ++i) row[i] *= inverse;
  }

  static void residual(const float* x, const float* branch, const float* bias, float* out, std::int64_t d) {
    const std::int64_t whole = d - d % W;
    for (std::int64_t i = 0; i < whole; i += W)
      V::store(out + i, V::load(x + i) + (V::load(branch + i) + V::load(bias + i)));
    for (std::int64_t i = whole; i < d; ++i) out[i] = x[i] + (branch[i] + bias[i]);
  }

  // E: the head width when it is one of the usual ones, so that a head is one or two vector moves; 0: any.
  template <int E>
  static void split(const float* rows, std::int64_t row_stride, std::int64_t count, const float* bias,
                    float factor, float* planes, std::int64_t stride, std::int64_t heads, std::int64_t any) {
    const std::int64_t e = E ? E : any;
    for (std::int64_t r = 0; r < count; ++r)
      for (std::int64_t h = 0; h < heads; ++h) {
        const float* from = rows + r * row_stride + h * e;
        float* to = planes + h * stride + r * e;
        if constexpr (E != 0) {
          constexpr int kPart = E < W ? E : W;
          using Part = Vectors<kPart>;
          for (int i = 0; i < E; i += kPart)
            Part::store(to + i, (Part::load(from + i) + Part::load(bias + h * e + i)) * factor);
        } else {
          for (std::int64_t i = 0; i < e; ++i) to[i] = (from[i] + bias[h * e + i]) * factor;
        }
      }
  }
  static void split_heads(const float* rows, std::int64_t row_stride, std::int64_t count, const float* bias,
                          float factor, float* planes, std::int64_t stride, std::int64_t heads,
                          std::int64_t e) {
    switch (e) {
      case 4:
        return split<4>(rows, row_stride, count, bias, factor, planes, stride, heads, e);
      case 8:
        return split<8>(rows, row_stride, count, bias, factor, planes, stride, heads, e);
      case 16:
        return split<16>(rows, row_stride, count, bias, factor, planes, stride, heads, e);
      default:
        return split<0>(rows, row_stride, count, bias, factor, planes, stride, heads, e);
    }
  }

  template <int E>
  static void merge(const float* planes, std::int64_t stride, std::int64_t count, float* rows,
                    std::int64_t heads, std::int64_t any) {
    const std::int64_t e = E ? E : any;
    for (std::int64_t r = 0; r < count; ++r)
      for (std::int64_t h = 0; h < heads; ++h)
        std::memcpy(rows + (r * heads + h) * e, planes + h * stride + r * e, sizeof(float) * e);
  }
  static void merge_heads(const float* planes, std::int64_t stride, std::int64_t count, float* rows,
                          std::int64_t heads, std::int64_t e) {
    switch (e) {
      case 4:
        return merge<4>(planes, stride, count, rows, heads, e);
      case 8:
        return merge<8>(planes, stride, count, rows, heads, e);
      case 16:
        return merge<16>(planes, stride, count, rows, heads, e);
      default:
        return merge<0>(planes, stride, count, rows, heads, e);
    }
  }

  static constexpr Kernels table(const char* instructions) {
    return {&layer_norm, &bias_gelu, &softmax, &residual, &split_heads, &merge_heads, instructions};
  }
};

}  // namespace
}  // namespace causcale::ops

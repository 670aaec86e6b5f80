// Kernels over rows of numbers, and those that put queries, keys and values where products want them. Columns
// beyond the last whole vector go through a padded copy, so that every value takes the same arithmetic.
#pragma once

#include "core/cpu/kernels.h"
#include "core/cpu/vectors.h"

namespace causcale::core {
namespace {

inline void store_one(float* to, float value) {
  *to = value;
}
inline void store_one(Bf16* to, float value) {
  *to = to_bf16(value);
}

template <class T, int W, int kPanel>
struct Rows {
  using V = Vectors<W>;
  using Float = typename V::Float;
  static constexpr std::int64_t kGroup = sizeof(float) / sizeof(T);
  static_assert(kPanel <= kTile);

  static inline Float load_part(const float* from, std::int64_t count, float fill) {
    float lanes[W];
    for (int i = 0; i < W; ++i) lanes[i] = i < count ? from[i] : fill;
    return V::load(lanes);
  }
  static inline void store_part(T* to, Float value, std::int64_t count) {
    float lanes[W];
    V::store(lanes, value);
    for (std::int64_t i = 0; i < count; ++i) store_one(to + i, lanes[i]);
  }
  static inline void pad(T* row, std::int64_t length) {
    for (; length % kGroup != 0; ++length) row[length] = T{};
  }

  static void layer_norm(const float* x, T* out, std::int64_t d, const float* weight, const float* bias) {
    constexpr int kUsual = 8;  // vectors that stay in registers
    if (d == kUsual * W) return layer_norm_of<kUsual>(x, out, weight, bias);
    const std::int64_t whole = d - d % W, rest = d - whole;
    Float total{};
    for (std::int64_t i = 0; i < whole; i += W) total += V::load(x + i);
    if (rest) total += load_part(x + whole, rest, 0.0f);
    const float mean = V::sum(total) / float(d);
    Float squares{};
    for (std::int64_t i = 0; i < whole; i += W) {
      const Float centred = V::load(x + i) - mean;
      squares += centred * centred;
    }
    if (rest) {
      const Float centred = load_part(x + whole, rest, mean) - mean;
      squares += centred * centred;
    }
    const float inverse = 1.0f / __builtin_sqrtf(V::sum(squares) / float(d) + 1e-5f);
    for (std::int64_t i = 0; i < whole; i += W)
      V::store(out + i, (V::load(x + i) - mean) * inverse * V::load(weight + i) + V::load(bias + i));
    if (rest)
      store_part(out + whole,
                 (load_part(x + whole, rest, mean) - mean) * inverse * load_part(weight + whole, rest, 0.0f) +
                     load_part(bias + whole, rest, 0.0f),
                 rest);
    pad(out, d);
  }

  template <int N>
  static inline void layer_norm_of(const float* x, T* out, const float* weight, const float* bias) {
    constexpr float kShare = 1.0f / (N * W);
    Float values[N], parts[N];
    for (int v = 0; v < N; ++v) parts[v] = values[v] = V::load(x + v * W);
    const float mean = V::sum(added(parts)) * kShare;
    for (int v = 0; v < N; ++v) {
      values[v] -= mean;
      parts[v] = values[v] * values[v];
    }
    const float inverse = 1.0f / __builtin_sqrtf(V::sum(added(parts)) * kShare + 1e-5f);
    for (int v = 0; v < N; ++v)
      V::store(out + v * W, values[v] * inverse * V::load(weight + v * W) + V::load(bias + v * W));
  }
  // Two by two: sums that wait for each other would take longer than the sums.
  template <int N>
  static inline Float added(Float (&parts)[N]) {
    for (int step = N / 2; step > 0; step /= 2)
      for (int v = 0; v < step; ++v) parts[v] += parts[v + step];
    return parts[0];
  }

  static inline Float gelu(Float x) {
    if constexpr (sizeof(T) == sizeof(float))
      return V::gelu(x);
    else
      return V::short_gelu(x);
  }
  static void bias_gelu(const float* h, std::int64_t h_stride, std::int64_t rows, std::int64_t width,
                        const float* bias, T* out, std::int64_t out_stride) {
    const std::int64_t whole = width - width % W, rest = width - whole;
    for (std::int64_t r = 0; r < rows; ++r, h += h_stride, out += out_stride) {
      for (std::int64_t i = 0; i < whole; i += W) V::store(out + i, gelu(V::load(h + i) + V::load(bias + i)));
      if (rest)
        store_part(out + whole, gelu(load_part(h + whole, rest, 0.0f) + load_part(bias + whole, rest, 0.0f)),
                   rest);
      pad(out, width);
    }
  }

  static float exponentials(const float* row, std::int64_t length, T* out) {
    const std::int64_t whole = length - length % W, rest = length - whole;
    const float lowest = -__builtin_inff();
    Float top = V::all(lowest);
    for (std::int64_t i = 0; i < whole; i += W) top = V::larger(top, V::load(row + i));
    if (rest) top = V::larger(top, load_part(row + whole, rest, lowest));
    const float largest = V::maximum(top);
    Float total{};
    for (std::int64_t i = 0; i < whole; i += W) {
      const Float value = V::exp_negative(V::load(row + i) - largest);
      V::store(out + i, value);
      total += value;
    }
    if (rest) {
      const Float value = V::exp_negative(load_part(row + whole, rest, lowest) - largest);
      store_part(out + whole, value, rest);
      total += value;
    }
    pad(out, length);
    return 1.0f / V::sum(total);
  }

  static void residual(std::int64_t rows, std::int64_t width, const std::int64_t* starts, const float* x,
                       const float* branch, std::int64_t branch_stride, const float* bias, float* out) {
    const std::int64_t whole = width - width % W;
    for (std::int64_t r = 0; r < rows; ++r, branch += branch_stride) {
      const float* from = x + starts[r];
      float* to = out + starts[r];
      for (std::int64_t i = 0; i < whole; i += W)
        V::store(to + i, V::load(from + i) + (V::load(branch + i) + V::load(bias + i)));
      for (std::int64_t i = whole; i < width; ++i) to[i] = from[i] + (branch[i] + bias[i]);
    }
  }

  static void copy(std::int64_t rows, std::int64_t width, const float* from, std::int64_t from_stride,
                   float* to, std::int64_t to_stride, bool accumulate) {
    const std::int64_t whole = width - width % W;
    for (std::int64_t r = 0; r < rows; ++r, from += from_stride, to += to_stride) {
      for (std::int64_t i = 0; i < whole; i += W)
        V::store(to + i, accumulate ? V::load(to + i) + V::load(from + i) : V::load(from + i));
      for (std::int64_t i = whole; i < width; ++i) to[i] = accumulate ? to[i] + from[i] : from[i];
    }
  }

  static void scale(const float* x, float factor, T* out, std::int64_t width) {
    const std::int64_t whole = width - width % W;
    for (std::int64_t i = 0; i < whole; i += W) V::store(out + i, V::load(x + i) * factor);
    for (std::int64_t i = whole; i < width; ++i) store_one(out + i, x[i] * factor);
  }

  static void store_queries(const float* rows, std::int64_t row_length, const float* bias, float factor,
                            const HeadPlanes<T>& to) {
    const bool by_runs = to.e % kRun == 0;
    for (std::int64_t l = 0; l < to.places; ++l) {
      std::int64_t t = 0;
      if constexpr (kLines)
        if (to.e == kLineHead && to.heads % 2 == 0)
          for (; t + 4 <= to.tied; t += 4) store_query_lines(rows, row_length, bias, factor, l, t, to);
      for (; t < to.tied; ++t) {
        const float* from = rows + (t * to.places + l) * row_length;
        T* place = to.plane + (to.first_place + l) * to.row_stride + (to.first_tied + t) * to.e;
        for (std::int64_t h = 0, c = 0; h < to.heads; ++h, place += to.plane_stride)
          if (by_runs)
            for (std::int64_t i = 0; i < to.e; i += kRun, c += kRun)
              Run::store(place + i, (Run::load(from + c) + Run::load(bias + c)) * factor);
          else
            for (std::int64_t i = 0; i < to.e; ++i, ++c) store_one(place + i, (from[c] + bias[c]) * factor);
      }
    }
    if constexpr (kLines) V::finish_lines(to.large);
    if (to.first_tied + to.tied < to.tied_length) return;
    for (std::int64_t h = 0; h < to.heads; ++h)
      for (std::int64_t l = 0; l < to.places; ++l)
        pad(to.plane + h * to.plane_stride + (to.first_place + l) * to.row_stride, to.tied_length * to.e);
  }

  static void store_keys(const float* rows, std::int64_t row_length, const float* bias,
                         const HeadPlanes<T>& to) {
    const std::int64_t channels = to.heads * to.e;
    const bool by_blocks = kPanel % W == 0 && channels % (W * kGroup) == 0 && to.e % kGroup == 0;
    T* panel = to.plane + to.first_place / kPanel * to.row_stride;
    for (std::int64_t t = 0; t < to.tied; ++t) {
      const float* from = rows + t * to.places * row_length;
      const std::int64_t first_depth = (to.first_tied + t) * to.e;
      std::int64_t l = 0;
      if (by_blocks)
        for (; l < kPanel; l += W)
          for (std::int64_t c = 0; c < channels; c += W * kGroup)
            transpose_keys(from + l * row_length + c, row_length, bias + c, c, first_depth, l, panel, to);
      for (; l < kPanel; ++l)
        for (std::int64_t c = 0; c < channels; ++c) {
          const std::int64_t at = first_depth + c % to.e;
          const float value = l < to.places ? from[l * row_length + c] + bias[c] : 0.0f;
          store_one(
              panel + c / to.e * to.plane_stride + at / kGroup * kPanel * kGroup + l * kGroup + at % kGroup,
              value);
        }
    }
    if (to.first_tied + to.tied < to.tied_length) return;
    for (std::int64_t at = to.tied_length * to.e; at < to.row_stride / kPanel; ++at)
      for (std::int64_t h = 0; h < to.heads; ++h)
        for (std::int64_t place = 0; place < kPanel; ++place)
          panel[h * to.plane_stride + at / kGroup * kPanel * kGroup + place * kGroup + at % kGroup] = T{};
  }

  static void store_values(const float* rows, std::int64_t row_length, const float* bias,
                           const HeadPlanes<T>& to) {
    const bool by_runs = to.e % kRun == 0;
    for (std::int64_t l = 0; l < to.places; l += kGroup) {
      const bool last = kGroup == 2 && l + 1 == to.places;  // its partner does not exist
      T* line = to.plane + (to.first_place + l) / kGroup * kPanel * kGroup;
      std::int64_t t = 0;
      if constexpr (kLines)
        if (to.e == kLineHead && to.heads % 2 == 0 && to.first_tied % 2 == 0)
          for (; t + 2 <= to.tied; t += 2) store_value_lines(rows, row_length, bias, l, last, t, line, to);
      for (; t < to.tied; ++t) {
        const float* from = rows + (t * to.places + l) * row_length;
        const float* partner = last ? from : from + row_length;
        const std::int64_t column = (to.first_tied + t) * to.e;
        const auto place_of = [&](std::int64_t h, std::int64_t i) {
          return line + h * to.plane_stride + (column + i) / kPanel * to.row_stride +
                 (column + i) % kPanel * kGroup;
        };
        for (std::int64_t h = 0, c = 0; h < to.heads; ++h)
          if (by_runs) {
            for (std::int64_t i = 0; i < to.e; i += kRun, c += kRun) {
              const typename Run::Float value = Run::load(from + c) + Run::load(bias + c);
              if constexpr (kGroup == 1) {
                Run::store(place_of(h, i), value);
              } else {
                const typename Run::Float other = Run::load(partner + c) + Run::load(bias + c);
                const typename Run::Bits pairs = Run::pairs(value, last ? typename Run::Float{} : other);
                std::memcpy(place_of(h, i), &pairs, sizeof pairs);
              }
            }
          } else {
            for (std::int64_t i = 0; i < to.e; ++i, ++c) {
              T* place = place_of(h, i);
              store_one(place, from[c] + bias[c]);
              if constexpr (kGroup == 2) store_one(place + 1, last ? 0.0f : partner[c] + bias[c]);
            }
          }
      }
    }
    if constexpr (kLines) V::finish_lines(to.large);
  }

 private:
  // Where a vector is a cache line, and two heads of the usual size are a vector, whole lines are put
  // together.
  static constexpr bool kLines = W == 16 && kGroup == 2 && kPanel == 32;
  static constexpr std::int64_t kLineHead = 8;

  // Four tokens of the tied axis: a line for every head.
  static inline void store_query_lines(const float* rows, std::int64_t row_length, const float* bias,
                                       float factor, std::int64_t l, std::int64_t t,
                                       const HeadPlanes<T>& to) {
    T* place = to.plane + (to.first_place + l) * to.row_stride + (to.first_tied + t) * kLineHead;
    for (std::int64_t h = 0; h < to.heads; h += 2, place += 2 * to.plane_stride) {
      const auto token = [&](std::int64_t k) {
        const float* from = rows + ((t + k) * to.places + l) * row_length + h * kLineHead;
        return V::quads((V::load(from) + V::load(bias + h * kLineHead)) * factor);
      };
      const typename V::Quads a = token(0), b = token(1), c = token(2), d = token(3);
      V::store_line(place, V::lower(a, b, c, d), to.large);
      V::store_line(place + to.plane_stride, V::upper(a, b, c, d), to.large);
    }
  }

  // Two tokens of the tied axis at two places: half of a row of a panel for every head.
  static inline void store_value_lines(const float* rows, std::int64_t row_length, const float* bias,
                                       std::int64_t l, bool last, std::int64_t t, T* line,
                                       const HeadPlanes<T>& to) {
    const std::int64_t column = (to.first_tied + t) * kLineHead;
    T* place = line + column / kPanel * to.row_stride + column % kPanel * kGroup;
    for (std::int64_t h = 0; h < to.heads; h += 2, place += 2 * to.plane_stride) {
      const auto token = [&](std::int64_t k) {
        const float* from = rows + ((t + k) * to.places + l) * row_length + h * kLineHead;
        const Float shift = V::load(bias + h * kLineHead), value = V::load(from) + shift;
        return (typename V::Line)V::pairs(value, last ? Float{} : V::load(from + row_length) + shift);
      };
      const typename V::Line a = token(0), b = token(1);
      V::store_line(place, V::lower(a, b), to.large);
      V::store_line(place + to.plane_stride, V::upper(a, b), to.large);
    }
  }

  // Neighbouring channels of a head that are stored together: they never lie in two panels.
  static constexpr int kRun = W >= 8 && kPanel % 8 == 0 ? 8 : 4;
  static_assert(kPanel % kRun == 0);
  using Run = Vectors<kRun>;

  // W places x W groups of channels, turned so that the places of a group stand side by side. Places that the
  // tile does not have are zeros.
  static inline void transpose_keys(const float* from, std::int64_t row_length, const float* bias,
                                    std::int64_t channel, std::int64_t first_depth, std::int64_t l, T* panel,
                                    const HeadPlanes<T>& to) {
    Float block[W] = {};
    const std::int64_t places = to.places - l < W ? to.places - l : W;
    for (std::int64_t i = 0; i < places; ++i, from += row_length)
      if constexpr (kGroup == 1)
        block[i] = V::load(from) + V::load(bias);
      else
        block[i] = (Float)V::neighbours(V::load(from) + V::load(bias), V::load(from + W) + V::load(bias + W));
    V::transpose(block);
    for (int c = 0; c < W; ++c) {
      const std::int64_t at = channel + c * kGroup;
      std::memcpy(panel + at / to.e * to.plane_stride + (first_depth + at % to.e) * kPanel + l * kGroup,
                  &block[c], sizeof block[c]);
    }
  }
};

// The kernels over vectors of W floats, around a product.
template <class T, int W, int kPanel>
constexpr Kernels<T> kernels_around(const char* name, std::int64_t group,
                                    decltype(Kernels<T>::multiply) multiply,
                                    decltype(Kernels<T>::multiply_panels) multiply_panels) {
  using R = Rows<T, W, kPanel>;
  return {.name = name,
          .panel = kPanel,
          .group = group,
          .multiply = multiply,
          .multiply_panels = multiply_panels,
          .layer_norm = R::layer_norm,
          .bias_gelu = R::bias_gelu,
          .exponentials = R::exponentials,
          .residual = R::residual,
          .copy = R::copy,
          .scale = R::scale,
          .store_queries = R::store_queries,
          .store_keys = R::store_keys,
          .store_values = R::store_values};
}

}  // namespace
}  // namespace causcale::core

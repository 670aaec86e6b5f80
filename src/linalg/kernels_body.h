// The loops behind a table of kernels. Each including file is compiled for one instruction set; the anonymous
// namespace keeps the copies apart, and nothing here may call a function that another file could share, or a
// program for an old processor would get code for a new one.
#pragma once

#include "linalg/kernels.h"

namespace causcale::linalg {
namespace {

// MR rows by NV vectors of W doubles fill the registers.
template <int W, int MR, int NV>
struct Loops {
  typedef double Vector __attribute__((vector_size(8 * W)));
  static constexpr int kCols = W * NV;
  static_assert(kRowBlock % MR == 0 && kColumnBlock % kCols == 0);

  static inline Vector load(const double* from) {
    Vector value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  }
  static inline void store(double* to, Vector value) { __builtin_memcpy(to, &value, sizeof value); }

  static void tile(std::int64_t depth, const double* __restrict a, const double* __restrict b, double* c,
                   std::int64_t c_stride, std::int64_t used_rows, std::int64_t used_cols, double alpha,
                   bool accumulate) {
    Vector sums[MR][NV] = {};
    for (std::int64_t k = 0; k < depth; ++k, a += MR, b += kCols) {
      Vector row[NV];
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v) row[v] = load(b + v * W);
#pragma GCC unroll 16
      for (int i = 0; i < MR; ++i)
#pragma GCC unroll 4
        for (int v = 0; v < NV; ++v) sums[i][v] += a[i] * row[v];
    }
    if (used_rows == MR && used_cols == kCols) {
#pragma GCC unroll 16
      for (int i = 0; i < MR; ++i)
#pragma GCC unroll 4
        for (int v = 0; v < NV; ++v) {
          double* to = c + i * c_stride + v * W;
          store(to, accumulate ? load(to) + alpha * sums[i][v] : alpha * sums[i][v]);
        }
      return;
    }
    double values[MR * kCols];
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i)
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v) store(values + i * kCols + v * W, alpha * sums[i][v]);
    for (std::int64_t i = 0; i < used_rows; ++i)
      for (std::int64_t j = 0; j < used_cols; ++j) {
        double& to = c[i * c_stride + j];
        to = accumulate ? to + values[i * kCols + j] : values[i * kCols + j];
      }
  }

  static inline void add_row(double* __restrict to, double factor, const double* __restrict from,
                             std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) to[j] += factor * from[j];
  }

  static bool cholesky(std::int64_t n, double* a, std::int64_t stride) {
    for (std::int64_t k = 0; k < n; ++k) {
      double* row = a + k * stride;
      if (!(row[k] > 0.0)) return false;
      const double root = __builtin_sqrt(row[k]);
      row[k] = root;
      for (std::int64_t j = k + 1; j < n; ++j) row[j] /= root;
      for (std::int64_t i = k + 1; i < n; ++i) add_row(a + i * stride, -row[i], row, i, n);
    }
    return true;
  }

  static void invert_upper(std::int64_t n, const double* from, std::int64_t from_stride, double* to,
                           std::int64_t to_stride) {
    double factors[kLeaf];
    for (std::int64_t i = n - 1; i >= 0; --i) {
      double* row = to + i * to_stride;
      const double inverse = 1.0 / from[i * from_stride + i];
      for (std::int64_t k = i + 1; k < n; ++k) factors[k] = from[i * from_stride + k];
      for (std::int64_t j = 0; j < n; ++j) row[j] = 0.0;
      row[i] = inverse;
      for (std::int64_t k = i + 1; k < n; ++k) add_row(row, -factors[k] * inverse, to + k * to_stride, k, n);
    }
  }

  static void invert_unit_lower(std::int64_t n, const double* from, std::int64_t from_stride, double* to,
                                std::int64_t to_stride) {
    for (std::int64_t i = 0; i < n; ++i) {
      double* row = to + i * to_stride;
      for (std::int64_t j = 0; j < n; ++j) row[j] = 0.0;
      row[i] = 1.0;
      for (std::int64_t k = 0; k < i; ++k)
        add_row(row, -from[i * from_stride + k], to + k * to_stride, 0, k + 1);
    }
  }

  static inline double sum(Vector value) {
    double lanes[W], result = 0.0;
    store(lanes, value);
    for (int i = 0; i < W; ++i) result += lanes[i];
    return result;
  }

  static double update_and_dot(std::int64_t n, double* __restrict row, double a, const double* __restrict w,
                               double b, const double* __restrict v, const double* __restrict next) {
    Vector sums[2] = {};
    std::int64_t j = 0;
    for (; j + 2 * W <= n; j += 2 * W)
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h) {
        const std::int64_t at = j + h * W;
        const Vector value = load(row + at) - a * load(w + at) - b * load(v + at);
        store(row + at, value);
        sums[h] += value * load(next + at);
      }
    double result = sum(sums[0] + sums[1]);
    for (; j < n; ++j) {
      row[j] -= a * w[j] + b * v[j];
      result += row[j] * next[j];
    }
    return result;
  }

  static void reflect(std::int64_t n, double* __restrict row, double scale, const double* __restrict v) {
    Vector sums[4] = {};
    std::int64_t j = 0;
    for (; j + 4 * W <= n; j += 4 * W)
#pragma GCC unroll 4
      for (int h = 0; h < 4; ++h) sums[h] += load(row + j + h * W) * load(v + j + h * W);
    double dot = sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
    for (; j < n; ++j) dot += row[j] * v[j];
    add_row(row, -scale * dot, v, 0, n);
  }

  // The lower row of a rotation is the upper one of the next in a sweep: it stays in registers.
  static void rotate(std::int64_t count, const Rotation* rotations, double* rows, std::int64_t stride) {
    constexpr int kVectors = 4;
    Vector held[kVectors] = {};
    std::int64_t held_row = -1;
    for (std::int64_t k = 0; k < count; ++k) {
      const auto& [row, c, s] = rotations[k];
      double *low = rows + row * stride, *high = low + stride;
      if (held_row != row + 1) {
        if (held_row >= 0)
          for (int v = 0; v < kVectors; ++v) store(rows + held_row * stride + v * W, held[v]);
        for (int v = 0; v < kVectors; ++v) held[v] = load(high + v * W);
      }
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const Vector below = load(low + v * W);
        store(high + v * W, s * below + c * held[v]);
        held[v] = c * below - s * held[v];
      }
      held_row = row;
    }
    if (held_row >= 0)
      for (int v = 0; v < kVectors; ++v) store(rows + held_row * stride + v * W, held[v]);
  }

  static constexpr Kernels table(const char* name) {
    return {name,           MR,      kCols,  tile, cholesky, invert_upper, invert_unit_lower,
            update_and_dot, reflect, rotate, 4 * W};
  }
};

}  // namespace
}  // namespace causcale::linalg

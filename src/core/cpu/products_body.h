// Products with packed right-hand sides: a tile of R rows by one panel is summed in registers over the whole
// depth.
#pragma once

#include "core/cpu/kernels.h"
#include "core/cpu/rows_body.h"
#include "core/cpu/vectors.h"

namespace causcale::core {
namespace {

// One step of the depth: `group` values of a row of a, times a vector of columns.
template <int W>
struct FloatStep {
  using T = float;
  using Float = typename Vectors<W>::Float;
  static constexpr std::int64_t kGroup = 1;
  struct Column {
    Float value;
  };
  static inline Column column(const float* b) { return {Vectors<W>::load(b)}; }
  static inline void add(Float& sum, const float* a, const Column& b) { sum += *a * b.value; }
};

// Bfloat16 on processors without instructions for it.
template <int W>
struct PlainBf16Step {
  using T = Bf16;
  using V = Vectors<W>;
  using Float = typename V::Float;
  static constexpr std::int64_t kGroup = 2;
  struct Column {
    Float first, second;
  };
  static inline Column column(const Bf16* b) {
    typename V::Bits pairs;
    std::memcpy(&pairs, b, sizeof pairs);
    return {V::first_of(pairs), V::second_of(pairs)};
  }
  static inline void add(Float& sum, const Bf16* a, const Column& b) {
    sum += to_float(a[0]) * b.first;
    sum += to_float(a[1]) * b.second;
  }
};

// MR rows by NV vectors of W columns fill the registers.
template <class Step, int W, int NV, int MR>
struct Products {
  using T = typename Step::T;
  using V = Vectors<W>;
  using Float = typename V::Float;
  static constexpr int kPanel = W * NV;

  template <int R, int N>
  static inline void tile(std::int64_t steps, const T* __restrict a, std::int64_t a_stride,
                          const T* __restrict b, float* __restrict c, std::int64_t c_stride,
                          std::int64_t cols, bool accumulate) {
    Float sums[R][N] = {};
    for (std::int64_t s = 0; s < steps; ++s, a += Step::kGroup, b += kPanel * Step::kGroup) {
      typename Step::Column column[N];
      for (int v = 0; v < N; ++v) column[v] = Step::column(b + v * W * Step::kGroup);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
        for (int v = 0; v < N; ++v) Step::add(sums[i][v], a + i * a_stride, column[v]);
    }
    for (int i = 0; i < R; ++i, c += c_stride) {
      if (cols == N * W) {
        for (int v = 0; v < N; ++v)
          V::store(c + v * W, accumulate ? V::load(c + v * W) + sums[i][v] : sums[i][v]);
      } else {
        float lanes[N * W];
        for (int v = 0; v < N; ++v) V::store(lanes + v * W, sums[i][v]);
        for (std::int64_t j = 0; j < cols; ++j) c[j] = accumulate ? c[j] + lanes[j] : lanes[j];
      }
    }
  }

  template <int R, int N>
  static inline void rest(std::int64_t rows, std::int64_t steps, const T* a, std::int64_t a_stride,
                          const T* b, float* c, std::int64_t c_stride, std::int64_t cols, bool accumulate) {
    if constexpr (R > 0) {
      if (rows == R)
        tile<R, N>(steps, a, a_stride, b, c, c_stride, cols, accumulate);
      else
        rest<R - 1, N>(rows, steps, a, a_stride, b, c, c_stride, cols, accumulate);
    }
  }

  template <int N>
  static void one_panel(std::int64_t rows, std::int64_t steps, const T* a, std::int64_t a_stride,
                        const T* panel, float* c, std::int64_t c_stride, std::int64_t cols, bool accumulate) {
    std::int64_t i = 0;
    for (; i + MR <= rows; i += MR)
      tile<MR, N>(steps, a + i * a_stride, a_stride, panel, c + i * c_stride, c_stride, cols, accumulate);
    rest<MR - 1, N>(rows - i, steps, a + i * a_stride, a_stride, panel, c + i * c_stride, c_stride, cols,
                    accumulate);
  }

  static void multiply(std::int64_t rows, std::int64_t cols, std::int64_t depth, const T* a,
                       std::int64_t a_stride, const T* panels, std::int64_t panel_stride, float* c,
                       std::int64_t c_stride, bool accumulate) {
    const std::int64_t steps = (depth + Step::kGroup - 1) / Step::kGroup;
    for (std::int64_t j = 0; j < cols; j += kPanel, panels += panel_stride) {
      const std::int64_t left = cols - j;
      if (NV > 1 && left <= W)
        one_panel<1>(rows, steps, a, a_stride, panels, c + j, c_stride, left, accumulate);
      else
        one_panel<NV>(rows, steps, a, a_stride, panels, c + j, c_stride, left < kPanel ? left : kPanel,
                      accumulate);
    }
  }

  static void multiply_panels(std::int64_t rows, std::int64_t cols, std::int64_t depth, const T* a,
                              std::int64_t a_stride, const T* panels, std::int64_t panel_stride, float* sums,
                              const PanelFunction& finish) {
    for (std::int64_t j = 0; j < cols; j += kPanel, panels += panel_stride) {
      const std::int64_t count = cols - j < kPanel ? cols - j : kPanel;
      multiply(rows, count, depth, a, a_stride, panels, panel_stride, sums, kPanel, false);
      finish.call(finish.object, j, count, sums);
    }
  }
};

template <class Step, int W, int NV, int MR>
constexpr Kernels<typename Step::T> kernel_table(const char* name) {
  using P = Products<Step, W, NV, MR>;
  return kernels_around<typename Step::T, W, W * NV>(name, Step::kGroup, P::multiply, P::multiply_panels);
}

}  // namespace
}  // namespace causcale::core

// Single-threaded row kernels of the CPU paths, chosen at run time for the processor's vector instructions.
#pragma once

#include <cstdint>

namespace causcale::ops {

struct Kernels {
  // out = LayerNorm(x) of one row of d values, epsilon 1e-5.
  void (*layer_norm)(const float* x, float* out, std::int64_t d, const float* weight, const float* bias);
  // h = GELU(h + bias) of `rows` rows of `width` values; exact (erf), to float rounding.
  void (*bias_gelu)(float* h, std::int64_t rows, std::int64_t width, const float* bias);
  // One row of scores to probabilities, in place.
  void (*softmax)(float* row, std::int64_t length);
  // out = x + branch + bias, one row of d values; out may be x.
  void (*residual)(const float* x, const float* branch, const float* bias, float* out, std::int64_t d);
  // Heads apart: (rows [count, heads * e] + bias) * factor, head h going to planes + h * stride, `count` * e
  // values in a run.
  void (*split_heads)(const float* rows, std::int64_t row_stride, std::int64_t count, const float* bias,
                      float factor, float* planes, std::int64_t stride, std::int64_t heads, std::int64_t e);
  // Heads together: the reverse copy.
  void (*merge_heads)(const float* planes, std::int64_t stride, std::int64_t count, float* rows,
                      std::int64_t heads, std::int64_t e);
  const char* instructions;  // what was chosen
};

const Kernels& kernels();

// One table per instruction set, for the choice above and for tests.
const Kernels& kernels_base();
const Kernels* kernels_avx2();  // null where the processor or the compiler lacks them
const Kernels* kernels_avx512();

}  // namespace causcale::ops

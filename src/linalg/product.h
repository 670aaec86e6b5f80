// Products of dense matrices in double precision.
//
// Sums are formed in an order that depends on the sizes and the instruction set alone: the number of threads
// does not change a bit of the result.
#pragma once

#include <cstdint>

#include "linalg/kernels.h"

namespace causcale::linalg {

struct Context {
  const Kernels& kernels = chosen_kernels();
  int threads = 0;  // at most so many, 0: all cores; small problems stay on the calling thread
};

// Element (i, j) is data[i * row_step + j * col_step]: a matrix or its transpose.
struct View {
  const double* data;
  std::int64_t row_step, col_step;
};

enum class Part {
  kAll,
  kUpper,  // the upper triangle with the diagonal; what lies below is left or overwritten
};

inline constexpr std::int64_t kDepthBlock = 256;

// C [m, n] = (accumulate ? C : 0) + alpha A B with A [m, depth], B [depth, n] and C row-major.
// C may be B where depth <= kDepthBlock; it may be A where also n <= kColumnBlock; without `accumulate`.
void multiply(const Context& context, std::int64_t m, std::int64_t n, std::int64_t depth, double alpha,
              View a, View b, double* c, std::int64_t c_stride, bool accumulate, Part part = Part::kAll);

}  // namespace causcale::linalg

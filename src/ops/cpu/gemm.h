// Matrix products of the CPU paths: OpenBLAS on one thread each, because the callers share the work out.
#pragma once

#include <cstdint>

namespace causcale::ops {

// Whether the build has a BLAS for these; without one the plain composition serves.
bool has_gemm();

// c [rows, cols] = a [rows, inner] b, row-major with the given row strides.
void gemm(std::int64_t rows, std::int64_t cols, std::int64_t inner, const float* a, std::int64_t a_stride,
          const float* b, std::int64_t b_stride, float* c, std::int64_t c_stride);
// c = a b^T with b [cols, inner].
void gemm_transposed(std::int64_t rows, std::int64_t cols, std::int64_t inner, const float* a,
                     std::int64_t a_stride, const float* b, std::int64_t b_stride, float* c,
                     std::int64_t c_stride);

// While one lives, products run on the thread that asks for them.
class SerialGemm {
 public:
  SerialGemm();
  ~SerialGemm();
  SerialGemm(const SerialGemm&) = delete;
  SerialGemm& operator=(const SerialGemm&) = delete;

 private:
  int threads_before_ = 1;
};

}  // namespace causcale::ops

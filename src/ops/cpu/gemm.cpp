#include "ops/cpu/gemm.h"

#include "causcale/error.h"

#ifdef CAUSCALE_LAPACK

#include <cblas.h>

namespace causcale::ops {

bool has_gemm() {
  return true;
}

void gemm(std::int64_t rows, std::int64_t cols, std::int64_t inner, const float* a, std::int64_t a_stride,
          const float* b, std::int64_t b_stride, float* c, std::int64_t c_stride) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, blasint(rows), blasint(cols), blasint(inner), 1.0f,
              a, blasint(a_stride), b, blasint(b_stride), 0.0f, c, blasint(c_stride));
}

void gemm_transposed(std::int64_t rows, std::int64_t cols, std::int64_t inner, const float* a,
                     std::int64_t a_stride, const float* b, std::int64_t b_stride, float* c,
                     std::int64_t c_stride) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, blasint(rows), blasint(cols), blasint(inner), 1.0f, a,
              blasint(a_stride), b, blasint(b_stride), 0.0f, c, blasint(c_stride));
}

SerialGemm::SerialGemm() : threads_before_(openblas_get_num_threads()) {
  openblas_set_num_threads(1);
}
SerialGemm::~SerialGemm() {
  openblas_set_num_threads(threads_before_);
}

}  // namespace causcale::ops

#else

namespace causcale::ops {

bool has_gemm() {
  return false;
}

void gemm(std::int64_t, std::int64_t, std::int64_t, const float*, std::int64_t, const float*, std::int64_t,
          float*, std::int64_t) {
  throw Error("this build has no BLAS for the CPU paths");
}

void gemm_transposed(std::int64_t, std::int64_t, std::int64_t, const float*, std::int64_t, const float*,
                     std::int64_t, float*, std::int64_t) {
  throw Error("this build has no BLAS for the CPU paths");
}

SerialGemm::SerialGemm() = default;
SerialGemm::~SerialGemm() = default;

}  // namespace causcale::ops

#endif

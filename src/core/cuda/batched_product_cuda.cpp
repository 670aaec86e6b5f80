#include "core/cuda/batched_product.h"

#include "core/cuda/check.h"

namespace causcale::cuda {
namespace {

cudaDataType_t type_of(Storage storage) {
  return storage == Storage::kFloat ? CUDA_R_32F : CUDA_R_16BF;
}

}  // namespace

void multiply(cublasHandle_t handle, const BatchedProduct& p) {
  // libtorch changes the mode around its own calls and so do we: partial sums must not be rounded to bf16,
  // nor fp32 operands to tf32.
  cublasMath_t previous = CUBLAS_DEFAULT_MATH;
  check(cublasGetMathMode(handle, &previous), "cublasGetMathMode");
  check(
      cublasSetMathMode(handle, static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                                          CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
      "cublasSetMathMode");
  const float one = 1.f, zero = 0.f;
  // cuBLAS is column-major: it sees the transposes of our matrices, so the operands change places.
  const cublasStatus_t status = cublasGemmStridedBatchedEx(
      handle, p.right.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, p.left.transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
      static_cast<int>(p.n), static_cast<int>(p.m), static_cast<int>(p.k), &one, p.right.data,
      type_of(p.operands), static_cast<int>(p.right.row_stride), p.right.batch_stride, p.left.data,
      type_of(p.operands), static_cast<int>(p.left.row_stride), p.left.batch_stride, &zero, p.out,
      type_of(p.result), static_cast<int>(p.out_row_stride), p.out_batch_stride, static_cast<int>(p.batch),
      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  check(cublasSetMathMode(handle, previous), "cublasSetMathMode");
  check(status, "cublasGemmStridedBatchedEx");
}

}  // namespace causcale::cuda

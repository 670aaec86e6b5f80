// The two instructions of the fp32 kernels' matrix products (compute capability 8.0 and later).
#pragma once

#include <cstdint>

namespace causcale::cuda {

// The nearest number with 10 explicit bits of mantissa.
__device__ __forceinline__ std::uint32_t to_tf32(float value) {
  std::uint32_t rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(value));
  return rounded;
}

// acc[16, 8] += A[16, 8] B[8, 8] by a whole warp. With g = lane / 4, t = lane % 4 a thread holds A at (g, t),
// (g + 8, t), (g, t + 4), (g + 8, t + 4), B at (t, g), (t + 4, g), and acc at (g, 2t), (g, 2t + 1),
// (g + 8, 2t), (g + 8, 2t + 1).
__device__ __forceinline__ void mma_tf32(float (&acc)[4], const std::uint32_t (&a)[4],
                                         const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace causcale::cuda

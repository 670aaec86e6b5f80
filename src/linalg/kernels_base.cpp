// Vectors of two doubles, which x86-64, AArch64 and WebAssembly all have.
#include "linalg/kernels_body.h"

namespace causcale::linalg {

const Kernels* base_kernels() {
#if defined(__aarch64__)
  static constexpr Kernels table = Loops<2, 6, 4>::table("base");  // 32 registers
#else
  static constexpr Kernels table = Loops<2, 4, 2>::table("base");  // 16 registers
#endif
  return &table;
}

}  // namespace causcale::linalg

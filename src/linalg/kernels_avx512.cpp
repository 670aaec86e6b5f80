#include "linalg/kernels.h"

#if defined(__AVX512F__)
#include "linalg/kernels_body.h"

namespace causcale::linalg {

const Kernels* avx512_kernels() {
  static constexpr Kernels table = Loops<8, 8, 3>::table("avx512");
  return &table;
}

}  // namespace causcale::linalg
#else

namespace causcale::linalg {

const Kernels* avx512_kernels() {
  return nullptr;
}

}  // namespace causcale::linalg
#endif

#include "linalg/kernels.h"

#if defined(__AVX2__) && defined(__FMA__)
#include "linalg/kernels_body.h"

namespace causcale::linalg {

const Kernels* avx2_kernels() {
  static constexpr Kernels table = Loops<4, 6, 2>::table("avx2");
  return &table;
}

}  // namespace causcale::linalg
#else

namespace causcale::linalg {

const Kernels* avx2_kernels() {
  return nullptr;
}

}  // namespace causcale::linalg
#endif

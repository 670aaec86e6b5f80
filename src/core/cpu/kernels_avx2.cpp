#include "core/cpu/isa_tables.h"

#if defined(__AVX2__) && defined(__FMA__)
#include "core/cpu/products_body.h"

namespace causcale::core {

const Kernels<float>* avx2_fp32() {
  static constexpr Kernels<float> table = kernel_table<FloatStep<8>, 8, 2, 6>("avx2");
  return &table;
}
const Kernels<Bf16>* avx2_bf16() {
  static constexpr Kernels<Bf16> table = kernel_table<PlainBf16Step<8>, 8, 1, 6>("avx2");
  return &table;
}

}  // namespace causcale::core
#else

namespace causcale::core {

const Kernels<float>* avx2_fp32() {
  return nullptr;
}
const Kernels<Bf16>* avx2_bf16() {
  return nullptr;
}

}  // namespace causcale::core
#endif

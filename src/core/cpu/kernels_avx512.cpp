#include "core/cpu/isa_tables.h"

#if defined(__AVX512F__) && defined(__AVX512BW__)
#include "core/cpu/products_body.h"

namespace causcale::core {

const Kernels<float>* avx512_fp32() {
  static constexpr Kernels<float> table = kernel_table<FloatStep<16>, 16, 2, 12>("avx512");
  return &table;
}
const Kernels<Bf16>* avx512_bf16() {
  static constexpr Kernels<Bf16> table = kernel_table<PlainBf16Step<16>, 16, 2, 10>("avx512");
  return &table;
}

}  // namespace causcale::core
#else

namespace causcale::core {

const Kernels<float>* avx512_fp32() {
  return nullptr;
}
const Kernels<Bf16>* avx512_bf16() {
  return nullptr;
}

}  // namespace causcale::core
#endif

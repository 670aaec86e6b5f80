#include "core/cpu/isa_tables.h"

#if defined(__aarch64__)
#include "core/cpu/products_body.h"

namespace causcale::core {

const Kernels<float>* neon_fp32() {
  static constexpr Kernels<float> table = kernel_table<FloatStep<4>, 4, 3, 8>("neon");
  return &table;
}
const Kernels<Bf16>* neon_bf16() {
  static constexpr Kernels<Bf16> table = kernel_table<PlainBf16Step<4>, 4, 2, 6>("neon");
  return &table;
}

}  // namespace causcale::core
#else

namespace causcale::core {

const Kernels<float>* neon_fp32() {
  return nullptr;
}
const Kernels<Bf16>* neon_bf16() {
  return nullptr;
}

}  // namespace causcale::core
#endif

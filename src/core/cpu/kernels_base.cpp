#include "core/cpu/isa_tables.h"
#include "core/cpu/products_body.h"

namespace causcale::core {

const Kernels<float>* base_fp32() {
  static constexpr Kernels<float> table = kernel_table<FloatStep<4>, 4, 2, 4>("base");
  return &table;
}
const Kernels<Bf16>* base_bf16() {
  static constexpr Kernels<Bf16> table = kernel_table<PlainBf16Step<4>, 4, 2, 4>("base");
  return &table;
}

}  // namespace causcale::core

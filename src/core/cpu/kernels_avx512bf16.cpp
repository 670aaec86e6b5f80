#include "core/cpu/isa_tables.h"

#ifdef __AVX512BF16__
#include <immintrin.h>

#include "core/cpu/avx512bf16_step.h"
#include "core/cpu/products_body.h"

namespace causcale::core {

const Kernels<Bf16>* avx512bf16_bf16() {
  static constexpr Kernels<Bf16> table = kernel_table<Avx512Bf16Step, 16, 2, 12>("avx512bf16");
  return &table;
}

}  // namespace causcale::core
#else

namespace causcale::core {

const Kernels<Bf16>* avx512bf16_bf16() {
  return nullptr;
}

}  // namespace causcale::core
#endif

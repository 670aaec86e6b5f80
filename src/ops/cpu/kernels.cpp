#include "ops/cpu/kernels_body.h"

namespace causcale::ops {

const Kernels& kernels_base() {
  static constexpr Kernels table = Rows<4>::table("base");
  return table;
}

const Kernels& kernels() {
  static const Kernels& chosen = [&]() -> const Kernels& {
    if (const Kernels* table = kernels_avx512()) return *table;
    if (const Kernels* table = kernels_avx2()) return *table;
    return kernels_base();
  }();
  return chosen;
}

}  // namespace causcale::ops

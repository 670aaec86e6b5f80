#include "core/cpu/isa_tables.h"

namespace causcale::core {

const Kernels<Bf16>* amx_bf16() {
  return nullptr;
}

}  // namespace causcale::core

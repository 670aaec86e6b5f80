#include "core/cpu/isa_tables.h"

// g++ spells the macro with an underscore more than clang.
#if (defined(__AMX_BF16__) || defined(__AMXBF16__)) && defined(__AVX512BW__)
#include "core/cpu/amx_tiles.h"
#include "core/cpu/rows_body.h"

namespace causcale::core {

const Kernels<Bf16>* amx_bf16() {
  using Products = TileProducts<AmxTiles>;
  static constexpr Kernels<Bf16> table = kernels_around<Bf16, 16, Products::kPanel>(
      "amx", Products::kGroup, Products::multiply, Products::multiply_panels);
  return &table;
}

}  // namespace causcale::core
#else

namespace causcale::core {

const Kernels<Bf16>* amx_bf16() {
  return nullptr;
}

}  // namespace causcale::core
#endif

#include "core/sample_kernels.h"

#include "core/cpu/rows_body.h"
#include "core/emulated_tiles.h"

namespace causcale::test {

const core::Kernels<core::Bf16>& emulated_amx() {
  using Products = core::TileProducts<core::EmulatedTiles>;
  static constexpr core::Kernels<core::Bf16> table = core::kernels_around<core::Bf16, 4, Products::kPanel>(
      "emulated_amx", Products::kGroup, Products::multiply, Products::multiply_panels);
  return table;
}

}  // namespace causcale::test

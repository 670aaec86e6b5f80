// Kernels for tests beside those of this processor.
#pragma once

#include "core/cpu/kernels.h"

namespace causcale::test {

// Those of amx, the same code, with tile registers that are emulated (emulated_tiles.h).
const core::Kernels<core::Bf16>& emulated_amx();

}  // namespace causcale::test

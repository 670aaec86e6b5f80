// One table per instruction set; each file is compiled for its own. Null where the compiler does not know it.
// Whether the processor does is asked in isa.cpp.
#pragma once

#include "core/cpu/kernels.h"

namespace causcale::core {

const Kernels<float>* base_fp32();
const Kernels<Bf16>* base_bf16();
const Kernels<float>* avx2_fp32();
const Kernels<Bf16>* avx2_bf16();
const Kernels<float>* avx512_fp32();
const Kernels<Bf16>* avx512_bf16();
const Kernels<Bf16>* avx512bf16_bf16();
const Kernels<Bf16>* amx_bf16();
const Kernels<float>* neon_fp32();
const Kernels<Bf16>* neon_bf16();

}  // namespace causcale::core

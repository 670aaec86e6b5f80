// Standard headers first: the target below is for the kernels alone.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "ops/cpu/kernels.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx512f,avx512vl,avx2,fma")
#include "ops/cpu/kernels_body.h"

namespace causcale::ops {

const Kernels* kernels_avx512() {
  static constexpr Kernels table = Rows<16>::table("avx512");
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") ? &table : nullptr;
}

}  // namespace causcale::ops
#else
namespace causcale::ops {

const Kernels* kernels_avx512() {
  return nullptr;
}

}  // namespace causcale::ops
#endif

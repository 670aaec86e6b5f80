#include "linalg/kernels.h"

#include <cstdlib>
#include <string_view>

namespace causcale::linalg {

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> found = {base_kernels()};
#if defined(__x86_64__)
  if (avx2_kernels() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    found.push_back(avx2_kernels());
  if (avx512_kernels() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    found.push_back(avx512_kernels());
#endif
  return found;
}

const Kernels& chosen_kernels() {
  const std::vector<const Kernels*> available = available_kernels();
  if (const char* wanted = std::getenv("CAUSCALE_ISA"))
    for (const Kernels* kernels : available)
      if (std::string_view(wanted) == kernels->name) return *kernels;
  return *available.back();
}

}  // namespace causcale::linalg

// Which instruction sets this processor has, by asking it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "causcale/error.h"
#include "core/cpu/amx_permission.h"
#include "core/cpu/isa_tables.h"

namespace causcale::core {
namespace {

constexpr std::array<std::pair<Isa, const char*>, 6> kNames = {{{Isa::kBase, "base"},
                                                                {Isa::kAvx2, "avx2"},
                                                                {Isa::kAvx512, "avx512"},
                                                                {Isa::kAvx512Bf16, "avx512bf16"},
                                                                {Isa::kAmx, "amx"},
                                                                {Isa::kNeon, "neon"}}};

bool processor_has([[maybe_unused]] Isa isa) {
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  switch (isa) {
    case Isa::kBase:
      return true;
    case Isa::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case Isa::kAvx512:
      return avx512;
    case Isa::kAvx512Bf16:
      return avx512 && __builtin_cpu_supports("avx512bf16");
    case Isa::kAmx:
      return avx512 && __builtin_cpu_supports("avx512bf16") && may_use_amx();
    case Isa::kNeon:
      return false;
  }
#elif defined(__aarch64__)
  return isa == Isa::kBase || isa == Isa::kNeon;
#endif
  return isa == Isa::kBase;
}

bool compiled(Isa isa) {
  switch (isa) {
    case Isa::kBase:
      return true;
    case Isa::kAvx2:
      return avx2_fp32() != nullptr;
    case Isa::kAvx512:
      return avx512_fp32() != nullptr;
    case Isa::kAvx512Bf16:
      return avx512bf16_bf16() != nullptr;
    case Isa::kAmx:
      return amx_bf16() != nullptr;
    case Isa::kNeon:
      return neon_fp32() != nullptr;
  }
  return false;
}

// Why a name of CAUSCALE_ISA is not available.
const char* why_not(std::string_view wanted) {
  const auto named = std::ranges::find(kNames, wanted, &std::pair<Isa, const char*>::second);
  if (named == kNames.end()) return "is no instruction set";
  if (!compiled(named->first)) return "this program was built without";
  if (named->first == Isa::kAmx && processor_has_amx())
    return "this processor has but its system does not permit";
  return "this processor lacks";
}

}  // namespace

const char* isa_name(Isa isa) {
  return std::ranges::find(kNames, isa, &std::pair<Isa, const char*>::first)->second;
}

std::vector<Isa> available_isas() {
  std::vector<Isa> found;
  for (const auto& [isa, name] : kNames)
    if (compiled(isa) && processor_has(isa)) found.push_back(isa);
  return found;
}

Isa chosen_isa() {
  const std::vector<Isa> available = available_isas();
  const char* wanted = std::getenv("CAUSCALE_ISA");
  if (!wanted || !*wanted) return available.back();
  std::string names;
  for (const Isa isa : available) {
    if (std::string(wanted) == isa_name(isa)) return isa;
    names += (names.empty() ? "" : ", ") + std::string(isa_name(isa));
  }
  throw UsageError(
      fmt::format("CAUSCALE_ISA is '{}', which {}; available: {}", wanted, why_not(wanted), names));
}

template <>
const Kernels<float>& kernels_for<float>(Isa isa) {
  switch (isa) {
    case Isa::kBase:
      break;
    case Isa::kAvx2:
      return *avx2_fp32();
    case Isa::kAvx512:
    case Isa::kAvx512Bf16:
    case Isa::kAmx:
      return *avx512_fp32();
    case Isa::kNeon:
      return *neon_fp32();
  }
  return *base_fp32();
}

template <>
const Kernels<Bf16>& kernels_for<Bf16>(Isa isa) {
  switch (isa) {
    case Isa::kBase:
      break;
    case Isa::kAvx2:
      return *avx2_bf16();
    case Isa::kAvx512:
      return *avx512_bf16();
    case Isa::kAvx512Bf16:
      return *avx512bf16_bf16();
    case Isa::kAmx:
      return *amx_bf16();
    case Isa::kNeon:
      return *neon_bf16();
  }
  return *base_bf16();
}

bool multiplies_bf16(Isa isa) {
  return isa == Isa::kAvx512Bf16 || isa == Isa::kAmx;
}

}  // namespace causcale::core

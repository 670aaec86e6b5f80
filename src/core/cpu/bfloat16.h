// bfloat16: the upper half of a float. Functions are static, one copy per file: files are compiled for
// different instruction sets, and the linker must not pick one copy for all.
#pragma once

#include <cstdint>
#include <cstring>

namespace causcale::core {

struct Bf16 {
  std::uint16_t bits;
};

// Rounds to nearest, ties to even. Infinity stays infinite; the network's numbers are never NaN.
static inline Bf16 to_bf16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return {static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

static inline float to_float(Bf16 value) {
  const std::uint32_t bits = std::uint32_t{value.bits} << 16;
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

}  // namespace causcale::core

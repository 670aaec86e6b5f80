// Kernels for tests, and numbers for them.
#pragma once

#include <random>
#include <type_traits>
#include <vector>

#include "core/cpu/kernels.h"

namespace causcale::test {

// Those of amx, the same code, with tile registers that are emulated (emulated_tiles.h).
const core::Kernels<core::Bf16>& emulated_amx();

// Those of this processor, and these.
template <class T>
std::vector<const core::Kernels<T>*> all_kernels() {
  std::vector<const core::Kernels<T>*> all;
  for (const core::Isa isa : core::available_isas()) all.push_back(&core::kernels_for<T>(isa));
  if constexpr (std::is_same_v<T, core::Bf16>) all.push_back(&emulated_amx());
  return all;
}

inline std::vector<float> random_values(std::size_t count, float scale, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, scale);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

inline float number(float value) {
  return value;
}
inline float number(core::Bf16 value) {
  return core::to_float(value);
}
inline void assign(float& to, float value) {
  to = value;
}
inline void assign(core::Bf16& to, float value) {
  to = core::to_bf16(value);
}

}  // namespace causcale::test

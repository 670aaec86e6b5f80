// Eight neighbouring channels in memory, of either type that activations may have, as floats.
#pragma once

#include "core/cuda/fragment.cuh"

namespace causcale::cuda {

__device__ __forceinline__ void load_channels(const bf16* source, float (&values)[8]) {
  unpack(__ldg(reinterpret_cast<const uint4*>(source)), values);
}
__device__ __forceinline__ void load_channels(const float* source, float (&values)[8]) {
  load_eight(source, values);
}
__device__ __forceinline__ void store_channels(bf16* target, const float (&values)[8]) {
  *reinterpret_cast<uint4*>(target) = pack(values);
}
__device__ __forceinline__ void store_channels(float* target, const float (&v)[8]) {
  reinterpret_cast<float4*>(target)[0] = {v[0], v[1], v[2], v[3]};
  reinterpret_cast<float4*>(target)[1] = {v[4], v[5], v[6], v[7]};
}

__device__ __forceinline__ float to_float(bf16 value) {
  return __bfloat162float(value);
}
__device__ __forceinline__ float to_float(float value) {
  return value;
}
__device__ __forceinline__ void assign(bf16& target, float value) {
  target = __float2bfloat16_rn(value);
}
__device__ __forceinline__ void assign(float& target, float value) {
  target = value;
}

}  // namespace causcale::cuda

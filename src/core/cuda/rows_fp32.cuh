// How the fp32 kernels touch tokens in memory: a warp takes a row of 128 channels, a lane four neighbours of
// them, whether they lie in a row or in head planes (half a piece there).
#pragma once

#include "core/cuda/token_map.h"
#include "core/cuda/warp_sum.cuh"

namespace causcale::cuda {

struct Four {
  float v[4];
};

__device__ __forceinline__ Four load_four(const float* source) {
  const float4 value = *reinterpret_cast<const float4*>(source);
  return {{value.x, value.y, value.z, value.w}};
}
__device__ __forceinline__ void store_four(float* target, const Four& value) {
  *reinterpret_cast<float4*>(target) = float4{value.v[0], value.v[1], value.v[2], value.v[3]};
}
// Weights are often views of a longer vector and then begin anywhere.
__device__ __forceinline__ Four load_four_anywhere(const float* source) {
  return {{__ldg(source), __ldg(source + 1), __ldg(source + 2), __ldg(source + 3)}};
}

// Index of `channel` (a multiple of 4; below 384 in a stack of q, k and v) of a token in the planes.
__device__ __forceinline__ std::int64_t plane_index(const TokenMap& map, const TokenPlace& place,
                                                    int channel) {
  const std::int64_t piece =
      channel / kChannels * map.stack_pieces + place.piece + channel % kChannels / 8 * map.plane_pieces;
  return piece * 8 + channel % 8;
}

}  // namespace causcale::cuda
